"""Two lines in an agent's instruction file, between marks by which they are found again."""

from __future__ import annotations

from tadoru.errors import BadInput
from tadoru.install.files import line_end

OPEN, CLOSE = "<!-- tadoru -->", "<!-- /tadoru -->"
LINES = (
    "To look around here, use the tools of `tadoru`: `search` for a question about the code, "
    "`bash` for ls, grep, find and cat, `map` for an overview.",
    "When a path does not exist, call `resolve_path` before guessing another one, "
    "and believe it when it answers that there is none.",
)


def added(text: str) -> str:
    """Return the text with our lines: where they were, else at its end."""
    newline = line_end(text)
    block = newline.join((OPEN, *LINES, CLOSE))
    span = _span(text)
    if span is not None:
        return text[: span[0]] + block + text[span[1] :]
    if not text:
        return block + newline
    return f"{text}{newline}{block}{newline}" if text.endswith("\n") else (
        f"{text}{newline}{newline}{block}"
    )  # fmt: skip


def removed(text: str) -> str:
    """Return the text without our lines, as it was before `added`."""
    span = _span(text)
    if span is None:
        return text
    newline = line_end(text)
    start, end = span
    if text.startswith(newline, end):
        end += len(newline)
        gaps = 1
    else:
        gaps = 2 if end == len(text) else 1
    for _ in range(gaps):
        if text[:start].endswith(newline):
            start -= len(newline)
    return text[:start] + text[end:]


def _span(text: str) -> tuple[int, int] | None:
    start = text.find(OPEN)
    end = text.find(CLOSE, max(start, 0))
    if start < 0 and end < 0:
        return None
    if start < 0 or end < 0 or text.find(OPEN, start + 1) >= 0:
        raise BadInput(f"the marks {OPEN} and {CLOSE} are no pair", hint="correct them by hand")
    return start, end + len(CLOSE)
