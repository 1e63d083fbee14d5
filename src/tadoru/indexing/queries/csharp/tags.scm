; Definitions of C#.
(comment) @comment
(class_declaration name: (identifier) @name body: (declaration_list)? @body) @definition.class
(record_declaration name: (identifier) @name body: (declaration_list)? @body) @definition.class
(struct_declaration name: (identifier) @name body: (declaration_list)? @body) @definition.struct
(interface_declaration
  name: (identifier) @name body: (declaration_list) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (enum_member_declaration_list) @body) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type
(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_)? @body) @definition.method
(destructor_declaration name: (identifier) @name body: (_)? @body) @definition.method
(local_function_statement name: (identifier) @name body: (_)? @body) @definition.function
(property_declaration name: (identifier) @name) @definition.property
(field_declaration (variable_declaration
  (variable_declarator name: (identifier) @name))) @definition.property
(event_field_declaration (variable_declaration
  (variable_declarator name: (identifier) @name))) @definition.property
(enum_member_declaration name: (identifier) @name) @definition.constant
(namespace_declaration name: (_) @name body: (declaration_list) @body) @definition.module
