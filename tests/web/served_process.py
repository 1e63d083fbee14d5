"""A real `tadoru serve` in a process of its own, and a client for it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx

ACCESS = """
[access]
"**" = "public"
"src/shop/sessions.py" = ["staff"]
"docs/guide.md" = ["finance"]
"""


class Served:
    """The process. `url`: where it is; `lines`: what it wrote to stderr so far."""

    def __init__(
        self,
        root: Path | None,
        *arguments: str,
        config: str = "",
        home: Path | None = None,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        place = home or Path(os.environ["TADORU_HOME"])
        place.mkdir(parents=True, exist_ok=True)
        own = place / "serve.toml"
        own.write_text(config)
        own.chmod(0o600)
        roots = ["--root", str(root)] if root is not None else []
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error::ResourceWarning", "-m", "tadoru", "serve",
             "--port", "0", *roots, *arguments],
            env={**os.environ, "TADORU_CONFIG": str(own), "TADORU_HOME": str(place), **(env or {})},
            cwd=cwd or root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        self.lines: list[str] = []
        self.url = ""
        self._up = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._up.wait(60) or not self.url:
            self.process.kill()
            raise AssertionError("it does not serve: " + "".join(self.lines))

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r"listening on (\S+)", line)
            if found:
                self.url = found[1]
                self._up.set()
        self._up.set()

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def client(self, token: str = "", **how: Any) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(
            base_url=self.url, headers={**headers, **how.pop("headers", {})}, timeout=60, **how
        )

    def ask(self, name: str, token: str = "", **given: Any) -> Any:
        """Call an operation; return its answer, which must be one."""
        with self.client(token) as client:
            answer = client.post(f"/api/{name}", json=given)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def log(self) -> list[dict[str, Any]]:
        """Return the lines of the access log."""
        return [json.loads(line) for line in self.lines if line.startswith("{")]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            code = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self._reader.join(5)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        return code
