"""retry: repeat a reading operation on the path that was meant.

Decides whether an answer of resolve is sure enough to act on, and in which order its candidates are
tried. Refuses to write, to guess below the stated confidence unless asked, and to go on for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from tadoru.errors import BadInput, TadoruError
from tadoru.resolve.reply import RETRY
from tadoru.types import Op, Resolution, RetryResult

Strategy = Literal["best_first", "score_desc"]
"""`best_first`: the answer, then its candidates as they are ordered; `score_desc`: by score alone,
ties by path."""

READS: frozenset[str] = frozenset({"read", "list", "stat", "search"})
MAX_TRIED = 10


def retry(
    find: Callable[[], Resolution],
    *,
    perform: Callable[[str], str],
    op: Op = "read",
    strategy: Strategy = "best_first",
    top: int = 3,
    ask: bool = False,
    confidence: float = RETRY,
) -> RetryResult:
    """Repeat an operation on the paths that a resolution offers; the first success wins.

    `find`: resolves the failed path; not called when the operation is refused. `perform`: does the
    operation on a path of the tree and returns its result; an error of tadoru's tree or an
    `OSError` means "try the next". `confidence`: probability of the answer from which it, and it
    alone, is tried unasked. `ask`: the caller asks for candidates to be tried too, `top` of them,
    at most 10.

    Raises: `BadInput` for an unknown operation or strategy, and what `find` raises.
    """
    if strategy not in ("best_first", "score_desc"):
        raise BadInput(f"unknown strategy {strategy!r}", hint="best_first or score_desc")
    if op == "write":
        return RetryResult(status="refused", op=op)
    if op not in READS:
        raise BadInput(f"unknown operation {op!r}", hint="read, list, stat or search")
    resolution = find()
    if resolution.status == "absent":
        resolution = replace(resolution, candidates=())  # more were asked for to try, not to show
        return RetryResult(status="absent", op=op, resolution=resolution, index=resolution.index)
    if not ask and not is_sure(resolution, confidence):
        return RetryResult(status="ambiguous", op=op, resolution=resolution, index=resolution.index)
    paths = _order(resolution, strategy, top) if ask else [resolution.path]
    return _try(resolution, op, paths, perform)


def is_sure(resolution: Resolution, confidence: float = RETRY) -> bool:
    """Tell whether an answer may be acted on unasked: a path that exists, or a sure candidate."""
    if resolution.status != "resolved":
        return False
    return not resolution.candidates or resolution.candidates[0].score >= confidence


def _order(resolution: Resolution, strategy: Strategy, top: int) -> list[str]:
    candidates = list(resolution.candidates)
    if strategy == "score_desc":
        candidates.sort(key=lambda c: (-c.score, c.path))
    paths = [c.path for c in candidates]
    if resolution.status == "resolved" and (strategy == "best_first" or not paths):
        paths.insert(0, resolution.path)
    return list(dict.fromkeys(paths))[: max(1, min(top, MAX_TRIED))]


def _try(
    resolution: Resolution, op: Op, paths: Sequence[str], perform: Callable[[str], str]
) -> RetryResult:
    tried: list[str] = []
    for path in paths:
        tried.append(path)
        try:
            result = perform(path)
        except (TadoruError, OSError):
            continue
        return RetryResult(
            status="ok",
            op=op,
            path=path,
            result=result,
            tried=tuple(tried),
            resolution=resolution,
            index=resolution.index,
        )
    return RetryResult(
        status="all_failed",
        op=op,
        tried=tuple(tried),
        resolution=resolution,
        index=resolution.index,
    )
