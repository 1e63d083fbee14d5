"""Learn the weights of the resolver, with a split by project.

    python benchmarks/resolve/train.py --data DIR --lists DIR... [--write [FILE]]

Reads file lists (`*.txt` of `--lists`; none that `run.py` measures on) and the recorded failures,
breaks paths (`recipe.py`), and fits a conditional logit with "none of them" by Adam with L2. The
figures it prints are those of projects that were left out of the fit; with `--write` the weights of
a fit on everything, and the calibration of the held-out fits, go into the package or FILE.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from mistakes import Mistakes
from recipe import Recipe
from trees import Case, ListView, lines, real_cases

from tadoru.resolve.answer import make_context
from tadoru.resolve.candidates import gather
from tadoru.resolve.features import FEATURES
from tadoru.resolve.model import ABSENT_FEATURES, absent_vector

PACKAGE = Path(__file__).parents[2] / "src" / "tadoru" / "resolve"
REAL_WEIGHT = 6.0
"""Of a recorded failure, against 1 of a synthetic one: chosen by held-out projects."""
SYMBOL_WEIGHT = 6.0
"""Set by hand: a list of paths holds no definitions to learn this one from."""


class Example:
    """One case as matrices: candidates, the row of "none", and which rows are right."""

    __slots__ = ("absent", "case", "group", "paths", "right", "weight", "x")

    def __init__(self, case: Case, view: ListView, group: str, weight: float) -> None:
        self.case, self.group, self.weight = case, group, weight
        context = make_context(
            view, case.path, cwd=case.cwd, op=case.op, intent=case.intent, history=case.history
        )
        self.paths = gather(context.index, context.request, context.history, context.intent)
        vectors = [context.vector(path) for path in self.paths]
        self.x = np.array(vectors, dtype=np.float32).reshape(len(vectors), len(FEATURES))
        self.absent = np.array(absent_vector(context, vectors), dtype=np.float32)
        truth = {t.rstrip("/") for t in case.truth}
        self.right = np.array([path in truth for path in self.paths] + [not truth], dtype=bool)


def stack(examples: list[Example]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return all rows as one matrix (rows, features), starts of the groups, right, weights."""
    width = len(FEATURES) + len(ABSENT_FEATURES)
    rows = sum(len(e.right) for e in examples)
    x = np.zeros((rows, width), dtype=np.float32)
    right = np.zeros(rows, dtype=bool)
    starts, weights, position = [], [], 0
    for e in examples:
        n = len(e.paths)
        x[position : position + n, : len(FEATURES)] = e.x
        x[position + n, len(FEATURES) :] = e.absent
        right[position : position + n + 1] = e.right
        starts.append(position)
        weights.append(e.weight)
        position += n + 1
    return x, np.array(starts), right, np.array(weights, dtype=np.float64)


def fit(examples: list[Example], l2: float = 2e-4, steps: int = 700) -> np.ndarray:
    """Return the weights that maximise the likelihood of the right rows; Adam, full batch."""
    usable = [e for e in examples if e.right.any()]
    x, starts, right, weights = stack(usable)
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(x))))
    weights = weights / weights.sum()
    w = np.zeros(x.shape[1])
    m, v = np.zeros_like(w), np.zeros_like(w)
    for step in range(1, steps + 1):
        u = x @ w.astype(np.float32)
        u = u - np.maximum.reduceat(u, starts)[group]
        e = np.exp(u)
        share = e / np.add.reduceat(e, starts)[group]
        good = np.where(right, e, 0.0)
        target = good / np.add.reduceat(good, starts)[group]
        gradient = x.T @ ((share - target) * weights[group]).astype(np.float32) + l2 * w
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * gradient**2
        rate = 0.1 if step < steps * 0.7 else 0.02
        w -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-9)
    return w


def average(drawn: Iterable[list[Example]]) -> np.ndarray:
    """Return the mean of one fit for each draw: a single draw's luck weighs less."""
    return np.mean([fit(examples) for examples in drawn], axis=0)


def predict(e: Example, w: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the shares of the candidates and that of none."""
    u = np.append(e.x @ w[: len(FEATURES)], e.absent @ w[len(FEATURES) :])
    u = np.exp(u - u.max())
    u /= u.sum()
    return u[:-1], float(u[-1])


def isotonic(shares: np.ndarray, right: np.ndarray, weights: np.ndarray, knots: int = 12):
    """Return knots of the pool-adjacent-violators fit of right on shares."""
    order = np.argsort(shares)
    edges = np.array_split(order, knots)
    blocks = [
        [
            np.average(shares[i], weights=weights[i]),
            np.average(right[i], weights=weights[i]),
            weights[i].sum(),
        ]
        for i in edges
        if len(i)
    ]
    merged: list[list[float]] = []
    for block in blocks:
        merged.append(list(block))
        while len(merged) > 1 and merged[-2][1] >= merged[-1][1]:
            x1, y1, n1 = merged.pop()
            x0, y0, n0 = merged[-1]
            merged[-1] = [(x0 * n0 + x1 * n1) / (n0 + n1), (y0 * n0 + y1 * n1) / (n0 + n1), n0 + n1]
    points = [(0.0, 0.0)] + [(round(x, 4), round(y, 4)) for x, y, _ in merged]
    return [*points, (1.0, max(points[-1][1], 0.995))] if points[-1][0] < 1.0 else points


def report(name: str, examples: list[Example], weights_of) -> None:
    by_kind: dict[str, list[tuple[bool, bool, bool, float]]] = {}
    for e in examples:
        shares, _ = predict(e, weights_of(e))
        order = np.argsort(-shares)[:5]
        top1 = bool(len(order) and e.right[order[0]])
        top5 = bool(any(e.right[i] for i in order))
        by_kind.setdefault(e.case.kind, []).append(
            (top1, top5, bool(e.right[:-1].any()), float(shares.max(initial=0.0)))
        )
    print(f"== {name}: kind, n, top1, top5, recall, resolved at .75")
    for kind, rows in sorted(by_kind.items()):
        top1, top5, recall, sure = np.array(rows, dtype=float).T
        print(
            f"  {kind:22s} {len(rows):4d} {top1.mean():.3f} {top5.mean():.3f} "
            f"{recall.mean():.3f} {(sure > 0.75).mean():.3f}"
        )


def load(args: argparse.Namespace, seed: int) -> list[Example]:
    data = Path(args.data)
    sources: dict[str, list[str]] = {}
    for folder in args.lists:
        sources |= {p.stem: lines(p) for p in sorted(Path(folder).glob("*.txt"))}
    sources = {name: files for name, files in sources.items() if len(files) > 60}
    names = sorted(sources)
    examples: list[Example] = []
    for position, name in enumerate(names):
        other = sources[names[(position + 1) % len(names)]]
        recipe = Recipe(sources[name], name, seed, other)
        view = ListView(recipe.files)
        cases = recipe.cases(args.count)
        cases += Mistakes(recipe.files, name, seed, other).cases(args.mistakes)
        examples += [Example(case, view, name, 1.0) for case in cases]
    views: dict[int, ListView] = {}
    extra = Path(args.lists[0]) if args.lists else None
    repeats: dict[tuple[str, tuple[str, ...]], int] = {}
    real = real_cases(data, extra)
    for case, _, _ in real:
        key = (case.path.rpartition("/")[2], case.truth)
        repeats[key] = repeats.get(key, 0) + 1
    for case, files, _ in real:
        view = views.setdefault(id(files), ListView(files))
        weight = REAL_WEIGHT / repeats[case.path.rpartition("/")[2], case.truth] ** 0.5
        examples.append(Example(case, view, "real:" + case.project, weight))
    return examples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="../shared/data/paths")
    parser.add_argument("--lists", nargs="*", default=[])
    parser.add_argument("--count", type=int, default=250)
    parser.add_argument("--mistakes", type=int, default=0, help="cases of each kind of mistake")
    parser.add_argument("--seed", type=int, nargs="+", default=[11], help="a fit for each")
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--write", nargs="?", const=str(PACKAGE / "weights.json"), default="")
    args = parser.parse_args()
    started = time.perf_counter()
    drawn = [load(args, seed) for seed in args.seed]
    examples = drawn[0]
    print(f"{sum(map(len, drawn))} examples in {time.perf_counter() - started:.1f} s")
    groups = sorted({e.group for e in examples})
    fold_of = {group: i % args.folds for i, group in enumerate(groups)}
    fits = [
        average([e for e in rows if fold_of[e.group] != k] for rows in drawn)
        for k in range(args.folds)
    ]
    held_out = lambda e: fits[fold_of[e.group]]  # noqa: E731
    report("held out, synthetic", [e for e in examples if not e.group.startswith("real")], held_out)
    for group in (g for g in groups if g.startswith("real")):
        report("held out, " + group, [e for e in examples if e.group == group], held_out)
    real = [e for e in examples if e.group.startswith("real")]
    answerable = [e for e in real if not e.right[-1]]
    tops = [predict(e, held_out(e))[0] for e in answerable]
    for k in (1, 5):
        hits = [
            e.right[:-1][np.argsort(-s)[:k]].any() for e, s in zip(answerable, tops, strict=True)
        ]
        print(f"real held out top-{k}: {np.mean(hits):.3f} of {len(hits)}")
    if args.write:
        write(examples, average(drawn), held_out, Path(args.write))


def write(examples: list[Example], w: np.ndarray, held_out, target: Path) -> None:
    top, right, weights = [], [], []
    for e in examples:
        shares, _ = predict(e, held_out(e))
        if len(shares):
            best = int(np.argmax(shares))
            top.append(shares[best])
            right.append(float(e.right[best]))
            weights.append(e.weight)
    knots = isotonic(np.array(top), np.array(right), np.array(weights))
    candidate = {n: round(float(v), 4) for n, v in zip(FEATURES, w, strict=False)}
    candidate["defines_symbol"] = SYMBOL_WEIGHT
    data = {
        "candidate": candidate,
        "absent": {
            n: round(float(v), 4) for n, v in zip(ABSENT_FEATURES, w[len(FEATURES) :], strict=True)
        },
        "calibration": knots,
    }
    target.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print("wrote", target)


if __name__ == "__main__":
    main()
