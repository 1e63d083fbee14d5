"""How many hits are worth reading: the smart cut-off on calibrated scores.

Anchor and floor: a hit must reach `smart_min_score`, and a share of the best one's score. Delta
guard: an outstanding best hit does not shut out what lies within `smart_top_score_delta_abs` of
it. Safe harbour: the first `smart_min_k` need the floor only. Source: ContextWeaver's smart top-k.
"""

from __future__ import annotations

from collections.abc import Sequence

from tadoru.config import SearchConfig
from tadoru.search.found import Found
from tadoru.search.request import LowConfidence


def smart_cut(
    ranked: Sequence[Found], settings: SearchConfig, low: LowConfidence, notes: list[str]
) -> list[Found]:
    """Return the hits that stay, in their order.

    `low`: what is returned when even the best is below the floor: the best one, nothing, or the
    safe harbour's number; in each case `notes` says so.
    """
    if not ranked:
        return []
    if not settings.enable_smart_top_k:
        return list(ranked)
    top = ranked[0].score
    floor = settings.smart_min_score
    if top < floor:
        notes.append(f"low confidence: the best score {top:.3f} is below {floor:.3f}")
        keep = {"return_top1": 1, "return_empty": 0, "return_with_warning": settings.smart_min_k}
        return list(ranked[: keep[low]])
    kept: list[Found] = []
    for position, candidate in enumerate(ranked):
        if why_cut(position, candidate.score, top, settings):
            break
        kept.append(candidate)
    return kept


def threshold_of(top: float, settings: SearchConfig) -> float:
    """Return what a hit beyond the safe harbour needs; `top`: the score of the best one."""
    relative = settings.smart_top_score_ratio * top
    return max(settings.smart_min_score, min(relative, top - settings.smart_top_score_delta_abs))


def why_cut(position: int, score: float, top: float, settings: SearchConfig) -> str:
    """Return why a hit at a position (from 0) does not stay; empty when it does."""
    floor, most = settings.smart_min_score, max(1, settings.smart_max_k)
    if score < floor:
        return f"below the floor {floor:.3f}"
    if position >= most:
        return f"after the first {most}"
    if position >= settings.smart_min_k and score < (needed := threshold_of(top, settings)):
        return f"below {needed:.3f}, what the best score {top:.3f} asks for"
    return ""
