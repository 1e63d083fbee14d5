"""The seams for models: embedding, reranking, counting tokens.

A model may be absent or fail at any call; callers then go on without it and say so in the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PREPARATION = "text1"
"""How the indexer prepares what is embedded. A part of every fingerprint of ours: vectors of texts
that were prepared differently are not comparable."""


@runtime_checkable
class Embedder(Protocol):
    """Turns text into unit vectors."""

    @property
    def fingerprint(self) -> str:
        """Identifies weights, tokenizer, dimension and preparation: vectors of two fingerprints are
        never mixed."""
        ...

    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return unit vectors, shape (len(texts), dimension). `query`: questions, not documents.

        A document that the model refuses gets zeros. Raises: `Unavailable` when the model or its
        endpoint cannot answer.
        """
        ...


@runtime_checkable
class BatchEmbedder(Embedder, Protocol):
    """An embedder that hands over what is ready before the whole is done."""

    def encode_batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        """Yield positions and vectors of documents, a batch at a time, in any order.

        Raises: `Unavailable` when the endpoint fails, after what had been answered was yielded.
        """
        ...


@runtime_checkable
class Tokens(Embedder, Protocol):
    """An embedder that also tells the vectors of a text's tokens."""

    def tokens(self, text: str) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return unit vectors, shape (tokens, dimension), and how much each token weighs."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores documents against a question."""

    @property
    def name(self) -> str: ...

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        """Return one relevance in 0..1 per document, in their order.

        Raises: `Unavailable` when the model or its endpoint cannot answer.
        """
        ...


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens that a text costs a model."""

    @property
    def name(self) -> str:
        """Names the counter in answers: `estimate` or the tokenizer's own name."""
        ...

    def count(self, text: str) -> int: ...
