"""Candidates from four channels, each filtered before its own top-k.

Lexical (BM25F over path, breadcrumb, signature, doc comment and body), dense (cosine of the
question's vector), the symbol table (who defines a name that is asked for), and paths (files that
the question names, and files whose path speaks of it). A channel that is missing or fails costs
its own part only, and leaves a note.
"""

from __future__ import annotations

from collections.abc import Iterable

from tadoru.config import SearchConfig
from tadoru.errors import TadoruError
from tadoru.models.base import Embedder
from tadoru.search.facts import Facts, FileFacts
from tadoru.search.found import Pool
from tadoru.search.query import PathMention, Question, QuestionKind
from tadoru.text.terms import Field
from tadoru.types import Chunk
from tadoru.views import Admit, FieldWeight, View

FIELDS = {
    Field.PATH: FieldWeight(2.0, 0.3),
    Field.BREADCRUMB: FieldWeight(1.6, 0.4),
    Field.SIGNATURE: FieldWeight(1.4, 0.5),
    Field.DOC: FieldWeight(1.2, 0.5),
    Field.BODY: FieldWeight(0.8, 0.7),
}
"""Weight and length normalisation per field; each was varied alone on `benchmarks/search`."""
PATH_FIELDS = {Field.PATH: FieldWeight(1.0, 0.3)}

VARIANT_SHARE = 0.7
"""What a sub-question's finding counts beside one of the whole question."""
CHUNKS_ASKED_PER_FILE = 8
"""All chunks of a file match its path alike, so more are asked for than files are wanted."""
DEFINITIONS_PER_NAME = 6
LEFT_OUT = "semantic recall is left out"
FAR_COSINE = 0.2
"""What nothing but its meaning brings has to be nearer than this: in a small tree everything is
among the nearest."""
"""How the note begins that says so."""
EXACT_NAME, FOLDED_NAME = 1.0, 0.8
"""Score of a definition whose name is written so in the question, or only folds to it."""


def recall(
    view: View,
    facts: Facts,
    question: Question,
    settings: SearchConfig,
    admit: Admit | None,
    embedder: Embedder | None,
    notes: list[str],
) -> Pool:
    """Return all candidates of all channels; `notes` receives what could not be asked."""
    pool = Pool()
    _lexical(pool, view, facts, question, settings, admit)
    _symbols(pool, view, facts, question, admit)
    _paths(pool, view, facts, question, settings, admit)
    if embedder is not None:
        _dense(pool, view, facts, question, settings, admit, embedder, notes)
    return pool


def _lexical(
    pool: Pool,
    view: View,
    facts: Facts,
    question: Question,
    settings: SearchConfig,
    admit: Admit | None,
) -> None:
    for share, part in _with_variants(question):
        terms = part.lexical_terms
        if not terms or settings.lex_total_chunks <= 0:
            continue
        refs = view.lexical(terms, k=settings.lex_total_chunks, fields=FIELDS, admit=admit)
        for rank, ref in enumerate(refs):
            chunk = _chunk(facts.file(view, ref.path), ref.index)
            if chunk is not None:
                pool.add("lexical", chunk, ref.score * share, rank)


def _with_variants(question: Question) -> Iterable[tuple[float, Question]]:
    yield 1.0, question
    for variant in question.variants:
        yield VARIANT_SHARE, variant


def _chunk(file: FileFacts | None, index: int) -> Chunk | None:
    if file is None or not 0 <= index < len(file.chunks):
        return None
    return file.chunks[index]


def _dense(
    pool: Pool,
    view: View,
    facts: Facts,
    question: Question,
    settings: SearchConfig,
    admit: Admit | None,
    embedder: Embedder,
    notes: list[str],
) -> None:
    if settings.vector_top_k <= 0 or not question.text:
        return
    texts = [part.text for _, part in _with_variants(question)]
    try:
        vectors = embedder.encode(texts, query=True)
        lists = [
            view.nearest(
                vector, fingerprint=embedder.fingerprint, k=settings.vector_top_k, admit=admit
            )
            for vector in vectors
        ]
    except Exception as error:  # a model or its endpoint may fail in any way; lexical goes on
        notes.append(f"{LEFT_OUT}: {_reason(error)}")
        return
    if not lists[0] and view.state().files:
        notes.append(f"{LEFT_OUT}: no vectors of this model in the index")
    for (share, _), refs in zip(_with_variants(question), lists, strict=True):
        for rank, ref in enumerate(refs[: settings.vector_top_m]):
            if ref.score < FAR_COSINE and (ref.path, ref.index) not in pool:
                continue
            chunk = _chunk(facts.file(view, ref.path), ref.index)
            if chunk is not None:
                pool.add("dense", chunk, max(0.0, ref.score) * share, rank)


def _reason(error: Exception) -> str:
    """Say what failed without words of a foreign server, which may repeat a key."""
    return error.message if isinstance(error, TadoruError) else type(error).__name__


def _symbols(pool: Pool, view: View, facts: Facts, question: Question, admit: Admit | None) -> None:
    written = {name.lower(): name for name in _last_parts(question.exact)}
    rank = 0
    for name in question.names:
        symbols, _ = view.symbols(folded=name, limit=DEFINITIONS_PER_NAME)
        for symbol in symbols:
            file = facts.file(view, symbol.path)
            entry = view.entry(symbol.path) if admit is not None else None
            if file is None or (admit is not None and (entry is None or not admit(entry))):
                continue
            chunk = file.chunk_at(symbol.span.start_line)
            if chunk is None:
                continue
            exact = written.get(name) == symbol.name
            score = EXACT_NAME if exact else FOLDED_NAME
            pool.add("symbol", chunk, score, rank)
            rank += 1


def _last_parts(names: Iterable[str]) -> Iterable[str]:
    for name in names:
        for mark in ("::", "->", "#", "."):
            name = name.rpartition(mark)[2] or name
        yield name


def _paths(
    pool: Pool,
    view: View,
    facts: Facts,
    question: Question,
    settings: SearchConfig,
    admit: Admit | None,
) -> None:
    rank = 0
    for mention in question.paths:
        for path in _mentioned(view, facts, mention):
            entry = view.entry(path)
            if entry is None or (admit is not None and not admit(entry)):
                continue
            file = facts.file(view, path)
            for chunk in _mentioned_chunks(file, mention.line, settings.lex_chunks_per_file):
                pool.add("path", chunk, 1.0 / (1 + rank), rank)
            rank += 1
    if settings.fts_top_k_files <= 0 or question.kind is QuestionKind.ERROR:
        return
    wanted = settings.fts_top_k_files * CHUNKS_ASKED_PER_FILE
    refs = view.lexical(question.lexical_terms, k=wanted, fields=PATH_FIELDS, admit=admit)
    taken: dict[str, int] = {}
    for ref in refs:
        count = taken.get(ref.path, 0)
        full = len(taken) >= settings.fts_top_k_files and not count
        if full or count >= settings.lex_chunks_per_file:
            continue
        named = _chunk(facts.file(view, ref.path), ref.index)
        if named is not None:
            taken[ref.path] = count + 1
            pool.add("words in path", named, ref.score, len(taken) - 1)


def _mentioned(view: View, facts: Facts, mention: PathMention) -> list[str]:
    """Return the files that a written path can mean: itself, else those with the longest tail."""
    path = mention.path.strip("/")
    inside = view.from_host(mention.path) if mention.path.startswith("/") else None
    for exact in (inside, path):
        if exact is not None and exact in view.tree and not view.tree.is_dir(exact):
            return [exact]
    parts = path.split("/")
    named = facts.paths_named(view, parts[-1])
    if len(parts) == 1:
        return named[:5]
    best = [(_common_tail(parts, candidate.split("/")), candidate) for candidate in named]
    longest = max((length for length, _ in best), default=0)
    return [candidate for length, candidate in best if length == longest][:5]


def _common_tail(first: list[str], second: list[str]) -> int:
    length = 0
    for a, b in zip(reversed(first), reversed(second), strict=False):
        if a != b:
            break
        length += 1
    return length


def _mentioned_chunks(file: FileFacts | None, line: int, limit: int) -> list[Chunk]:
    if file is None or not file.chunks:
        return []
    if line:
        chunk = file.chunk_at(line)
        return [chunk] if chunk is not None else []
    return list(file.chunks[: max(1, limit)])
