"""pathfinder (its own notes): servers whose client had vanished went on for days."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PARENT = """
import subprocess, sys, time
child = subprocess.Popen(sys.argv[1:], stdin=0)
print(child.pid, flush=True)
time.sleep(60)
"""
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
SECONDS = 3.0
SLACK = 2.0
"""Others use the machine too."""


@pytest.mark.slow
@pytest.mark.parametrize("tools", ["tadoru", "pathfinder", "contextweaver"])
def test_a_server_leaves_when_its_client_is_killed(new_tree, tadoru_command, tools):
    """Somebody else holds the pipe open, so there is no end of input to see."""
    tree = new_tree({"a.py": "x = 1\n"})
    command = [*tadoru_command, "mcp", "--root", str(tree.root), "--tools", tools]
    reader, writer = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *command], stdin=reader, stdout=subprocess.PIPE, text=True
    )
    os.close(reader)
    assert parent.stdout is not None
    server = int(parent.stdout.readline())
    os.write(writer, json.dumps(INITIALIZE).encode() + b"\n")
    assert json.loads(parent.stdout.readline())["id"] == 1
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    began = time.monotonic()
    while _runs(server) and time.monotonic() - began < SECONDS + SLACK:
        time.sleep(0.05)
    runs = _runs(server)
    os.close(writer)
    assert not runs


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
