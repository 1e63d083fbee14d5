"""What a session costs, what grep costs beside rg, and how many sessions get along.

Figures of grep and rg are taken in turns in one run, over one directory with a real index; both
print into /dev/null. `host` counts files and megabytes.
"""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sysconfig
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

import tadoru
from tadoru.config import ShellConfig
from tadoru.shell.engine import run
from tadoru.shell.limits import Deadline
from tadoru.shell.machine import Machine
from tadoru.shell.scratch import Scratch
from tadoru.shell.space import Space
from tadoru.views import View

SECRET = b"benchmark"
CONFIG = ShellConfig()
FILES, BYTES = 10_000, 26_000_000
SUFFIXES = {".py", ".md", ".txt", ".rst", ".pyi", ".json", ".h", ".c", ".js"}
GREPS = {
    "rare word": ("grep -rn rendezvous .", "rg -n rendezvous ."),
    "absent word": ("grep -rn zzqxv_nothing .", "rg -n zzqxv_nothing ."),
    "-E alternation": ("grep -rnE 'socket|hmac|Popen' .", "rg -n 'socket|hmac|Popen' ."),
    "-E expression": (
        "grep -rnE '^class [A-Z][a-z]+Error' .",
        "rg -n '^class [A-Z][a-z]+Error' .",
    ),
    "-i common word": ("grep -rni error .", "rg -ni error ."),
    "common word": ("grep -rn import .", "rg -n import ."),
    "-l": ("grep -rl subprocess .", "rg -l subprocess ."),
}


def make_corpus(folder: Path) -> None:
    """Copy a reproducible sample of this Python's own files: 10,000, 26 MB."""
    roots = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    found = sorted(
        {p for root in roots for p in root.rglob("*") if p.suffix in SUFFIXES and p.is_file()}
    )
    random.Random(5).shuffle(found)
    total = count = 0
    for path in found:
        size = path.stat().st_size
        if count >= FILES or size > 60_000 or total + size > BYTES * (count + 1) / FILES + 50_000:
            continue
        target = folder / f"d{count % 97:02d}" / f"of_{path.parent.name}" / f"{count}_{path.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        rare = b"\nthe point of rendezvous\n" if count == FILES // 3 else b""
        target.write_bytes(path.read_bytes() + rare)
        total, count = total + size, count + 1


def _times(work: Callable[[], object], rounds: int) -> list[float]:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return times


def _spread(times: list[float]) -> dict[str, float]:
    return {
        "min_ms": round(min(times), 2),
        "p50_ms": round(median(times), 2),
        "p90_ms": round(quantiles(times, n=10)[-1], 2),
    }


def sessions(view: View) -> dict[str, object]:
    """Measure the making of a session, a call with its state, and 1,000 open sessions."""

    def create() -> None:
        space = Space(view, Scratch(CONFIG.max_tmp_bytes))
        machine = Machine(space, CONFIG, Deadline(30), {})
        machine.equip(machine.interpreter("/"), frozenset({"ls"}))

    def call(state: bytes | None = None) -> bytes:
        return run(view, "true", config=CONFIG, secret=SECRET, state=state).state

    call()
    gc.collect()
    before, descriptors = _resident(), _descriptors()
    states = [call() for _ in range(1_000)]
    states = [call(state) for state in states]
    gc.collect()
    return {
        "create": _spread(_times(create, 500)),
        "create_and_run_true": _spread(_times(call, 500)),
        "state_bytes": max(map(len, states)),
        "thousand_open_mb": round((_resident() - before) / 1e6, 1),
        "thousand_open_descriptors": _descriptors() - descriptors,
    }


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


def greps(corpus: Path, home: Path, rounds: int = 9) -> dict[str, object]:
    """Time grep over the index and rg on the disk, in turns; lines are compared with GNU grep."""
    os.environ["TADORU_HOME"] = str(home)
    rows: dict[str, object] = {}
    with tadoru.open(corpus) as workspace:
        workspace.index()
        looking = _times(lambda: workspace.run("true"), 2)
        workspace.run("true")
        vouched = _times(lambda: workspace.run("true"), 50)
        rows["a whole call of `true`"] = {
            "with_a_look_at_the_disk_ms": round(min(looking), 1),
            "where_the_watch_vouches_ms": round(min(vouched), 1),
            "p50_ms": round(median(vouched), 1),
        }
        view = workspace._view()
        for name, (ours, theirs) in GREPS.items():
            command = f"{ours} > /dev/null"
            mine, whole, rg = [], [], []
            for _ in range(rounds):
                mine += _times(lambda c=command: workspace.run_in(view, c), 1)
                rg += _times(lambda c=theirs: _shell(f"{c} > /dev/null", corpus), 1)
                whole += _times(lambda c=command: workspace.run(c), 1)
            lines = workspace.run_in(view, f"{ours} | wc -l").stdout.strip()
            gnu = _shell(f"{ours.replace(' .', ' --exclude-dir=.git .')} | wc -l", corpus)
            rows[name] = {
                "ours_ms": round(min(mine), 1),
                "whole_call_ms": round(min(whole), 1),
                "rg_ms": round(min(rg), 1),
                "ratio": round(min(mine) / min(rg), 3),
                "ratio_of_medians": round(median(mine) / median(rg), 3),
                "lines": int(lines),
                "same_lines_as_gnu": lines == gnu.strip(),
            }
    return rows


def _shell(command: str, folder: Path) -> str:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "RIPGREP_CONFIG_PATH": ""}
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
    ).stdout


def crowd(view: View, seconds: float, people: int = 50) -> dict[str, object]:
    """Let sessions type one command a second each, in threads; the same alone for comparison."""
    commands = (
        "ls d01",
        "cat d01/*/*.md | head -20",
        "find d0* -name '*.py' | head",
        "grep -c line d01/*/*",
    )
    alone: list[float] = []
    for command in commands * 100:
        alone += _times(lambda c=command: run(view, c, config=CONFIG, secret=SECRET), 1)
    times: list[float] = []
    end = time.monotonic() + seconds

    def person(number: int) -> None:
        dice, state = random.Random(number), None
        time.sleep(dice.random())
        while time.monotonic() < end:
            start = time.perf_counter()
            done = run(view, dice.choice(commands), config=CONFIG, secret=SECRET, state=state)
            spent = time.perf_counter() - start
            times.append(spent * 1000)
            state = done.state
            time.sleep(max(0.0, 1 - spent))

    threads = [threading.Thread(target=person, args=(number,)) for number in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one, many = quantiles(alone, n=100)[-1], quantiles(times, n=100)[-1]
    return {
        "seconds": seconds,
        "commands": len(times),
        "alone_p99_ms": round(one, 1),
        "fifty_p99_ms": round(many, 1),
        "ratio": round(many / one, 2),
    }
