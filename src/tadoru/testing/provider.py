"""A provider of embeddings and reranking on this machine, over real HTTP, for tests.

Its vectors are those of `HashEmbedder`, so shared words make texts near. `behave` replaces an
answer, which is how each fault of a provider is tried; what was asked is kept.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tadoru.testing.models import HashEmbedder, OverlapReranker

Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]
Behaviour = Callable[[dict[str, Any], int], Answer | None]
"""Given the body and the number of a request (from 1); None for the usual answer."""


class Provider:
    """An HTTP server of `/v1/embeddings` and `/v1/rerank`. A context manager."""

    def __init__(self, dimension: int = 16, *, port: int = 0) -> None:
        self.dimension = dimension
        self.behave: Behaviour = lambda body, number: None
        self.bodies: list[dict[str, Any]] = []
        """What was asked, in order."""
        self.embedded: list[str] = []
        """Texts that a vector was given for, in order."""
        self.headers: list[dict[str, str]] = []
        self._models: dict[str, HashEmbedder] = {}
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", port), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.port = self._http.server_port
        self.base = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.base}/v1/embeddings"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop answering: whoever asks from now on is refused the connection."""
        if self._thread.is_alive():
            self._http.shutdown()
            self._http.server_close()
            self._thread.join()

    def answer(self, body: dict[str, Any], headers: dict[str, str]) -> Answer:
        with self._lock:
            self.bodies.append(body)
            self.headers.append(headers)
            number = len(self.bodies)
        return self.behave(body, number) or self.usual(body)

    def usual(self, body: dict[str, Any]) -> Answer:
        """Return what a healthy provider answers."""
        if "documents" in body:
            scores = OverlapReranker().score(body["query"], body["documents"])
            return 200, {
                "results": [{"index": i, "relevance_score": s} for i, s in enumerate(scores)]
            }
        texts: list[str] = body["input"]
        with self._lock:
            model = self._models.setdefault(
                body["model"], HashEmbedder(self.dimension, body["model"])
            )
            vectors = model.encode(texts)
            self.embedded.extend(texts)
        rows = [{"index": i, "embedding": v.tolist()} for i, v in enumerate(vectors)]
        return 200, {"object": "list", "data": rows, "model": body["model"]}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        return  # a client that has given up is what some tests are about


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer, *more = provider.answer(body, dict(self.headers))
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in (more[0] if more else {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            return

    return Handler
