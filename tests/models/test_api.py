"""Providers, against a real HTTP server on this machine that answers with each fault in turn."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from tadoru.config import ModelConfig
from tadoru.errors import ConfigError, Unavailable
from tadoru.models.api import ApiEmbedder
from tadoru.models.base import BatchEmbedder, Embedder, Reranker
from tadoru.models.code import CodeEmbedder
from tadoru.models.configured import embedder_of, reranker_of
from tadoru.models.gate import Gate
from tadoru.models.http import Endpoint
from tadoru.models.reranking import ApiReranker

KEY = "sk-very-secret"
DIMENSION = 4

Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]
Behaviour = Callable[[dict[str, Any], int], Answer]


class Server:
    """A provider. `behave(body, number)` answers each request; requests are kept."""

    def __init__(self) -> None:
        self.behave: Behaviour = vectors
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.bodies.append(body)
                server.headers.append(dict(self.headers))
                status, answer, *more = server.behave(body, len(server.bodies))
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in (more[0] if more else {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                return

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                return  # a client that has given up is what some tests are about

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1/embeddings"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def vectors(body: dict[str, Any], number: int = 0) -> Answer:
    rows = [
        {"index": i, "embedding": [float(len(text)), 1.0, 0.0, 0.0]}
        for i, text in enumerate(body["input"])
    ]
    return 200, {"data": list(reversed(rows))}


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def embedder(server: Server, waits: list[float]) -> ApiEmbedder:
    """An embedder whose clock moves only by sleeping."""
    now = [0.0]

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    endpoint = Endpoint(server.url, KEY, timeout_seconds=5, clock=lambda: now[0], sleep=sleep)
    return ApiEmbedder(endpoint, "m", DIMENSION)


def test_vectors_are_unit_and_in_the_order_of_the_texts(embedder: ApiEmbedder) -> None:
    found = embedder.encode(["a", "bbb"])
    assert isinstance(embedder, Embedder)
    assert found.shape == (2, DIMENSION) and found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-6)
    assert found[1][0] > found[0][0]


def test_request_carries_model_dimension_and_key(server: Server, embedder: ApiEmbedder) -> None:
    embedder.encode(["a"])
    assert server.bodies[0]["model"] == "m" and server.bodies[0]["dimensions"] == DIMENSION
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_many_texts_go_in_bounded_batches(server: Server, embedder: ApiEmbedder) -> None:
    found = embedder.encode([f"{'x' * (i % 7)}" for i in range(100)])
    assert found.shape == (100, DIMENSION)
    assert len(server.bodies) == 4 and max(len(b["input"]) for b in server.bodies) == 32
    assert embedder.encode([]).shape == (0, DIMENSION)


def test_refused_batch_is_halved(server: Server, embedder: ApiEmbedder) -> None:
    server.behave = lambda body, n: (400, {}) if len(body["input"]) > 10 else vectors(body)
    assert embedder.encode([f"text {i}" for i in range(30)]).shape == (30, DIMENSION)


def test_text_that_is_too_long_is_shortened(server: Server, embedder: ApiEmbedder) -> None:
    server.behave = lambda body, n: (
        (413, {}) if any(len(t) > 3_000 for t in body["input"]) else vectors(body)
    )
    assert embedder.encode(["short", "x" * 10_000]).shape == (2, DIMENSION)


def test_model_that_refuses_dimensions_is_asked_without(
    server: Server, embedder: ApiEmbedder
) -> None:
    server.behave = lambda body, n: (400, {}) if "dimensions" in body else vectors(body)
    embedder.encode(["a"])
    embedder.encode(["b"])
    assert ["dimensions" in body for body in server.bodies] == [True, False, False, False]


@pytest.mark.parametrize("after", ["7", None, "date"])
def test_429_waits_as_long_as_it_is_told(
    server: Server, embedder: ApiEmbedder, waits: list[float], after: str | None
) -> None:
    value = formatdate(time.time() + 30, usegmt=True) if after == "date" else after
    headers = {"Retry-After": value} if value else {}
    server.behave = lambda body, n: (429, {}, headers) if n == 1 else vectors(body)
    embedder.encode(["a"])
    expected = {"7": (7, 7), None: (0.5, 0.5), "date": (28, 31)}[after]
    assert len(waits) == 1 and expected[0] <= waits[0] <= expected[1]


def test_word_rate_in_a_message_is_no_rate_limit(
    server: Server, embedder: ApiEmbedder, waits: list[float]
) -> None:
    """ContextWeaver retried for ever when a message merely held "rate" or "429"."""
    server.behave = lambda body, n: (404, {"error": "failed to generate, 429 tokens"})
    with pytest.raises(Unavailable, match="status 404"):
        embedder.encode(["a"])
    assert len(server.bodies) == 1 and not waits


def test_endless_429_ends(server: Server, embedder: ApiEmbedder) -> None:
    server.behave = lambda body, n: (429, {})
    with pytest.raises(Unavailable, match="status 429"):
        embedder.encode(["a"])
    assert len(server.bodies) == 6


def test_question_does_not_wait_for_a_long_pause(server: Server, embedder: ApiEmbedder) -> None:
    server.behave = lambda body, n: (429, {}, {"Retry-After": "60"})
    with pytest.raises(Unavailable, match="asks to wait"):
        embedder.encode(["a"], query=True)
    assert len(server.bodies) == 1


def test_server_errors_are_retried_and_recover(server: Server, embedder: ApiEmbedder) -> None:
    server.behave = lambda body, n: (503, b"<html>busy</html>") if n < 3 else vectors(body)
    assert embedder.encode(["a"]).shape == (1, DIMENSION)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((401, {}), "refused the key"),
        ((200, b"<html>"), "JSON"),
        ((200, {"error": "x"}), "without `data`"),
        ((200, []), "without `data`"),
        ((200, {"data": []}), "left out 1"),
        ((200, {"data": [{"index": 0, "embedding": "AAAA"}]}), "left out 1"),
        ((200, {"data": [{"index": 9, "embedding": [1, 0, 0, 0]}]}), "left out 1"),
        ((200, {"data": [{"index": 0, "embedding": [1.0, 0.0]}]}), "gives 2 dimensions"),
        ((200, b'{"data":[{"index":0,"embedding":[NaN,0,0,0]}]}'), "not finite"),
        ((302, {}, {"Location": "http://127.0.0.1:1/steal"}), "status 302"),
        ((400, {"error": KEY}), "status 400"),
    ],
)
def test_each_fault_is_unavailable_with_a_reason_and_without_the_key(
    server: Server, embedder: ApiEmbedder, answer: Answer, message: str
) -> None:
    server.behave = lambda body, n: answer
    with pytest.raises(Unavailable, match=message) as caught:
        embedder.encode(["a"])
    assert KEY not in str(caught.value)


def test_size_of_batch_that_is_taken_is_remembered(server: Server, embedder: ApiEmbedder) -> None:
    server.behave = lambda body, n: (400, {}) if len(body["input"]) > 10 else vectors(body)
    embedder.encode([f"text {i}" for i in range(30)])
    before = len(server.bodies)
    embedder.encode([f"text {i}" for i in range(32)])
    assert [len(body["input"]) for body in server.bodies[before:]] == [8, 8, 8, 8]


def test_one_refused_text_costs_only_itself(server: Server, embedder: ApiEmbedder) -> None:
    server.behave = lambda body, n: (400, {}) if "bad" in body["input"] else vectors(body)
    found = embedder.encode(["a", "bad", *"cdefgh"])
    assert (~found.any(axis=1)).nonzero()[0].tolist() == [1]
    embedder.encode(["x"] * 32)
    assert len(server.bodies[-1]["input"]) == 32
    with pytest.raises(Unavailable, match="refused the question"):
        embedder.encode(["bad"], query=True)


def test_server_that_breaks_at_a_long_text_is_asked_for_a_shorter_one(
    server: Server, embedder: ApiEmbedder
) -> None:
    """llama.cpp answers 500 to a text that is longer than its batch."""
    server.behave = lambda body, n: (
        (500, {}) if any(len(t) > 900 for t in body["input"]) else vectors(body)
    )
    found = embedder.encode(["short", "x" * 3_000, "also short"])
    assert found.any(axis=1).all()
    assert len(server.bodies) < 30


def test_server_that_breaks_at_everything_is_unavailable_soon(
    server: Server, embedder: ApiEmbedder
) -> None:
    server.behave = lambda body, n: (500, {})
    with pytest.raises(Unavailable, match="status 500"):
        embedder.encode([f"text {i}" for i in range(32)])
    assert len(server.bodies) <= 8


def test_batches_that_were_answered_are_handed_over_before_the_failure(
    server: Server, embedder: ApiEmbedder
) -> None:
    server.behave = lambda body, n: (401, {}) if "text 40" in body["input"] else vectors(body)
    texts = [f"text {i}" for i in range(64)]
    done: list[int] = []
    with pytest.raises(Unavailable, match="refused the key"):
        for positions, _ in embedder.encode_batches(texts):
            done += positions
    assert done in ([], list(range(32)))
    assert isinstance(embedder, BatchEmbedder)


def test_threads_that_wait_for_their_turn_learn_of_a_failure(server: Server) -> None:
    server.behave = lambda body, n: time.sleep(0.05) or (401, {})  # type: ignore[func-returns-value]
    embedder = ApiEmbedder(Endpoint(server.url, gate=Gate(2)), "m", DIMENSION)
    with pytest.raises(Unavailable, match="refused the key"):
        embedder.encode([f"text {i}" for i in range(320)])
    assert len(server.bodies) <= 3


def test_batches_are_bounded_in_tokens(server: Server, embedder: ApiEmbedder) -> None:
    embedder.encode(["word " * 5_000] * 5)
    assert sorted(len(body["input"]) for body in server.bodies) == [1, 2, 2]


def test_after_429_one_request_at_a_time_then_slowly_more() -> None:
    gate = Gate(4)
    gate.refused()
    assert gate.limit == 1
    for _ in range(3):
        gate.answered()
    assert gate.limit == 2
    for _ in range(30):
        gate.answered()
    assert gate.limit == 4


def test_gate_lets_no_more_in_than_its_limit() -> None:
    gate = Gate(3)
    inside = most = 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        with gate:
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.005)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3


def test_a_question_is_not_sent_to_a_provider_that_failed_just_now(
    server: Server, embedder: ApiEmbedder, waits: list[float]
) -> None:
    server.behave = lambda body, n: (503, {})
    with pytest.raises(Unavailable, match="status 503"):
        embedder.encode(["a"], query=True)
    asked = len(server.bodies)
    assert asked == 2 and sum(waits) < 2
    with pytest.raises(Unavailable, match="status 503"):
        embedder.encode(["a"], query=True)
    assert len(server.bodies) == asked
    embedder._endpoint.sleep(40)
    server.behave = vectors
    assert embedder.encode(["a"], query=True).any()


def test_what_goes_to_this_machine_goes_through_no_proxy(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert Endpoint(server.url).post({"input": ["a"]}, deadline_seconds=5)["data"]


def test_slow_server_is_given_up_after_the_timeout(server: Server) -> None:
    release = threading.Event()

    def slow(body: dict[str, Any], number: int) -> Answer:
        release.wait(5)
        return vectors(body)

    server.behave = slow
    endpoint = Endpoint(server.url, timeout_seconds=0.2, sleep=lambda _: None)
    start = time.monotonic()
    with pytest.raises(Unavailable):
        endpoint.post({"input": ["a"]}, deadline_seconds=0.5)
    assert time.monotonic() - start < 3
    release.set()


def test_nobody_listening_is_unavailable(waits: list[float]) -> None:
    endpoint = Endpoint("http://127.0.0.1:9/v1", KEY, sleep=waits.append, clock=lambda: sum(waits))
    with pytest.raises(Unavailable, match="ConnectionRefusedError"):
        endpoint.post({}, deadline_seconds=100)
    assert KEY not in repr(endpoint)


@pytest.mark.parametrize("form", ["cohere", "dashscope", "logits"])
def test_reranker_reads_each_form(server: Server, form: str) -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        documents = body["input"]["documents"] if form == "dashscope" else body["documents"]
        low, high = (-3.0, 5.0) if form == "logits" else (0.1, 0.9)
        rows = [
            {"index": i, "relevance_score": high if "b" in text else low}
            for i, text in enumerate(documents)
        ]
        rows.reverse()
        return 200, {"output": {"results": rows}} if form == "dashscope" else {"results": rows}

    server.behave = answer
    path = "/api/v1/services/rerank/x" if form == "dashscope" else "/v1/rerank"
    reranker = ApiReranker(Endpoint(server.url.replace("/v1/embeddings", path), KEY), "r")
    assert isinstance(reranker, Reranker)
    scores = reranker.score("q", ["a", "b", "c"])
    assert scores.index(max(scores)) == 1 and all(0.0 <= s <= 1.0 for s in scores)
    assert reranker.score("q", []) == []


def test_reranker_that_leaves_out_a_document_is_unavailable(server: Server) -> None:
    server.behave = lambda body, n: (200, {"results": [{"index": 0, "relevance_score": 1}]})
    with pytest.raises(Unavailable, match="left out"):
        ApiReranker(Endpoint(server.url), "r").score("q", ["a", "b"])


def test_reranker_is_asked_for_so_many_as_are_configured(server: Server) -> None:
    """RERANK_TOP_N: what the endpoint leaves out beyond them is no better than their last."""

    def answer(body: dict[str, Any], number: int) -> Answer:
        best = [{"index": 3, "relevance_score": 0.9}, {"index": 1, "relevance_score": 0.4}]
        return 200, {"results": best[: body["top_n"]]}

    server.behave = answer
    models = ModelConfig(rerank_base_url=server.url, rerank_model="r", rerank_top_n=2)
    reranker = reranker_of(models)
    assert reranker is not None
    assert reranker.score("q", ["a", "b", "c", "d"]) == [0.4, 0.4, 0.4, 0.9]
    wider = reranker_of(replace(models, rerank_top_n=3))
    assert wider is not None
    with pytest.raises(Unavailable, match="left out"):
        wider.score("q", ["a", "b", "c", "d"])


def test_placeholder_key_counts_as_missing_except_on_this_machine() -> None:
    """What has no key is not asked: the embedded model answers, or nobody where it is off."""
    far = ModelConfig(
        embeddings_api_key="your-api-key-here", embeddings_base_url="https://x.example/v1",
        embeddings_model="m", rerank_base_url="https://x.example/v1", rerank_model="r",
    )  # fmt: skip
    assert isinstance(embedder_of(far), CodeEmbedder) and reranker_of(far) is None
    assert embedder_of(replace(far, embedded=False)) is None
    near = ModelConfig(embeddings_base_url="http://localhost:11434/v1", embeddings_model="m")
    found = embedder_of(near)
    assert found is not None and found.dimension == 1024


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "x.example/v1", "ftp://x/y", "http://"])
def test_what_is_no_http_address_is_a_config_error(url: str) -> None:
    with pytest.raises(ConfigError):
        Endpoint(url)


def test_key_with_a_newline_is_a_config_error() -> None:
    with pytest.raises(ConfigError) as caught:
        Endpoint("https://x.example", "sk\nInjected: header")
    assert "Injected" not in str(caught.value)
