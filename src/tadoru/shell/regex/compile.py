"""From the words on grep's command line to a matcher."""

from __future__ import annotations

from typing import Literal

from tadoru.shell.regex.backtrack import Backtracker
from tadoru.shell.regex.charset import caseless, single
from tadoru.shell.regex.matcher import Clock, Matcher, Rules
from tadoru.shell.regex.nodes import EMPTY, NEVER, Chars, Node, Opaque, alt, cat, walk
from tadoru.shell.regex.perl import PerlParser
from tadoru.shell.regex.posix import PosixParser

_SPECIAL = frozenset("\\.+*?()|[]{}^$#&-~")
Syntax = Literal["basic", "extended", "fixed"]


def compile_posix(
    patterns: list[str],
    syntax: Syntax,
    rules: Rules,
    clock: Clock,
    *,
    ignore_case: bool = False,
) -> tuple[Matcher, list[str]]:
    """Return a matcher for any of `patterns`, and the warnings that GNU grep would give.

    No pattern matches nothing; an empty one, everything. Raises PatternError in GNU's words.
    """
    branches: list[Node] = []
    warnings: list[str] = []
    groups = 0
    for pattern in patterns:
        if syntax == "fixed":
            branches.append(fixed(pattern, ignore_case=ignore_case))
            continue
        parser = PosixParser(
            pattern, extended=syntax == "extended", fold=ignore_case, groups_before=groups
        )
        branches.append(parser.parse())
        groups = parser.groups
        warnings.extend(parser.warnings)
    unique = list(dict.fromkeys(branches))
    tree = alt(unique) if unique else NEVER
    return Matcher(tree, rules, clock, branches=unique or [NEVER]), warnings


def fixed(text: str, *, ignore_case: bool) -> Node:
    """Return the tree of a text that stands for itself."""
    if not text:
        return EMPTY
    codes = [single(ord(character)) for character in text]
    return cat([Chars(caseless(code) if ignore_case else code) for code in codes])


def compile_perl(
    patterns: list[str],
    rules: Rules,
    clock: Clock,
    *,
    ignore_case: bool = False,
    rust: bool = False,
) -> Matcher:
    """Return a matcher for `grep -P` (one pattern), or with `rust` for `rg` (any of them).

    Raises PatternError in the words of PCRE, or of Rust's regex crate.
    """
    branches: list[Node] = []
    for pattern in patterns:
        branches.append(PerlParser(pattern, rust=rust, fold=ignore_case).parse())
    tree = alt(branches) if branches else NEVER
    raw = None
    if any(isinstance(node, Opaque) for node in walk(tree)):
        raw = _raw("|".join(f"(?:{p})" for p in patterns), rules, clock, ignore_case, rust)
    return Matcher(tree, rules, clock, branches=branches or [NEVER], backtracker=raw)


def _raw(expression: str, rules: Rules, clock: Clock, fold: bool, rust: bool) -> Backtracker:
    """Compile an expression as it is written for the backtracking engine."""
    if rules.line:
        expression = rf"\A(?:{expression})\Z"
    elif rules.word:
        expression = rf"(?<!\w)(?:{expression})(?!\w)"
    flags = ("i" if fold else "") + ("" if rust else "a")
    return Backtracker(expression, clock.left, flags=flags)


def fixed_expression(text: str) -> str:
    """Return an expression of Rust's or Perl's dialect that matches exactly a text."""
    return "".join(f"\\{c}" if c in _SPECIAL else c for c in text)
