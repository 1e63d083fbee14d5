"""The vectors of one file as bytes: signs to choose by, and small integers to score by.

A number keeps its sign and one of 16 sizes, relative to the largest of its vector: the vector turns
by less than four degrees, and packed, 256 numbers take 140 bytes where a byte each takes 256. Signs
stand apart, for a search reads those of all chunks and the rest of only a few files.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import zstandard

from tadoru.stores.sqlite.records import FileVectors

LEVELS = 15
"""The largest size of a number; each doubling costs a bit of space for each number."""
_SCALE = np.dtype("<f4")

Codes = tuple["npt.NDArray[np.int8]", "npt.NDArray[np.float64]"]
"""Codes, int8, (n, d), and the scale of each row; a row that was all zeros has the scale 0."""


def pack_vectors(fingerprint: str, vectors: npt.NDArray[np.float32]) -> FileVectors:
    """Pack the unit vectors of a file's chunks, float32, (n, d), in their order.

    Zeros stand for a chunk without a vector.
    """
    count, dimension = vectors.shape
    if not count:
        return FileVectors(fingerprint, dimension, b"", b"")
    scales = (np.abs(vectors).max(axis=1) / LEVELS).astype(_SCALE)
    divisors = np.where(scales > 0, scales, 1)[:, None]
    sizes = np.rint(np.abs(vectors) / divisors).clip(0, LEVELS).astype(np.uint8)
    signs = np.packbits(vectors > 0, axis=1)
    packed = zstandard.ZstdCompressor(level=1).compress(sizes.tobytes())
    return FileVectors(fingerprint, dimension, signs.tobytes(), scales.tobytes() + packed)


def sign_bytes(dimension: int) -> int:
    """Return the bytes that the signs of one vector take."""
    return (dimension + 7) // 8


def unpack_codes(dimension: int, signs: bytes, codes: bytes) -> Codes:
    """Return the codes of a file's chunks and their scales. Raises: `ValueError` when damaged."""
    width = sign_bytes(dimension)
    count = len(signs) // width
    scales = np.frombuffer(codes, dtype=_SCALE, count=count).astype(np.float64)
    try:
        data = zstandard.ZstdDecompressor().decompress(
            codes[count * _SCALE.itemsize :], max_output_size=count * dimension
        )
    except zstandard.ZstdError as error:
        raise ValueError("damaged vectors") from error
    sizes = np.frombuffer(data, dtype=np.int8).reshape(count, dimension)
    rows = np.frombuffer(signs, dtype=np.uint8).reshape(count, width)
    positive = np.unpackbits(rows, axis=1, count=dimension).view(np.int8)
    return sizes * (2 * positive - 1), scales
