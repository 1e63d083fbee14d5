"""Search, readable top to bottom: question -> recall -> fuse -> rank -> rerank -> cut -> expand ->
pack.

Decides the order of the stages and what an answer says about itself; each stage lives in its own
module. A failing model costs its own part and leaves a warning; nothing that was skipped or cut is
silent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tadoru.config import SearchConfig
from tadoru.models.base import Embedder, Reranker, TokenCounter
from tadoru.search import debug
from tadoru.search.cache import QueryCache
from tadoru.search.cutoff import smart_cut
from tadoru.search.expand import Expansion
from tadoru.search.facts import facts_of
from tadoru.search.found import Found, Texts
from tadoru.search.fuse import fuse
from tadoru.search.laps import Laps, Tell
from tadoru.search.lens import lens_of
from tadoru.search.memory import hit_id
from tadoru.search.pack import Limits, pack
from tadoru.search.query import understand
from tadoru.search.rank import fold_duplicates, rank
from tadoru.search.recall import recall
from tadoru.search.request import SearchRequest, admit_of, settings_for
from tadoru.search.rerank import rerank
from tadoru.search.scan import scan
from tadoru.types import Hit, IndexState, SearchAnswer
from tadoru.views import View


@dataclass(frozen=True, slots=True)
class Ranking:
    """What the cache keeps: hits and their surroundings, before packing."""

    hits: tuple[Found, ...]
    """The ranking as far as it was asked for."""
    seeds: tuple[Found, ...]
    """The hits that are worth reading: what is packed first."""
    around: tuple[Found, ...]
    also: tuple[Found, ...]
    """The best of the files that are not worth reading at once; the answer names them."""
    total: int
    notes: tuple[str, ...]
    debug: Mapping[str, Any]


NAMED_FROM = 20
"""Hits, from the first, whose files are named where they are not shown."""


Cache = QueryCache[Ranking]


def search(
    view: View,
    request: SearchRequest,
    *,
    config: SearchConfig,
    budget: int,
    counter: TokenCounter,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    cache: Cache | None = None,
    sent: Collection[str] = frozenset(),
    unindexed: Callable[[], Iterable[str]] | None = None,
    timed: Tell | None = None,
) -> SearchAnswer:
    """Answer a question from what a view shows.

    `budget`: tokens of the packed text, as `counter` counts them; `sent`: ids of hits that this
    session has already; `unindexed`: paths whose text the index does not have yet; `timed`: told
    how long each stage took.
    Raises: `BadInput` for an empty question, one of more than 100 KB, or an unknown option.
    """
    laps = Laps(timed)
    settings = settings_for(config, request.mode)
    state = view.state()
    key = _cache_key(view, request, settings, embedder, reranker)
    cache = cache if config.query_cache_entries else None
    ranking = cache.get(key) if cache is not None else None
    if ranking is None:
        ranking = _rank(view, request, settings, state, embedder, reranker, unindexed, laps)
        if cache is not None and not state.pending and not ranking.notes:
            cache.put(key, ranking)
    answer = _answer(view, request, ranking, settings, state, budget, counter, sent)
    laps.done("pack")
    return answer


def ranked_hits(
    view: View,
    request: SearchRequest,
    *,
    config: SearchConfig,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
) -> list[Found]:
    """Return the ranked hits alone, with their signals, without packing."""
    settings = settings_for(config, request.mode)
    lean = replace(
        settings, neighbor_hops=0, breadcrumb_expand_limit=0, import_files_per_seed=0,
        reverse_import_files_per_seed=0, call_sites_per_seed=0,
    )  # fmt: skip
    return list(_rank(view, request, lean, view.state(), embedder, reranker, None, Laps(None)).hits)


def _rank(
    view: View,
    request: SearchRequest,
    settings: SearchConfig,
    state: IndexState,
    embedder: Embedder | None,
    reranker: Reranker | None,
    unindexed: Callable[[], Iterable[str]] | None,
    laps: Laps,
) -> Ranking:
    notes: list[str] = []
    question = understand(request.question, request.terms, deep=request.mode == "deep")
    if not question.concepts and not question.paths:
        notes.append("the question has no word to look for")
    admit, facts, texts = admit_of(request), facts_of(view), Texts(view)
    lens = lens_of(view, question, state.files)
    wanted = request.offset + request.top

    pool = recall(view, facts, question, settings, admit, embedder, notes)
    if state.pending or unindexed is not None:
        scanned = scan(pool, view, lens, admit, unindexed)
        if scanned.waiting:
            notes.append(f"{scanned.waiting} files are neither indexed nor scanned yet")
    laps.done("recall")
    fused = fuse(pool, question.kind, settings)
    ranked, folded = fold_duplicates(rank(view, facts, lens, fused, texts))
    ranked = ranked[: max(settings.fused_top_m, wanted)]
    laps.done("rank")
    before = tuple(ranked)
    if reranker is not None:
        ranked = rerank(reranker, lens, ranked, settings, notes)
        laps.done("rerank")
    best = ranked[: max(settings.rerank_top_n, wanted)]
    seeds = smart_cut(best, settings, request.low_confidence_behavior, notes)
    hits = seeds
    if request.top and (seeds or request.low_confidence_behavior != "return_empty"):
        hits = best[request.offset : wanted]
        seeds = hits if request.offset else seeds[: request.top]
    around = Expansion(view, facts, lens, settings, admit, texts).of(
        seeds, hits if request.top else ranked
    )
    laps.done("expand")
    told: dict[str, Any] = {}
    if request.debug:
        told = debug.explain(
            debug.Course(lens, pool, fused, before, ranked, best, seeds, around, folded, settings)
        )
    also = ranked[:NAMED_FROM] if seeds and seeds[0].score >= settings.smart_min_score else []
    return Ranking(
        tuple(hits), tuple(seeds), tuple(around), tuple(also), len(ranked), tuple(notes), told
    )


def _cache_key(
    view: View,
    request: SearchRequest,
    settings: SearchConfig,
    embedder: Embedder | None,
    reranker: Reranker | None,
) -> Hashable:
    normalised = replace(
        request,
        question=" ".join(request.question.split()),
        max_total_chars=None,
        max_files=None,
        max_segments_per_file=None,
    )
    models = (
        embedder.fingerprint if embedder is not None else "",
        reranker.name if reranker is not None else "",
    )
    return normalised, settings, models, view.key


def _answer(
    view: View,
    request: SearchRequest,
    ranking: Ranking,
    settings: SearchConfig,
    state: IndexState,
    budget: int,
    counter: TokenCounter,
    sent: Collection[str],
) -> SearchAnswer:
    items = [*ranking.seeds, *ranking.around]
    texts = Texts(view)
    packed = pack(
        view,
        items,
        limits=Limits(
            tokens=max(0, budget),
            chars=request.max_total_chars or settings.max_total_chars,
            files=request.max_files or 0,
            segments_per_file=request.max_segments_per_file or settings.max_segments_per_file,
            segment_tokens=settings.segment_tokens,
        ),
        counter=counter,
        languages=_languages(view, [*items, *ranking.also]),
        also=ranking.also,
        sent=sent,
        texts=texts,
    )
    return SearchAnswer(
        question=" ".join(request.question.split()),
        hits=tuple(_hit(view, texts, found) for found in ranking.hits),
        files=packed.files,
        text=packed.text,
        tokens=packed.tokens,
        budget=budget,
        counter=counter.name,
        total=ranking.total,
        warnings=ranking.notes,
        index=state,
        debug=debug.with_packed(ranking.debug, packed, items, counter) if request.debug else {},
    )


def _languages(view: View, items: Sequence[Found]) -> dict[str, str]:
    languages: dict[str, str] = {}
    for path in dict.fromkeys(item.path for item in items):
        entry = view.entry(path)
        languages[path] = entry.language if entry is not None else ""
    return languages


def _hit(view: View, texts: Texts, found: Found) -> Hit:
    chunk = found.chunk
    return Hit(
        path=chunk.path,
        start_line=chunk.span.start_line,
        end_line=chunk.span.end_line,
        score=round(found.score, 4),
        id=hit_id(chunk, texts.of(found) or "") if chunk.index >= 0 else "",
        breadcrumb=chunk.breadcrumb,
        kind=chunk.kind,
        sources=found.sources,
        host_path=view.host_path(chunk.path),
    )
