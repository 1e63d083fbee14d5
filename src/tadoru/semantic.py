"""The models that questions use: given, configured, or none; each made when first needed.

Decides whether a question may ask a model at all: an index without vectors needs no vector of the
question, and nothing of a root goes to a host without consent. What is left out is said in one line
for the answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from tadoru.config import ModelConfig
from tadoru.errors import TadoruError
from tadoru.indexing.vectors import Coverage
from tadoru.models.configured import (
    counter_of,
    destinations,
    embedder_of,
    is_configured,
    path_reranker_of,
    reranker_of,
)
from tadoru.types import LACKING, Principal

if TYPE_CHECKING:
    from tadoru.models.base import Embedder, Reranker, TokenCounter
    from tadoru.sources import LocalSource

T = TypeVar("T")


class Models:
    """The models of one workspace; all that see the same mounts share it."""

    def __init__(
        self,
        config: ModelConfig,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        counter: TokenCounter | None = None,
    ) -> None:
        """What is given here is used as it is, before what is configured."""
        self.config = config
        self.given_embedder = embedder
        self.given_reranker = reranker
        self.counter = counter or counter_of(config)
        self._made: dict[str, object] = {}
        self._lock = threading.Lock()

    def embedder_for(
        self, sources: Iterable[LocalSource], principal: Principal
    ) -> tuple[Embedder | None, str]:
        """Return the embedder for a question, and what the answer has to say about vectors."""
        if self.given_embedder is not None:
            return self.given_embedder, ""
        if not is_configured(self.config):
            return None, ""
        try:
            embedder = self._once("embedder", lambda: embedder_of(self.config))
        except TadoruError as error:
            return None, f"{LACKING}: {error.message}"
        if embedder is None:
            return None, ""
        sources = list(sources)
        found = together(coverages(sources, embedder.fingerprint, principal))
        lacking = found.files - found.seen
        if not lacking:
            return embedder, ""
        for source in sources:
            source.make_vectors(embedder)
        why = f"{lacking} of {found.files} files have no vectors yet: {found.reason}"
        if not found.seen:
            return None, f"{LACKING}: {why}"
        return embedder, f"semantic part incomplete: {why}"

    def reranker_for(self, sources: Iterable[LocalSource]) -> tuple[Reranker | None, str]:
        """Return the reranker for a question, and why the answer is without it."""
        if self.given_reranker is not None:
            return self.given_reranker, ""
        if not (self.config.rerank_base_url or self.config.rerank_dir):
            return None, ""
        try:
            reranker = self._once("reranker", lambda: reranker_of(self.config))
        except TadoruError as error:
            return None, f"reranking is left out: {error.message}"
        if reranker is None or all(source.vectors.may_rerank() for source in sources):
            return reranker, ""
        host = destinations(self.config).reranking
        return None, f"reranking is left out: nobody has agreed to send text to {host}"

    def path_reranker(self) -> Reranker | None:
        """Return what weighs candidate paths once more; None without one, or when it fails."""
        if self.given_reranker is not None or not self.config.resolve_model_dir:
            return self.given_reranker
        try:
            return self._once("paths", lambda: path_reranker_of(self.config))
        except TadoruError:
            return self._once("paths", lambda: None)

    def statistics(self, sources: Iterable[LocalSource], principal: Principal) -> dict[str, Any]:
        """Return how far somebody's files have vectors, for people."""
        try:
            embedder = self.given_embedder or self._once(
                "embedder", lambda: embedder_of(self.config)
            )
        except TadoruError as error:
            return {"recall": "lexical", "reason": error.message}
        if embedder is None:
            return {"recall": "lexical"}
        found = together(coverages(sources, embedder.fingerprint, principal))
        lines = {
            "recall": "lexical, semantic" if found.seen else "lexical",
            "model": embedder.fingerprint,
            "files_with_vectors": found.seen,
            "files_waiting": found.files - found.seen,
        }
        return {**lines, "reason": found.reason} if found.reason else lines

    def _once(self, name: str, make: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]  # type: ignore[return-value]


def coverages(
    sources: Iterable[LocalSource], fingerprint: str, principal: Principal
) -> list[Coverage]:
    """Return for each source how many of the files that somebody sees have vectors."""
    found = []
    for source in sources:
        access = frozenset(row.id for row in source.store.access_rows() if row.admits(principal))
        found.append(source.vectors.coverage(source.store, fingerprint, access))
    return found


def together(found: list[Coverage]) -> Coverage:
    reasons = dict.fromkeys(part.reason for part in found if part.reason)
    return Coverage(
        sum(part.files for part in found), sum(part.seen for part in found), "; ".join(reasons)
    )
