#!/usr/bin/env python3
"""Write the report of the search benchmark and its plot from the figures in `results`.

usage: report.py

Reads `unseen.json` (`tune.py --out`), `run.json` (`run.py --out`) and `beside.json` (`beside.py
--out`); writes `search.md` and `order.svg` beside them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"
BAR, GAP, LEFT, SCALE = 18, 26, 190, 320
COLOURS = {"tadoru": "#1f77b4", "semble": "#bbbbbb"}
NAMES = {
    "code_queries_dev": "code questions",
    "commits": "commit subjects",
    "cjk": "Japanese, Chinese, Korean",
}
MEASURES = (
    "ndcg@10", "recall@10", "recall@2000tokens", "recall@8000tokens", "tokens_to_answer",
)  # fmt: skip


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    columns = list(head)
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return [*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]


def report(unseen: Mapping[str, float], run: Mapping[str, Any], beside: Mapping[str, Any]) -> str:
    """Return the whole report as Markdown."""
    lines = [
        "# Search: figures",
        "",
        "## NDCG@10 on repositories that nothing was learned from",
        "",
    ]
    lines += table(("model, questions", "NDCG@10"), unseen.items())
    lines += ["## tadoru beside semble 0.7.0, one run, the same model", ""]
    lines += ["![NDCG@10 and recall@10](order.svg)", ""]
    lines += table(
        ("set", "questions", "", "NDCG@10", "recall@10"),
        (
            (NAMES.get(name, name), row["questions"], who, row["ndcg@10"], row["recall@10"])
            for name, both in beside["order"].items()
            for who, row in both.items()
        ),
    )
    for tree, row in beside["time"].items():
        chunks = f"{row['chunks']:,} chunks (semble: {row['semble chunks']:,})"
        lines += [f"### Milliseconds a question, tree `{tree}`, {chunks}", ""]
        lines += table(
            ("", "CPU p50", "CPU p95", "clock p50", "clock p95"),
            (
                (what, *(row[f"{what} {c} {p}"] for c in ("cpu_ms", "wall_ms") for p in _SHARES))
                for what in ("tadoru hits", "tadoru packed", "semble hits", "to semble")
            ),
        )
    lines += ["## With each model, in all and by category", ""]
    for model, sets in run.items():
        for name, groups in sets.items():
            lines += [f"### {NAMES.get(name, name)}, model: {model}", ""]
            lines += table(
                ("", "questions", *MEASURES),
                (
                    (group.removeprefix("category "), row["questions"], *(row[m] for m in MEASURES))
                    for group, row in groups.items()
                    if not group.startswith("repository")
                ),
            )
    return "\n".join(lines)


_SHARES = ("p50", "p95")


def plot(order: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return a bar for each program, measure and set."""
    bars = [
        (f"{NAMES.get(name, name)}, {measure}", who, row[measure])
        for name, both in order.items()
        for measure in ("ndcg@10", "recall@10")
        for who, row in both.items()
    ]
    height = 20 + sum(BAR + (GAP - BAR) * (who == "semble") for _, who, _ in bars)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + SCALE + 120}" height="{height}" '
        f'font-family="sans-serif" font-size="12">',
        f'<rect width="100%" height="{height}" fill="white"/>',
    ]
    y = 10
    for label, who, value in bars:
        if who == "tadoru":
            out.append(f'<text x="{LEFT - 8}" y="{y + 22}" text-anchor="end">{label}</text>')
        out.append(
            f'<rect x="{LEFT}" y="{y}" width="{value * SCALE:.1f}" height="{BAR - 3}" '
            f'fill="{COLOURS[who]}"/>'
            f'<text x="{LEFT + value * SCALE + 6:.1f}" y="{y + 12}">{value:.3f} {who}</text>'
        )
        y += BAR if who == "tadoru" else GAP
    return "\n".join([*out, "</svg>"]) + "\n"


def main() -> int:
    data = {
        name: json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
        for name in ("unseen", "run", "beside")
    }
    (RESULTS / "search.md").write_text(report(**data))
    (RESULTS / "order.svg").write_text(plot(data["beside"]["order"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
