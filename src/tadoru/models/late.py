"""Late interaction: each token of a question finds its best match among a document's tokens.

MaxSim, as ColBERT has it (Khattab and Zaharia 2020), over the tokens of a model2vec or ONNX folder:
no download. Off unless a folder is configured, for paths (`RESOLVE_MODEL_DIR`) or for search
(`rerank_dir`). What a document's tokens are is remembered by its text; where the model is slow they
are made in a thread, and a question that comes before goes without, for it waits for nothing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.errors import ConfigError, Unavailable
from tadoru.models.configured import tokens_of
from tadoru.models.onnx import onnx_file

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32] | npt.NDArray[np.int8]

PRECISIONS = ("int8", "float32")
WARM_UP = "src/app.py"
KEPT_BYTES = 64 * 1024 * 1024
"""Vectors of documents' tokens that are remembered: 600 passages of a small transformer."""


class LateInteraction:
    """A `Reranker` of paths and passages. Threads may share it."""

    def __init__(self, folder: Path, precision: str = "int8") -> None:
        """Load and warm up. `precision`: of the tokens that are compared.

        Raises: `ConfigError` for an unknown precision, `Unavailable` for a folder that holds no
        such model.
        """
        if precision not in PRECISIONS:
            raise ConfigError(
                f"unknown precision of a model: {precision!r}",
                hint=f"one of {', '.join(PRECISIONS)}",
            )
        self._model = tokens_of(folder)
        self._precision = precision
        self._is_slow = onnx_file(folder) is not None
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, Vectors] = OrderedDict()
        self._bytes = 0
        self._wanted: OrderedDict[bytes, str] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._model.tokens(WARM_UP)

    @property
    def name(self) -> str:
        return f"late:{self._model.fingerprint}:{self._precision}"

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        """Return the mean best cosine of the question's tokens, 0..1, for each document.

        A token that is more important to the model counts more. Without a known token: 0.
        Raises: `Unavailable` while the tokens of a document are being made.
        """
        known = self._known(documents)
        asked, shares = self._model.tokens(question)
        total = float(shares.sum())
        if total <= 0:
            return [0.0] * len(documents)
        return [_maxsim(self._floats(self._rounded(asked)), shares, self._floats(k)) for k in known]

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is being made, and tell whether that is so."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
        return thread is None or not thread.is_alive()

    def _known(self, documents: Sequence[str]) -> list[Vectors]:
        """Return the tokens of documents; make them, here where the model is fast."""
        keys = [blake2b(d.encode("utf-8", "replace"), digest_size=16).digest() for d in documents]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
        missing = {k: d for k, d in zip(keys, documents, strict=True) if k not in found}
        if missing and self._is_slow:
            self._make_later(missing)
            raise Unavailable(f"vectors of {len(missing)} candidates are being made")
        for key, document in missing.items():
            found[key] = self._make(key, document)
        return [found[key] for key in keys]

    def _make(self, key: bytes, document: str) -> Vectors:
        vectors = self._rounded(self._model.tokens(document)[0])
        with self._lock:
            if key not in self._kept:
                self._kept[key] = vectors
                self._bytes += vectors.nbytes
            while self._bytes > KEPT_BYTES and len(self._kept) > 1:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.nbytes
        return vectors

    def _make_later(self, documents: dict[bytes, str]) -> None:
        """Let a thread make the tokens of these documents; those of the last question first."""
        with self._lock:
            self._wanted = OrderedDict(documents)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._wanted:
                    self._thread = None
                    return
                key, document = self._wanted.popitem(last=False)
                if key in self._kept:
                    continue
            try:
                self._make(key, document)
            except Unavailable:
                continue  # this one stays without, and the question says so again

    def _rounded(self, vectors: npt.NDArray[np.float32]) -> Vectors:
        """Return unit vectors as this precision keeps them."""
        import numpy as np

        if self._precision == "float32":
            return vectors
        rounded: npt.NDArray[np.int8] = np.round(vectors * 127).astype(np.int8)
        return rounded

    def _floats(self, vectors: Vectors) -> npt.NDArray[np.float32]:
        import numpy as np

        if self._precision == "float32":
            return vectors.astype(np.float32, copy=False)
        floats: npt.NDArray[np.float32] = vectors.astype(np.float32) / np.float32(127)
        return floats


def _maxsim(
    asked: npt.NDArray[np.float32],
    shares: npt.NDArray[np.float32],
    said: npt.NDArray[np.float32],
) -> float:
    """Return the mean best cosine of the question's tokens, weighed by their shares."""
    if not len(said):
        return 0.0
    mean = float(((asked @ said.T).max(axis=1) * shares).sum()) / float(shares.sum())
    return min(1.0, max(0.0, mean))
