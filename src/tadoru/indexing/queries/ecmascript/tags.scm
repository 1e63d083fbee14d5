; Definitions that JavaScript and TypeScript have alike. Captures: definition.KIND, name, body,
; comment, wrapper (`export` belongs to what it exports).
(comment) @comment
(export_statement) @wrapper

(class_declaration name: (_) @name body: (class_body) @body) @definition.class
(function_declaration name: (identifier) @name body: (statement_block) @body) @definition.function
(generator_function_declaration
  name: (identifier) @name body: (statement_block) @body) @definition.function
(method_definition name: (_) @name body: (statement_block) @body) @definition.method

(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)])) @definition.function
(variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)])) @definition.function
(lexical_declaration (variable_declarator name: (identifier) @name
  value: (class body: (class_body) @body))) @definition.class
(expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)])) @definition.function
(pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)]) @definition.method

(program (lexical_declaration
  (variable_declarator name: (identifier) @name)) @definition.variable)
(program (variable_declaration
  (variable_declarator name: (identifier) @name)) @definition.variable)
(program (export_statement declaration: (lexical_declaration
  (variable_declarator name: (identifier) @name)) @definition.variable))
