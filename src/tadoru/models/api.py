"""Embedding and reranking by any endpoint that speaks the common JSON forms.

`/v1/embeddings` as OpenAI, SiliconFlow, Jina, vLLM and Ollama have it; `/v1/rerank` as Cohere and
Jina have it, and DashScope's form. Batches are bounded in texts and characters and halved when
they are refused; a single text that is refused is shortened. Uses only what the user configured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from tadoru.config import ModelConfig
from tadoru.errors import Unavailable
from tadoru.models.http import Endpoint, Rejected

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PLACEHOLDERS = frozenset({"", "your-api-key-here"})
"""Keys that mean that nobody has set one."""
BATCH_TEXTS = 32
BATCH_CHARS = 60_000
SHORTEST_CHARS = 200
"""A refused text is halved until this; then it is the endpoint that is wrong."""
QUERY_SECONDS = 8.0
"""A question does not wait longer for its vector or for reranking."""
BATCH_SECONDS = 300.0


class ApiEmbedder:
    """An `Embedder` behind an endpoint."""

    def __init__(
        self, endpoint: Endpoint, model: str, dimension: int, *, max_concurrency: int = 10
    ) -> None:
        self._endpoint = endpoint
        self._model = model
        self._dimension = dimension
        self._workers = max(1, max_concurrency)
        self._send_dimension = True

    @property
    def fingerprint(self) -> str:
        return f"api:{self._endpoint.host}:{self._model}:{self._dimension}"

    @property
    def dimension(self) -> int:
        return self._dimension

    def encode(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return unit vectors, float32, shape (len(texts), dimension).

        Raises: `Unavailable` when the endpoint fails, or gives vectors of another dimension.
        """
        import numpy as np

        result = np.zeros((len(texts), self._dimension), dtype=np.float32)
        seconds = QUERY_SECONDS if query else BATCH_SECONDS
        batches = list(_batches(texts))

        def run(batch: list[int]) -> None:
            vectors = self._embed([texts[i] for i in batch], seconds)
            result[batch] = np.asarray(vectors, dtype=np.float32)

        if len(batches) == 1:
            run(batches[0])
        elif batches:
            with ThreadPoolExecutor(min(self._workers, len(batches))) as pool:
                for _ in pool.map(run, batches):
                    pass
        if not np.isfinite(result).all():
            raise Unavailable(f"{self._endpoint.host} gave numbers that are not finite")
        norms = np.linalg.norm(result, axis=1, keepdims=True)
        unit: npt.NDArray[np.float32] = result / np.maximum(norms, 1e-12)
        return unit

    def _embed(self, texts: list[str], seconds: float) -> list[list[float]]:
        try:
            return self._ask(texts, seconds)
        except Rejected:
            if len(texts) > 1:
                middle = len(texts) // 2
                return self._embed(texts[:middle], seconds) + self._embed(texts[middle:], seconds)
            if self._send_dimension:
                return self._without_dimension(texts, seconds)
            if len(texts[0]) <= SHORTEST_CHARS:
                raise
            return self._embed([texts[0][: len(texts[0]) // 2]], seconds)

    def _without_dimension(self, texts: list[str], seconds: float) -> list[list[float]]:
        """Ask again without `dimensions`, which some models refuse; remember it when that helps."""
        self._send_dimension = False
        try:
            return self._ask(texts, seconds)
        except Rejected:
            self._send_dimension = True
            if len(texts[0]) <= SHORTEST_CHARS:
                raise
        return self._embed([texts[0][: len(texts[0]) // 2]], seconds)

    def _ask(self, texts: list[str], seconds: float) -> list[list[float]]:
        body: dict[str, Any] = {
            "model": self._model,
            "input": [text or " " for text in texts],
            "encoding_format": "float",
        }
        if self._send_dimension:
            body["dimensions"] = self._dimension
        answer = self._endpoint.post(body, deadline_seconds=seconds)
        vectors: list[list[float] | None] = [None] * len(texts)
        for position, row in enumerate(_rows(answer, "data", self._endpoint.host)):
            index = row.get("index", position)
            vector = row.get("embedding")
            if not isinstance(index, int) or not 0 <= index < len(texts):
                continue
            if isinstance(vector, list) and all(isinstance(v, (int, float)) for v in vector):
                vectors[index] = vector
        found = [vector for vector in vectors if vector is not None]
        if len(found) < len(texts):
            raise Unavailable(f"{self._endpoint.host} left out {len(texts) - len(found)} vectors")
        wrong = next((len(v) for v in found if len(v) != self._dimension), 0)
        if wrong:
            raise Unavailable(
                f"{self._model} gives {wrong} dimensions, {self._dimension} are configured",
                hint=f"set EMBEDDINGS_DIMENSIONS to {wrong}",
            )
        return found


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the positions of texts in bounded batches."""
    batch: list[int] = []
    chars = 0
    for index, text in enumerate(texts):
        if batch and (len(batch) >= BATCH_TEXTS or chars + len(text) > BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(index)
        chars += len(text)
    if batch:
        yield batch


def _rows(answer: Any, name: str, host: str) -> list[dict[str, Any]]:
    rows = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise Unavailable(f"{host} answered without `{name}`", hint="check the URL")
    return [row for row in rows if isinstance(row, dict)]


class ApiReranker:
    """A `Reranker` behind an endpoint."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model

    @property
    def name(self) -> str:
        return f"api:{self._endpoint.host}:{self._model}"

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        """Return one relevance in 0..1 per document; scores outside it are put through a sigmoid.

        Raises: `Unavailable` when the endpoint fails or leaves out a document.
        """
        if not documents:
            return []
        answer = self._endpoint.post(
            self._body(question, list(documents)), deadline_seconds=QUERY_SECONDS
        )
        if isinstance(answer, dict) and isinstance(answer.get("output"), dict):
            answer = answer["output"]
        scores: dict[int, float] = {}
        for row in _rows(answer, "results", self._endpoint.host):
            index, value = row.get("index"), row.get("relevance_score", row.get("score"))
            if isinstance(index, int) and isinstance(value, (int, float)) and math.isfinite(value):
                scores[index] = float(value)
        if not all(index in scores for index in range(len(documents))):
            raise Unavailable(f"{self._endpoint.host} left out documents")
        values = [scores[index] for index in range(len(documents))]
        inside = all(0.0 <= value <= 1.0 for value in values)
        return values if inside else [_sigmoid(value) for value in values]

    def _body(self, question: str, documents: list[str]) -> dict[str, Any]:
        count = len(documents)
        if "/services/rerank/" in self._endpoint.url:  # DashScope's own form
            return {
                "model": self._model,
                "input": {"query": question, "documents": documents},
                "parameters": {"top_n": count, "return_documents": False},
            }
        return {
            "model": self._model,
            "query": question,
            "documents": documents,
            "top_n": count,
            "return_documents": False,
        }


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, value))))


Connect = Callable[[str, str], Endpoint]


def embedder_of(config: ModelConfig, connect: Connect = Endpoint) -> ApiEmbedder | None:
    """Return the configured embedder; None when there is none, or its key is a placeholder."""
    endpoint = _endpoint(
        config.embeddings_base_url, config.embeddings_api_key, config.embeddings_model, connect
    )
    if endpoint is None:
        return None
    return ApiEmbedder(
        endpoint,
        config.embeddings_model,
        config.embeddings_dimensions,
        max_concurrency=config.embeddings_max_concurrency,
    )


def reranker_of(config: ModelConfig, connect: Connect = Endpoint) -> ApiReranker | None:
    """Return the configured reranker; None when there is none, or its key is a placeholder."""
    endpoint = _endpoint(
        config.rerank_base_url, config.rerank_api_key, config.rerank_model, connect
    )
    return ApiReranker(endpoint, config.rerank_model) if endpoint is not None else None


def _endpoint(url: str, key: str, model: str, connect: Connect) -> Endpoint | None:
    """Return an endpoint when it is configured. One on this machine (Ollama, vLLM) needs no key."""
    if not url or not model:
        return None
    missing = key.strip() in PLACEHOLDERS
    endpoint = connect(url, "" if missing else key.strip())
    return None if missing and not endpoint.is_local else endpoint
