"""Ten servers on one repository: one index, one writer at a time, and the same answers."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tadoru
from tadoru.config import load

pytestmark = pytest.mark.slow
SERVERS = 10
FILES = 150
IDLE_MIB = 120
SETTLED_SECONDS = 120


class Server:
    def __init__(self, root: Path, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tadoru", "mcp", "--root", str(root)],
            env={**os.environ, "TADORU_HOME": str(home)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._number = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self._number:
                result: dict[str, Any] = answer["result"]
                return result

    def begin(self) -> None:
        self.ask(
            "initialize", protocolVersion="2025-06-18", capabilities={},
            clientInfo={"name": "t", "version": "1"},
        )  # fmt: skip
        assert self.process.stdin is not None
        self.process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        self.process.stdin.flush()

    def call(self, tool: str, **arguments: Any) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        text: str = result["content"][0]["text"]
        assert not result.get("isError"), text
        return text

    def mib(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) // 1024

    def leave(self) -> tuple[float, str]:
        """Close its input; return how long it took to leave, and what it said on stderr."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        began = time.monotonic()
        self.process.wait(15)
        took = time.monotonic() - began
        self.process.stdout.close()
        with self.process.stderr as stderr:
            return took, stderr.read()


class Writers(threading.Thread):
    """Counts how many processes write an index of these servers, again and again."""

    def __init__(self, home: Path) -> None:
        super().__init__(daemon=True)
        self._home = home
        self.most = 0
        self.seen = False
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.wait(0.02):
            holders = set()
            for line in Path("/proc/locks").read_text().splitlines():
                fields = line.split()
                inode = fields[5 if fields[1] != "->" else 6].rpartition(":")[2]
                if "WRITE" in fields and int(inode) in self._locks() and "->" not in fields:
                    holders.add(fields[4])
            self.seen = self.seen or bool(holders)
            self.most = max(self.most, len(holders))

    def _locks(self) -> set[int]:
        return {path.stat().st_ino for path in self._home.glob("stores/*/*.lock")}


def test_ten_servers_share_one_index_and_one_writer(tmp_path: Path) -> None:
    root, home = tmp_path / "r", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    for number in range(FILES):
        (root / f"m{number}.py").write_text(f"def helper{number}():\n    return shared\n" * 5)
    writers = Writers(home)
    writers.start()
    servers = [Server(root, home) for _ in range(SERVERS)]
    try:
        with ThreadPoolExecutor(SERVERS) as pool:
            list(pool.map(Server.begin, servers))
            list(pool.map(lambda s: s.call("search", question="helper"), servers))
            for turn in range(3):
                for number in range(20):
                    (root / f"m{number}.py").write_text(f"def turn{turn}_{number}(): ...\n")
                list(pool.map(lambda s: s.call("search", question="helper"), servers))
            end = time.monotonic() + SETTLED_SECONDS
            while True:
                states = list(pool.map(lambda s: s.call("index_status"), servers))
                if all(state.endswith("index: fresh") for state in states):
                    break
                assert time.monotonic() < end, states
                time.sleep(0.2)
            found = set(pool.map(lambda s: s.call("find_definition", name="turn2_7"), servers))
            gone = set(pool.map(lambda s: s.call("find_definition", name="turn1_7"), servers))
        assert len(set(states)) == 1
        assert len(found) == 1 and "m7.py:1" in found.pop()
        assert "no definition" in gone.pop()
        memory = [server.mib() for server in servers]
        left = [server.leave() for server in servers]
    finally:
        writers.stop.set()
        for server in servers:
            server.process.kill()
            server.process.wait()
    assert max(memory) <= IDLE_MIB, memory
    assert max(took for took, _ in left) < 3.0
    assert [said for _, said in left if "Traceback" in said] == []
    writers.join()
    assert writers.seen and writers.most == 1
    (database,) = home.glob("stores/*/*.db")
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    _compare_with_a_fresh_index(root, home, tmp_path / "other")


def _compare_with_a_fresh_index(root: Path, home: Path, other: Path) -> None:
    counts = []
    for place in (home, other):
        with tadoru.open(root, config=replace(load(root), home=str(place))) as workspace:
            workspace.index()
            stats = workspace.stats()
            counts.append([stats[name] for name in ("files", "symbols", "bytes", "languages")])
    assert counts[0] == counts[1]
