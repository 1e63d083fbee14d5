"""A static embedder: the mean of one vector per token, from a folder as model2vec writes it.

The folder holds `model.safetensors` (a table `embeddings`, perhaps `weights` of tokens and a
`mapping` from token to row), `tokenizer.json` and perhaps `config.json`. No framework, no download.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tadoru.errors import Unavailable
from tadoru.models.base import PREPARATION
from tadoru.models.tokens import load_tokenizer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_TOKENS = 512
"""Of a text; model2vec's own default."""
BATCH = 256
TYPES = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "I8": "i1", "I32": "<i4", "I64": "<i8"}
"""Types of safetensors that tables of this kind use."""
MAX_HEADER = 100 * 1024 * 1024
"""Bytes; the bound of the format itself."""
HINT = "give a folder with model.safetensors and tokenizer.json"


class StaticEmbedder:
    """An `Embedder` from a model2vec folder. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        """Raises: `Unavailable` for a folder that holds no such model, or without the extra."""
        import numpy as np

        tensors, digest = read_safetensors(folder / "model.safetensors")
        table = tensors.get("embeddings")
        if table is None or table.ndim != 2:
            raise Unavailable(f"{folder} holds no table of embeddings", hint=HINT)
        self._table = table
        self._tokenizer = load_tokenizer(folder / "tokenizer.json")
        self._mapping = tensors.get("mapping")
        weights = tensors.get("weights")
        self._weights = None if weights is None else weights.astype(np.float32)
        rows = self._tokenizer.get_vocab_size() if self._mapping is None else len(self._mapping)
        if self._mapping is None and rows > len(table):
            raise Unavailable(
                f"{folder}: {rows} tokens, {len(table)} vectors", hint="the files do not belong"
            )
        self._unknown = _unknown(self._tokenizer)
        self._fingerprint = f"static:{digest}:{table.shape[1]}:{PREPARATION}"

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def dimension(self) -> int:
        return int(self._table.shape[1])

    def encode(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return unit vectors, float32, shape (len(texts), dimension); questions are as documents.

        A text without any known token gets zeros.
        """
        import numpy as np

        result = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            part = list(texts[start : start + BATCH])
            for row, ids in enumerate(self._ids(part), start):
                if ids:
                    result[row] = self._mean(np.array(ids))
        norms = np.linalg.norm(result, axis=1, keepdims=True)
        unit: npt.NDArray[np.float32] = result / np.maximum(norms, 1e-12)
        return unit

    def tokens(self, text: str) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return unit vectors of the known tokens, shape (tokens, dimension), and their weights."""
        import numpy as np

        ids = np.array(self._ids([text])[0], dtype=np.int64)
        vectors = self._vectors(ids)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        ones = np.ones(len(ids), dtype=np.float32)
        return vectors / np.maximum(norms, 1e-12), (
            ones if self._weights is None else self._weights[ids]
        )

    def _ids(self, texts: list[str]) -> list[list[int]]:
        found = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [
            [i for i in encoding.ids[: 2 * MAX_TOKENS] if i != self._unknown][:MAX_TOKENS]
            for encoding in found
        ]

    def _vectors(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        rows = ids if self._mapping is None else self._mapping[ids]
        vectors: npt.NDArray[np.float32] = self._table[rows].astype("float32")
        return vectors

    def _mean(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        vectors = self._vectors(ids)
        if self._weights is not None:
            vectors *= self._weights[ids][:, None]
        mean: npt.NDArray[np.float32] = vectors.mean(axis=0)
        return mean


def _unknown(tokenizer: Any) -> int:
    """Return the id of the token for unknown words, which says nothing; -1 without one."""
    name = getattr(tokenizer.model, "unk_token", None)
    found = tokenizer.token_to_id(name) if name else None
    return -1 if found is None else int(found)


def read_safetensors(path: Path) -> tuple[dict[str, npt.NDArray[Any]], str]:
    """Return the tensors of a file, and a digest of all of it.

    The format: 8 bytes of length, that much JSON, then the numbers
    (https://github.com/huggingface/safetensors#format). Raises: `Unavailable` for anything else.
    """
    import numpy as np

    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unavailable(f"cannot read {path}: {error.strerror}", hint=HINT) from None
    tensors: dict[str, npt.NDArray[Any]] = {}
    try:
        length = int.from_bytes(data[:8], "little")
        if length > MAX_HEADER:
            raise ValueError("header")
        for name, entry in json.loads(data[8 : 8 + length]).items():
            if name == "__metadata__" or entry["dtype"] not in TYPES:
                continue
            start, end = (8 + length + int(offset) for offset in entry["data_offsets"])
            numbers = np.frombuffer(data[start:end], dtype=TYPES[entry["dtype"]])
            tensors[name] = numbers.reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Unavailable(f"{path} is no safetensors file", hint=HINT) from None
    return tensors, blake2b(data, digest_size=8).hexdigest()
