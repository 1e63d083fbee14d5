"""The language of `bc`: from text to a tree of tuples, statement by statement.

A statement is a tuple whose first part names it; so is an expression. Nothing is evaluated here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 40
"""Levels of an expression or statement; each takes a dozen of Python's own."""
_TOKEN = re.compile(
    r"""(?P<skip>[ \t\r]+|\\\n|/\*.*?\*/|\#[^\n]*)|(?P<number>[0-9A-F]*\.[0-9A-F]+|[0-9A-F]+\.?)
    |(?P<name>[a-z][a-z0-9_]*)|(?P<string>"[^"]*")|(?P<end>[\n;])
    |(?P<sign>\+\+|--|&&|\|\||[-+*/%^<>=!]=|[-+*/%^<>=!(){},.\[\]])""",
    re.VERBOSE | re.DOTALL,
)
_RESERVED = """
auto break continue define else for halt if last print quit return warranty limits while length
scale sqrt read ibase obase
"""
_WORDS = frozenset(_RESERVED.split())
_ASSIGN = frozenset(["=", "+=", "-=", "*=", "/=", "%=", "^="])
_RELATION = frozenset(["<", "<=", ">", ">=", "==", "!="])
Node = tuple[Any, ...]


class BcSyntaxError(Exception):
    """Says in which line."""

    def __init__(self, line: int, what: str = "syntax error") -> None:
        super().__init__(f"(standard_in) {line}: {what}")


class Parser:
    """Takes one statement at a time, so that what stands before an error is run."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._kind = self._word = ""
        self._depth = 0

    # -- tokens --------------------------------------------------------------------------------

    def _next(self) -> None:
        while self._at < len(self._text):
            found = _TOKEN.match(self._text, self._at)
            if found is None:
                letter = self._text[self._at]
                self._at += 1
                raise BcSyntaxError(self._line, f"illegal character: {letter}")
            if self._kind == "end" and self._word == "\n":
                self._line += 1
            self._at = found.end()
            self._kind, self._word = str(found.lastgroup), found[0]
            if self._kind == "skip":
                self._line += found[0].count("\n")
                self._kind = ""
                continue
            return
        if self._kind == "end" and self._word == "\n":
            self._line += 1
        self._kind, self._word = "eof", ""

    def _take(self, *words: str) -> str:
        if self._word in words and self._kind not in ("string", "eof"):
            word = self._word
            self._next()
            return word
        return ""

    def _need(self, word: str) -> None:
        if not self._take(word):
            raise BcSyntaxError(self._line)

    def skip_line(self) -> None:
        """Go on behind the line that could not be read. Raises BcSyntaxError for the next one."""
        if self._kind != "end" or self._word != "\n":
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end + 1
            self._line += 1
            self._kind = ""
        self._next()

    # -- statements ----------------------------------------------------------------------------

    def statement(self) -> Node | None:
        """Return the next statement; None at the end. Raises BcSyntaxError."""
        if not self._kind:
            self._next()
        while self._kind == "end":
            self._next()
        if self._kind == "eof":
            return None
        self._depth = 0
        if self._take("define"):
            return self._define()
        found = self._simple()
        if self._kind not in ("end", "eof") and self._word != "}":
            raise BcSyntaxError(self._line)
        return found

    def _define(self) -> Node:
        void = self._word == "void" and bool(self._take("void"))
        name = self._name()
        self._need("(")
        parameters = self._names(")")
        self._blank_lines()
        self._need("{")
        self._blank_lines()
        local = []
        if self._take("auto"):
            local = self._names(";", "\n")
        body = self._block()
        return ("define", name, parameters, local, body, void)

    def _names(self, *ends: str) -> list[str]:
        names: list[str] = []
        while not self._take(*ends):
            names.append(self._name())
            if self._take("["):
                self._need("]")
            self._take(",")
        return names

    def _name(self) -> str:
        if self._kind != "name":
            raise BcSyntaxError(self._line)
        word = self._word
        self._next()
        return word

    def _blank_lines(self) -> None:
        while self._kind == "end" and self._word == "\n":
            self._next()

    def _block(self) -> list[Node]:
        """Read statements up to the closing brace."""
        statements: list[Node] = []
        while not self._take("}"):
            if self._kind == "eof":
                raise BcSyntaxError(self._line)
            if self._kind == "end":
                self._next()
                continue
            statements.append(self._simple())
        return statements

    def _simple(self) -> Node:
        return self._nested(self._one)

    def _one(self) -> Node:
        if self._kind == "string":
            text = self._word[1:-1]
            self._next()
            return ("text", text)
        if self._take("{"):
            return ("block", self._block())
        word = self._take(
            "if", "while", "for", "print", "return", "break", "continue", "quit", "halt"
        )
        if word == "if":
            return self._if()
        if word == "while":
            self._need("(")
            test = self.expression()
            self._need(")")
            self._blank_lines()
            return ("for", None, test, None, self._simple())
        if word == "for":
            return self._for()
        if word == "print":
            return self._print()
        if word == "return":
            empty = self._kind in ("end", "eof") or self._word == "}"
            return ("return", ("number", "0") if empty else self.expression())
        if word:
            return (word,)
        value = self.expression()
        return ("value", value)

    def _if(self) -> Node:
        self._need("(")
        test = self.expression()
        self._need(")")
        self._blank_lines()
        then = self._simple()
        before = (self._at, self._line, self._kind, self._word)
        while self._kind == "end":
            self._next()
        if self._take("else"):
            self._blank_lines()
            return ("if", test, then, self._simple())
        self._at, self._line, self._kind, self._word = before
        return ("if", test, then, None)

    def _for(self) -> Node:
        self._need("(")
        parts: list[Node | None] = []
        for end in (";", ";", ")"):
            parts.append(None if self._word == end else self.expression())
            self._need(end)
        self._blank_lines()
        return ("for", *parts, self._simple())

    def _print(self) -> Node:
        parts: list[Node] = []
        while True:
            if self._kind == "string":
                parts.append(("text", self._word[1:-1]))
                self._next()
            else:
                parts.append(self.expression())
            if not self._take(","):
                return ("print", parts)

    # -- expressions ---------------------------------------------------------------------------

    def _nested(self, parse: Callable[[], Node]) -> Node:
        """Parse what lies one level deeper, as far as that goes."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise BcSyntaxError(self._line, "nested too deep")
        found = parse()
        self._depth -= 1
        return found

    def expression(self) -> Node:
        return self._nested(lambda: self._chain(self._conjunction, "||"))

    def _conjunction(self) -> Node:
        return self._chain(self._negation, "&&")

    def _chain(self, parse: Callable[[], Node], *signs: str) -> Node:
        """Parse operands between operators of the same rank, however many."""
        first = parse()
        rest: list[tuple[str, Node]] = []
        while sign := self._take(*signs):
            rest.append((sign, parse()))
        return ("chain", first, rest) if rest else first

    def _negation(self) -> Node:
        if self._take("!"):
            return ("not", self._nested(self._negation))
        return self._chain(self._sum, *_RELATION)

    def _sum(self) -> Node:
        return self._chain(self._product, "+", "-")

    def _product(self) -> Node:
        return self._chain(self._power, "*", "/", "%")

    def _power(self) -> Node:
        left = self._unary()
        if self._take("^"):
            return ("chain", left, [("^", self._nested(self._power))])
        return left

    def _unary(self) -> Node:
        if self._take("-"):
            return ("negative", self._nested(self._unary))
        if sign := self._take("++", "--"):
            return ("step", sign, self._place(self._nested(self._unary)), "before")
        return self._postfix()

    def _postfix(self) -> Node:
        found = self._primary()
        if self._kind == "sign" and self._word in _ASSIGN:
            sign = self._take(*_ASSIGN)
            # the value reaches to the next comparison: `a = 3 < 5` compares what was assigned
            return ("assign", sign[:-1], self._place(found), self._nested(self._sum))
        if sign := self._take("++", "--"):
            return ("step", sign, self._place(found), "after")
        return found

    def _place(self, node: Node) -> Node:
        if node[0] not in ("variable", "element"):
            raise BcSyntaxError(self._line)
        return node

    def _primary(self) -> Node:
        kind, word = self._kind, self._word
        if kind == "number":
            self._next()
            return ("number", word)
        if word == "(" and kind == "sign":
            self._next()
            inner = self.expression()
            self._need(")")
            return ("group", inner)
        if word == "." and kind == "sign":
            self._next()
            return ("variable", "last")
        if kind != "name" or (word in _WORDS and word not in _CALLED and word not in _VARIABLES):
            raise BcSyntaxError(self._line)
        self._next()
        if self._take("["):
            index = self.expression()
            self._need("]")
            return ("element", word, index)
        if not self._take("("):
            if word in _CALLED and word not in _VARIABLES:
                raise BcSyntaxError(self._line)
            return ("variable", word)
        arguments: list[Node] = []
        while not self._take(")"):
            arguments.append(self.expression())
            if self._word != ")":
                self._need(",")
        return ("call", word, arguments)


_CALLED = frozenset(["length", "scale", "sqrt", "read"])
_VARIABLES = frozenset(["scale", "ibase", "obase", "last"])
