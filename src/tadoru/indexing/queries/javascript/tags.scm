; inherits: ecmascript
(class_body (field_definition property: (_) @name) @definition.property)
