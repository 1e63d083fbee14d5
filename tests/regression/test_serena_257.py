"""serena #257 and #1748, TrendRadar #1204: a banner or a child process wrote where the protocol
is."""

from __future__ import annotations

import json
import os
import subprocess


def test_every_line_that_a_server_writes_is_protocol(new_tree, tadoru_command):
    tree = new_tree({"broken.py": "def (:\n" * 50, "a.py": "def here(): ...\n"})
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]  # fmt: skip
    process = subprocess.Popen(
        [*tadoru_command, "mcp", "--root", str(tree.root)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "LOG_LEVEL": "debug", "TADORU_DEBUG": "1"}, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    seen = []
    for message in messages:
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
    while {1, 2} - {line.get("id") for line in seen}:
        seen.append(json.loads(process.stdout.readline()))
    process.stdin.close()
    seen += [json.loads(line) for line in process.stdout.read().splitlines()]
    process.stdout.close()
    assert process.wait(20) == 0
    assert all(line["jsonrpc"] == "2.0" for line in seen)
