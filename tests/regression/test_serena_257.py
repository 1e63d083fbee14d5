"""serena #257 and #1748, TrendRadar #1204: a banner or a child process wrote where the protocol
is."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from servers import McpServer


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


@pytest.mark.parametrize(
    "trouble",
    [
        {"LOG_LEVEL": "debug", "PYTHONWARNINGS": "default"},
        {"RESOLVE_MODEL_DIR": "/no/such/model", "LOG_LEVEL": "debug"},
        {"EMBEDDINGS_BASE_URL": "http://127.0.0.1:9/v1", "EMBEDDINGS_MODEL": "m"},
    ],
)
def test_calls_of_every_kind_leave_stdout_alone(new_tree, tadoru_command, tmp_path, trouble):
    tree = new_tree({"broken.py": "def (:\n" * 50, "a.py": "def alpha(): ...\n", "b.bin": b"\0\1"})
    command = [*tadoru_command, "mcp", "--root", str(tree.root)]
    with McpServer(command, tmp_path, **trouble) as server:
        assert "a.py" in server.call("search", question="alpha")
        assert "a.py" in server.call("bash", command="ls; echo out; echo err >&2; cat b.bin")
        assert "a.py" in server.call("resolve_path", path="b.py/a.py")
        assert "no such file" in server.call("read_file", path="nothing.zig")
        server.call("search", question="")
    assert server.process.returncode == 0
    assert all(line["jsonrpc"] == "2.0" for line in server.lines)
