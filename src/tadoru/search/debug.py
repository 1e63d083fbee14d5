"""What each stage did with a question, as plain data for `--debug` and the explaining page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tadoru.search.found import Found, Pool
from tadoru.search.lens import Lens
from tadoru.search.rank import weights
from tadoru.search.signals import SIGNALS

EXPLAINED = 10


def explain(
    lens: Lens,
    pool: Pool,
    ranked: Sequence[Found],
    hits: Sequence[Found],
    around: Sequence[Found],
    folded: Sequence[str],
) -> dict[str, Any]:
    """Return the stages' findings: question, recall, ranking with contributions, expansion."""
    question = lens.question
    channels = Counter(channel for found in pool.all() for channel in found.scores)
    return {
        "question": {
            "kind": question.kind.value,
            "concepts": {
                concept.surface: round(weight, 3)
                for concept, weight in zip(question.concepts, lens.importances, strict=True)
            },
            "names": list(question.names),
            "paths": [mention.path for mention in question.paths],
            "variants": [variant.text for variant in question.variants],
        },
        "recall": {"candidates": len(pool), **dict(sorted(channels.items()))},
        "ranked": [_one(found) for found in ranked[:EXPLAINED]],
        "cut": {"ranked": len(ranked), "kept": len(hits)},
        "expanded": dict(sorted(Counter(f.sources[0] for f in around).items())),
        "duplicates": list(folded),
    }


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
