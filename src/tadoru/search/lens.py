"""A question as this view sees it: which of its concepts are rare here, and what a text says of it.

Coverage is the share of the question, weighed by how rare its concepts are, that a set of terms
or a text speaks of. Document frequencies are those of the view.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from tadoru.search.facts import fold_name
from tadoru.search.query import Question, QuestionKind
from tadoru.text.terms import words
from tadoru.views import View

MIN_SUBSTRING = 4
"""Shorter terms are looked for as whole words: `id` stands in `width`."""
NEAR_CHARS = 160
"""Words this close to each other are about the same thing: about three lines."""
OCCURRENCES = 4
"""Places of one concept that are looked at for nearness."""
PRIMARY = 0.6
"""Terms at least this strong are the concept itself, not a synonym."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a text says of a question."""

    terms: frozenset[str] = frozenset()
    body: float = 0.0
    """Coverage of the whole text."""
    near: float = 0.0
    """Coverage of the best stretch of `NEAR_CHARS`."""
    at: int = 0
    """Where that stretch begins, in characters."""


NOTHING = Evidence()


@dataclass(slots=True)
class Lens:
    """A question with the weight of its concepts in this view."""

    question: Question
    importances: tuple[float, ...]
    by_term: dict[str, tuple[tuple[int, float], ...]]
    """Term -> (concept, strength)."""
    names: frozenset[str]
    """Names of the question without case and separators."""
    total: float
    probes: tuple[tuple[str, tuple[str, ...]], ...]
    """Terms looked for in text; short ones as whole words, in these spellings."""
    seen: dict[frozenset[str], float] = field(default_factory=dict)
    """Coverages worked out before: candidates share the few subsets of a question's terms."""

    def coverage(self, terms: Set[str]) -> float:
        """Return the share of the question that a set of terms speaks of, 0..1."""
        shared = frozenset(self.by_term.keys() & terms)
        known = self.seen.get(shared)
        if known is None:
            known = self.seen[shared] = self._coverage(shared)
        return known

    def _coverage(self, shared: frozenset[str]) -> float:
        if not shared or not self.total:
            return 0.0
        best: dict[int, float] = {}
        for term in shared:
            for concept, strength in self.by_term[term]:
                if strength > best.get(concept, 0.0):
                    best[concept] = strength
        importances = self.importances
        return sum([importances[c] * s for c, s in best.items()]) / self.total

    def evidence(self, text: str) -> Evidence:
        """Return which terms of the question stand in a text, and how near to each other."""
        folded = text.lower()
        present = [
            term
            for term, spellings in self.probes
            if term in folded and (not spellings or _stands_alone(text, spellings))
        ]
        if not present:
            return NOTHING
        terms = frozenset(present)
        body = self.coverage(terms)
        near, at = self._nearness(folded, present)
        return Evidence(terms, body, near if len(present) > 1 else body, at)

    def _nearness(self, folded: str, present: Iterable[str]) -> tuple[float, int]:
        """Return the best coverage of any stretch of `NEAR_CHARS`, and where that begins."""
        strongest: dict[int, tuple[float, str]] = {}
        for term in present:
            for concept, strength in self.by_term[term]:
                if strength > strongest.get(concept, (0.0, ""))[0]:
                    strongest[concept] = strength, term
        places: list[tuple[int, int, float]] = []
        for concept, (strength, term) in strongest.items():
            value = strength * self.importances[concept]
            at = folded.find(term)
            for _ in range(OCCURRENCES):
                if at < 0:
                    break
                places.append((at, concept, value))
                at = folded.find(term, at + len(term))
        places.sort()
        best, best_start = 0.0, places[0][0]
        for number, (start, _, _) in enumerate(places):
            seen: dict[int, float] = {}
            for at, concept, value in places[number:]:
                if at - start > NEAR_CHARS:
                    break
                seen[concept] = value
            covered = sum(seen.values())
            if covered > best:
                best, best_start = covered, start
        return best / self.total if self.total else 0.0, best_start


def lens_of(view: View, question: Question, files: int) -> Lens:
    """Weigh the concepts of a question by their inverse document frequency in this view."""
    terms = list(dict.fromkeys(t for c in question.concepts for t, _ in c.terms))
    counts = dict(zip(terms, view.frequencies(terms), strict=True)) if terms else {}
    chunks = max(8 * files, 2 * max(counts.values(), default=0), 1)
    importances: list[float] = []
    by_term: dict[str, list[tuple[int, float]]] = {}
    for number, concept in enumerate(question.concepts):
        frequency = max((counts[t] for t, s in concept.terms if s >= PRIMARY), default=0)
        foreign = question.kind is QuestionKind.CJK and not concept.surface.isascii()
        if frequency == 0 and foreign and len(concept.terms) == 1:
            importances.append(0.0)  # code that has no word of this language is no evidence
        else:
            importances.append(concept.importance * math.log(1 + chunks / (1 + frequency)))
        for term, strength in concept.terms:
            by_term.setdefault(term, []).append((number, strength))
    return Lens(
        question=question,
        importances=tuple(importances),
        by_term={term: tuple(pairs) for term, pairs in by_term.items()},
        names=frozenset(fold_name(name) for name in question.names),
        total=sum(importances),
        probes=tuple((term, _spellings(term)) for term in by_term),
    )


def _spellings(term: str) -> tuple[str, ...]:
    """Return how a short term is written where it is a word of its own; empty for a long one."""
    if len(term) >= MIN_SUBSTRING or not term.isascii():
        return ()
    return tuple(dict.fromkeys((term, term.upper(), term.capitalize())))


def _stands_alone(text: str, spellings: Iterable[str]) -> bool:
    """Tell whether a short word stands in a text: not inside a longer one, but humps count.

    `find` and a look at the neighbours: a look-behind expression costs a millisecond a file.
    """
    for spelling in spellings:
        hump = spelling[0].isupper() and not spelling[1:].isupper()
        at = text.find(spelling)
        while at >= 0:
            before, after = text[at - 1 : at], text[at + len(spelling) : at + len(spelling) + 1]
            joined = before.isascii() and (before.isupper() if hump else before.isalpha())
            if not joined and not "a" <= after <= "z":
                return True
            at = text.find(spelling, at + 1)
    return False


def line_with_most(text: str, terms: Set[str]) -> int:
    """Return the index of the line with most of the terms; -1 when there is none."""
    best, position = 0, -1
    for number, line in enumerate(text.split("\n")):
        count = len({word.lower() for word in words(line)} & terms)
        if count > best:
            best, position = count, number
    return position
