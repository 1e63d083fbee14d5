; inherits: ecmascript
(class_body (public_field_definition name: (_) @name) @definition.property)
(abstract_class_declaration name: (_) @name body: (class_body) @body) @definition.class
(interface_declaration name: (_) @name body: (interface_body) @body) @definition.interface
(enum_declaration name: (_) @name body: (enum_body) @body) @definition.enum
(type_alias_declaration name: (_) @name) @definition.type
(internal_module name: (_) @name body: (statement_block) @body) @definition.module
(module name: (_) @name body: (statement_block) @body) @definition.module
(function_signature name: (identifier) @name) @definition.function
(method_signature name: (property_identifier) @name) @definition.method
(abstract_method_signature name: (property_identifier) @name) @definition.method
(property_signature name: (property_identifier) @name) @definition.property
(ambient_declaration) @wrapper
