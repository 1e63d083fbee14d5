"""What each stage did with a question, as plain data for `--debug` and the explaining page.

Reports; decides nothing. Each stage names its first rows and how many there are in all, so that
what is told of a question is bounded however much was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tadoru.config import SearchConfig
from tadoru.models.base import TokenCounter
from tadoru.search.cutoff import threshold_of, why_cut
from tadoru.search.found import Found, Key, Pool
from tadoru.search.lens import Lens
from tadoru.search.pack import NO_ROOM, Packed
from tadoru.search.rank import CONSIDERED, READ, weights
from tadoru.search.render import NAMED
from tadoru.search.signals import SIGNALS
from tadoru.types import Segment

EXPLAINED = 10
STAGE_ROWS = 20
"""Rows told of one stage."""
STAGES = "stages"
"""Name of the long part: places and reasons, row by row."""


@dataclass(frozen=True, slots=True)
class Course:
    """What the stages of one question handed to each other."""

    lens: Lens
    pool: Pool
    fused: Sequence[Found]
    before: Sequence[Found]
    """The ranking before a reranker; the same candidates as `ranked`."""
    ranked: Sequence[Found]
    best: Sequence[Found]
    """What the cut-off decided about."""
    kept: Sequence[Found]
    around: Sequence[Found]
    folded: Sequence[str]
    settings: SearchConfig


def explain(course: Course) -> dict[str, Any]:
    """Return the stages' findings: question, recall, ranking with contributions, expansion."""
    question = course.lens.question
    channels = Counter(channel for found in course.pool.all() for channel in found.scores)
    return {
        "question": {
            "kind": question.kind.value,
            "concepts": {
                concept.surface: round(weight, 3)
                for concept, weight in zip(question.concepts, course.lens.importances, strict=True)
            },
            "names": list(question.names),
            "paths": [mention.path for mention in question.paths],
            "variants": [variant.text for variant in question.variants],
        },
        "recall": {"candidates": len(course.pool), **dict(sorted(channels.items()))},
        "ranked": [_one(found) for found in course.ranked[:EXPLAINED]],
        "cut": {"ranked": len(course.ranked), "kept": len(course.kept)},
        "expanded": dict(sorted(Counter(f.sources[0] for f in course.around).items())),
        "duplicates": list(course.folded),
        STAGES: {
            **{name: _channel(course, name) for name in sorted(channels)},
            "fused": _fused(course),
            "ranked": _ranked(course),
            "cut-off": _cut(course),
            "expanded": {
                "found": len(course.around),
                "rows": [
                    {**_place(found), "score": round(found.score, 4), "because": found.sources[0]}
                    for found in course.around[:STAGE_ROWS]
                ],
            },
        },
    }


def with_packed(
    told: Mapping[str, Any], packed: Packed, items: Sequence[Found], counter: TokenCounter
) -> dict[str, Any]:
    """Return the findings with the last stage: what is shown, in how many tokens, and what of
    `items` did not fit."""
    segments = [segment for file in packed.files for segment in file.segments]
    tokens = [counter.count(segment.text) for segment in segments]
    rows = [
        {
            "path": s.path,
            "line": s.start_line,
            "end": s.end_line,
            "tokens": count,
            "shown": "one line" if s.sources == NAMED else "a part" if s.cut else "whole",
        }
        for s, count in zip(segments, tokens, strict=True)
    ]
    left = [
        {**_place(item), "why": packed.refused.get(item.key, NO_ROOM)}
        for item in items
        if not _is_shown(item, segments)
    ]
    shown = {
        "found": len(rows),
        "rows": rows,
        "tokens of text": sum(tokens),
        "left out": {"found": len(left), "rows": left[:STAGE_ROWS]},
    }
    stages = {**told.get(STAGES, {}), "packed": shown}
    return {**told, "left_out": packed.left_out, STAGES: stages}


def without_stages(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the findings in short, for a reader who pays by the token."""
    return {name: value for name, value in told.items() if name != STAGES}


def _is_shown(item: Found, segments: Iterable[Segment]) -> bool:
    span = item.chunk.span
    return any(
        s.path == item.path and s.start_line <= span.end_line and span.start_line <= s.end_line
        for s in segments
    )


def _channel(course: Course, channel: str) -> dict[str, Any]:
    """Return what one channel of recall brought, by its own order."""
    found = [candidate for candidate in course.pool.all() if channel in candidate.scores]
    found.sort(key=lambda f: (f.ranks[channel], -f.scores[channel], f.path, f.chunk.index))
    return {
        "found": len(found),
        "rows": [
            {**_place(f), "rank": f.ranks[channel] + 1, "score": round(f.scores[channel], 4)}
            for f in found[:STAGE_ROWS]
        ],
    }


def _fused(course: Course) -> dict[str, Any]:
    return {
        "found": len(course.fused),
        "considered": min(len(course.fused), CONSIDERED),
        "read": min(len(course.fused), READ),
        "rows": [
            {
                **_place(found),
                "rank": rank,
                "score": round(found.fused, 4),
                "ranks": _ranks(found),
            }
            for rank, found in enumerate(course.fused[:STAGE_ROWS], 1)
        ],
    }


def _ranked(course: Course) -> dict[str, Any]:
    fused = _positions(course.fused)
    before = _positions(course.before)
    rows = []
    for rank, found in enumerate(course.ranked[:STAGE_ROWS], 1):
        told = _one(found)
        row = {**_place(found), "rank": rank, "score": told["score"]}
        row |= {"fused rank": fused.get(found.key, 0), "rank before": before.get(found.key, 0)}
        row |= {"ranks": _ranks(found)}
        rows.append({**row, "sources": told["sources"], "signals": told["signals"]})
    return {"found": len(course.ranked), "rows": rows}


def _cut(course: Course) -> dict[str, Any]:
    """Return each hit that the cut-off decided about, with what it needed and why it is cut."""
    settings, kept = course.settings, {found.key for found in course.kept}
    top = course.best[0].score if course.best else 0.0
    rows: list[dict[str, Any]] = []
    for position, found in enumerate(course.best[:STAGE_ROWS]):
        stays = found.key in kept
        why = why_cut(position, found.score, top, settings) or "after one that is cut"
        row = {**_place(found), "rank": position + 1, "score": round(found.score, 4)}
        rows.append({**row, "kept": stays, **({} if stays else {"why": why})})
    return {
        "found": len(course.best),
        "kept": len(course.kept),
        "floor": settings.smart_min_score,
        "needed": round(threshold_of(top, settings), 4),
        "most": settings.smart_max_k,
        "rows": rows,
    }


def _ranks(found: Found) -> dict[str, int]:
    return {channel: found.ranks[channel] + 1 for channel in sorted(found.ranks)}


def _positions(found: Sequence[Found]) -> dict[Key, int]:
    return {candidate.key: position for position, candidate in enumerate(found, 1)}


def _place(found: Found) -> dict[str, Any]:
    span = found.chunk.span
    place = {"path": found.path, "line": span.start_line, "end": span.end_line}
    return {**place, "breadcrumb": found.chunk.breadcrumb} if found.chunk.breadcrumb else place


def _one(found: Found) -> dict[str, Any]:
    _, weight_of, _ = weights()
    parts = {
        name: round(weight * value, 3)
        for name, weight, value in zip(SIGNALS, weight_of, found.signals, strict=False)
        if round(weight * value, 3)
    }
    ordered = dict(sorted(parts.items(), key=lambda item: -abs(item[1])))
    return {
        "place": f"{found.path}:{found.chunk.span.start_line}",
        "score": round(found.score, 4),
        "fused": round(found.fused, 4),
        "sources": list(found.sources),
        "signals": ordered,
    }
