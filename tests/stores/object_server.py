"""Object stores for tests: a real S3 protocol server (moto), and one that misbehaves."""

from __future__ import annotations

import hashlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

from tadoru.config import MIB, ObjectsConfig

KEYS = {"region": "us-east-1", "access_key_id": "tester", "secret_access_key": "secret"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@cache
def openapi(megabytes: int = 8) -> bytes:
    """Return a document like those that describe large interfaces, every part unlike the others."""
    paths = {}
    size = 0
    while size < megabytes * MIB:
        number = len(paths)
        name = hashlib.sha256(str(number).encode()).hexdigest()
        operation = {
            "operationId": f"get_{name[:12]}",
            "description": f"Résumé of {name} — 説明 " * 8,
            "responses": {"200": {"description": name, "x-number": number}},
        }
        paths[f"/v1/{name[:2]}/{name}"] = {"get": operation}
        size += 900
    document = {"openapi": "3.1.0", "info": {"title": "Large", "version": "1"}, "paths": paths}
    return json.dumps(document, ensure_ascii=False, indent=2).encode()


class S3:
    """A running server with the bucket `specs`."""

    def __init__(self, log: Path) -> None:
        port = free_port()
        self.endpoint = f"http://127.0.0.1:{port}"
        self._log = log.open("wb")
        self.process = subprocess.Popen(
            [Path(sys.executable).with_name("moto_server"), "-H", "127.0.0.1", "-p", str(port)],
            stdout=self._log, stderr=self._log,
        )  # fmt: skip
        from obstore.store import S3Store

        self._store = S3Store(
            "specs", endpoint=self.endpoint, client_options={"allow_http": True}, **KEYS
        )
        for _ in range(300):
            try:
                httpx.put(f"{self.endpoint}/specs", trust_env=False).raise_for_status()
                return
            except httpx.TransportError:
                assert self.process.poll() is None, log.read_text()
                time.sleep(0.1)
        raise AssertionError("the S3 server did not start")

    def put(self, key: str, data: bytes) -> str:
        """Store an object; return its ETag."""
        import obstore

        etag = obstore.put(self._store, key, data, use_multipart=False)["e_tag"]
        assert etag
        return etag

    def delete(self, key: str) -> None:
        import obstore

        obstore.delete(self._store, key)

    def settings(self, **changes: object) -> ObjectsConfig:
        given = {
            "allow": ("s3://specs/",),
            "options": {"s3://specs/": {**KEYS, "endpoint": self.endpoint}},
            "max_bytes": 16 * MIB,
            "timeout_seconds": 10.0,
        }
        return ObjectsConfig(**{**given, **changes})  # type: ignore[arg-type]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._log.close()


Answering = Callable[["Rogue"], None]


class Rogue(BaseHTTPRequestHandler):
    """Answers as its server's `answer` says."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))  # type: ignore[attr-defined]
        self.server.answer(self)  # type: ignore[attr-defined]

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Answer as headers say; the length is that of the body unless one is given."""
        self.send_response(status)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in {"Content-Length": str(len(body)), **named}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def serve(self, data: bytes, etag: str = '"one"') -> None:
        """Answer as a good server does, ranges included."""
        wish = self.headers.get("Range")
        if wish is None:
            self.reply(200, data, ETag=etag)
            return
        start, end = (int(part) for part in wish.removeprefix("bytes=").split("-"))
        piece = data[start : end + 1]
        where = f"bytes {start}-{start + len(piece) - 1}/{len(data)}"
        self.reply(206, piece, ETag=etag, Content_Range=where)

    def log_message(self, format: str, *arguments: object) -> None: ...


@contextmanager
def rogue(answer: Answering) -> Iterator[ThreadingHTTPServer]:
    """Run a server that answers every GET as told; `asked` holds what was asked."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Rogue)
    server.asked, server.answer = [], answer  # type: ignore[attr-defined]
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
