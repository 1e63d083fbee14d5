"""The words of a `find` expression to one function, with GNU's precedence and complaints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tadoru.shell.commands import find_actions, find_tests
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.find_actions import State
from tadoru.shell.commands.find_item import Item

Test = Callable[[Item], bool]

MAX_WORDS = 10_000
MAX_NESTING = 200
"""Parentheses inside parentheses; GNU has no limit but its stack."""
_JOINERS = frozenset({"-o", "-or", "-a", "-and", ",", ")"})
_POSITIONLESS = frozenset(
    {"-noleaf", "-xdev", "-mount", "-warn", "-nowarn", "-ignore_readdir_race"}
    | {"-noignore_readdir_race", "-daystart"}
)


@dataclass(slots=True)
class Expression:
    """What is evaluated on each item, and what governs the walk."""

    evaluate: Test
    state: State
    follow: str = "P"
    min_depth: int = 0
    max_depth: int = 1 << 30
    children_first: bool = False


def split_operands(argv: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """Return how links are treated (P, H, L), the starting points, and the expression's words."""
    follow, position = "P", 0
    while position < len(argv):
        word = argv[position]
        if word in ("-P", "-H", "-L"):
            follow = word[1]
        elif word.startswith("-O") or word == "--":
            pass
        elif word == "-D":
            position += 1
        else:
            break
        position += 1
    operands: list[str] = []
    while position < len(argv):
        word = argv[position]
        if (word.startswith("-") and len(word) > 1) or word in ("(", "!"):
            break
        operands.append(word)
        position += 1
    return follow, operands, list(argv[position:])


def parse(words: list[str], ctx: Context, *, follow: str) -> Expression:
    """Return the expression of some words. Raises UsageError in GNU's words."""
    if len(words) > MAX_WORDS:
        raise UsageError("Argument list too long", 1)
    return _Parser(words, ctx, follow).parse()


class _Parser:
    def __init__(self, words: list[str], ctx: Context, follow: str) -> None:
        self._words = words
        self._position = 0
        self._nesting = 0
        self._ctx = ctx
        self._state = State()
        self._expression = Expression(lambda item: True, self._state, follow)
        self._regex_type = "emacs"

    def parse(self) -> Expression:
        test: Test | None = None
        if self._words:
            test = self._list()
            if self._position < len(self._words):
                raise UsageError(
                    "invalid expression; you have too many ')'"
                    if self._peek() == ")"
                    else f"paths must precede expression: `{self._peek()}'"
                )
        if not self._state.acts:
            show = find_actions.printer(self._state, "\n")
            test = show if test is None else _both(test, show)
        assert test is not None
        self._expression.evaluate = test
        return self._expression

    def _peek(self) -> str | None:
        return self._words[self._position] if self._position < len(self._words) else None

    def _list(self) -> Test:
        test = self._either()
        while self._peek() == ",":
            self._position += 1
            test = _last(test, self._either())
        return test

    def _either(self) -> Test:
        test = self._all()
        while self._peek() in ("-o", "-or"):
            operator = self._take()
            if self._peek() is None or self._peek() == ")":
                raise UsageError(_missing_operand(operator))
            test = _any(test, self._all())
        return test

    def _all(self) -> Test:
        test = self._negated()
        while (word := self._peek()) is not None:
            if word in ("-a", "-and"):
                operator = self._take()
                if self._peek() is None or self._peek() in _JOINERS:
                    raise UsageError(_missing_operand(operator))
            elif word in _JOINERS:
                break
            test = _both(test, self._negated())
        return test

    def _negated(self) -> Test:
        word = self._peek()
        if word in ("!", "-not"):
            self._position += 1
            if self._peek() is None:
                raise UsageError(f"expected an expression after '{word}'")
            test = self._negated()
            return lambda item: not test(item)
        if word == "(":
            return self._parenthesised()
        if word in _JOINERS:
            raise UsageError(
                f"invalid expression; you have used a binary operator '{word}' with nothing "
                "before it."
            )
        return self._primary()

    def _parenthesised(self) -> Test:
        self._position += 1
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise UsageError("parentheses are nested too deeply")
        if self._peek() == ")":
            raise UsageError("invalid expression; empty parentheses are not allowed.")
        if self._peek() is None:
            raise UsageError(
                "invalid expression; expected to find a ')' but didn't see one. "
                "Perhaps you need an extra predicate after '('"
            )
        test = self._list()
        if self._peek() != ")":
            raise UsageError(
                "invalid expression; I was expecting to find a ')' somewhere but did not see one."
            )
        self._position += 1
        self._nesting -= 1
        return test

    def _take(self) -> str:
        word = self._words[self._position]
        self._position += 1
        return word

    def _argument(self, word: str) -> str:
        if self._position >= len(self._words):
            raise UsageError(f"missing argument to `{word}'")
        return self._take()

    def _primary(self) -> Test:
        word = self._take()
        if not word.startswith("-"):
            raise UsageError(f"paths must precede expression: `{word}'")
        if word in _POSITIONLESS:
            return _true
        if word in ("-maxdepth", "-mindepth"):
            return self._depth_limit(word)
        if word in ("-depth", "-d"):
            self._expression.children_first = True
            return _true
        if word == "-follow":
            self._expression.follow = "L"
            return _true
        if word == "-regextype":
            self._regex_type = self._argument(word)
            return _true
        if word in ("-regex", "-iregex"):
            pattern = self._argument(word)
            return find_tests.regex(pattern, self._regex_type, fold=word == "-iregex")
        if word in find_actions.EXEC:
            return self._execute(word)
        return self._named(word)

    def _named(self, word: str) -> Test:
        action = find_actions.make(word, lambda: self._argument(word), self._state)
        if action is not None:
            if word == "-delete":
                self._expression.children_first = True
            return action
        test = find_tests.make(word, lambda: self._argument(word), self._ctx)
        if test is None:
            raise UsageError(f"unknown predicate `{word}'")
        return test

    def _depth_limit(self, word: str) -> Test:
        value = self._argument(word)
        if not value.isdigit():
            raise UsageError(
                f"Expected a positive decimal integer argument to {word}, but got ‘{value}’"
            )
        if word == "-maxdepth":
            self._expression.max_depth = int(value)
        else:
            self._expression.min_depth = int(value)
        return _true

    def _execute(self, word: str) -> Test:
        words: list[str] = []
        while True:
            if self._position >= len(self._words):
                raise UsageError(f"missing argument to `{word}'")
            argument = self._take()
            if argument == ";":
                if not words:
                    raise UsageError(f"invalid argument `;' to `{word}'")
                break
            if argument == "+" and words and words[-1] == "{}":
                return find_actions.gathered(self._state, words[:-1], in_place="dir" in word)
            words.append(argument)
        if word.startswith("-ok"):
            return find_actions.declined(self._state, words)
        last = self._position >= len(self._words) and not self._nesting
        return find_actions.each(
            self._state, self._ctx, words, in_place="dir" in word, result_unused=last
        )


def _missing_operand(operator: str) -> str:
    return f"expected an expression after '{operator}'"


def _true(item: Item) -> bool:
    return True


def _both(first: Test, second: Test) -> Test:
    if first is _true:
        return second
    return lambda item: first(item) and second(item)


def _any(first: Test, second: Test) -> Test:
    return lambda item: first(item) or second(item)


def _last(first: Test, second: Test) -> Test:
    def test(item: Item) -> bool:
        first(item)
        return second(item)

    return test
