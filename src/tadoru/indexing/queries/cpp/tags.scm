; inherits: c
; `A::f` outside its class has `A` as container.
(template_declaration) @wrapper
(function_definition
  declarator: (function_declarator declarator: [
    (field_identifier) (destructor_name) (operator_name) (qualified_identifier)
    (template_function)] @name)
  body: (_)? @body) @definition.function
(function_definition
  declarator: (pointer_declarator declarator: (function_declarator
    declarator: [(field_identifier) (qualified_identifier)] @name))
  body: (_)? @body) @definition.function
(function_definition
  declarator: (reference_declarator (function_declarator
    declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))
  body: (_)? @body) @definition.function
(field_declaration declarator: (function_declarator
  declarator: (field_identifier) @name)) @definition.method
(field_declaration declarator: (pointer_declarator declarator: (function_declarator
  declarator: (field_identifier) @name))) @definition.method
(field_declaration declarator: (field_identifier) @name) @definition.property
(class_specifier name: (_) @name body: (field_declaration_list) @body) @definition.class
(namespace_definition name: (_) @name body: (declaration_list) @body) @definition.module
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(declaration declarator: (reference_declarator
  (function_declarator declarator: (identifier) @name))) @definition.function
