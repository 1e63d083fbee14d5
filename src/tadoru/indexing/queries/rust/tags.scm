; Definitions of Rust. An `impl` block is the container of its items and no definition of its own.
(line_comment) @comment
(block_comment) @comment
(attribute_item) @attribute
(function_item name: (identifier) @name body: (block) @body) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name body: (_)? @body) @definition.struct
(enum_item name: (type_identifier) @name body: (enum_variant_list) @body) @definition.enum
(union_item name: (type_identifier) @name body: (field_declaration_list) @body) @definition.struct
(trait_item name: (type_identifier) @name body: (declaration_list) @body) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(macro_definition name: (identifier) @name) @definition.macro
(mod_item name: (identifier) @name body: (declaration_list) @body) @definition.module
(impl_item type: (type_identifier) @name body: (declaration_list) @body) @scope
(impl_item type: (generic_type type: (type_identifier) @name) body: (declaration_list) @body) @scope
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)
  body: (declaration_list) @body) @scope
