"""A second opinion on the best candidates, blended with the first one.

Documents are bounded as in ContextWeaver: breadcrumb cut in the middle, then the window of the
text around the line that has most of the question's words, or head and tail where none has any.
A reranker that fails costs nothing but its opinion; scores stay on the same 0..1 scale.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from tadoru.config import SearchConfig
from tadoru.errors import TadoruError
from tadoru.models.base import Reranker
from tadoru.search.found import Found, in_order
from tadoru.search.lens import Lens, line_with_most

OPINION = 0.6
"""Share of the reranker in the score; measured: alone it is worse than blended."""
_GAP = "\n...\n"


def rerank(
    reranker: Reranker,
    lens: Lens,
    ranked: Sequence[Found],
    settings: SearchConfig,
    notes: list[str],
) -> list[Found]:
    """Return the candidates reordered; unchanged, with a note, when the reranker fails."""
    if not ranked:
        return []
    terms = frozenset(lens.by_term)
    documents = [document(candidate, terms, settings) for candidate in ranked]
    try:
        scores = reranker.score(lens.question.text, documents)
        if len(scores) != len(documents):
            raise ValueError(f"{len(scores)} scores for {len(documents)} documents")
    except Exception as error:  # a model or its endpoint may fail in any way; the order stands
        reason = error.message if isinstance(error, TadoruError) else type(error).__name__
        notes.append(f"reranking is left out: {reason}")
        return list(ranked)
    for candidate, score in zip(ranked, scores, strict=True):
        opinion = min(1.0, max(0.0, score)) if score == score else 0.0
        candidate.score = (1 - OPINION) * candidate.score + OPINION * opinion
    return in_order(ranked)


def document(candidate: Found, terms: Set[str], settings: SearchConfig) -> str:
    """Return what a reranker reads of a candidate: at most breadcrumb and window characters."""
    chunk = candidate.chunk
    crumb = f"{chunk.path} > {chunk.breadcrumb}" if chunk.breadcrumb else chunk.path
    crumb = cut_middle(crumb, settings.max_breadcrumb_chars)
    body = _window(candidate.text or "", terms, settings)
    return f"{crumb}\n{body}"


def cut_middle(text: str, limit: int) -> str:
    """Shorten a text in its middle to at most `limit` characters."""
    if len(text) <= limit:
        return text
    if limit < 5:
        return text[:limit]
    head = (limit - 3) // 2
    return f"{text[:head]}...{text[len(text) - (limit - 3 - head) :]}"


def _window(text: str, terms: Set[str], settings: SearchConfig) -> str:
    limit = settings.max_rerank_chars
    if len(text) <= limit:
        return text
    line = line_with_most(text, terms)
    if line < 0:
        head = int(max(0, limit - len(_GAP)) * settings.head_ratio)
        tail = max(0, limit - len(_GAP) - head)
        return (text[:head] + _GAP + (text[-tail:] if tail else ""))[:limit]
    start_of_line = len("\n".join(text.split("\n")[:line])) + (line > 0)
    start = max(0, min(start_of_line - limit // 2, len(text) - limit))
    return text[start : start + limit]
