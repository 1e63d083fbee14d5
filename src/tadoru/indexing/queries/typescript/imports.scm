; inherits: ecmascript
(import_statement (import_require_clause source: (string) @module)) @import
