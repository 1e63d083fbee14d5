"""Time, memory and size of the index: `python benchmarks/indexing/run.py REPO [REPO ...]`.

    --semble PYTHON    the interpreter of an environment with semble 0.7.0, for the comparison
    --large            also the generated trees of 10,000, 50,000 and 100,000 files
    --out FILE         by default benchmarks/results/indexing.json

Measures the command that a user types, in processes of its own. The clock stops when everything is
stored and searchable; memory is the peak sum over all processes, shared pages shared out (PSS).
Both sides of the comparison run one after the other, three times in turn, and the median counts;
processor seconds tell more than the clock where others use the machine, and both are kept.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from trees import generate

SAMPLE_SECONDS = 0.05
TURNS = 3
HERE = Path(__file__).parent
RESULTS = HERE.parent / "results" / "indexing.json"
TADORU = [sys.executable, "-m", "tadoru"]
Result = dict[str, Any]


def children(pid: int) -> list[int]:
    """Return a process and all below it."""
    found = [pid]
    for task in found:
        try:
            text = Path(f"/proc/{task}/task/{task}/children").read_text()
        except OSError:
            continue
        found.extend(int(child) for child in text.split())
    return found


def resident(pid: int) -> int:
    """Return bytes of memory resident for one process; shared pages are shared out (PSS)."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        return 0
    return 0


def measure(command: list[str], env: dict[str, str]) -> tuple[Result, str]:
    """Run a command; return wall and processor seconds and peak memory, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    peak = 0
    done = threading.Event()

    def sample() -> None:
        nonlocal peak
        while not done.is_set():
            peak = max(peak, sum(map(resident, children(process.pid))))
            done.wait(SAMPLE_SECONDS)

    sampler = threading.Thread(target=sample)
    sampler.start()
    output, errors = process.communicate()
    wall = time.monotonic() - start
    done.set()
    sampler.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}\n{errors}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    figures = {"wall_s": round(wall, 3), "cpu_s": round(cpu, 3), "peak_mb": round(peak / 1e6, 1)}
    return figures, output


def median(runs: list[Result]) -> Result:
    return {key: round(statistics.median(run[key] for run in runs), 3) for key in runs[0]}


def size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def environment(scratch: Path) -> dict[str, str]:
    home, none = scratch / "home", scratch / "none"
    return {**os.environ, "TADORU_HOME": str(home), "TADORU_CONFIG": str(none)}


def repository(path: Path, semble: str) -> Result:
    """First run, no change, edit and search, size; and semble's first run beside it."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        root, home, model = scratch / path.name, scratch / "home", scratch / "model"
        shutil.copytree(path, root, symlinks=True)
        env = environment(scratch)
        other = {**env, "HOME": str(scratch / "other")}
        side = [semble, str(HERE / "semble_side.py"), str(root), str(model)]
        if semble:
            measure([*side, "--make-model"], other)
        ours: list[Result] = []
        theirs: dict[str, list[Result]] = {"one process": [], "a process per core": []}
        told: Result = {}
        report: Result = {}
        for _ in range(TURNS):
            shutil.rmtree(home, ignore_errors=True)
            figures, output = measure([*TADORU, "index", str(root), "--json"], env)
            ours.append(figures)
            report = json.loads(output)
            for name, runs in theirs.items() if semble else ():
                shutil.rmtree(scratch / "other", ignore_errors=True)
                (scratch / "other").mkdir()
                workers = str(os.cpu_count()) if name != "one process" else "0"
                env_of = {**other, "SEMBLE_INDEX_WORKERS": workers}
                figures, output = measure(side, env_of)
                runs.append(figures)
                told = json.loads(output.splitlines()[-1])
        result: Result = {"files": report["added"], "text_bytes": report["source_bytes"]}
        result["first"] = median(ours)
        result["index_bytes"] = size_of(home / "stores")
        result["index_per_text"] = round(result["index_bytes"] / report["source_bytes"], 2)
        if semble:
            result["semble"] = {name: median(runs) for name, runs in theirs.items()}
            result["semble"] |= {"text_bytes": told["bytes"], "index_bytes": told["index_bytes"]}
            result["throughput_ratio"] = compared(result)
        return result


def compared(result: Result) -> Result:
    """Return how many times more text a second is indexed than by semble's faster way."""
    ours, theirs = result["first"], result["semble"]
    ways = [theirs["one process"], theirs["a process per core"]]
    return {
        name: round(
            (result["text_bytes"] / ours[key])
            / max(theirs["text_bytes"] / way[key] for way in ways),
            2,
        )
        for name, key in (("by the clock", "wall_s"), ("by processor time", "cpu_s"))
    }


def large(count: int) -> Result:
    """A generated tree: first run, a check without a change, one edit after the scan saw it."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        root = scratch / "tree"
        generate(root, count)
        env = environment(scratch)
        result: Result = {"files": count}
        result["first"], _ = measure([*TADORU, "index", str(root)], env)
        inside = [sys.executable, str(HERE / "inside.py"), str(root)]
        inside += ["updates"] if count <= 10_000 else []
        _, output = measure(inside, env)
        return {**result, **json.loads(output.splitlines()[-1])}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", type=Path, nargs="*")
    parser.add_argument("--semble", default="")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    result: Result = {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, "
        f"Python {platform.python_version()}",
        "load": [round(value, 1) for value in os.getloadavg()],
        "repositories": {},
        "trees": {},
    }
    for path in options.repositories or [Path.cwd()]:
        result["repositories"][path.resolve().name] = repository(path.resolve(), options.semble)
    for count in (10_000, 50_000, 100_000) if options.large else ():
        result["trees"][str(count)] = large(count)
    text = json.dumps(result, indent=2)
    print(text)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
