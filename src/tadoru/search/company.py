"""What the candidates of a question say of each other's files.

A file that many candidates import owns what they mention; one that lies where most candidates lie
is in the right part of the repository. Computes numbers for `signals`, and decides nothing.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tadoru.search.facts import FileFacts
from tadoru.search.found import Found
from tadoru.views import View

CHUNKS_SCALE = math.log1p(50)


@dataclass(frozen=True, slots=True)
class Company:
    """One file among the candidates; all numbers are in 0..1 or a little above."""

    mass: float
    """Score of its candidates, the heaviest file being 1."""
    directory: float
    """Share of all score that lies in its directory."""
    cited: float
    """Share of the score in files that import it."""
    cites: float
    """Score of the candidates' files that it imports."""
    lexical: float
    """Best lexical score of its chunks, the best of all being 1."""
    chunks: float
    """Logarithm of the number of its chunks among the candidates."""


def company(
    view: View, files: Mapping[str, FileFacts], found: Sequence[Found]
) -> Mapping[str, Company]:
    """Return each file's place among the candidates.

    `files`: those that are weighed, by path; what the others import is not asked for.
    """
    score: dict[str, float] = {}
    lexical: dict[str, float] = {}
    for candidate in found:
        path = candidate.path
        score[path] = score.get(path, 0.0) + candidate.fused
        lexical[path] = max(lexical.get(path, 0.0), candidate.scores.get("lexical", 0.0))
    heaviest = max(score.values(), default=0.0) or 1.0
    mass = {path: value / heaviest for path, value in score.items()}
    total = sum(mass.values()) or 1.0
    best = max(lexical.values(), default=0.0) or 1.0
    chunks = Counter(candidate.path for candidate in found)
    directory: defaultdict[str, float] = defaultdict(float)
    cited: defaultdict[str, float] = defaultdict(float)
    cites: defaultdict[str, float] = defaultdict(float)
    for path, value in mass.items():
        directory[_directory(path)] += value
        file = files.get(path)
        for target in file.imported(view) if file is not None else ():
            cited[target] += value
            cites[path] += mass.get(target, 0.0)
    return {
        path: Company(
            value,
            directory[_directory(path)] / total,
            cited[path] / total,
            cites[path],
            lexical[path] / best,
            math.log1p(chunks[path]) / CHUNKS_SCALE,
        )
        for path, value in mass.items()
    }


def _directory(path: str) -> str:
    return path.rpartition("/")[0]
