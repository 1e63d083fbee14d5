"""The embedded model: one vector per piece of a word, added up. It ships with the package.

Numpy alone, no download, nothing leaves the process. A text counts each of its pieces by the
logarithm of how often it stands there, its first line (the place) more than the rest; how much a
piece counts differs between questions and texts. How it was made: `training/static`.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tadoru.errors import Unavailable
from tadoru.models.base import PREPARATION
from tadoru.models.subwords import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MODEL = Path(__file__).with_name("data") / "code.safetensors"
MAX_CHARS = 6_000
"""Of a text: more than the indexer ever prepares."""
MAX_HEADER = 1024 * 1024
HINT = "install tadoru again: a file of it is missing or broken"


class CodeEmbedder:
    """The `Embedder` that is used where none is configured. Threads may share it."""

    def __init__(self, path: Path = MODEL) -> None:
        """Map the table into memory. Raises: `Unavailable` for a file that is no such model."""
        import numpy as np

        try:
            metadata, tensors = _mapped(path)
            self._table = tensors["vectors"]
            self._asked = np.array(tensors["asked"])
            self._said = np.array(tensors["said"])
            self._place_share = float(metadata["place_share"])
            pieces = bytes(tensors["pieces"]).decode("utf-8").split("\n")
            self._fingerprint = f"{metadata['name']}:{self._table.shape[1]}:{PREPARATION}"
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
            raise Unavailable("the embedded model cannot be read", hint=HINT) from None
        if not len(pieces) == len(self._table) == len(self._asked) == len(self._said):
            raise Unavailable("the embedded model is not whole", hint=HINT)
        self._vocabulary = Vocabulary(pieces)

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def dimension(self) -> int:
        return int(self._table.shape[1])

    def encode(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return unit vectors, float32, shape (len(texts), dimension).

        A text without any known piece gets zeros.
        """
        import numpy as np

        result = np.zeros((len(texts), self.dimension), dtype=np.float32)
        shares = self._asked if query else self._said
        for row, text in enumerate(texts):
            counts = self._counts(text[:MAX_CHARS], query=query)
            if counts:
                ids = np.fromiter(counts, np.intp, len(counts))
                weights = np.fromiter(map(math.log1p, counts.values()), np.float32, len(counts))
                result[row] = (weights * shares[ids]) @ self._table[ids].astype(np.float32)
        norms = np.sqrt(np.einsum("ij,ij->i", result, result))[:, None]
        unit: npt.NDArray[np.float32] = result / np.maximum(norms, 1e-12)
        return unit

    def _counts(self, text: str, *, query: bool) -> dict[int, float]:
        """Return how much each piece of a text stands in it; the place counts more."""
        if query:
            return dict(self._vocabulary.counts(text))
        place, _, body = text.partition("\n")
        counts: Counter[int] = self._vocabulary.counts(body)
        total: dict[int, float] = dict(counts)
        for piece, count in self._vocabulary.counts(place).items():
            total[piece] = total.get(piece, 0.0) + self._place_share * count
        return total


def _mapped(path: Path) -> tuple[dict[str, str], dict[str, npt.NDArray[Any]]]:
    """Return metadata and tensors of a safetensors file, read from disk when they are touched.

    Raises: `OSError`, `ValueError`, `KeyError` or `TypeError` for anything else.
    """
    import numpy as np

    data = np.memmap(path, dtype=np.uint8, mode="r")
    length = int.from_bytes(data[:8].tobytes(), "little")
    if length > MAX_HEADER:
        raise ValueError("header")
    header = json.loads(data[8 : 8 + length].tobytes())
    types = {"I8": "i1", "F32": "<f4", "U8": "u1"}
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = (8 + length + int(offset) for offset in entry["data_offsets"])
            tensors[name] = np.asarray(data[start:end]).view(types[entry["dtype"]])
            tensors[name] = tensors[name].reshape(entry["shape"])
    return header["__metadata__"], tensors
