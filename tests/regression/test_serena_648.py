"""serena #648 and #97, gajae-code #5702: a server started slower than its client would wait."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
CPU_SECONDS = 1.0
"""What a second on an idle machine allows; the clock on the wall is others' too."""


def test_a_server_answers_at_once_with_a_cold_cache_and_without_a_network(
    new_tree, tadoru_command, tmp_path
):
    tree = new_tree({f"m{n}.py": "def f(): ...\n" * 50 for n in range(500)})
    process = subprocess.Popen(
        [*tadoru_command, "mcp", "--root", str(tree.root)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "TADORU_HOME": str(tmp_path / "cold"), "https_proxy": "http://192.0.2.1:1",
             "http_proxy": "http://192.0.2.1:1"},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(INITIALIZE) + "\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    assert used < CPU_SECONDS
