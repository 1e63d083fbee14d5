; Definitions of Ruby. The signature of a class or module ends with its first line.
(comment) @comment
(class name: [(constant) (scope_resolution)] @name) @definition.class
(module name: [(constant) (scope_resolution)] @name) @definition.module
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(program (assignment left: (constant) @name) @definition.constant)
(body_statement (assignment left: (constant) @name) @definition.constant)
(alias name: (_) @name) @definition.method
((call method: (identifier) @function arguments: (argument_list (simple_symbol) @name))
  @definition.property
  (#any-of? @function "attr_reader" "attr_writer" "attr_accessor"))
