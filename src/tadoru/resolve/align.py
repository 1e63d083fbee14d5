"""Which directories of a request stand for which directories of a candidate.

Decides how much of each side is accounted for, and what is missing where: in front (a prefix that
was dropped or invented) or in between. Refuses to weigh the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Indel

from tadoru.resolve.forms import other_forms, singular
from tadoru.resolve.words import ROLES
from tadoru.text.terms import stem

SIMILAR = 0.72
"""Directory names below this Indel similarity are different names."""
MAX_MIDDLE = 12
"""Components compared pair by pair, after what both ends share is taken off."""

Weight = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Alignment:
    """How the directories of a request and of a candidate fit together."""

    matched: float
    """Weight of the request's components that found their like."""
    asked: float
    """Weight of all the request's components."""
    offered: float
    """Weight of all the candidate's components."""
    asked_lead: int
    """Components of the request before the first match."""
    asked_rest: int
    """Components of the request without a match, after the first match."""
    offered_lead: int
    offered_rest: int
    doubt: float
    """Sum of (1 - similarity) over the matches."""
    last: float
    """Similarity of the two last components."""


@lru_cache(maxsize=100_000)
def similarity(left: str, right: str) -> float:
    """Return how alike two folded directory names are, 0 to 1."""
    if left == right:
        return 1.0
    if singular(left) == singular(right):
        return 0.97
    if singular(left) in other_forms(right):
        return 0.95
    ratio = Indel.normalized_similarity(left, right)
    if ratio >= SIMILAR:
        return ratio
    roles = ROLES.get(stem(left))
    if roles and not roles.isdisjoint(ROLES.get(stem(right), ())):
        return 0.5
    return 0.0


def align(asked: Sequence[str], offered: Sequence[str], weight: Weight) -> Alignment:
    """Align two sequences of folded directory names, outermost first."""
    n, m = len(asked), len(offered)
    head = 0
    while head < n and head < m and asked[head] == offered[head]:
        head += 1
    tail = 0
    while tail < n - head and tail < m - head and asked[n - 1 - tail] == offered[m - 1 - tail]:
        tail += 1
    pairs = _middle(asked[head : n - tail], offered[head : m - tail], weight)
    all_pairs = [(i, i, 1.0) for i in range(head)]
    all_pairs += [(i + head, j + head, s) for i, j, s in pairs]
    all_pairs += [(n - tail + k, m - tail + k, 1.0) for k in range(tail)]
    first_asked = all_pairs[0][0] if all_pairs else n
    first_offered = all_pairs[0][1] if all_pairs else m
    return Alignment(
        matched=sum(s * weight(asked[i]) for i, _, s in all_pairs),
        asked=sum(map(weight, asked)),
        offered=sum(map(weight, offered)),
        asked_lead=first_asked,
        asked_rest=n - first_asked - len(all_pairs),
        offered_lead=first_offered,
        offered_rest=m - first_offered - len(all_pairs),
        doubt=sum(1.0 - s for _, _, s in all_pairs),
        last=similarity(asked[-1], offered[-1]) if n and m else float(n == m),
    )


def _middle(
    asked: Sequence[str], offered: Sequence[str], weight: Weight
) -> list[tuple[int, int, float]]:
    """Return the heaviest order-preserving pairs of similar components."""
    n, m = len(asked), len(offered)
    if not n or not m or n > MAX_MIDDLE or m > MAX_MIDDLE:
        return []
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    scores = [[similarity(a, b) for b in offered] for a in asked]
    for i in range(n - 1, -1, -1):
        value = weight(asked[i])
        for j in range(m - 1, -1, -1):
            taken = best[i + 1][j + 1] + scores[i][j] * value if scores[i][j] else 0.0
            best[i][j] = max(taken, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int, int, float]] = []
    i = j = 0
    while i < n and j < m and best[i][j] > 0.0:
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j, scores[i][j]))
            i, j = i + 1, j + 1
    return pairs
