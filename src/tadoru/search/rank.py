"""The order of the first ten: signals weighed by a small logistic model, learned from cases.

The weights are data (`ranker.json`), made by `benchmarks/search/tune.py` with a split by
repository; the score is the model's probability that a reader would want this file, so that a
cut-off means the same for every question. Further chunks of one file count less and less.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

from tadoru.search.facts import Facts
from tadoru.search.found import Found, in_order
from tadoru.search.signals import SIGNALS, Lens, file_mass, signals_of
from tadoru.views import View


@lru_cache(maxsize=1)
def weights() -> tuple[float, tuple[float, ...], float]:
    """Return bias, one weight per signal, and the decay for further chunks of one file."""
    data = json.loads(files(__package__).joinpath("ranker.json").read_text("utf-8"))
    signals = data["signals"]
    return data["bias"], tuple(signals[name] for name in SIGNALS), data["same_file_decay"]


def rank(view: View, facts: Facts, lens: Lens, found: Sequence[Found], limit: int) -> list[Found]:
    """Return the first `limit` of the fused candidates with calibrated scores, best first.

    The weight of a file is that of all its candidates, also of those beyond the limit. A
    candidate whose file is gone is left out.
    """
    mass = file_mass(found)
    ranked: list[Found] = []
    bias, weight_of, decay = weights()
    for candidate in found[:limit]:
        file = facts.file(view, candidate.path)
        text = text_of(view, candidate)
        if file is None or text is None:
            continue
        candidate.signals = signals_of(lens, candidate, file, mass[candidate.path], text)
        logit = bias + sum(w * s for w, s in zip(weight_of, candidate.signals, strict=True))
        candidate.score = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))
        ranked.append(candidate)
    return saturate(in_order(ranked), decay)


def saturate(ranked: list[Found], decay: float) -> list[Found]:
    """Lower the further chunks of each file, so that one file does not fill the answer."""
    seen: dict[str, int] = {}
    for candidate in ranked:
        earlier = seen.get(candidate.path, 0)
        candidate.score *= decay**earlier
        seen[candidate.path] = earlier + 1
    return in_order(ranked)


def text_of(view: View, candidate: Found) -> str | None:
    """Return the text of a candidate, read once; None when its file is gone."""
    if candidate.text is None:
        whole = view.text(candidate.path)
        if whole is None:
            return None
        span = candidate.chunk.span
        candidate.text = whole[span.start_char : span.end_char]
    return candidate.text


def fold_duplicates(ranked: Sequence[Found], minimum: int = 80) -> tuple[list[Found], list[str]]:
    """Keep the best of several chunks with the same text; return also where the others lie."""
    kept: list[Found] = []
    texts: set[str] = set()
    folded: list[str] = []
    for candidate in ranked:
        text = (candidate.text or "").strip()
        if len(text) >= minimum and text in texts:
            folded.append(f"{candidate.path}:{candidate.chunk.span.start_line}")
            continue
        texts.add(text)
        kept.append(candidate)
    return kept, folded
