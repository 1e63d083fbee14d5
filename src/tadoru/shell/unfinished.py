"""Whether a command that is being typed goes on in the next line, as bash would ask for it."""

from __future__ import annotations

import re

from tadoru.shell.plain import parser

_WANTS_MORE = re.compile(
    r"unexpected end of (?:file|input)|unexpected EOF while looking|unterminated", re.IGNORECASE
)
_GOES_ON = re.compile(r"(?:\|\||&&|\||(?<!\\)(?:\\\\)*\\)[ \t]*$")
_HERE_DOCUMENT = re.compile(
    r"(?<!<)<<(?P<strip>-?)[ \t]*(?P<quote>['\"]?)\\?(?P<end>[A-Za-z_]\w*)(?P=quote)"
)
_ARITHMETIC = re.compile(r"\(\([^()]*\)\)")
_COMMENT = re.compile(r"(?:^|[\s;])#[^\n]*$")


def unfinished(command: str) -> bool:
    """Tell whether a command ends in the middle: of quotes, of a loop, of a here-document."""
    from bashkit import BashError

    try:
        parser().analyze(command)
    except BashError as error:
        return bool(_WANTS_MORE.search(str(error)))
    lines = command.split("\n")
    if _open_document(lines):
        return True
    return bool(_GOES_ON.search(lines[-1])) and not _COMMENT.search(lines[-1])


def _open_document(lines: list[str]) -> bool:
    """Tell whether a here-document still waits for its last line."""
    waiting: list[tuple[str, bool]] = []
    for line in lines:
        if waiting:
            end, strip = waiting[0]
            if (line.lstrip("\t") if strip else line) == end:
                waiting.pop(0)
            continue
        found = _HERE_DOCUMENT.finditer(_ARITHMETIC.sub("", _COMMENT.sub("", line)))
        waiting += [(match["end"], bool(match["strip"])) for match in found]
    return bool(waiting)
