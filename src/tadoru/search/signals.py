"""What speaks for and against a candidate: one number per signal, most of them in 0..1.

Coverage is the share of the question, weighed by how rare its concepts are here, that a text
speaks of. Computes; decides nothing: `rank` weighs the signals.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from tadoru.search.facts import ChunkFacts, FileFacts, fold_name
from tadoru.search.found import Found
from tadoru.search.query import Question, QuestionKind
from tadoru.text.terms import words
from tadoru.types import Role
from tadoru.views import View

SIGNALS = (
    "fused", "dense", "symbol", "path", "file_mass",
    "name", "name_is", "breadcrumb", "signature", "doc", "body", "line",
    "stem", "stem_is", "stem_share", "directory", "defined", "importers",
    "definition", "test", "example", "docs", "config", "generated", "barrel", "declarations",
    "symbol_name_is", "prose_docs", "short", "top_of_file",
)  # fmt: skip
"""Order of the numbers that `signals_of` returns."""

MIN_SUBSTRING = 4
"""Shorter terms are looked for as whole words: `id` stands in `width`."""
SHORT_CHARS = 120
_DEFINITIONS = frozenset(
    {
        "function", "class", "method", "interface", "struct", "enum", "trait", "type", "module",
        "macro", "property", "constant", "impl",
    }
)  # fmt: skip


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
    probes: tuple[tuple[str, re.Pattern[str] | None], ...] = field(default=())
    """Terms looked for in text, short ones as whole words."""

    def coverage(self, terms: Set[str]) -> float:
        """Return the share of the question that a set of terms speaks of, 0..1."""
        if not terms or not self.total:
            return 0.0
        best: dict[int, float] = {}
        by_term = self.by_term
        for term in by_term.keys() & terms:
            for concept, strength in by_term[term]:
                if strength > best.get(concept, 0.0):
                    best[concept] = strength
        return sum(self.importances[c] * s for c, s in best.items()) / self.total

    def in_text(self, text: str) -> set[str]:
        """Return the terms of the question that stand in a text."""
        folded = text.lower()
        return {
            term
            for term, whole in self.probes
            if (term in folded if whole is None else whole.search(text) is not None)
        }


def lens_of(view: View, question: Question, files: int) -> Lens:
    """Weigh the concepts of a question by their inverse document frequency in this view."""
    terms = list(dict.fromkeys(t for c in question.concepts for t, _ in c.terms))
    counts = dict(zip(terms, view.frequencies(terms), strict=True)) if terms else {}
    chunks = max(8 * files, 2 * max(counts.values(), default=0), 1)
    importances: list[float] = []
    by_term: dict[str, list[tuple[int, float]]] = {}
    for number, concept in enumerate(question.concepts):
        frequency = max((counts[t] for t, s in concept.terms if s >= 0.6), default=0)
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
        probes=tuple((term, _whole_word(term)) for term in by_term),
    )


def _whole_word(term: str) -> re.Pattern[str] | None:
    if len(term) >= MIN_SUBSTRING or not term.isascii():
        return None
    capital = re.escape(term.capitalize())
    plain = re.escape(term)
    return re.compile(
        rf"(?<![A-Za-z])(?:{plain}|{plain.upper()}|{capital})(?![a-z])|{capital}(?![a-z])"
    )


def file_mass(found: Sequence[Found]) -> dict[str, float]:
    """Return how much of the pool's lexical score lies in each file, the heaviest being 1."""
    mass: dict[str, float] = {}
    for candidate in found:
        mass[candidate.path] = mass.get(candidate.path, 0.0) + candidate.fused
    heaviest = max(mass.values(), default=0.0) or 1.0
    return {path: value / heaviest for path, value in mass.items()}


def signals_of(
    lens: Lens, candidate: Found, file: FileFacts, mass: float, text: str
) -> tuple[float, ...]:
    """Return the signals of one candidate, in the order of `SIGNALS`."""
    chunk = candidate.chunk
    facts = file.chunk_facts(chunk)
    kind = lens.question.kind
    symbol_question = kind in (QuestionKind.SYMBOL, QuestionKind.ERROR)
    name_is = _is_named(lens, facts)
    present = lens.in_text(text)
    role = file.role
    shared = len(file.stem_terms & lens.by_term.keys())
    return (
        candidate.fused,
        candidate.scores.get("dense", 0.0),
        candidate.scores.get("symbol", 0.0),
        candidate.scores.get("path", 0.0),
        mass,
        lens.coverage(facts.name_terms),
        name_is,
        lens.coverage(facts.crumb_terms),
        lens.coverage(facts.signature_terms),
        lens.coverage(facts.doc_terms),
        lens.coverage(present),
        _best_line(lens, text, present),
        lens.coverage(file.stem_terms),
        float(file.stem in lens.names),
        shared / len(file.stem_terms) if shared else 0.0,
        lens.coverage(file.dir_terms),
        lens.coverage(file.defined_terms),
        file.importers,
        float(chunk.kind in _DEFINITIONS),
        float(role is Role.TEST),
        float(role is Role.EXAMPLE),
        float(role is Role.DOCS),
        float(role in (Role.CONFIG, Role.DATA)),
        float(role in (Role.GENERATED, Role.VENDORED)),
        float(file.barrel),
        float(file.declarations),
        name_is if symbol_question else 0.0,
        float(role is Role.DOCS and not symbol_question),
        float(len(text) < SHORT_CHARS),
        float(chunk.index == 0),
    )


def _is_named(lens: Lens, facts: ChunkFacts) -> float:
    """Return 1 when the chunk defines a name that was asked for in this very spelling, else .8
    when it folds to one."""
    if not facts.name:
        return 0.0
    if facts.chunk.name in lens.question.exact:
        return 1.0
    return 0.8 if fold_name(facts.name) in lens.names else 0.0


def _best_line(lens: Lens, text: str, present: set[str]) -> float:
    """Return the coverage of the one line that speaks of most of the question."""
    if len(present) < 2:
        return lens.coverage(present)
    best = 0.0
    seen: set[frozenset[str]] = set()
    for line in text.lower().split("\n"):
        here = frozenset(term for term in present if term in line)
        if here and here not in seen:
            seen.add(here)
            best = max(best, lens.coverage(here))
    return best


def line_with_most(text: str, terms: Set[str]) -> int:
    """Return the index of the line with most of the terms; -1 when there is none."""
    best, position = 0, -1
    for number, line in enumerate(text.split("\n")):
        count = len({word.lower() for word in words(line)} & terms)
        if count > best:
            best, position = count, number
    return position
