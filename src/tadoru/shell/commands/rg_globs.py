"""Globs of `rg -g`: `.gitignore` syntax, where a glob includes and `!glob` excludes.

The last glob that matches decides. When none does, a file is left out if any glob includes, and a
directory is entered. `*` and `?` stop at `/`, `**` does not; a glob with a `/` is relative to the
working directory, one without matches base names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tadoru.shell.commands.context import UsageError
from tadoru.shell.regex.compile import compile_perl
from tadoru.shell.regex.matcher import Clock, Matcher, Rules
from tadoru.shell.regex.nodes import PatternError

_SPECIAL = frozenset(r"\.+*?()|[]{}^$")


@dataclass(frozen=True, slots=True)
class _Rule:
    excludes: bool
    directories: bool
    whole_path: bool
    matcher: Matcher


class Globs:
    """The globs of one call, in order. `fold`: letter case is ignored (`--iglob`)."""

    def __init__(self, globs: Sequence[tuple[str, bool]]) -> None:
        self._rules = [_rule(glob, fold=fold) for glob, fold in globs]
        self._includes = any(not rule.excludes for rule in self._rules)

    @property
    def given(self) -> bool:
        return bool(self._rules)

    def admits(self, path: str, named: int, *, hidden: bool) -> bool:
        """Tell whether a file is searched. `path`: relative to the working directory.

        Its first `named` components were given as an operand, and are not asked about. Without
        `hidden`, a hidden component needs a glob of its own that includes it.
        """
        parts = path.split("/")
        for depth in range(named + 1, len(parts) + 1):
            leaf = depth == len(parts)
            verdict = self._verdict("/".join(parts[:depth]), directory=not leaf)
            if verdict is False or (verdict is None and leaf and self._includes):
                return False
            if parts[depth - 1].startswith(".") and not (hidden or verdict):
                return False
        return True

    def _verdict(self, path: str, *, directory: bool) -> bool | None:
        name = path.rpartition("/")[2]
        for rule in reversed(self._rules):
            if rule.directories and not directory:
                continue
            if rule.matcher.search((path if rule.whole_path else name).encode("utf-8", "replace")):
                return not rule.excludes
        return None


def _rule(glob: str, *, fold: bool) -> _Rule:
    excludes = glob.startswith("!")
    body = glob.removeprefix("!")
    directories = body.endswith("/")
    body = body.rstrip("/") if directories else body
    whole = "/" in body
    body = body.removeprefix("/")
    try:
        matcher = compile_perl(
            [translate(body)], Rules(line=True, longest=False), Clock(), ignore_case=fold, rust=True
        )
    except PatternError:
        raise UsageError(f"error parsing glob '{glob}'") from None
    return _Rule(excludes, directories, whole, matcher)


def translate(glob: str) -> str:
    """Return a glob as an expression for a whole path."""
    out: list[str] = []
    at = depth = 0
    while at < len(glob):
        here = glob[at]
        at += 1
        if here == "*":
            stars = at
            while at < len(glob) and glob[at] == "*":
                at += 1
            if at == stars:
                out.append("[^/]*")
            elif glob.startswith("/", at):
                at += 1
                out.append("(?:.*/)?")
            else:
                out.append(".*")
        elif here == "?":
            out.append("[^/]")
        elif here == "[" and (end := glob.find("]", at + 1)) > 0:
            out.append("[" + _set(glob[at:end]) + "]")
            at = end + 1
        elif here == "{":
            depth += 1
            out.append("(?:")
        elif here == "}" and depth:
            depth -= 1
            out.append(")")
        elif here == "," and depth:
            out.append("|")
        else:
            if here == "\\" and at < len(glob):
                here = glob[at]
                at += 1
            out.append("\\" + here if here in _SPECIAL else here)
    return "".join(out)


def _set(body: str) -> str:
    negated = body[:1] in ("!", "^")
    inside = body[1:] if negated else body
    escaped = "".join("\\" + c if c in "[]\\^&~" else c for c in inside)
    return ("^" if negated else "") + escaped
