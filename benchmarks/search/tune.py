#!/usr/bin/env python3
"""Learn the ranker's weights from questions with known answers, split by repository.

usage: tune.py --set QUERIES.json=TREES [--set ...] --work DIR [--models NAME ...] [--write]

NAME: `none`, `embedded`, or a model2vec folder. The weights are learned from the questions as each
of them finds candidates, so that one set of weights serves with a model and without; by default
that is both. Prints NDCG@10 of every fold on repositories that the fold did not see (`flask` and
`c-flask` are one repository), beside the weights in use; `--write` then fits on everything and
replaces `src/tadoru/search/ranker.json`. The order is learned listwise (softmax over a question's
files, each by its best chunk) and pulled towards hand-set weights (`prior.json`, which saw no data,
so that a fold stays unseen); a logistic fit on top makes scores probabilities.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from corpora import Set, models_of, open_views, read_sets
from measures import Question, ndcg

from tadoru.config import SearchConfig
from tadoru.models.base import Embedder
from tadoru.search import pipeline
from tadoru.search.rank import weights
from tadoru.search.request import SearchRequest
from tadoru.search.signals import SIGNALS
from tadoru.views import View

RANKER = Path(pipeline.__file__).with_name("ranker.json")
PRIOR = Path(__file__).with_name("prior.json")
FOLDS = 5
PULL = 0.003
"""Strength of the pull towards the hand-set weights (L2)."""
STEPS = 400
RATE = 0.05
LOSSES = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
"""Tried for each further chunk of one file, in logits before calibration."""
FIXED = ("docs", "prose_in_docs", "asked_for_docs", "asked_for_tests")
"""Weights that stay as set by hand: no question of the sets is answered by a document or a test, so
what would be learned of these is how the sets were made."""
BEST_BODY = SIGNALS.index("best_body")

Matrix = npt.NDArray[np.float64]


@dataclass(slots=True)
class Case:
    """Candidates of one question: signals (n, s), their files, and whether each is an answer."""

    model: str
    question: Question
    signals: Matrix
    places: list[tuple[str, int, int]]
    files: npt.NDArray[np.int64]
    good: npt.NDArray[np.bool_]
    weight: float = 1.0

    @property
    def kind(self) -> str:
        """What its measure counts to: `none, code`."""
        return f"{self.model}, {'commit' if self.question.category == 'commit' else 'code'}"


def collect(
    questions: list[Question], views: dict[str, View], model: str, embedder: Embedder | None
) -> list[Case]:
    config = SearchConfig(enable_smart_top_k=False, rerank_top_n=1_000)
    cases: list[Case] = []
    for question in questions:
        request = SearchRequest(question.text, under=question.under)
        found = pipeline.ranked_hits(
            views[question.repo], request, config=config, embedder=embedder
        )
        if not found:
            continue
        places = [(f.path, f.chunk.span.start_line, f.chunk.span.end_line) for f in found]
        numbers = {path: n for n, path in enumerate(dict.fromkeys(p for p, _, _ in places))}
        cases.append(
            Case(
                model,
                question,
                np.array([f.signals for f in found]),
                places,
                np.array([numbers[path] for path, _, _ in places]),
                np.array([any(t.touched_by(*p) for t in question.targets) for p in places]),
            )
        )
    return cases


def best_chunks(case: Case, scores: Matrix) -> npt.NDArray[np.int64]:
    """Return, for each file, the position of its best chunk."""
    order = np.argsort(-scores, kind="stable")
    _, first = np.unique(case.files[order], return_index=True)
    return order[first]


class Batch:
    """Many cases as one matrix: rows by case and file, so that a step of the fit is a few sums."""

    def __init__(self, cases: list[Case]) -> None:
        orders = [np.argsort(case.files, kind="stable") for case in cases]
        sizes = [int(case.files.max()) + 1 for case in cases]
        offsets = np.cumsum([0, *sizes])
        self.signals = np.vstack([c.signals[o] for c, o in zip(cases, orders, strict=True)])
        self.good = np.concatenate([c.good[o] for c, o in zip(cases, orders, strict=True)])
        self.file = np.concatenate(
            [c.files[o] + n for c, o, n in zip(cases, orders, offsets, strict=False)]
        )
        self.case = np.repeat(np.arange(len(cases)), sizes)
        self.files = np.array(sizes)
        self.first_rows = np.searchsorted(self.file, np.arange(offsets[-1]))
        self.first_files = offsets[:-1]
        self.weight = np.array([case.weight for case in cases])

    def gradient(self, w: Matrix) -> Matrix:
        """Return the gradient of the listwise loss, summed over the cases."""
        scores = self.signals @ w
        best = np.maximum.reduceat(scores, self.first_rows)
        rows = np.flatnonzero(scores == best[self.file])
        _, first = np.unique(self.file[rows], return_index=True)
        chosen = rows[first]
        good = self.good[chosen].astype(float)
        share = np.exp(best - np.maximum.reduceat(best, self.first_files)[self.case])
        share /= np.add.reduceat(share, self.first_files)[self.case]
        answers = np.add.reduceat(good, self.first_files)
        learned = self.weight * ((answers > 0) & (answers < self.files))
        off = share - good / np.maximum(answers, 1)[self.case]
        result: Matrix = (off * learned[self.case]) @ self.signals[chosen]
        return result


def fit(cases: list[Case], prior: Matrix, pull: float = PULL) -> Matrix:
    """Return weights that minimise the listwise loss plus the pull towards `prior`."""
    batch, w = Batch(cases), prior.copy()
    moment, square = np.zeros_like(w), np.zeros_like(w)
    free = np.array([name not in FIXED for name in SIGNALS])
    for step in range(1, STEPS + 1):
        gradient = free * (batch.gradient(w) / len(cases) + 2 * pull * (w - prior))
        moment = 0.9 * moment + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        corrected = moment / (1 - 0.9**step)
        w -= RATE * corrected / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return w


def best_loss(cases: list[Case], w: Matrix) -> float:
    """Return the loss for further chunks of a file that gives the best mean of both measures."""
    values = {loss: sum(measure(cases, w, loss).values()) for loss in LOSSES}
    return max(values, key=lambda loss: values[loss])


def unanswerable(
    sets: list[Set], views: dict[str, dict[str, View]], model: str, embedder: Embedder | None
) -> list[Case]:
    """Return every third question, asked of another repository, where nothing answers it."""
    cases: list[Case] = []
    for each in sets:
        repos = sorted(views[each.name])
        for number, question in enumerate(each.questions[::3]):
            others = [r for r in repos if r != question.repo]
            other = others[number % len(others)]
            moved = replace(question, repo=other, targets=(), under="")
            cases.extend(collect([moved], views[each.name], model, embedder))
    return cases


def measure(cases: list[Case], w: Matrix, loss: float) -> dict[str, float]:
    """Return mean NDCG@10 of code questions and of commit subjects, with each model."""
    values: dict[str, list[float]] = {}
    for case in cases:
        score = case.signals @ w
        order = np.argsort(-score, kind="stable")
        seen: dict[int, int] = {}
        for position in order:
            file = int(case.files[position])
            score[position] -= loss * seen.get(file, 0)
            seen[file] = seen.get(file, 0) + 1
        order = np.argsort(-score, kind="stable")
        hits = [case.places[p] for p in order[:10]]
        values.setdefault(case.kind, []).append(ndcg(case.question, hits))
    return {kind: float(np.mean(v)) for kind, v in values.items()}


def calibrate(cases: list[Case], w: Matrix) -> tuple[float, float, float]:
    """Return slope, weight of the best coverage, and intercept, that turn scores into the
    probability of being an answer."""
    scores: list[float] = []
    labels: list[bool] = []
    share: list[float] = []
    best: list[float] = []
    for case in cases:
        values = case.signals @ w
        chosen = best_chunks(case, values)
        top = chosen[np.argsort(-values[chosen], kind="stable")[:10]]
        scores.extend(values[top])
        labels.extend(case.good[top])
        share.extend([case.weight] * len(top))
        best.extend(case.signals[top, BEST_BODY])
    x, y, s = np.array(scores), np.array(labels, dtype=float), np.array(share)
    middle, spread = x.mean(), x.std() or 1.0
    design = np.stack([(x - middle) / spread, np.array(best), np.ones_like(x)], axis=1)
    fitted = np.zeros(3)
    for _ in range(100):  # Newton's method on the logistic loss, in bounded steps
        p = 1 / (1 + np.exp(-(design @ fitted)))
        gradient = design.T @ (s * (p - y))
        hessian = (design * (s * p * (1 - p))[:, None]).T @ design + 1e-3 * np.eye(3)
        fitted -= np.clip(np.linalg.solve(hessian, gradient), -0.5, 0.5)
    slope = fitted[0] / spread
    intercept = fitted[2] - slope * middle
    return float(slope), float(fitted[1]), float(intercept)


def fold_of(repo: str, folds: dict[str, int]) -> int:
    return folds[repo.removeprefix("c-")]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", action="append", required=True, metavar="QUERIES=TREES")
    parser.add_argument("--work", type=Path, required=True, help="where indexes are kept")
    parser.add_argument("--models", action="append", default=[], metavar="NAME")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--out", type=Path, help="for the figures on unseen repositories")
    parser.add_argument("--pull", type=float, default=PULL)
    arguments = parser.parse_args()
    sets = read_sets(arguments.set)
    cases: list[Case] = []
    without: list[Case] = []
    for model, embedder in models_of(arguments.models or ["none", "embedded"]).items():
        views = open_views(sets, arguments.work, embedder)
        for each in sets:
            cases.extend(collect(each.questions, views[each.name], model, embedder))
        if arguments.write:
            without.extend(unanswerable(sets, views, model, embedder))
    total = len(cases)
    cases = collect_weights(cases)
    names = sorted({case.question.repo.removeprefix("c-") for case in cases})
    folds = {name: number % FOLDS for number, name in enumerate(names)}
    _, in_use, same_file = weights()
    hand = json.loads(PRIOR.read_text("utf-8"))
    before = np.array([hand["signals"][name] for name in SIGNALS])
    print(f"{total} questions with candidates, {len(names)} repositories")
    print("in use:  ", measure(cases, np.array(in_use), same_file))
    print("hand-set:", measure(cases, before, hand["same_file"]))
    unseen: dict[str, list[tuple[float, int]]] = {}
    for fold in range(FOLDS):
        train = [c for c in cases if fold_of(c.question.repo, folds) != fold]
        held = [c for c in cases if fold_of(c.question.repo, folds) == fold]
        w = fit(train, before, arguments.pull)
        loss = best_loss(train, w)
        after, old = measure(held, w, loss), measure(held, before, hand["same_file"])
        print(f"fold {fold}: hand-set {old}  learned, unseen {after}")
        for kind, value in after.items():
            count = sum(case.kind == kind for case in held)
            unseen.setdefault(kind, []).append((value, count))
    means = {k: sum(v * n for v, n in p) / sum(n for _, n in p) for k, p in unseen.items()}
    for kind, mean in means.items():
        print(f"learned, unseen repositories, {kind}: {mean:.4f}")
    if arguments.out:
        rounded_means = {kind: round(mean, 4) for kind, mean in means.items()}
        arguments.out.write_text(json.dumps(rounded_means, indent=1) + "\n")
    if arguments.write:
        w = fit(cases, before, arguments.pull)
        loss = best_loss(cases, w)
        slope, best_body, intercept = calibrate([*cases, *without], w)
        print("all:", measure(cases, w, loss), f"slope {slope:.3f} bias {intercept:.3f}")
        rounded = {n: round(float(v * slope), 3) for n, v in zip(SIGNALS, w, strict=True)}
        rounded["best_body"] = round(rounded["best_body"] + best_body, 3)
        data = {
            "bias": round(intercept, 3),
            "same_file": round(loss * slope, 3),
            "signals": rounded,
        }
        RANKER.write_text(json.dumps(data, indent=1) + "\n")
    return 0


def collect_weights(cases: list[Case]) -> list[Case]:
    """Let code questions and commit subjects, with each model, count the same in all."""
    kinds = {case.kind for case in cases}
    for kind in kinds:
        same = [case for case in cases if case.kind == kind]
        for case in same:
            case.weight = len(cases) / (len(kinds) * len(same))
    return cases


if __name__ == "__main__":
    sys.exit(main())
