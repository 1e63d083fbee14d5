"""Time and memory of an index run: `python benchmarks/indexing/run.py REPO [--out FILE]`.

Measures the command that a user types, in processes of its own: first run, a second one without a
change, one after a one-file edit that is searched for, and `--help`. The clock stops when
everything is stored and searchable; memory is the peak sum of resident sets over all processes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SAMPLE_SECONDS = 0.05


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


def measure(command: list[str], env: dict[str, str]) -> dict[str, float]:
    """Run a command; return wall and CPU seconds and the peak of memory over its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
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
    _, errors = process.communicate()
    wall = time.monotonic() - start
    done.set()
    sampler.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}\n{errors}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_s": round(wall, 3), "cpu_s": round(cpu, 3), "peak_mb": round(peak / 1e6, 1)}


def size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tadoru = [sys.executable, "-m", "tadoru"]
    with tempfile.TemporaryDirectory() as scratch:
        home, root = Path(scratch, "home"), Path(scratch, options.repository.name)
        shutil.copytree(options.repository, root, symlinks=True)
        env = {**os.environ, "TADORU_HOME": str(home), "TADORU_CONFIG": str(Path(scratch, "none"))}
        at = ["--root", str(root)]
        result: dict[str, object] = {
            "machine": f"{os.cpu_count()} cores, {platform.machine()}, "
            f"Python {platform.python_version()}",
            "repository": options.repository.name,
            "help": measure([*tadoru, "--help"], env),
            "first": measure([*tadoru, "index", *at], env),
            "unchanged": measure([*tadoru, "index", *at], env),
        }
        edited = next(path for path in sorted(root.rglob("*.py")) if path.stat().st_size > 500)
        edited.write_text(edited.read_text() + "\n\ndef zanzibar_quokka():\n    return 1\n")
        result["edit_and_search"] = measure(
            [*tadoru, "search", "zanzibar quokka", *at, "--json"], env
        )
        result["search"] = measure([*tadoru, "search", "how is the cache invalidated", *at], env)
        stats = subprocess.run(
            [*tadoru, "stats", *at, "--json"], env=env, capture_output=True, check=True
        )
        counts = json.loads(stats.stdout)
        result["files"] = counts["files"]
        result["source_bytes"] = counts["bytes"]
        result["index_bytes"] = size_of(home)
    text = json.dumps(result, indent=2)
    print(text)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
