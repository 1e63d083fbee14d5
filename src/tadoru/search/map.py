"""The repository's outline, ranked by how much the rest depends on each file.

PageRank over import edges (Brin and Page 1998), restarted in source files, so what is imported by
what is imported comes first; within the budget, the signatures of each file's outer definitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tadoru.models.base import TokenCounter
from tadoru.search.facts import facts_of
from tadoru.search.outline import fitted, signature
from tadoru.text.shown import shown
from tadoru.types import TEXTLESS, Entry, Kind, Role, Symbol, TextAnswer
from tadoru.views import View

DAMPING = 0.85
ROUNDS = 20
SYMBOLS_PER_FILE = 12
"""Definitions shown of one file: a map shows breadth."""
FILES_CONSIDERED = 400
RESTART = {
    Role.SOURCE: 1.0,
    Role.DOCS: 0.2,
    Role.CONFIG: 0.1,
    Role.EXAMPLE: 0.1,
    Role.TEST: 0.05,
}
"""Where a reader starts, by role of a file."""
_OUTER = ("class", "interface", "struct", "enum", "trait", "type", "function", "module", "macro")


def repo_map(view: View, path: str = "", *, budget: int, counter: TokenCounter) -> TextAnswer:
    """Return the map of a directory (`""`: everything) within a budget of tokens."""
    entries = {
        entry.path: entry
        for entry in map(view.entry, view.tree.below(path) if view.tree.is_dir(path) else [path])
        if entry is not None and entry.kind is Kind.FILE and entry.role not in TEXTLESS
    }
    order = by_dependence(view, entries)
    blocks: list[list[str]] = []
    spent = 0
    for file in order[:FILES_CONSIDERED]:
        block = _block(view, file)
        blocks.append(block)
        spent += counter.count("\n".join(block))
        if spent > budget:
            break
    blocks.extend([shown(file)] for file in order[len(blocks) :])
    return fitted(blocks, budget, counter, view.state())


def by_dependence(view: View, entries: Mapping[str, Entry]) -> list[str]:
    """Return paths, the ones that most depends on first; ties by role, depth and name."""
    importers = {
        target: [e.path for e in view.importers(target) if e.path in entries]
        for target in view.import_counts()
        if target in entries
    }
    scores = page_rank(importers, {p: RESTART.get(e.role, 0.02) for p, e in entries.items()})
    facts = facts_of(view)

    def value(path: str) -> tuple[float, int, str]:
        file = facts.file(view, path) if path in importers else None
        barrel = 0.5 if file is not None and file.barrel else 1.0
        return -scores[path] * barrel, path.count("/"), path

    return sorted(entries, key=value)


def page_rank(
    importers: Mapping[str, Sequence[str]], restart: Mapping[str, float]
) -> dict[str, float]:
    """Return PageRank of files; `importers`: file -> files that import it, all in `restart`."""
    total = sum(restart.values()) or 1.0
    start = {path: weight / total for path, weight in restart.items()}
    fan_out: dict[str, int] = {}
    for sources in importers.values():
        for source in sources:
            fan_out[source] = fan_out.get(source, 0) + 1
    scores = dict(start)
    for _ in range(ROUNDS):
        loose = sum(score for path, score in scores.items() if path not in fan_out)
        base = 1 - DAMPING + DAMPING * loose
        following = {path: base * weight for path, weight in start.items()}
        for target, sources in importers.items():
            following[target] += DAMPING * sum(scores[s] / fan_out[s] for s in sources)
        scores = following
    return scores


def _block(view: View, path: str) -> list[str]:
    symbols, total = view.symbols(path=path, limit=200)
    chosen = sorted(symbols, key=_prominence)[:SYMBOLS_PER_FILE]
    chosen.sort(key=lambda symbol: symbol.span.start_char)
    lines = [shown(path), *(f"  {signature(symbol, 110)}" for symbol in chosen)]
    if total > len(chosen):
        lines.append(f"  ... {total - len(chosen)} more")
    return lines


def _prominence(symbol: Symbol) -> tuple[bool, bool, bool, int]:
    hidden = symbol.name.startswith("_")
    return hidden, bool(symbol.container), symbol.kind not in _OUTER, symbol.span.start_char
