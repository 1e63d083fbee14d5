"""The order of the first ten: signals weighed by a small logistic model, learned from cases.

The weights are data (`ranker.json`), made by `benchmarks/search/tune.py` with a split by
repository; the score is the model's probability that a reader would want this file, so that a
cut-off means the same for every question. Further chunks of one file count less and less.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

from tadoru.search.company import company
from tadoru.search.facts import Facts, FileFacts
from tadoru.search.found import Found, Texts, in_order
from tadoru.search.lens import NOTHING, Evidence, Lens
from tadoru.search.signals import (
    SIGNALS,
    TEXT_SIGNALS,
    Numbers,
    chunk_signals,
    file_signals,
    text_signals,
)
from tadoru.views import View

CONSIDERED = 120
"""Candidates of the pool that are weighed by heading and file; measured: 60 lose .004 NDCG@10."""
READ = 64
"""Candidates whose text is read: the best of those."""
CONFIDENCE_ROOT, SHARE_ROOT = 1 / 2, 1 / 3
"""Measured with the default cut-off: 93 of 100 code questions keep their answer, in 3 hits
(median). It also calls a quarter of the questions that have no answer here low in confidence."""
HEADING_LOGITS = 2.0
"""What a name and a signature that answer a question bring; a scanned piece has neither, and is
not less of an answer for that."""
EVIDENCE_NEEDED = 0.35
"""Share of a question that some file must speak of; 95 of 100 answerable ones reach it, half of
those asked of a repository that has no answer do not come far above."""
MIN_FOLDED = 80
"""Shorter texts that are alike (`return None`) are no copies of each other."""


@lru_cache(maxsize=1)
def weights() -> tuple[float, Numbers, float]:
    """Return bias, one weight per signal, and what each further chunk of a file loses (logits)."""
    data = json.loads(files(__package__).joinpath("ranker.json").read_text("utf-8"))
    signals = data["signals"]
    return data["bias"], tuple(signals[name] for name in SIGNALS), data["same_file"]


def rank(view: View, facts: Facts, lens: Lens, found: Sequence[Found], texts: Texts) -> list[Found]:
    """Return the fused candidates with calibrated scores, best first.

    The weight of a file is that of all its candidates, also of those beyond the limit. A
    candidate whose file is gone is left out.
    """
    bias, weight_of, same_file = weights()
    known = _with_files(view, facts, found)
    about_files = _file_signals(view, lens, found, {file.path: file for _, file in known})
    for candidate, file in known:
        candidate.signals = about_files[file.path] + chunk_signals(lens, candidate, file)
        candidate.score = _dot(candidate.signals, weight_of)
    known.sort(key=lambda pair: (-pair[0].score, pair[0].path, pair[0].chunk.index))

    read = [candidate for candidate, _ in known[:READ]]
    evidence = {c.key: _evidence(lens, c, texts) for c in read}
    in_file: dict[str, set[str]] = {}
    for candidate in read:
        in_file.setdefault(candidate.path, set()).update(evidence[candidate.key].terms)
    cover = {path: lens.coverage(terms) for path, terms in in_file.items()}
    best = max(cover.values(), default=0.0)
    ranked: list[Found] = []
    for candidate in read:
        if candidate.text is None:
            continue
        about = text_signals(evidence[candidate.key], cover[candidate.path], best, candidate.text)
        candidate.signals += about
        candidate.score += bias + _dot(about, weight_of[-len(TEXT_SIGNALS) :])
        candidate.alone = candidate.score
        candidate.focus = evidence[candidate.key].at
        ranked.append(candidate)
    ranked = saturate(in_order(ranked), same_file)
    dense = max((candidate.scores.get("dense", 0.0) for candidate in ranked), default=0.0)
    named = any("path" in candidate.scores for candidate in ranked)
    return to_scores(ranked, 1.0 if named else max(best, dense))


def _with_files(view: View, facts: Facts, found: Sequence[Found]) -> list[tuple[Found, FileFacts]]:
    pairs = [(candidate, facts.file(view, candidate.path)) for candidate in found[:CONSIDERED]]
    return [(candidate, file) for candidate, file in pairs if file is not None]


def _file_signals(
    view: View, lens: Lens, found: Sequence[Found], files: Mapping[str, FileFacts]
) -> dict[str, Numbers]:
    others = company(view, files, found)
    return {path: file_signals(lens, file, others[path]) for path, file in files.items()}


def _dot(signals: Numbers, weight_of: Numbers) -> float:
    return sum([w * s for w, s in zip(weight_of, signals, strict=False)])


def _evidence(lens: Lens, candidate: Found, texts: Texts) -> Evidence:
    text = texts.of(candidate)
    return lens.evidence(text) if text is not None else NOTHING


def to_scores(ranked: list[Found], evidence: float = 1.0) -> list[Found]:
    """Turn logits into scores of 0..1, in place.

    The best hit's score says how sure it is that anything here answers the question; the others'
    how they compare with it. Labels name one file of several that a reader would take, so
    probabilities learned from them are spread by a root, or the cut-off would leave one hit.
    `evidence`: the most of the question that any file speaks of; where that is little, nothing
    here answers it, however well the best one compares with the rest.
    """
    if not ranked:
        return ranked
    top = _chance(ranked[0].score)
    unread = HEADING_LOGITS if "scan" in ranked[0].scores else 0.0
    confidence = (
        _chance(ranked[0].score + unread) ** CONFIDENCE_ROOT
        * min(1.0, evidence / EVIDENCE_NEEDED) ** 2
    )
    for candidate in ranked:
        candidate.score = confidence * (_chance(candidate.score) / top) ** SHARE_ROOT
        share = min(1.0, _chance(candidate.alone) / top)
        candidate.alone = confidence * share**SHARE_ROOT
    return ranked


def _chance(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


def saturate(ranked: list[Found], loss: float) -> list[Found]:
    """Lower the further chunks of each file, so that one file does not fill the answer.

    `loss`: logits for each better chunk of the same file.
    """
    seen: dict[str, int] = {}
    for candidate in ranked:
        earlier = seen.get(candidate.path, 0)
        candidate.score -= loss * earlier
        seen[candidate.path] = earlier + 1
    return in_order(ranked)


def fold_duplicates(ranked: Sequence[Found]) -> tuple[list[Found], list[str]]:
    """Keep the best of several chunks with the same text; return also where the others lie."""
    kept: list[Found] = []
    texts: set[str] = set()
    folded: list[str] = []
    for candidate in ranked:
        text = (candidate.text or "").strip()
        if len(text) >= MIN_FOLDED and text in texts:
            folded.append(f"{candidate.path}:{candidate.chunk.span.start_line}")
            continue
        texts.add(text)
        kept.append(candidate)
    return kept, folded
