"""Names and quoted text as every face prints them: on one line, with controls made visible.

A file name, a heading or a rule of an ignore file is data of whoever wrote it. It must not start a
line of an answer, obey a terminal, or turn text around. Decides nothing about file content, which
stands in fences.
"""

from __future__ import annotations

QUOTED_CHARACTERS = 120
"""Of a breadcrumb or heading that is quoted outside a fence: enough for names, not for orders."""

_CODES = {
    code: f"\\x{code:02x}"
    for code in (*range(0x20), 0x7F, *range(0x80, 0xA0))
    if code not in (9, 10)
}
_CODES |= {
    code: f"\\u{code:04x}"
    for code in (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
}
_CODES |= {code: f"\\U{code:08x}" for code in range(0xE0000, 0xE0080)}
"""Controls that a terminal obeys (C0, DEL, C1), separators of lines, marks that turn text around,
and the invisible letters of the tags block."""
_CODES_IN_NAME = _CODES | {9: "\\t", 10: "\\n"}


def shown(text: str) -> str:
    """Return a name or message on one line, with control characters made visible."""
    return text.translate(_CODES_IN_NAME)


def shown_text(text: str) -> str:
    """Return text of several lines with control characters made visible."""
    return text.translate(_CODES)


def quoted(text: str, limit: int = QUOTED_CHARACTERS) -> str:
    """Return text of a file as a short string in quotes that it cannot close."""
    line = " ".join(text.split())
    if len(line) > limit:
        line = line[: limit - 3] + "..."
    return '"' + shown(line.replace("\\", "\\\\").replace('"', '\\"')) + '"'
