"""Embedding by any endpoint that speaks the common JSON form.

`/v1/embeddings` as OpenAI, SiliconFlow, Jina, DashScope, vLLM and Ollama have it. Batches are
bounded in texts and tokens and halved when they are refused; a single text that is refused is
shortened, and given up when that does not help. Uses only what the user configured.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any

from tadoru.errors import Unavailable
from tadoru.models.base import PREPARATION
from tadoru.models.http import Endpoint, Rejected, Stumbled
from tadoru.models.tokens import EstimatedTokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BATCH_TEXTS = 32
BATCH_TOKENS = 12_000
"""As the estimate counts them; providers take from 8,192 up in one text, far more in a request."""
SHORTEST_CHARS = 200
"""A refused text is halved until this."""
QUERY_SECONDS = 8.0
"""A question does not wait longer for its vector."""
BATCH_SECONDS = 300.0
_PROBE = "a"

Row = list[float] | None
"""A vector as it was answered; None for a text that was refused at any length."""


class ApiEmbedder:
    """A `BatchEmbedder` behind an endpoint. Threads may share it."""

    def __init__(self, endpoint: Endpoint, model: str, dimension: int) -> None:
        self._endpoint = endpoint
        self._model = model
        self._dimension = dimension
        self._send_dimension = True
        self._most = BATCH_TEXTS
        """Texts in a request: fewer once the provider has refused so many."""
        self._has_answered = False
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        where = self._endpoint.authority
        return f"api:{where}:{self._model}:{self._dimension}:{PREPARATION}"

    @property
    def dimension(self) -> int:
        return self._dimension

    def encode(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return unit vectors, float32, shape (len(texts), dimension); zeros for refused texts.

        Raises: `Unavailable` when the endpoint fails, or gives vectors of another dimension.
        """
        import numpy as np

        if query:
            rows = self._rows(list(texts), QUERY_SECONDS, hurried=True)
            if None in rows:
                raise Unavailable(f"{self._endpoint.host} refused the question")
            return self._unit(rows)
        result = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for positions, vectors in self.encode_batches(texts):
            result[positions] = vectors
        return result

    def encode_batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        """Yield positions and unit vectors of each batch when its answer comes.

        Raises: `Unavailable` when the endpoint fails; batches under way are waited for first.
        """
        batches = list(batched(texts))
        if not batches:
            return
        failure: Unavailable | None = None
        known: list[Unavailable] = []

        def rows(batch: list[int]) -> list[Row]:
            if known:  # found out by another thread before this one could be cancelled
                raise known[0]
            try:
                return self._rows([texts[i] for i in batch], BATCH_SECONDS)
            except Unavailable as error:
                known.append(error)
                raise

        with ThreadPoolExecutor(min(self._endpoint.gate.most, len(batches))) as pool:
            waiting: dict[Future[list[Row]], list[int]] = {
                pool.submit(rows, batch): batch for batch in batches
            }
            try:
                for done in as_completed(waiting):
                    try:
                        if not done.cancelled():
                            yield waiting[done], self._unit(done.result())
                    except Unavailable as error:
                        failure = failure or error
                        _cancel(waiting)
            finally:
                _cancel(waiting)
        if failure is not None:
            raise failure

    def _unit(self, rows: list[Row]) -> npt.NDArray[np.float32]:
        import numpy as np

        result = np.zeros((len(rows), self._dimension), dtype=np.float32)
        for position, row in enumerate(rows):
            if row is not None:
                result[position] = row
        if not np.isfinite(result).all():
            raise Unavailable(f"{self._endpoint.host} gave numbers that are not finite")
        norms = np.linalg.norm(result, axis=1, keepdims=True)
        unit: npt.NDArray[np.float32] = result / np.maximum(norms, 1e-12)
        return unit

    # -- asking ----------------------------------------------------------------------------------

    def _rows(self, texts: list[str], seconds: float, hurried: bool = False) -> list[Row]:
        most = self._most
        if len(texts) > most:
            parts = [texts[at : at + most] for at in range(0, len(texts), most)]
            return [row for part in parts for row in self._rows(part, seconds, hurried)]
        sent_dimension = self._send_dimension
        try:
            return [*self._ask(texts, seconds, hurried)]
        except Rejected as refusal:
            self._make_sure(texts, refusal, seconds)
        if sent_dimension != self._send_dimension:
            return self._rows(texts, seconds, hurried)
        if len(texts) == 1:
            return [self._shortened(texts[0], seconds)]
        middle = (len(texts) + 1) // 2
        return self._halves(texts, middle, seconds, hurried)

    def _halves(self, texts: list[str], middle: int, seconds: float, hurried: bool) -> list[Row]:
        """Ask for each half; when both are taken as they are, it was the number of texts."""
        before = self._refusals
        rows = self._rows(texts[:middle], seconds, hurried)
        rows += self._rows(texts[middle:], seconds, hurried)
        if self._refusals == before:
            self._most = min(self._most, middle)
        return rows

    _refusals = 0
    """Texts that were refused alone."""

    def _shortened(self, text: str, seconds: float) -> Row:
        """Return the vector of as much of a text as is taken; None when even little is refused."""
        with self._lock:
            self._refusals += 1
        while len(text) > SHORTEST_CHARS:
            text = text[: len(text) // 2]
            try:
                return self._ask([text], seconds)[0]
            except Rejected:
                continue
        return None

    def _make_sure(self, texts: list[str], refusal: Rejected, seconds: float) -> None:
        """Raise the refusal unless another text is taken: then it is about these texts.

        Tries without `dimensions`, which some models refuse, and remembers when that helps.
        """
        with self._lock:
            if self._has_answered and not isinstance(refusal, Stumbled):
                return
            alone = len(texts) == 1 and len(texts[0]) <= SHORTEST_CHARS
            forms = [self._send_dimension, False] if not alone else [False]
            for form in dict.fromkeys(forms):
                before, self._send_dimension = self._send_dimension, form
                try:
                    self._ask([_PROBE], seconds)
                    return
                except Rejected:
                    self._send_dimension = before
        raise refusal

    def _ask(self, texts: list[str], seconds: float, hurried: bool = False) -> list[list[float]]:
        body: dict[str, Any] = {
            "model": self._model,
            "input": [text or " " for text in texts],
            "encoding_format": "float",
        }
        if self._send_dimension:
            body["dimensions"] = self._dimension
        answer = self._endpoint.post(body, deadline_seconds=seconds, hurried=hurried)
        found = self._vectors(answer, len(texts))
        self._has_answered = True
        return found

    def _vectors(self, answer: Any, count: int) -> list[list[float]]:
        """Return the vectors of an answer in the order of the texts."""
        host = self._endpoint.host
        vectors: list[list[float] | None] = [None] * count
        for position, row in enumerate(rows_of(answer, "data", host)):
            index = row.get("index", position)
            vector = row.get("embedding")
            if not isinstance(index, int) or not 0 <= index < count:
                continue
            if isinstance(vector, list) and all(isinstance(v, (int, float)) for v in vector):
                vectors[index] = vector
        found = [vector for vector in vectors if vector is not None]
        if len(found) < count:
            raise Unavailable(f"{host} left out {count - len(found)} vectors")
        wrong = next((len(v) for v in found if len(v) != self._dimension), 0)
        if wrong:
            raise Unavailable(
                f"{self._model} gives {wrong} dimensions, {self._dimension} are configured",
                hint=f"set EMBEDDINGS_DIMENSIONS to {wrong}",
            )
        return found


def _cancel(waiting: dict[Future[list[Row]], list[int]]) -> None:
    for future in waiting:
        future.cancel()


def batched(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the positions of texts in batches that are bounded in texts and tokens."""
    count = EstimatedTokens().count
    batch: list[int] = []
    tokens = 0
    for index, text in enumerate(texts):
        size = count(text)
        if batch and (len(batch) >= BATCH_TEXTS or tokens + size > BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(index)
        tokens += size
    if batch:
        yield batch


def rows_of(answer: Any, name: str, host: str) -> list[dict[str, Any]]:
    """Return the list `name` of an answer. Raises: `Unavailable` when it is of another form."""
    rows = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise Unavailable(f"{host} answered without `{name}`", hint="check the URL")
    return [row for row in rows if isinstance(row, dict)]
