"""Ties among candidates are broken by what was touched often and lately.

Only ties, and only where the answer stays a choice: what is resolved, and every score, is the same
with and without a memory. Refuses to weigh paths that the tree does not show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadoru.resolve.model import Scored
from tadoru.resolve.reply import RESOLVED
from tadoru.tree import Tree

TIED = 0.4
"""Share of the best score from which a candidate counts as tied with it: among equals in name, the
shorter path alone makes for half."""
BESIDE = 0.1
"""Weight of what was touched in the same directory, against the path itself."""


def broken(ranked: Sequence[Scored], touched: Mapping[str, float], tree: Tree) -> list[Scored]:
    """Return the candidates with those that are tied for the first place ordered by `touched`.

    `touched`: path -> decayed number of touches. Scores stay with the places, not with the paths.
    """
    if not touched or len(ranked) < 2 or ranked[0].score >= RESOLVED:
        return list(ranked)
    tied = [c for c in ranked if c.score >= TIED * ranked[0].score]
    if len(tied) < 2:
        return list(ranked)
    visible = {path: weight for path, weight in touched.items() if path in tree}
    beside: dict[str, float] = {}
    for path, weight in visible.items():
        parent = path.rpartition("/")[0]
        beside[parent] = beside.get(parent, 0.0) + weight

    def worth(path: str) -> float:
        return visible.get(path, 0.0) + BESIDE * beside.get(path.rpartition("/")[0], 0.0)

    ordered = sorted(tied, key=lambda c: -worth(c.path))  # stable: equals stay as they were
    placed = [replace(c, score=at.score) for c, at in zip(ordered, tied, strict=True)]
    return [*placed, *ranked[len(tied) :]]
