(use_declaration argument: (_) @module) @import
(mod_item name: (identifier) @module !body) @import
(extern_crate_declaration name: (identifier) @module) @import
