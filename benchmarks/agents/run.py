"""Measure what a server costs an agent: CPU until `initialize` is answered, memory, tokens, exit.

Writes `benchmarks/results/agents.json`. Each figure is the median of fresh processes, on a small
git repository of its own; CPU rather than the clock, since other work on a machine slows the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "results" / "agents.json"
BARS = {
    "initialize_cpu_ms": 900,
    "idle_memory_mib": 120,
    "description_tokens": 1_500,
    "leaves_after_ms": 3_000,
}
"""What each figure must not exceed."""
FILES = 300
CLOCK = os.sysconf("SC_CLK_TCK")


class Server:
    """One server over its pipe."""

    def __init__(self, root: Path, home: Path, *more: str) -> None:
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tadoru", "mcp", "--root", str(root), *more],
            env={**os.environ, "TADORU_HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._number = 0

    def ask(self, method: str, **params: Any) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self._number:
                return answer["result"]

    def initialize(self) -> None:
        self.ask(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "bench", "version": "1"},
        )

    def begin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        self.process.stdin.flush()

    def call(self, tool: str, **arguments: Any) -> str:
        return str(self.ask("tools/call", name=tool, arguments=arguments)["content"][0]["text"])

    def cpu_ms(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / CLOCK

    def memory_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024

    def leave(self) -> float:
        """Return the milliseconds from the end of input to the end of the process."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        began = time.monotonic()
        self.process.wait()
        self.process.stdout.close()
        return 1000 * (time.monotonic() - began)


def once(root: Path, home: Path) -> dict[str, float]:
    """Return the figures of one process."""
    server = Server(root, home)
    server.initialize()
    figures = {
        "initialize_cpu_ms": server.cpu_ms(),
        "initialize_wall_ms": 1000 * (time.monotonic() - server.began),
        "memory_after_initialize_mib": server.memory_mib(),
    }
    server.begin()
    while not server.call("index_status").endswith("index: fresh"):
        time.sleep(0.1)
    figures["idle_memory_mib"] = server.memory_mib()
    server.call("search", question="where is the helper with number seven")
    figures["memory_after_search_mib"] = server.memory_mib()
    for _ in range(20):
        before = time.monotonic()
        server.call("resolve_path", path="src/m7/helper7.py")
        figures["resolve_round_trip_ms"] = 1000 * (time.monotonic() - before)
    figures["leaves_after_ms"] = server.leave()
    return figures


def tokens(root: Path, home: Path) -> dict[str, int]:
    """Return the tokens of everything that `tools/list` sends, for each set of tools."""
    from tadoru.models.tokens import EstimatedTokens

    counted = {}
    for tools in ("tadoru", "contextweaver", "pathfinder"):
        server = Server(root, home, "--tools", tools)
        server.initialize()
        listed = server.ask("tools/list")["tools"]
        counted[tools] = EstimatedTokens().count(json.dumps(listed, separators=(",", ":")))
        server.leave()
    return counted


def tree(root: Path) -> Path:
    """Write a small repository."""
    for number in range(FILES):
        path = root / f"src/m{number % 20}/helper{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def helper{number}(value):\n    return value + {number}\n" * 10)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, home = tree(Path(folder) / "r"), Path(folder) / "home"
        once(root, home)  # compiles, and makes the index
        runs = [once(root, home) for _ in range(options.runs)]
        by_set = tokens(root, home)
    figures: dict[str, Any] = {
        name: round(statistics.median(run[name] for run in runs), 1) for name in runs[0]
    }
    figures["description_tokens"] = by_set["tadoru"]
    figures["description_tokens_by_set"] = by_set
    report = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "runs": options.runs,
        "figures": figures,
        "bars": BARS,
    }
    RESULTS.write_text(json.dumps(report, indent=2) + "\n")
    return show(figures)


def show(figures: Mapping[str, Any]) -> int:
    """Print the figures; return 1 when one is over its bar."""
    over = [name for name, bar in BARS.items() if figures[name] > bar]
    for name, value in figures.items():
        bar = f" (bar {BARS[name]})" if name in BARS else ""
        print(f"{name}: {value}{bar}{' OVER' if name in over else ''}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
