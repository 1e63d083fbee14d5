"""What a model reads: answers as text, file content fenced as data, the state of the index last.

Nothing here decides what is shown; it decides how, and that no file can break out of its fence.
"""

from __future__ import annotations

import re

from tadoru.text.shown import quoted
from tadoru.text.shown import shown as name
from tadoru.types import (
    FileList,
    IndexState,
    ReadAnswer,
    ReferenceList,
    Resolution,
    RunResult,
    SearchAnswer,
    Symbol,
    TextAnswer,
)

STREAM_CHARACTERS = 48_000
"""Of each stream of a command line: about the 12,000 tokens of every other answer."""
LINE_CHARACTERS = 300
"""Of one line of a file in a list of references."""

_BACKTICKS = re.compile(r"`{3,}")


def sendable(text: str) -> str:
    """Return text without the halves of surrogates that stand for bytes of odd file names: JSON on
    the wire cannot carry them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def fenced(text: str, label: str = "") -> str:
    """Return text inside a fence that is longer than any in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    body = text if text.endswith("\n") or not text else text + "\n"
    return f"{fence}{label}\n{body}{fence}"


def clipped(text: str, limit: int) -> tuple[str, str]:
    """Return at most `limit` characters, cut at a line, and a note on what is missing."""
    if len(text) <= limit:
        return text, ""
    kept = text[:limit]
    kept = kept[: kept.rfind("\n") + 1] or kept
    return kept, f"cut at {len(kept):,} of {len(text):,} characters"


def stated(text: str, index: IndexState) -> str:
    """Return an answer with the state of the index on its last line."""
    last = f"index: {name(str(index))}"
    return f"{text.rstrip()}\n\n{last}" if text.strip() else last


def search_text(answer: SearchAnswer, offset: int = 0) -> str:
    """Return packed context; search has fenced each segment already.

    `offset`: hits that came before, so that the answer says how to go on.
    """
    lines = [f"note: {name(warning)}" for warning in answer.warnings]
    if answer.text.strip():
        lines.append(answer.text)
    elif answer.hits:
        lines.append(f"no text fits into {answer.budget} tokens; the best places are")
        lines += [f"- {name(h.path)}:{h.start_line}-{h.end_line}" for h in answer.hits]
    elif offset:
        lines.append("no further hits")
    else:
        lines.append("nothing found; try other words, exact names in `terms`, or bash with grep")
    after = offset + len(answer.hits)
    if answer.hits and after < answer.total:
        lines.append(f"\nmore hits: offset={after}")
    return stated("\n".join(lines), answer.index)


def run_text(result: RunResult) -> str:
    """Return what a command line left behind, each stream fenced."""
    parts = [f"exit code: {result.exit_code}, cwd: {name(result.cwd)}"]
    for label, text in (("stdout", result.stdout), ("stderr", result.stderr)):
        kept, missing = clipped(text, STREAM_CHARACTERS)
        if kept:
            parts.append(fenced(kept, label))
        if missing or (result.truncated and label == "stdout"):
            parts.append(f"{missing or 'output cut'}; page with head, tail and sed -n")
    return stated("\n".join(parts), result.index)


def resolution_text(answer: Resolution) -> str:
    """Return a status line, then the path or the candidates."""
    lines = [f"status: {answer.status}"]
    if answer.path:
        lines.append(f"path: {name(answer.path)}")
    if answer.line:
        lines.append(f"line: {answer.line}")
    if answer.host_path:
        lines.append(f"host_path: {name(answer.host_path)}")
    if answer.reason:
        lines.append(f"reason: {name(answer.reason)}")
    others = [c for c in answer.candidates if c.path != answer.path]
    if others:
        lines.append("candidates:" if answer.status != "resolved" else "also:")
        lines += [
            f"- {name(c.path)} ({c.score:.2f}{', ' + name(c.reason) if c.reason else ''})"
            for c in others
        ]
    if answer.next_question:
        lines.append(name(answer.next_question))
    return stated("\n".join(lines), answer.index)


def read_text(answer: ReadAnswer) -> str:
    """Return a window of a file, numbered and fenced, and how to page on."""
    head = (
        f"{name(answer.path)} lines {answer.start_line}-{answer.end_line} of {answer.total_lines}"
    )
    if answer.host_path:
        head += f" ({name(answer.host_path)})"
    if answer.start_line > max(answer.total_lines, 1):
        line = answer.start_line
        past = (
            f"{name(answer.path)} ends with line {answer.total_lines}; line {line} is past the end"
        )
        return stated(past, answer.index)
    lines = [head]
    if answer.recovered_from:
        lines.insert(
            0, f"{name(answer.recovered_from)} does not exist; this is {name(answer.path)} instead"
        )
    rows = answer.text.split("\n")
    if rows and not rows[-1]:
        rows.pop()
    numbered = "\n".join(f"{answer.start_line + i}\t{row}" for i, row in enumerate(rows))
    lines.append(fenced(numbered))
    if answer.truncated or answer.end_line < answer.total_lines:
        lines.append(f"more: start_line={answer.end_line + 1}")
    return stated("\n".join(lines), answer.index)


def files_text(answer: FileList) -> str:
    """Return one path per line with its size, and how to page on."""
    lines = [f"{len(answer.files)} of {answer.total} files"]
    rows, _ = clipped(
        "\n".join(f"{name(row.path)} ({row.size})" for row in answer.files), STREAM_CHARACTERS
    )
    lines += rows.splitlines()
    after = answer.offset + len(lines) - 1
    if after < answer.total and answer.files:
        lines.append(f"more: offset={after}")
    return stated("\n".join(lines), answer.index)


def place(symbol: Symbol) -> str:
    """Return `path:first-last kind qualified name` of a definition."""
    full = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
    lines = f"{symbol.span.start_line}-{symbol.span.end_line}"
    return f"{name(symbol.path)}:{lines} {symbol.kind} {quoted(full)}"


def references_text(answer: ReferenceList) -> str:
    """Return one use per line, fenced, since each holds a line of a file."""
    count = len(answer.references)
    if not count:
        return stated(f"no use of {name(answer.symbol)} found", answer.index)
    rows = "\n".join(
        f"{name(r.path)}:{r.line} [{r.kind}] {r.text.strip()[:LINE_CHARACTERS]}"
        for r in answer.references
    )
    rows, cut = clipped(rows, STREAM_CHARACTERS)
    text = f"{count} of {answer.total} uses of {name(answer.symbol)}\n{fenced(rows)}"
    if cut:
        text += f"\n{cut}"
    if count < answer.total:
        text += f"\nmore: top={answer.total}, or bash with grep -rnw in a directory"
    return stated(text, answer.index)


def budgeted_text(answer: TextAnswer) -> str:
    """Return an outline or a map, fenced."""
    lines = [fenced(answer.text) if answer.text else "nothing here"]
    if answer.truncated:
        lines.append(f"cut at {answer.budget} tokens; give a deeper path or a larger budget")
    return stated("\n".join(lines), answer.index)
