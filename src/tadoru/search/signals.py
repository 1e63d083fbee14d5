"""What speaks for and against a candidate: one number per signal, most of them in 0..1.

Computes; decides nothing: `rank` weighs the signals. What is the same for all chunks of a file is
worked out once, and texts are read only of the candidates that the rest has not ruled out.
"""

from __future__ import annotations

from tadoru.search.company import Company
from tadoru.search.facts import ChunkFacts, FileFacts
from tadoru.search.found import Found
from tadoru.search.lens import Evidence, Lens
from tadoru.search.query import QuestionKind
from tadoru.types import Role

FILE_SIGNALS = (
    "file_mass", "stem", "stem_is", "stem_share", "directory", "defined", "importers",
    "test", "example", "docs", "config", "generated", "barrel", "declarations",
    "asked_for_tests", "asked_for_docs", "prose_in_docs",
    "in_directory", "cited", "cites", "lexical_file", "chunks_found",
    "owner", "superseded", "depth", "size", "common_language", "whole_path",
)  # fmt: skip
CHUNK_SIGNALS = (
    "fused", "dense", "symbol", "path", "name", "name_is", "symbol_name_is", "breadcrumb",
    "signature", "doc", "heading", "name_share", "definition", "top_of_file",
)  # fmt: skip
TEXT_SIGNALS = ("body", "near", "file_body", "best_body", "short")
SIGNALS = FILE_SIGNALS + CHUNK_SIGNALS + TEXT_SIGNALS
"""Order of a candidate's numbers."""

SHORT_CHARS = 120
_DEFINITIONS = frozenset(
    {
        "function", "class", "method", "interface", "struct", "enum", "trait", "type", "module",
        "macro", "property", "constant", "impl",
    }
)  # fmt: skip
_TEST_WORDS = frozenset({"test", "tests", "testing", "spec", "specs", "fixture", "benchmark"})
_DOC_WORDS = frozenset(
    {"doc", "docs", "documentation", "readme", "guide", "tutorial", "changelog", "example",
     "examples"}
)  # fmt: skip

Numbers = tuple[float, ...]
_NO_HEADING: Numbers = (0.0,) * 8


def file_signals(lens: Lens, file: FileFacts, company: Company) -> Numbers:
    """Return the signals of a file, in the order of `FILE_SIGNALS`."""
    role = file.role
    test, docs = role is Role.TEST, role is Role.DOCS
    asked = {concept.surface for concept in lens.question.concepts}
    return (
        company.mass,
        lens.coverage(file.stem_terms),
        float(file.stem in lens.names),
        _share(lens, file.stem_terms),
        lens.coverage(file.dir_terms),
        lens.coverage(file.defined_terms),
        file.importers,
        float(test),
        float(role is Role.EXAMPLE),
        float(docs),
        float(role in (Role.CONFIG, Role.DATA)),
        float(role in (Role.GENERATED, Role.VENDORED)),
        float(file.barrel),
        float(file.declarations),
        float(test and not asked.isdisjoint(_TEST_WORDS)),
        float((docs or role is Role.EXAMPLE) and not asked.isdisjoint(_DOC_WORDS)),
        float(docs and _is_prose(lens)),
        company.directory,
        company.cited,
        company.cites,
        company.lexical,
        company.chunks,
        lens.coverage(file.owned_terms),
        _superseded(lens, file),
        file.depth,
        file.size,
        file.common,
        lens.coverage(file.stem_terms | file.dir_terms),
    )


def _superseded(lens: Lens, file: FileFacts) -> float:
    """Return 1 for a file of an older version, -1 when the question names that version."""
    if not file.superseded:
        return 0.0
    asked = any(file.superseded in c.surface.split() for c in lens.question.concepts)
    return -1.0 if asked else 1.0


def _share(lens: Lens, terms: frozenset[str]) -> float:
    """Return how much of a name the question speaks of."""
    return len(terms & lens.by_term.keys()) / len(terms) if terms else 0.0


def _is_prose(lens: Lens) -> bool:
    return lens.question.kind in (QuestionKind.PROSE, QuestionKind.CJK)


def chunk_signals(lens: Lens, candidate: Found, file: FileFacts) -> Numbers:
    """Return the signals of a chunk's heading and recall, in the order of `CHUNK_SIGNALS`."""
    chunk = candidate.chunk
    facts = file.chunk_facts(chunk)
    name_is = _is_named(lens, facts)
    scores = candidate.scores
    recalled = (
        candidate.fused,
        scores.get("dense", 0.0),
        scores.get("symbol", 0.0),
        scores.get("path", 0.0),
    )
    defines = chunk.kind in _DEFINITIONS or chunk.index < 0  # a scanned piece may well
    nature = float(defines), float(chunk.index == 0)
    if not name_is and facts.heading_terms.isdisjoint(lens.by_term):
        return recalled + _NO_HEADING + nature
    return (
        *recalled,
        lens.coverage(facts.name_terms),
        name_is,
        0.0 if _is_prose(lens) else name_is,
        lens.coverage(facts.crumb_terms),
        lens.coverage(facts.signature_terms),
        lens.coverage(facts.doc_terms),
        lens.coverage(facts.heading_terms),
        _share(lens, facts.name_terms),
        *nature,
    )


def text_signals(evidence: Evidence, in_file: float, best: float, text: str) -> Numbers:
    """Return the signals of a text, in the order of `TEXT_SIGNALS`.

    `in_file`: coverage of all candidates of the same file together; `best`: the highest such
    coverage for this question, by which the model knows a question that has no answer here.
    """
    return evidence.body, evidence.near, in_file, best, float(len(text) < SHORT_CHARS)


def _is_named(lens: Lens, facts: ChunkFacts) -> float:
    """Return 1 when the chunk defines a name that was asked for in this very spelling, else .8
    when it folds to one."""
    if not facts.name:
        return 0.0
    if facts.chunk.name in lens.question.exact:
        return 1.0
    return 0.8 if facts.name in lens.names else 0.0
