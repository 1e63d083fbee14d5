"""Write the trained table as the file that ships: int8 rows, a scale for each, and the pieces."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

NAME = "tadoru-code"

Floats = npt.NDArray[np.float32]


def quantised(vectors: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Return int8 rows and the scale of each, float32; the largest number of a row becomes 127."""
    scales = np.abs(vectors).max(axis=1) / 127
    rows = np.rint(vectors / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    return rows, scales.astype(np.float32)


def write(
    path: Path, pieces: Sequence[str], vectors: Floats, asked: Floats, said: Floats,
    place_share: float,
) -> str:  # fmt: skip
    """Write a safetensors file; return its SHA-256. `asked`, `said`: what a piece counts, (n,).

    The name of the model holds a part of the hash of its numbers, so that vectors of two models
    are never mixed.
    """
    rows, scales = quantised(vectors)
    tensors = {
        "asked": ("F32", (asked * scales).astype("<f4")),
        "said": ("F32", (said * scales).astype("<f4")),
        "vectors": ("I8", rows),
        "pieces": ("U8", np.frombuffer("\n".join(pieces).encode("utf-8"), dtype=np.uint8)),
    }
    digest = hashlib.sha256(b"".join(array.tobytes() for _, array in tensors.values())).hexdigest()
    header: dict[str, object] = {
        "__metadata__": {"name": f"{NAME}-{digest[:12]}", "place_share": str(place_share)}
    }
    at = 0
    for name, (kind, array) in tensors.items():
        end = at + array.nbytes
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    data = len(text).to_bytes(8, "little") + text
    data += b"".join(array.tobytes() for _, array in tensors.values())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()
