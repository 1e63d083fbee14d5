"""Measures of a ranked list against the places that answer a question.

NDCG with binary relevance: a target counts at the rank of the first hit that touches it, each hit
and each target once; the ideal order has all targets first. As in the Semble benchmark (MIT), from
which the code questions come.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Target:
    """A file, or some lines of it."""

    paths: tuple[str, ...]
    start: int = 0
    end: int = 0

    def touched_by(self, path: str, start: int, end: int) -> bool:
        if path not in self.paths:
            return False
        return not self.start or (start <= self.end and end >= self.start)


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its answer."""

    repo: str
    text: str
    category: str
    targets: tuple[Target, ...]
    under: str = ""


Ranked = Sequence[tuple[str, int, int]]
"""Path, first and last line of each hit, best first."""


def ranks(question: Question, hits: Ranked) -> list[int]:
    """Return the rank (from 1) at which each target was first touched; 0 when it was not."""
    found: list[int] = []
    for target in question.targets:
        rank = next((n for n, hit in enumerate(hits, 1) if target.touched_by(*hit)), 0)
        found.append(rank)
    return found


def ndcg(question: Question, hits: Ranked, k: int = 10) -> float:
    gained = sum(1 / math.log2(1 + r) for r in ranks(question, hits[:k]) if r)
    ideal = sum(1 / math.log2(2 + n) for n in range(min(k, len(question.targets))))
    return gained / ideal if ideal else 0.0


def recall(question: Question, hits: Ranked, k: int = 10) -> float:
    found = ranks(question, hits[:k])
    return sum(1 for r in found if r) / len(found) if found else 0.0


def questions_of(data: dict[str, Any]) -> list[Question]:
    """Read a file of code questions or of commit subjects."""
    roots = {repo["name"]: repo.get("benchmark_root") or "" for repo in data["repos"]}
    return [
        Question(
            row["repo"],
            row["query"],
            row.get("category", ""),
            tuple(_target(place) for place in [*row["relevant"], *row.get("secondary", ())]),
            roots[row["repo"]],
        )
        for row in data["queries"]
    ]


def _target(place: dict[str, Any]) -> Target:
    paths = tuple(place.get("repo_paths") or [place["path"]])
    return Target(paths, place.get("start_line") or 0, place.get("end_line") or 0)
