"""Measure the resolver: real failures, synthetic ones, absence, calibration, speed, baselines.

    python benchmarks/resolve/run.py --data DIR [--seed N] [--per-kind N]
        [--big LIST] [--lists DIR] [--mistakes DIR] [--no-baselines]

`--data` holds the recorded failures, the file lists and the generator of synthetic cases; none of
it is part of the repository. `--big`: a list of about 80,000 files for the latency at that size,
else one is made of the others; `--mistakes`: file lists that agents' mistakes (`mistakes.py`) are
made from; `--lists`: further file lists, named after their project, for recorded failures without
one. Writes `resolve.json`, `resolve.md` and `reliability.svg` into `results` beside this file.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from baselines import BASELINES
from mistakes import Mistakes
from plot import svg
from report import markdown
from trees import Case, ListView, lines, real_cases

from tadoru.resolve import RETRY, PathIndex, resolve
from tadoru.types import Resolution

RESULTS = Path(__file__).parent / "results"
BARE = {"bare_unique", "bare_hist", "bare_intent", "bare_nohist"}
ABSENT = {"absent", "absent_near"}
SURE = {"wrong_ext", "abs_foreign", "backslash", "style", "plural", "typo_base", "typo_dir"}


def answer(view: ListView, case: Case, top: int) -> tuple[Resolution, float, float]:
    """Return the resolution of a case, the seconds it took, and those of the processor."""
    started, worked = time.perf_counter(), time.thread_time()
    resolution = resolve(
        view,  # type: ignore[arg-type]
        case.path,
        op=case.op,
        cwd=case.cwd,
        intent=case.intent,
        history=case.history,
        top=top,
    )
    return resolution, time.perf_counter() - started, time.thread_time() - worked


def outcome(view: ListView, case: Case) -> dict[str, Any]:
    """Return everything that the tables need of one case."""
    truth = {t.rstrip("/") for t in case.truth}
    wide, seconds, worked = answer(view, case, 5)
    shown, _, _ = answer(view, case, 3)
    paths = [c.path for c in wide.candidates] or ([wide.path] if wide.path else [])
    score = wide.candidates[0].score if wide.candidates else float(wide.status == "resolved")
    offered = [shown.path] if shown.status == "resolved" else [c.path for c in shown.candidates]
    return {
        "kind": case.kind,
        "answerable": bool(truth),
        "top1": bool(paths) and paths[0] in truth,
        "top5": any(p in truth for p in paths[:5]),
        "status": shown.status,
        "right": shown.status != "absent" and any(p in truth for p in offered[:3]),
        "score": score,
        "retried": shown.status == "resolved" and score >= RETRY,
        "ms": seconds * 1000,
        "cpu_ms": worked * 1000,
    }


def share(rows: Sequence[dict[str, Any]], test: Callable[[dict[str, Any]], bool]) -> float:
    return round(sum(map(test, rows)) / len(rows), 4) if rows else 0.0


def real_table(rows: list[dict[str, Any]]) -> dict[str, Any]:
    answerable = [r for r in rows if r["answerable"]]
    none = [r for r in rows if not r["answerable"]]
    retried = [r for r in rows if r["retried"]]
    return {
        "answerable": len(answerable),
        "without_answer": len(none),
        "top1": share(answerable, lambda r: r["top1"]),
        "top5": share(answerable, lambda r: r["top5"]),
        "as_answered": share(answerable, lambda r: r["right"]),
        "resolved_rightly": share(answerable, lambda r: r["status"] == "resolved" and r["top1"]),
        "resolved_wrongly": share(
            answerable, lambda r: r["status"] == "resolved" and not r["top1"]
        ),
        "none_resolved": share(none, lambda r: r["status"] == "resolved"),
        "retry_precision": share(retried, lambda r: r["top1"]),
        "retry_coverage": share(answerable, lambda r: r["retried"]),
    }


def generator(data: Path) -> Any:
    spec = importlib.util.spec_from_file_location("make_cases", data / "make_cases.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def synthetic_cases(
    data: Path, seed: int, per_kind: int
) -> dict[str, tuple[list[str], list[Case]]]:
    make = generator(data)
    lists = {p.stem.removeprefix("list_"): lines(p) for p in sorted(data.glob("list_*.txt"))}
    names = sorted(lists)
    result = {}
    for position, name in enumerate(names):
        other = lists[names[(position + 1) % len(names)]]
        rows = make.Gen(lists[name], name, seed, other).run(per_kind)
        cases = [
            Case(
                id=row["id"],
                kind=row["cls"],
                project=name,
                path=row["failed"],
                truth=tuple(row["truth"]),
                intent=row["intent"],
                history=tuple(row["history"]),
            )
            for row in rows
        ]
        result[name] = (lists[name], cases)
    return result


def synthetic_table(rows: list[dict[str, Any]]) -> dict[str, Any]:
    kinds: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        kinds[row["kind"]].append(row)
    plain = [r for r in rows if r["answerable"] and r["kind"] not in BARE]
    absent = [r for r in rows if not r["answerable"]]
    return {
        "kinds": {
            kind: {
                "n": len(group),
                "top1": share(group, lambda r: r["top1"]),
                "top5": share(group, lambda r: r["top5"]),
                "resolved": share(group, lambda r: r["status"] == "resolved"),
                "absent": share(group, lambda r: r["status"] == "absent"),
            }
            for kind, group in kinds.items()
        },
        "without_bare_top1": share(plain, lambda r: r["top1"]),
        "without_bare_top5": share(plain, lambda r: r["top5"]),
        "absent_resolved": share(absent, lambda r: r["status"] == "resolved"),
        "answerable_resolved": share(plain, lambda r: r["status"] == "resolved"),
        "answerable_answered": share(plain, lambda r: r["status"] != "absent"),
        "retry_precision": share([r for r in rows if r["retried"]], lambda r: r["top1"]),
    }


def reliability(rows: Sequence[dict[str, Any]], bins: int = 10) -> list[dict[str, float]]:
    """Return, by tenths of the confidence, how often the first candidate was right."""
    table = []
    for k in range(bins):
        low, high = k / bins, (k + 1) / bins
        group = [r for r in rows if low <= r["score"] < high or (k == bins - 1 and r["score"] == 1)]
        if group:
            table.append({
                "from": low,
                "n": len(group),
                "said": round(statistics.fmean(r["score"] for r in group), 3),
                "was": share(group, lambda r: r["top1"]),
            })  # fmt: skip
    return table


def big_list(lists: Sequence[Sequence[str]], size: int = 80_000) -> list[str]:
    """Return about `size` paths: the lists side by side, then copies with names of their own."""
    found: list[str] = []
    for copy in range(size):
        for number, files in enumerate(lists):
            for path in files:
                head, _, name = path.rpartition("/")
                stem, dot, ending = name.partition(".")
                own = f"{stem}{copy}{dot}{ending}" if copy else name
                found.append("/".join(filter(None, (f"part{number}_{copy}", head, own))))
                if len(found) == size:
                    return found
    return found


def mistakes(folder: Path, seed: int, per_kind: int) -> list[dict[str, Any]]:
    """Return the outcomes of agents' mistakes on every list of a folder."""
    lists = {p.stem: lines(p) for p in sorted(folder.glob("*.txt"))}
    names = sorted(lists)
    rows = []
    for position, name in enumerate(names):
        other = lists[names[(position + 1) % len(names)]]
        view = ListView(lists[name], size=1)
        rows += [
            outcome(view, case) for case in Mistakes(lists[name], name, seed, other).cases(per_kind)
        ]
    return rows


def latency(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    table: dict[str, float] = {"n": len(rows)}
    for name in ("ms", "cpu_ms"):
        times = sorted(r[name] for r in rows)
        table[f"{name}_p50"] = round(times[len(times) // 2], 2)
        table[f"{name}_p95"] = round(times[int(len(times) * 0.95)], 2)
    return table


def index_seconds(files: Sequence[str]) -> float:
    """Return the seconds that the index of a tree takes, with the parts that are made lazily."""
    view = ListView(files)
    _ = view.tree.files, view.tree.directories
    started = time.perf_counter()
    index = PathIndex(view.tree)
    _ = index.by_token, index.by_singular, index.extensions, index.folded_directories
    return round(time.perf_counter() - started, 3)


def measure(args: argparse.Namespace) -> dict[str, Any]:
    data = Path(args.data)
    views: dict[int, ListView] = {}
    real = real_cases(data, Path(args.lists) if args.lists else None)
    real_rows, by_project = [], defaultdict(list)
    for case, files, _ in real:
        row = outcome(views.setdefault(id(files), ListView(files)), case)
        real_rows.append(row)
        by_project[case.project].append(row)
    rows, speed, per_list = [], {}, {}
    synthetic = synthetic_cases(data, args.seed, args.per_kind)
    big = lines(Path(args.big)) if args.big else big_list([f for f, _ in synthetic.values()])
    synthetic["big"] = (big, [
        Case(r["id"], r["cls"], "big", r["failed"], tuple(r["truth"]), intent=r["intent"],
             history=tuple(r["history"]))
        for r in generator(data).Gen(big, "big", args.seed, synthetic["django"][0]).run(8)
    ])  # fmt: skip
    for name, (files, cases) in synthetic.items():
        view = ListView(files)
        answer(view, Case("warm", "", name, "some/where/else.py", ()), 3)
        found = [outcome(view, case) for case in cases]
        speed[name] = {"files": len(files), **latency(found), "index_s": index_seconds(files)}
        per_list[name] = synthetic_table(found)
        if name != "big":
            rows += found
    wrong = mistakes(Path(args.mistakes), args.seed, args.per_kind) if args.mistakes else []
    return {
        "seed": args.seed,
        "mistakes": synthetic_table(wrong) if wrong else {},
        "real": {"all": real_table(real_rows)} | {p: real_table(r) for p, r in by_project.items()},
        "synthetic": synthetic_table(rows),
        "synthetic_by_list": {
            name: {k: v for k, v in row.items() if k != "kinds"} for name, row in per_list.items()
        },
        "reliability": {
            "synthetic": reliability(rows),
            "real": reliability(real_rows, 5),
            **({"mistakes": reliability(wrong)} if wrong else {}),
        },
        "latency": speed,
        "baselines": baselines(real, synthetic) if args.baselines else {},
    }  # fmt: skip


def baselines(real: list[Any], synthetic: dict[str, Any]) -> dict[str, Any]:
    """Return top-1 and top-5 of the matchers that others use, on the same cases."""
    result: dict[str, Any] = {}
    for name, (find, limit) in BASELINES().items():
        hits = [find(case, files) for case, files, right in real if right]
        result[name] = {"real_top1": _hit(hits, 1), "real_top5": _hit(hits, 5)}
        found = []
        for project, (files, cases) in synthetic.items():
            if project == "big" or len(files) > limit:
                continue
            plain = [c for c in cases if c.truth and c.kind not in BARE]
            found += [find(case, files) for case in plain[:: max(1, len(plain) // 60)]]
        result[name] |= {"synthetic_top1": _hit(found, 1), "synthetic_top5": _hit(found, 5)}
    return result


def _hit(found: Sequence[tuple[Sequence[str], Sequence[str]]], k: int) -> float:
    hits = [any(p in truth for p in paths[:k]) for paths, truth in found]
    return round(sum(hits) / len(hits), 3) if hits else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="../shared/data/paths")
    parser.add_argument("--lists", default="")
    parser.add_argument("--big", default="")
    parser.add_argument("--seed", type=int, default=20261)
    parser.add_argument("--per-kind", type=int, default=25)
    parser.add_argument("--mistakes", default="")
    parser.add_argument("--baselines", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--out", default=str(RESULTS))
    args = parser.parse_args()
    result = measure(args)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "resolve.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    (out / "reliability.svg").write_text(svg(result["reliability"]), encoding="utf-8")
    text = markdown(result)
    (out / "resolve.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
