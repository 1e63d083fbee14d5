"""`find -regex`: Emacs, basic and extended expressions over whole paths, matched by RE2.

RE2 has no backreferences, and neither do paths need any: they are refused. Its time is linear in
the path, so no expression can stop a walk.
"""

from __future__ import annotations

from collections.abc import Callable

from tadoru.shell.commands.context import UsageError

_SWAPPED = {"emacs": "(|)", "basic": "(|){}+?", "extended": ""}
"""What is an operator only with a backslash, and itself without."""


def whole_match(pattern: str, kind: str, *, fold: bool) -> Callable[[str], bool]:
    """Return the test of a whole path. `kind`: emacs, basic, extended. Raises UsageError."""
    import re2

    options = re2.Options()
    options.posix_syntax = True
    options.longest_match = True
    options.dot_nl = True
    options.case_sensitive = not fold
    options.word_boundary = True
    options.log_errors = False
    try:
        compiled = re2.compile(to_extended(pattern, kind), options)
    except re2.error as error:
        detail = error.args[0]
        words = detail.decode() if isinstance(detail, bytes) else str(detail)
        raise UsageError(f"invalid regular expression ‘{pattern}’: {words}", 1) from None
    return lambda path: compiled.fullmatch(path) is not None


def to_extended(pattern: str, kind: str) -> str:
    """Return an expression of some kind in the extended syntax."""
    swapped = _SWAPPED[kind]
    result: list[str] = []
    position = 0
    while position < len(pattern):
        letter = pattern[position]
        if letter == "\\" and position + 1 < len(pattern):
            escaped = pattern[position + 1]
            result.append(escaped if escaped in swapped else letter + escaped)
            position += 2
        elif letter == "[":
            end = _end_of_bracket(pattern, position)
            result.append(pattern[position:end].replace("\\", "\\\\"))
            position = end
        else:
            plain = letter in swapped or (kind == "emacs" and letter in "{}")
            result.append("\\" + letter if plain else letter)
            position += 1
    return "".join(result)


def _end_of_bracket(pattern: str, start: int) -> int:
    position = start + 1
    if pattern[position : position + 1] == "^":
        position += 1
    if pattern[position : position + 1] == "]":
        position += 1
    while position < len(pattern) and pattern[position] != "]":
        closing = pattern[position : position + 2]
        if closing in ("[:", "[.", "[="):
            end = pattern.find(closing[1] + "]", position + 2)
            position = end + 2 if end > 0 else position + 1
        else:
            position += 1
    return min(position + 1, len(pattern))
