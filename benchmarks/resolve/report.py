"""The figures of a run as a page: goals, kinds, reliability, latency, baselines."""

from __future__ import annotations

from typing import Any

SURE = ("wrong_ext", "abs_foreign", "backslash", "style", "plural", "typo_base", "typo_dir")


def _bar(said: float, was: float, width: int = 40) -> str:
    """Draw one line of the reliability plot: `|` what was said, `#` what happened."""
    line = ["#" if i < round(was * width) else " " for i in range(width + 1)]
    line[round(said * width)] = "|"
    return "".join(line)


def goals(result: dict[str, Any]) -> list[tuple[str, str, str]]:
    real, made = result["real"]["all"], result["synthetic"]
    kinds, bare = made["kinds"], made["kinds"]["bare_hist"]
    least = min(kinds[k]["top1"] for k in SURE)
    rows = [
        ("real, top-1 / top-5", f"{real['top1']:.3f} / {real['top5']:.3f}", "≥ .82 / .95"),
        ("real, as answered", f"{real['as_answered']:.3f}", "≥ .75"),
        ("real without answer, resolved", f"{real['none_resolved']:.3f}", "≤ .10"),
        (
            "real, retry precision / coverage",
            f"{real['retry_precision']:.3f} / {real['retry_coverage']:.3f}",
            "≥ .95 / .55",
        ),
        (
            "synthetic without bare names, top-1 / top-5",
            f"{made['without_bare_top1']:.3f} / {made['without_bare_top5']:.3f}",
            "≥ .96 / .99",
        ),
        ("least of extension, root, separators, style, plural, typos", f"{least:.3f}", "≥ .99"),
        (
            "bare name with history, top-1 / top-5",
            f"{bare['top1']:.3f} / {bare['top5']:.3f}",
            "≥ .93 / 1.0",
        ),
        (
            "absent names resolved / answerable resolved",
            f"{made['absent_resolved']:.3f} / {made['answerable_resolved']:.3f}",
            "≤ .05 / ≥ .80",
        ),
    ]
    for name, row in result["latency"].items():
        rows.append(
            (
                f"{name}, {row['files']} files: ms p50 / p95 (processor); index s",
                f"{row['ms_p50']} / {row['ms_p95']} ({row['cpu_ms_p50']} / {row['cpu_ms_p95']}); "
                f"{row['index_s']}",
                "2/10, 8/25, 20/50; .15, 2",
            )
        )
    return rows


def table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def markdown(result: dict[str, Any]) -> str:
    made = result["synthetic"]
    out = ["# Resolve: figures", "", *table(("measure", "here", "goal"), goals(result)), ""]
    out += ["## Synthetic, by kind", ""]
    kinds = [
        (k, v["n"], v["top1"], v["top5"], v["resolved"], v["absent"])
        for k, v in made["kinds"].items()
    ]
    out += [*table(("kind", "n", "top-1", "top-5", "resolved", "absent"), kinds), ""]
    if result["mistakes"]:
        out += ["## Agents' mistakes, on projects that nothing was learned from", ""]
        rows = [
            (k, v["n"], v["top1"], v["top5"], v["resolved"], v["absent"])
            for k, v in result["mistakes"]["kinds"].items()
        ]
        out += [*table(("kind", "n", "top-1", "top-5", "resolved", "absent"), rows), ""]
        sums = [(k.replace("_", " "), v) for k, v in result["mistakes"].items() if k != "kinds"]
        out += [*table(("all", "share"), sums), ""]
    out += ["## Real, by project", ""]
    names = list(result["real"]["all"])
    projects = [(p, *(row[n] for n in names)) for p, row in result["real"].items()]
    out += [*table(("project", *names), projects), ""]
    out += ["![What the confidence says, and how often it is right](reliability.svg)", ""]
    for name, rows in result["reliability"].items():
        out += [f"## Reliability, {name}", "", "```"]
        out += [
            f"{r['from']:.1f} n={r['n']:5.0f} said {r['said']:.2f} was {r['was']:.2f} "
            f"{_bar(r['said'], r['was'])}"
            for r in rows
        ]
        out += ["```", ""]
    if result["baselines"]:
        rows = [(n, *v.values()) for n, v in result["baselines"].items()]
        out += ["## Others on the same cases", ""]
        out += table(("matcher", "real top-1", "top-5", "synthetic top-1", "top-5"), rows)
    return "\n".join(out) + "\n"
