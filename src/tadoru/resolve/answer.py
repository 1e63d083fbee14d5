"""resolve: a wrong path becomes the right one, a short choice, or an honest "absent".

The pipeline, top to bottom: normalise, gather from both sides, score, verify, decide. Decides by
calibrated confidence; refuses to offer a path that does not exist at this moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tadoru.config import ResolveConfig
from tadoru.errors import Unavailable
from tadoru.models.base import Reranker
from tadoru.resolve.aliases import unalias
from tadoru.resolve.candidates import gather, intent_words
from tadoru.resolve.doubts import on_the_side
from tadoru.resolve.features import Context
from tadoru.resolve.history import in_tree
from tadoru.resolve.index import path_index
from tadoru.resolve.limits import lifted, limited
from tadoru.resolve.measure import Measure
from tadoru.resolve.model import Scored, load_weights, rank
from tadoru.resolve.normalize import Request, find_base, normalize
from tadoru.resolve.reply import Found, absent, existing, reply
from tadoru.resolve.spellings import spelled_otherwise
from tadoru.resolve.ties import broken
from tadoru.types import Op, Resolution
from tadoru.views import View

RERANK_SHARE = 0.3
"""Part of a plugged-in reranker in the score of a candidate."""
SYMBOL_LOOKUPS = 3
SYMBOLS = 20
"""Definitions of one name that are looked at; those in tests and examples count without others."""
DECIDED = ("deleted", "ignored")
"""Beginnings of reasons after which no other directory is looked into."""
_IDENTIFIER = re.compile(r"`([A-Za-z_]\w{3,})(?:\(\))?`|\b([A-Z][a-z]+(?:[A-Z]\w*)+)\b")

Renames = Callable[[str], Sequence[str]]
"""Path -> the paths that it has now, by version control; `""` among them: it was deleted."""


def resolve(
    view: View,
    path: str,
    *,
    intent: str = "",
    op: Op = "read",
    cwd: str = "",
    recent: Sequence[str] = (),
    history: Sequence[str] = (),
    touched: Mapping[str, float] | None = None,
    top: int = 3,
    config: ResolveConfig = ResolveConfig(),  # noqa: B008  (frozen)
    reranker: Reranker | None = None,
    renames: Renames | None = None,
    stat: Callable[[str], bool] | None = None,
    measure: Measure | None = None,
) -> Resolution:
    """Find the path that was meant.

    `path`: as the caller wrote it; `intent`: what it is for, in words; `cwd`: working directory, as
    a host path or a path of the tree; `recent`, `history`: paths touched before, newest first, as
    given with the call and as remembered; `touched`: path -> how often and lately, for ties; `top`:
    candidates in the answer, whatever the status; `renames`: asked only when nothing fits; `stat`:
    tells whether a path of the tree exists now; `measure`: is told what happened, by stage.

    Raises: `BadInput` when the text cannot be a path.
    """
    measure = measure or Measure()
    context = make_context(
        view, path, intent=intent, op=op, cwd=cwd, history=[*recent, *history], symbols=True
    )
    request = context.request
    measure.note(context=context)
    measure.stage("normalize")
    if request.url or request.glob:
        return replace(absent(view, context, "url" if request.url else "glob"), index=view.state())
    alive = stat or (lambda _: True)
    if request.existing is not None and alive(request.existing):
        return existing(view, context, top)
    paths = gather(context.index, request, context.history, context.intent)
    spelled = spelled_otherwise(context)
    rewritten = spelled.paths if spelled is not None else ()
    paths = list(dict.fromkeys([*paths, *context.symbols, *rewritten]))
    measure.candidates = len(paths)
    measure.stage("candidates")
    weights = load_weights()
    ranked, none = rank(context, paths, weights)
    measure.note(spelled=rewritten, weighed=ranked, none=none)
    ranked = lifted(limited(context, ranked, none, weights), spelled)
    measure.note(limited=ranked)
    measure.stage("rank")
    ranked = _verified(ranked, alive, max(top, config.top_k))
    measure.stage("verify")
    if reranker is not None:
        ranked = _reranked(reranker, ranked, request, intent)
        measure.stage("rerank")
    measure.confidence = ranked[0].score if ranked else 0.0
    ranked = broken(ranked, touched or {}, view.tree)
    answer = reply(view, context, Found(tuple(ranked)), top=top, renames=renames, alive=alive)
    measure.stage("reply")
    moved = _where_it_moved(context, answer, renames)
    if not moved:
        return answer
    again = resolve(
        view, moved, intent=intent, op=op, history=[*recent, *history], touched=touched,
        top=top, config=config, stat=stat,
    )  # fmt: skip
    measure.stage("moved")
    if again.status == "resolved" or (answer.status == "absent" and again.status == "ambiguous"):
        return replace(again, requested=path, line=request.line)
    return answer


def make_context(
    view: View,
    path: str,
    *,
    intent: str = "",
    op: Op = "read",
    cwd: str = "",
    history: Sequence[str] = (),
    symbols: bool = False,
) -> Context:
    """Return what candidates are compared with; `symbols`: ask the view for definitions too."""
    index = path_index(view.tree)
    request = normalize(view, path, cwd)
    if request.existing is None and not request.url:
        request = unalias(view, request)
    context = Context(
        index=index,
        request=request,
        op=op,
        history=in_tree(view, history, find_base(view, cwd)),
        intent=intent_words(intent),
    )
    if symbols and request.existing is None and request.name not in index.by_name:
        context.symbols = _definitions(view, context, intent)
    return context


def _where_it_moved(context: Context, answer: Resolution, renames: Renames | None) -> str:
    """Return the request below the directory that took the place of its own, by version control."""
    request = context.request
    if renames is None or answer.status == "resolved" or answer.reason.startswith(DECIDED):
        return ""
    if not request.parent or context.parent_exists or request.outside:
        return ""
    there = [d for d in renames(request.parent) if d and context.index.is_dir(d)]
    return f"{there[0]}/{request.name}" if len(there) == 1 else ""


def _definitions(view: View, context: Context, intent: str) -> dict[str, float]:
    """Return which files define what the failed name, or the intent, names."""
    found: dict[str, float] = {}
    wanted = [(context.name.folded, 1.0)] if len(context.name.folded) > 3 else []
    named = [a or b for a, b in _IDENTIFIER.findall(intent[-600:])]
    wanted += [(name.lower(), 0.5) for name in dict.fromkeys(named)][:SYMBOL_LOOKUPS]
    for folded, worth in wanted:
        symbols, total = view.symbols(folded=folded, limit=SYMBOLS)
        paths = list(dict.fromkeys(symbol.path for symbol in symbols))
        main = [path for path in paths if not on_the_side(path)] or paths
        share = worth / max(1, len(main) if total <= SYMBOLS else total)
        for path in main:
            found[path] = max(found.get(path, 0.0), share)
    return found


def _verified(ranked: Sequence[Scored], alive: Callable[[str], bool], limit: int) -> list[Scored]:
    """Return the first `limit` candidates that exist now."""
    kept: list[Scored] = []
    for candidate in ranked:
        if len(kept) >= limit:
            break
        if alive(candidate.path):
            kept.append(candidate)
    return kept


def _reranked(
    reranker: Reranker, ranked: list[Scored], request: Request, intent: str
) -> list[Scored]:
    """Blend in the scores of a model; without it when it cannot answer."""
    if len(ranked) < 2:
        return ranked
    try:
        scores = reranker.score(f"{request.raw} {intent}".strip(), [c.path for c in ranked])
    except Unavailable:
        return ranked
    mass = sum(c.score for c in ranked)
    total = sum(scores) or 1.0
    blended = [
        replace(c, score=(1 - RERANK_SHARE) * c.score + RERANK_SHARE * mass * s / total)
        for c, s in zip(ranked, scores, strict=True)
    ]
    return sorted(blended, key=lambda c: -c.score)
