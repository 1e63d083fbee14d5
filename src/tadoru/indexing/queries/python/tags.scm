; Definitions of Python. Captures: definition.KIND, name, body (where the signature ends),
; doc (a docstring), wrapper (decorators belong to what they decorate), comment.
(comment) @comment
(decorated_definition) @wrapper

(class_definition name: (identifier) @name body: (block) @body) @definition.class
(function_definition name: (identifier) @name body: (block) @body) @definition.function

(class_definition body: (block . (expression_statement (string) @doc)))
(function_definition body: (block . (expression_statement (string) @doc)))

(module (expression_statement (assignment left: (identifier) @name right: (_))) @definition.variable)
(module (expression_statement (assignment left: (identifier) @name type: (_) !right)) @definition.variable)
(class_definition body: (block
  (expression_statement (assignment left: (identifier) @name)) @definition.property))
(type_alias_statement left: (type (identifier) @name)) @definition.type
