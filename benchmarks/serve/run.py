"""What the service adds to the library, how it bears many people, and where it ends.

    python benchmarks/serve/run.py [--root DIR] [--seconds 60 | --long] [--out FILE]

A real `tadoru serve` with tokens that are really verified (RS256, a JWKS server beside it), on the
loopback interface, over a directory (by default: `src` of this repository, copied). Everybody asks
different questions, so that little comes from caches. `--long`: 30 minutes of 50 people.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import tadoru

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tests" / "web")]
from load import Call, Link, at_once, steadily  # noqa: E402
from served_process import Served  # noqa: E402
from token_issuer import AUDIENCE, ISSUER, Issuer, token  # noqa: E402

PEOPLE = 50
BARE_ROUNDS = 500
ROUTES = ("/api/search", "/api/bash", "/api/resolve")
LEVELS = (1, 2, 4, 8, 16, 32)
SERVE = "[serve]\nrate = 100000\nburst = 100000\noutput_megabytes = 100000\nconcurrency = 1000\n"


class Questions:
    """Questions, command lines and wrong paths about one tree, made from its own names."""

    def __init__(self, workspace: tadoru.Workspace) -> None:
        listed = workspace.list_files(limit=100_000).files
        self._paths = [row.path for row in listed if row.language]
        symbols = workspace.symbols(limit=20_000).symbols
        self._names = sorted({symbol.name for symbol in symbols if len(symbol.name) > 3})

    def of(self, dice: random.Random, routes: tuple[str, ...] = ROUTES) -> Iterator[Call]:
        while True:
            yield self.one(dice, dice.choice(routes))

    def one(self, dice: random.Random, route: str) -> Call:
        name, path = dice.choice(self._names), dice.choice(self._paths)
        folder, _, last = path.rpartition("/")
        if route == "/api/search":
            other = dice.choice(self._names).replace("_", " ")
            return route, {"question": f"where does {name} handle {other}", "budget": 4_000}
        if route == "/api/bash":
            command = dice.choice(
                [
                    f"grep -rn {name} {folder or '.'} | head -20",
                    f"ls -la {folder or '.'}; head -40 {path}",
                    f"find {folder or '.'} -name '*.py' | sort | tail -5; wc -l {path}",
                ]
            )
            return route, {"command": command}
        stem, dot, ending = last.rpartition(".")
        wrong = dice.choice([f"lib/{path}", f"{folder}/{stem}s{dot}{ending}", f"src/main/{last}"])
        return route, {"path": wrong}


def memory(pids: list[int]) -> float:
    """Return the resident memory of processes in MiB."""
    rows = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
    kib = [int(row.partition("VmRSS:")[2].split()[0]) for row in rows]
    return round(sum(kib) / 1024, 1)


def cpu(pids: list[int]) -> float:
    """Return the CPU seconds of processes."""
    total = 0.0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


async def overhead(served: Served, workspace: tadoru.Workspace, questions: Questions) -> Any:
    """Return what a call takes through the service and in the library, turn and turn about."""
    link = Link(served.port, token("alone", exp=int(time.time()) + 7_200))
    done = {
        "/api/search": lambda given: workspace.search(**given),
        "/api/bash": lambda given: workspace.run(**given),
        "/api/resolve": lambda given: workspace.resolve(**given),
    }
    figures: dict[str, Any] = {}
    for route in ROUTES:
        dice = random.Random(route)
        over, alone = [], []
        for turn in range(160):
            _, given = questions.one(dice, route)
            sides = [True, False] if turn % 2 else [False, True]
            for remote in sides:
                began = time.perf_counter()
                if remote:
                    status, _ = await link.call(route, given)
                    assert status == 200
                    over.append(time.perf_counter() - began)
                else:
                    done[route](given)
                    alone.append(time.perf_counter() - began)
        over, alone = over[20:], alone[20:]
        figures[route] = {
            "library_p50_ms": round(median(alone) * 1000, 2),
            "service_p50_ms": round(median(over) * 1000, 2),
            "overhead_p50_ms": round((median(over) - median(alone)) * 1000, 2),
        }
    figures["bare_way"] = await _bare_way(served, link)
    link.close()
    return figures


async def _bare_way(served: Served, link: Link) -> Any:
    """Return what a request costs that is refused before any work, but after its token was
    verified, its body read and a thread begun: all that the service adds. Its CPU time says what
    the clock of a busy machine cannot."""
    pids, spent = [served.process.pid], []
    before = cpu(pids)
    for _ in range(BARE_ROUNDS):
        began = time.perf_counter()
        await link.call("/api/map", {"budget": -1})
        spent.append(time.perf_counter() - began)
    used = (cpu(pids) - before) / BARE_ROUNDS
    return {"p50_ms": round(median(spent) * 1000, 2), "cpu_ms": round(used * 1000, 2)}


async def people(served: Served, questions: Questions, seconds: float) -> Any:
    """Return latencies of one person alone, then of all of them, and the memory meanwhile."""
    proofs = [token(f"person-{n}", exp=int(time.time()) + 7_200) for n in range(PEOPLE)]
    links = [Link(served.port, proof) for proof in proofs]
    alone = await steadily(links[:1], questions.of, seconds=min(60, seconds), each=0.25)
    await steadily(links, questions.of, seconds=10, each=1)  # caches fill, threads begin
    pids, samples = [served.process.pid], []
    before, began = cpu(pids), time.perf_counter()
    together = await steadily(
        links, questions.of, seconds=seconds, each=1, sample=lambda: samples.append(memory(pids))
    )
    took = time.perf_counter() - began
    ratios = {
        route: round(together.table()[route]["p99"] / alone.table()[route]["p99"], 1)
        for route in ROUTES
    }
    third = max(1, len(samples) // 3)
    for link in links:
        link.close()
    return {
        "seconds": round(took),
        "one_alone": alone.table(),
        f"{PEOPLE}_people": together.table(),
        "p99_of_all_over_p99_of_one": ratios,
        "cores_of_the_service": round((cpu(pids) - before) / took, 2),
        "memory_mib": {
            "first": samples[0],
            "mean_of_first_third": round(sum(samples[:third]) / third, 1),
            "mean_of_last_third": round(sum(samples[-third:]) / third, 1),
            "most": max(samples),
        },
    }


async def knee(services: list[Served], questions: Questions, seconds: float) -> Any:
    """Return requests a second with more and more people who never pause."""
    rows = []
    pids = [served.process.pid for served in services]
    for level in LEVELS:
        links = [Link(services[n % len(services)].port, token(f"keen-{n}")) for n in range(level)]
        before, own = cpu(pids), time.process_time()
        outcomes, took = await at_once(links, questions.of, seconds=seconds)
        spent = cpu(pids) - before
        rows.append(
            {
                "at_once": level,
                "requests_a_second": round(outcomes.count / took, 1),
                "p50_ms": _all(outcomes, "p50"),
                "p99_ms": _all(outcomes, "p99"),
                "cores_of_the_service": round(spent / took, 2),
                "cores_of_the_generator": round((time.process_time() - own) / took, 2),
                "cpu_ms_a_request": round(spent / max(1, outcomes.count) * 1000, 1),
                "errors": outcomes.failed,
            }
        )
        for link in links:
            link.close()
    return rows


def _all(outcomes: Any, which: str) -> float:
    from load import percentiles

    values = [second for row in outcomes.seconds.values() for second in row]
    return percentiles(values)[which]


def serve(root: Path, home: Path, issuer: Issuer) -> Served:
    return Served(
        root, "--issuer", ISSUER, "--audience", AUDIENCE, "--keys", issuer.url,
        home=home, config=SERVE, env={"TADORU_SECRET": "bench"},
    )  # fmt: skip


def measured(root: Path, home: Path, seconds: float, parts: set[str]) -> dict[str, Any]:
    os.environ["TADORU_HOME"] = str(home)
    issuer = Issuer()
    figures: dict[str, Any] = {}
    with tadoru.open(root) as workspace:
        workspace.index()
        questions = Questions(workspace)
        figures["files"] = workspace.status().files
        first = serve(root, home, issuer)
        try:
            asyncio.run(_warm(first, questions))
            if "overhead" in parts:
                figures["overhead"] = asyncio.run(overhead(first, workspace, questions))
            if "people" in parts:
                figures["people"] = asyncio.run(people(first, questions, seconds))
            if "knee" in parts:
                level = min(8.0, seconds / 6)
                figures["one_process"] = asyncio.run(knee([first], questions, level))
                second = serve(root, home, issuer)
                try:
                    asyncio.run(_warm(second, questions))
                    figures["two_processes"] = asyncio.run(knee([first, second], questions, level))
                finally:
                    second.stop()
        finally:
            first.stop()
            issuer.close()
    return figures


async def _warm(served: Served, questions: Questions) -> None:
    link = Link(served.port, token("warm"))
    dice = random.Random("warm")
    for route in ROUTES * 5:
        status, body = await link.call(*questions.one(dice, route))
        assert status == 200, body
    link.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, help="what is served; by default src of this package")
    parser.add_argument("--seconds", type=float, default=60.0, help="of many people at once")
    parser.add_argument("--long", action="store_true", help="30 minutes of many people")
    parser.add_argument("--parts", default="overhead,people,knee")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/serve.json"))
    options = parser.parse_args()
    seconds = 1_800.0 if options.long else options.seconds
    with tempfile.TemporaryDirectory(prefix="tadoru-serve-") as folder:
        root = options.root
        if root is None:
            root = Path(folder, "src")
            shutil.copytree(HERE.parents[1] / "src", root)
        figures = measured(root, Path(folder, "home"), seconds, set(options.parts.split(",")))
    text = json.dumps(figures, indent=2) + "\n"
    sys.stdout.write(text)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
