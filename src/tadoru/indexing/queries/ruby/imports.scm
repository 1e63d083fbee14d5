((call method: (identifier) @function arguments: (argument_list . (string) @module)) @import
  (#any-of? @function "require" "require_relative" "load" "autoload"))
