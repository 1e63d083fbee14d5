"""What bashkit misreads, put in other words before it reads it, and its complaints in bash's.

Each rule names the fault that it works around, and leaves every other text exactly as it is.
"""

from __future__ import annotations

import re

_PRINTF = re.compile(r"\bprintf\s+(?:--\s+)?'[^']*'")
_HEX_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\x00")
_READ_FROM = re.compile(
    r"\bread(?P<words>(?:[ \t]+-[a-zA-Z]+)*(?:[ \t]+\w+)*)[ \t]*<&(?P<descriptor>[3-9])(?!\d)"
)
_POSITION = re.compile(
    r"parse error(?: at line (?P<line>\d+), column \d+)?: (?P<what>.*)", re.DOTALL
)
SYNTAX_ERROR = 2
SURE_BRACE_WORDS = 8_192
"""Words of one brace expansion that bashkit has always made; of more it may drop some silently."""
_BRACES = re.compile(r"\{([^{}\s'\"$]*)\}")
_RANGE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?")


def mend(command: str) -> str:
    """Return a command that means to bashkit what the given one means to bash.

    `printf '\\x00'` prints nothing there, `printf '\\000'` the NUL byte that is meant.
    `read x <&3` finds no descriptor in a loop that ends in `done 3< file`; `read -u 3 x` does.
    """
    if "\\x00" in command:
        command = _PRINTF.sub(lambda found: _HEX_NUL.sub(r"\1\\000", found[0]), command)
    if "<&" in command and "read" in command:
        command = _READ_FROM.sub(_read_descriptor, command)
    return command


def _read_descriptor(found: re.Match[str]) -> str:
    if _quoted(found.string, found.start()):
        return found[0]
    return f"read -u {found['descriptor']}{found['words']}"


def _quoted(text: str, end: int) -> bool:
    """Tell whether a position lies inside quotes."""
    quote, position = "", 0
    while position < end:
        letter = text[position]
        if letter == "\\" and quote != "'":
            position += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        position += 1
    return bool(quote)


def syntax_error(message: str) -> str:
    """Return bash's words for a parse error of bashkit; empty when it is another error."""
    found = _POSITION.search(message)
    if found is None:
        return ""
    what = found["what"].strip()
    if not what.startswith("syntax error"):
        what = f"syntax error: {what}"
    return f"bash: -c: line {found['line'] or 1}: {what}\n"


def brace_note(command: str) -> str:
    """Return what to say on stderr when a word expands to more than is surely kept; else empty."""
    if command.count("{") < 2:
        return ""  # a single range has a limit of its own, with a complaint
    for word in command.split():
        count = 1
        for found in _BRACES.finditer(word):
            count *= _alternatives(found[1])
        if count > SURE_BRACE_WORDS:
            return f"bash: a brace expansion of {count} words may be incomplete\n"
    return ""


def _alternatives(body: str) -> int:
    """Return how many words `{body}` stands for."""
    found = _RANGE.fullmatch(body)
    if found is None:
        return body.count(",") + 1
    first, last = (int(x) if x.lstrip("-").isdigit() else ord(x) for x in (found[1], found[2]))
    return abs(last - first) // (abs(int(found[3] or 1)) or 1) + 1
