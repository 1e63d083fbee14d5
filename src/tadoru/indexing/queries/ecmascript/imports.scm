(import_statement source: (string) @module) @import
(export_statement source: (string) @module) @import
(call_expression function: (import) arguments: (arguments . (string) @module)) @import
((call_expression function: (identifier) @function
  arguments: (arguments . (string) @module)) @import
  (#eq? @function "require"))
