"""What bashkit misreads, put in other words before it reads it, and its complaints in bash's.

Each rule names the fault that it works around, and leaves every other text exactly as it is.
"""

from __future__ import annotations

import re

_PRINTF = re.compile(r"\bprintf\s+(?:--\s+)?'[^']*'")
_HEX_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\x00")
_POSITION = re.compile(
    r"parse error(?: at line (?P<line>\d+), column \d+)?: (?P<what>.*)", re.DOTALL
)
SYNTAX_ERROR = 2


def mend(command: str) -> str:
    """Return a command that means to bashkit what the given one means to bash.

    `printf '\\x00'` prints nothing there, `printf '\\000'` the NUL byte that is meant.
    """
    if "\\x00" not in command:
        return command
    return _PRINTF.sub(lambda found: _HEX_NUL.sub(r"\1\\000", found[0]), command)


def syntax_error(message: str) -> str:
    """Return bash's words for a parse error of bashkit; empty when it is another error."""
    found = _POSITION.search(message)
    if found is None:
        return ""
    what = found["what"].strip()
    if not what.startswith("syntax error"):
        what = f"syntax error: {what}"
    return f"bash: -c: line {found['line'] or 1}: {what}\n"
