"""Signatures without bodies, of a file or of a whole directory, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from tadoru.models.base import TokenCounter
from tadoru.text.shown import shown
from tadoru.types import IndexState, Role, Symbol, TextAnswer
from tadoru.views import View


def outline(view: View, path: str, *, budget: int, counter: TokenCounter) -> TextAnswer:
    """Return the signatures of a file, or of all files of a directory, without bodies.

    In a directory that is too large for the budget, members are left out before files are.
    """
    entry = view.entry(path)
    if entry is None:
        return TextAnswer("", budget=budget, counter=counter.name, index=view.state())
    if not entry.is_dir:
        return fitted([signatures(view, entry.path)], budget, counter, view.state())
    files = [p for p in view.tree.below(path) if _is_source(view, p)]
    full = [block for p in files if len(block := [shown(p), *signatures(view, p, indent=1)]) > 1]
    answer = fitted(full, budget, counter, view.state())
    if not answer.truncated:
        return answer
    outer = [[line for line in block if not line.startswith("    ")] for block in full]
    short = fitted(outer, budget, counter, view.state())
    return TextAnswer(
        short.text, short.tokens, budget, counter.name, truncated=True, index=short.index
    )


def _is_source(view: View, path: str) -> bool:
    entry = view.entry(path)
    return entry is not None and entry.role in (Role.SOURCE, Role.DOCS, Role.TEST, Role.EXAMPLE)


def signatures(view: View, path: str, *, indent: int = 0, limit: int = 400) -> list[str]:
    """Return one line per definition: its line, and its signature indented by its depth."""
    symbols, total = view.symbols(path=path, limit=limit)
    lines = [
        f"{'  ' * (indent + _depth(symbol))}{signature(symbol)}  L{symbol.span.start_line}"
        for symbol in symbols
    ]
    if total > len(symbols):
        lines.append(f"{'  ' * indent}... {total - len(symbols)} more")
    return lines


def _depth(symbol: Symbol) -> int:
    return len([part for part in symbol.container.split(".") if part])


def signature(symbol: Symbol, limit: int = 160) -> str:
    """Return a definition's signature on one line; kind and name where it has none."""
    text = " ".join(symbol.signature.split()) or f"{symbol.kind} {symbol.name}"
    return shown(text if len(text) <= limit else text[: limit - 3] + "...")


def fitted(
    blocks: Sequence[Sequence[str]], budget: int, counter: TokenCounter, state: IndexState
) -> TextAnswer:
    """Return as many lines as the budget allows, whole blocks first; says when it was cut."""
    lines: list[str] = []
    cost = [0]
    total = sum(len(block) for block in blocks)
    for line in (line for block in blocks for line in block):
        cost.append(cost[-1] + counter.count(line + "\n"))
        lines.append(line)
        if cost[-1] > budget:
            break
    kept = len(lines)
    text = "\n".join(lines)
    while kept and (counter.count(text) > budget or (kept < total and cost[kept] > budget)):
        kept -= 1
        left = [f"... {total - kept} more lines"] if kept else []
        text = "\n".join([*lines[:kept], *left])
    text = text if kept else ""
    return TextAnswer(
        text, counter.count(text), budget, counter.name, truncated=kept < total, index=state
    )
