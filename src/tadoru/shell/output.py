"""What a command line has printed: bounded, never cut silently, its errors in bash's words.

Takes bytes as they come, keeps those within the limit, and says what was left out and how to read
on. Also the place where bashkit's own wording is turned into GNU's.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tadoru.shell.lossless import unescape

MAX_SUGGESTIONS = 2
"""Missing paths of one command line for which the resolver is asked."""
FLOOD = 16
"""How many times its limit a stream may print before the command line is stopped."""
TAIL_BYTES = 4096
"""How far back a cut looks for the end of a line."""

_MISSING = re.compile(r"^(?:.*?: )?(?P<path>[^:\n]+): No such file or directory$")
_QUOTED = re.compile(r"[‘'\"](?P<path>[^‘’'\"\n]+)[’'\"]: No such file or directory$")
_DID_YOU_MEAN = re.compile(r"(: command not found)\. Did you mean: [^\n]*")
_IO_ERROR = re.compile(r"\b(?:io error|I/O error): ")
_NOT_FOUND = re.compile(r": (?:entity|file) not found$|: not found: [^\n]*$")


class Collector:
    """Gathers one stream up to `limit` bytes and counts the rest."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._held = 0
        self.total = 0

    def take(self, data: bytes) -> None:
        self.total += len(data)
        room = self._limit - self._held
        if room > 0:
            piece = data[:room]
            self._pieces.append(piece)
            self._held += len(piece)

    @property
    def flooded(self) -> bool:
        """Tell whether so much was thrown away that going on is pointless."""
        return self.total > FLOOD * self._limit

    @property
    def truncated(self) -> bool:
        return self.total > self._limit

    def value(self) -> bytes:
        """Return what was kept; when more came, up to the last end of a line."""
        data = unescape(b"".join(self._pieces))
        if self.truncated:
            end = data.rfind(b"\n", max(0, len(data) - TAIL_BYTES)) + 1
            data = data[:end] if end else data
        return data


def cut_note(kept: bytes, stream: str) -> str:
    """Return the line that says that output was cut, and how to go on."""
    lines = kept.count(b"\n")
    return (
        f"tadoru: {stream} cut after {len(kept)} bytes ({lines} lines); read on with "
        f"`| tail -n +{lines + 1}`, or narrow with head, tail, sed -n or grep\n"
    )


def reword(line: str) -> str:
    """Return a line of bashkit's stderr as bash and the C library would word it."""
    line = _DID_YOU_MEAN.sub(r"\1", line)
    line = _IO_ERROR.sub("", line)
    return _NOT_FOUND.sub(": No such file or directory", line)


def finish_stderr(raw: bytes, suggest: Callable[[str], str | None] | None) -> str:
    """Return stderr as text, each missing path followed by what the resolver suggests."""
    text = raw.decode("utf-8", "replace")
    if not text:
        return text
    asked: set[str] = set()
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        bare = reword(line.rstrip("\n"))
        lines.append(bare + line[len(line.rstrip("\n")) :])
        path = missing_path(bare)
        if suggest is None or not path or path in asked or len(asked) >= MAX_SUGGESTIONS:
            continue
        asked.add(path)
        better = suggest(path)
        if better:
            if not line.endswith("\n"):
                lines.append("\n")
            lines.append(f"tadoru: {better.strip().removeprefix('tadoru: ')}\n")
    return "".join(lines)


def missing_path(line: str) -> str:
    """Return the path of which a line of stderr says that it does not exist; else empty."""
    if not line.endswith("No such file or directory"):
        return ""
    found = _QUOTED.search(line) or _MISSING.match(line)
    return found["path"].strip() if found else ""
