; Definitions of PHP.
(comment) @comment
(namespace_definition name: (namespace_name) @name body: (compound_statement) @body) @definition.module
(class_declaration name: (name) @name body: (declaration_list) @body) @definition.class
(interface_declaration name: (name) @name body: (declaration_list) @body) @definition.interface
(trait_declaration name: (name) @name body: (declaration_list) @body) @definition.trait
(enum_declaration name: (name) @name body: (enum_declaration_list) @body) @definition.enum
(function_definition name: (name) @name body: (compound_statement) @body) @definition.function
(method_declaration name: (name) @name body: (compound_statement)? @body) @definition.method
(property_declaration
  (property_element name: (variable_name (name) @name))) @definition.property
(const_declaration (const_element . (name) @name)) @definition.constant
(enum_case name: (name) @name) @definition.constant
