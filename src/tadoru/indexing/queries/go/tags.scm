; Definitions of Go. The receiver's type is the container of a method.
(comment) @comment
(function_declaration name: (identifier) @name body: (block)? @body) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @container
    (generic_type type: (type_identifier) @container)
    (pointer_type [(type_identifier) @container
                   (generic_type type: (type_identifier) @container)])]))
  name: (field_identifier) @name body: (block)? @body) @definition.method
(type_declaration (type_spec name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body))) @definition.struct
(type_declaration (type_spec name: (type_identifier) @name
  type: (interface_type) @body)) @definition.interface
(type_declaration (type_spec name: (type_identifier) @name)) @definition.type
(type_declaration (type_alias name: (type_identifier) @name)) @definition.type
(interface_type (method_elem name: (field_identifier) @name) @definition.method)
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration
  (var_spec_list (var_spec name: (identifier) @name) @definition.variable)))
