"""Vectors that are a part of the index, where the model is as fast as reading.

They are made by whoever takes a file apart, and written with it. A model that cannot be loaded
gives none; the run that makes missing vectors says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tadoru.config import ModelConfig
from tadoru.errors import TadoruError
from tadoru.indexing.prepare import embedded_text, is_left_out
from tadoru.models.configured import embedder_of, is_instant
from tadoru.types import Chunk, Role

if TYPE_CHECKING:
    from tadoru.models.base import Embedder
    from tadoru.stores.sqlite.records import FileVectors


def instant_part(models: ModelConfig) -> ModelConfig | None:
    """Return what a worker has to know, and no key; None where vectors are made later or never."""
    if not is_instant(models):
        return None
    return ModelConfig(embedded=models.embedded, embeddings_dir=models.embeddings_dir)


def instant_embedder(models: ModelConfig | None) -> Embedder | None:
    """Return the embedder that `instant_part` names."""
    try:
        return embedder_of(models) if models is not None else None
    except TadoruError:
        return None


def vectors_of(
    embedder: Embedder, path: str, role: Role, chunks: Sequence[Chunk], text: str
) -> FileVectors:
    """Return the vectors of a file's chunks; `text`: decoded."""
    import numpy as np

    from tadoru.stores.sqlite.vecpack import pack_vectors

    if not chunks or is_left_out(role, path):
        return pack_vectors(embedder.fingerprint, np.zeros((0, embedder.dimension), np.float32))
    texts = [embedded_text(chunk, text) for chunk in chunks]
    return pack_vectors(embedder.fingerprint, embedder.encode(texts))
