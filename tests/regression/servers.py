"""A server as an agent starts it, for the reports about servers: a process, a pipe, JSON lines."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class McpServer:
    """Keeps every line that the server writes on stdout; a line that is no JSON raises."""

    def __init__(self, command: Sequence[str], cwd: Path, **environment: str) -> None:
        self.process = subprocess.Popen(
            command, cwd=cwd, env={**os.environ, **environment}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.lines: list[dict[str, Any]] = []
        self._number = 0

    def __enter__(self) -> McpServer:
        self.ask(
            "initialize", protocolVersion="2025-06-18", capabilities={},
            clientInfo={"name": "t", "version": "1"},
        )  # fmt: skip
        self._send({"method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        self.lines += [json.loads(line) for line in self.process.stdout]
        self.stderr = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait(20)

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        while True:
            self.lines.append(json.loads(self.process.stdout.readline()))
            if self.lines[-1].get("id") == self._number:
                return self.lines[-1]

    def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool and return its text, an error's too."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        text: str = result["content"][0]["text"]
        return text
