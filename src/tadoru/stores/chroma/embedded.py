"""A collection of a directory on this machine, through Chroma's official client."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tadoru.errors import Unavailable
from tadoru.stores.chroma.address import Address
from tadoru.stores.chroma.collection import (
    ANSWER_SECONDS,
    AWAY_SECONDS,
    Away,
    Gone,
    Refused,
    Row,
    patiently,
)

_BUSY = ("locked", "busy")
"""Words of SQLite for a database that another process writes."""
_opening = threading.Lock()


def client_of(directory: str, *, create: bool = False) -> Any:
    """Return the client of a directory. Raises: `Unavailable` without the extra, or directory."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            import chromadb
            from chromadb.config import Settings
    except ImportError as error:
        raise Unavailable(
            "an embedded Chroma needs an optional part", hint="pip install 'tadoru[chroma]'"
        ) from error
    if not create and not (Path(directory) / "chroma.sqlite3").is_file():
        raise Gone(f"{directory} holds no Chroma database", hint="check the directory")
    with _opening:  # the client keeps one system per directory, and makes it without a lock
        try:
            return chromadb.PersistentClient(
                path=directory, settings=Settings(anonymized_telemetry=False)
            )
        except Exception as error:
            raise Refused(f"{directory} cannot be opened as a Chroma database: {error}") from error


class EmbeddedCollection:
    """A `Collection` of a directory."""

    def __init__(self, collection: Any, where: str) -> None:
        self._collection = collection
        self._where = where
        self.id = str(collection.id)
        self.space = str((collection.configuration_json.get("hnsw") or {}).get("space") or "l2")
        self.requests = 0

    @classmethod
    def open(cls, address: Address, *, create: bool = False) -> EmbeddedCollection:
        """Find a collection by name; `create`: make it when there is none.

        Raises: `Unavailable`, `Gone`, `Refused`.
        """
        client = client_of(address.where, create=create)
        try:
            if create:
                found = client.get_or_create_collection(
                    address.collection,
                    embedding_function=None,
                    configuration={"hnsw": {"space": "cosine"}},
                )
            else:
                found = client.get_collection(address.collection, embedding_function=None)
        except Exception as error:
            raise _translated(error, address.where) from error
        return cls(found, address.where)

    @property
    def dimension(self) -> int:
        return int(self._collection._model.dimension or 0)

    def get(
        self,
        *,
        include: Sequence[str],
        ids: Sequence[str] | None = None,
        where: Row | None = None,
        where_document: Row | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> dict[str, Any]:
        question: dict[str, Any] = {"include": list(include), "limit": limit, "offset": offset}
        question |= {"where": where, "where_document": where_document}
        if ids is not None:
            question["ids"] = list(ids)
        answer: dict[str, Any] = self._ask(lambda: self._collection.get(**question))
        return answer

    def count(self) -> int:
        return int(self._ask(self._collection.count))

    def query(self, vector: Sequence[float], n: int) -> dict[str, Any]:
        answer = self._ask(
            lambda: self._collection.query(
                query_embeddings=[list(vector)], n_results=n, include=["metadatas", "embeddings"]
            )
        )
        return {name: answer[name][0] for name in ("ids", "metadatas", "embeddings")}

    def add(
        self,
        ids: Sequence[str],
        documents: Sequence[str],
        metadatas: Sequence[Row],
        vectors: Sequence[Sequence[float]],
    ) -> None:
        rows = _rows(ids, documents, metadatas, vectors)
        self._ask(lambda: self._collection.add(**rows))

    def upsert(
        self,
        ids: Sequence[str],
        documents: Sequence[str],
        metadatas: Sequence[Row],
        vectors: Sequence[Sequence[float]],
    ) -> None:
        rows = _rows(ids, documents, metadatas, vectors)
        self._ask(lambda: self._collection.upsert(**rows))

    def delete(self, ids: Sequence[str], *, where: Row | None = None) -> None:
        self._ask(lambda: self._collection.delete(ids=list(ids), where=where))

    def _ask(self, ask: Any) -> Any:
        def once(_left: float) -> Any:
            self.requests += 1
            try:
                return ask()
            except Exception as error:
                raise _translated(error, self._where) from error

        return patiently(once, away=AWAY_SECONDS, answer=ANSWER_SECONDS)


def _rows(
    ids: Sequence[str],
    documents: Sequence[str],
    metadatas: Sequence[Row],
    vectors: Sequence[Sequence[float]],
) -> dict[str, Any]:
    return {
        "ids": list(ids),
        "documents": list(documents),
        "metadatas": [dict(row) for row in metadatas],
        "embeddings": [list(vector) for vector in vectors],
    }


def _translated(error: Exception, where: str) -> Unavailable | Refused:
    words = " ".join(str(error).split())[:200]
    if type(error).__name__ == "NotFoundError" or "does not exist" in words:
        return Gone(f"Chroma in {where}: {words}", hint="check the name of the collection")
    if any(word in words for word in _BUSY):
        return Away(f"Chroma in {where} is busy: {words}")
    return Refused(f"Chroma in {where}: {words}")
