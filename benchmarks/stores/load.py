"""Many conversations in one process: CPU seconds, memory, and what a month of them costs.

A conversation is what an assistant over documents does: it looks around, greps for two words, reads
three pages and pages through a result. All sessions are open at once, in ten groups; their commands
come interleaved. The CPU time of the Chroma server is counted too.
"""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from corpus import GROUPS, RARE, Server, label_of, path_of

import tadoru
from tadoru.types import Principal

THREADS = 4
CONVERSATIONS_A_MONTH = 850_000
DOLLARS_A_CORE_HOUR = 0.04
"""A rented virtual core with 2 to 4 GB of memory, on demand, at the large providers in 2025."""
PEAK = 5
"""Busiest hour against the mean one."""


def commands(rng: random.Random, group: str) -> list[str]:
    """Return the commands of one conversation."""
    seen = [
        number
        for number in rng.sample(range(10_000), 60)
        if (label := label_of(number)).public or group in label.groups
    ]
    pages = [path_of(number) for number in seen[:3]]
    folder = pages[0].rpartition("/")[0]
    return [
        "ls /",
        f"ls -l /{folder}",
        f"grep -rn {RARE} / | head -5",
        f"cat /{pages[0]}",
        f"grep -n -i the /{pages[1]} | head",
        f"find /{folder.partition('/')[0]} -name '*7.mdx' | wc -l",
        f"head -20 /{pages[2]}",
        f"grep -rl 'configuration' /{folder} | sort | head -3",
    ]


def resident() -> int:
    """Return the memory of this process in KiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def crowd(server: Server, count: int) -> dict[str, Any]:
    """Hold `count` conversations that are all open at once; return what they cost."""
    rng = random.Random(5)
    workspace = tadoru.open(None, mounts={"/": server.address})
    for group in GROUPS:  # a process that has served for a while: trees are there, pages are not
        workspace.seen_by(Principal(frozenset({group}))).run("ls /")
    before = resident()
    sessions = [
        (workspace.seen_by(Principal(frozenset({group}))), commands(rng, group))
        for group in (GROUPS[number % len(GROUPS)] for number in range(count))
    ]
    states: list[bytes | None] = [None] * count
    opened = resident()
    jobs = [(number, step) for step in range(8) for number in range(count)]
    times: list[float] = []
    failures: list[str] = []
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                if not jobs:
                    return
                number, step = jobs.pop(0)
            session, lines = sessions[number]
            started = time.perf_counter()
            result = session.run(lines[step], state=states[number])
            took = time.perf_counter() - started
            states[number] = result.state
            with lock:
                times.append(1_000 * took)
                if result.exit_code not in (0, 1) or result.stderr:
                    failures.append(f"{lines[step]}: {result.stderr}")

    own, theirs, started = time.process_time(), cpu_of(server.process.pid), time.perf_counter()
    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - started
    cpu = time.process_time() - own
    chroma = cpu_of(server.process.pid) - theirs
    after = resident()
    workspace.close()
    each = (cpu + chroma) / count
    hours = each * CONVERSATIONS_A_MONTH / 3_600
    return {
        "sessions": count,
        "groups": len(GROUPS),
        "commands": len(times),
        "failures": failures[:3],
        "command_ms": {
            "p50": round(median(times), 2),
            "p90": round(quantiles(times, n=10)[-1], 2),
            "p99": round(quantiles(times, n=100)[-1], 2),
        },
        "commands_a_second": round(len(times) / elapsed),
        "cpu_ms_a_conversation": {
            "tadoru": round(1_000 * cpu / count, 1),
            "chroma": round(1_000 * chroma / count, 1),
        },
        "memory": {
            "process_mb": round(after / 1_024),
            "kb_an_open_session": round((opened - before) / count, 1),
            "kb_a_session_after_its_conversation": round((after - before) / count, 1),
        },
        "month": {
            "conversations": CONVERSATIONS_A_MONTH,
            "core_hours": round(hours, 1),
            "dollars_of_cpu_time": round(hours * DOLLARS_A_CORE_HOUR, 2),
            "cores_at_the_peak": round(PEAK * each * CONVERSATIONS_A_MONTH / (30 * 86_400), 3),
            "dollars_of_two_cores_all_month": round(2 * 730 * DOLLARS_A_CORE_HOUR, 2),
        },
    }
