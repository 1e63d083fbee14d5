"""From features to probabilities: one linear model in which "none of them" also competes.

A conditional logit (McFadden 1974, "Conditional logit analysis of qualitative choice behavior"):
each candidate has a utility, "no right answer" has one of its own, and the softmax over all of
them is the confidence. The weights are data (`weights.json`, made by
`benchmarks/resolve/train.py`). Decides nothing but the numbers.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tadoru.resolve.features import FEATURES, Context
from tadoru.resolve.words import word_set

ABSENT_FEATURES = (
    "bias",
    "write",
    "outside",
    "bare",
    "name_known",
    "no_similarity",
    "no_words",
    "no_role",
    "no_path_similarity",
    "parent_missing",
    "no_directory",
    "extension_unknown",
    "optional_name",
    "private_directory",
)

OPTIONAL_NAMES = word_set(
    "env envlocal envexample envsample settingslocal readme license licence changelog "
    "contributing claude "
    "agents gemini copilotinstructions cursorrules dockerfile makefile justfile editorconfig "
    "eslintrc prettierrc review todo notes plan memory"
)
"""Folded names of files that agents look for in every project, whether or not it has them."""
PRIVATE_DIRECTORIES = word_set(
    ".git node_modules target build dist out .venv venv __pycache__ .cache .next .idea .tox "
    "coverage tmp temp .claude .cursor .codex .gemini logs ~"
)
"""Directories whose content belongs to tools, not to the project."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The learned numbers."""

    candidate: tuple[float, ...]
    absent: tuple[float, ...]
    calibration: tuple[tuple[float, float], ...]
    """Knots (softmax share, observed frequency), both rising; linear in between."""

    def calibrated(self, share: float) -> float:
        """Return how often a candidate with this share of the softmax was right."""
        knots = self.calibration
        place = bisect_right(knots, (share, math.inf))
        if place == 0:
            return knots[0][1]
        if place == len(knots):
            return knots[-1][1]
        (x0, y0), (x1, y1) = knots[place - 1], knots[place]
        return y0 + (y1 - y0) * (share - x0) / (x1 - x0) if x1 > x0 else y1


@dataclass(frozen=True, slots=True)
class Scored:
    """A ranked candidate."""

    path: str
    score: float
    """Calibrated probability that it was meant."""
    features: tuple[float, ...]
    why: str = ""
    """The rule that led to it, when it was no matter of weighing."""

    def __getitem__(self, name: str) -> float:
        return self.features[_POSITION[name]]


_POSITION = {name: n for n, name in enumerate(FEATURES)}


@cache
def load_weights() -> Weights:
    """Return the weights that are shipped with the package."""
    data = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
    return Weights(
        candidate=tuple(data["candidate"].get(name, 0.0) for name in FEATURES),
        absent=tuple(data["absent"].get(name, 0.0) for name in ABSENT_FEATURES),
        calibration=tuple((float(x), float(y)) for x, y in data["calibration"]),
    )


def absent_vector(context: Context, vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return what speaks for "no right answer", in the order of `ABSENT_FEATURES`."""
    request, name = context.request, context.name
    extensions = context.index.extensions

    def missing(feature: str) -> float:
        position = _POSITION[feature]
        return 1.0 - min(1.0, max((vector[position] for vector in vectors), default=0.0))

    asked = best_words(vectors)
    return [
        1.0,
        float(context.op == "write"),
        float(request.outside),
        float(len(request.parts) <= 1),
        float(request.name in context.index.by_name),
        missing("name_similarity"),
        1.0 - asked,
        missing("name_role"),
        missing("path_similarity"),
        float(bool(context.asked) and not context.parent_exists),
        missing("dir_asked_covered"),
        float(bool(name.extension) and not extensions.get(name.extension)),
        float(name.folded in OPTIONAL_NAMES),
        float(not PRIVATE_DIRECTORIES.isdisjoint(request.spelled)),
    ]


def best_words(vectors: Sequence[Sequence[float]]) -> float:
    """Return the best agreement in words of any candidate: the lesser of both coverages."""
    asked, offered = _POSITION["name_words_asked"], _POSITION["name_words_offered"]
    return max((min(v[asked], v[offered]) for v in vectors), default=0.0)


def rank(context: Context, paths: Sequence[str], weights: Weights) -> tuple[list[Scored], float]:
    """Return the candidates with their probability, best first, and the utility of "none"."""
    vectors = [context.vector(path) for path in paths]
    none = _utility(weights.absent, absent_vector(context, vectors))
    utilities = [_utility(weights.candidate, vector) for vector in vectors]
    order = sorted(range(len(paths)), key=lambda i: (-utilities[i], len(paths[i]), paths[i]))
    scores = probabilities([utilities[i] for i in order], none, weights)
    ranked = [Scored(paths[i], s, tuple(vectors[i])) for i, s in zip(order, scores, strict=True)]
    return ranked, none


def probabilities(utilities: Sequence[float], none: float, weights: Weights) -> list[float]:
    """Return the calibrated probability of the first candidate, and of the others beside it."""
    if not utilities:
        return []
    peak = max(*utilities, none)
    shares = [math.exp(utility - peak) for utility in utilities]
    total = sum(shares) + math.exp(none - peak)
    first = shares[0] / total
    sure = weights.calibrated(first)
    rest = (1.0 - sure) / (1.0 - first) if first < 1.0 else 0.0
    return [sure, *(min(sure, rest * share / total) for share in shares[1:])]


def rank_vectors(vectors: Sequence[Sequence[float]], none: float, weights: Weights) -> list[float]:
    """Return the probabilities of candidates whose features are given."""
    return probabilities([_utility(weights.candidate, v) for v in vectors], none, weights)


def _utility(weights: Sequence[float], vector: Sequence[float]) -> float:
    return sum(map(float.__mul__, weights, vector))
