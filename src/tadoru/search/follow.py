"""Going on from a hit: more of its file, or what is like it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tadoru.config import SearchConfig
from tadoru.models.base import Embedder, TokenCounter
from tadoru.search.found import Found, Texts
from tadoru.search.memory import chunk_of, hit_id
from tadoru.search.pack import Limits, pack
from tadoru.search.pipeline import search
from tadoru.search.request import SearchRequest
from tadoru.types import Chunk, SearchAnswer
from tadoru.views import View

SALIENT_WORDS = 400
"""Characters of a chunk's beginning that stand for it when it has neither name nor comment."""


def more(
    view: View, identity: str, *, config: SearchConfig, budget: int, counter: TokenCounter
) -> SearchAnswer:
    """Return a hit with as much of its file around it as the budget takes.

    Raises: `BadInput` for what is no id; `PathNotFound` when its text is gone.
    """
    chunk = chunk_of(view, identity)
    near = sorted(view.chunks(chunk.path), key=lambda c: (abs(c.index - chunk.index), c.index))
    items = [
        Found(c, score=1.0 / (1 + abs(c.index - chunk.index)), sources=("more",)) for c in near
    ]
    entry = view.entry(chunk.path)
    packed = pack(
        view,
        items,
        limits=Limits(budget, config.max_total_chars),
        counter=counter,
        languages={chunk.path: entry.language if entry is not None else ""},
    )
    return SearchAnswer(
        question=identity,
        files=packed.files,
        text=packed.text,
        tokens=packed.tokens,
        budget=budget,
        counter=counter.name,
        total=len(items),
        index=view.state(),
    )


def related(
    view: View,
    identity: str,
    *,
    config: SearchConfig,
    budget: int,
    counter: TokenCounter,
    embedder: Embedder | None = None,
    top: int = 5,
    sent: Collection[str] = frozenset(),
) -> SearchAnswer:
    """Return what is about the same as a hit, which is itself left out.

    Raises: `BadInput` for what is no id; `PathNotFound` when its text is gone.
    """
    chunk = chunk_of(view, identity)
    text = Texts(view).chunk(chunk) or ""
    answer = search(
        view,
        SearchRequest(_about(chunk, text), top=top + 1),
        config=config,
        budget=budget,
        counter=counter,
        embedder=embedder,
        sent={*sent, hit_id(chunk, text)},
    )
    hits = tuple(hit for hit in answer.hits if hit.id != hit_id(chunk, text))[:top]
    return replace(answer, question=identity, hits=hits)


def _about(chunk: Chunk, text: str) -> str:
    heading = " ".join(filter(None, (chunk.breadcrumb, chunk.signature, chunk.doc)))
    return heading if len(heading) > 20 else f"{heading} {text[:SALIENT_WORDS]}"
