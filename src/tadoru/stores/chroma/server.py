"""A collection of a Chroma server, over its HTTP interface (v2), with deadlines.

The official client takes 740 ms and 70 MB to import, 130 ms to connect and 4 ms for what takes 1,
and waits for an answer without end; of its interface seven calls are needed here. The embedded
database is reached through the official client (`embedded`).
"""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

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

IDLE_CONNECTIONS = 8
MAX_ANSWER_BYTES = 512 * 1024 * 1024
_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which trying again may help."""
_SHOWN = 200
"""Characters of a server's own words that an error repeats."""


class Server:
    """Connections to one server, kept open and shared by threads."""

    def __init__(
        self,
        address: Address,
        *,
        away_seconds: float = AWAY_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        url = urlsplit(address.where)
        self._secure = url.scheme == "https"
        self._host, self._port = url.hostname or "", url.port or 0
        self.name = f"{self._host}:{self._port}"
        self._away, self._answer = away_seconds, answer_seconds
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token := address.token():
            self._headers |= {"X-Chroma-Token": token, "Authorization": f"Bearer {token}"}
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _close, self._idle)
        self.requests = 0
        """Requests sent so far, tries included."""

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Return the parsed answer. Raises: `Away` after the deadline, `Gone`, `Refused`."""
        data = None if body is None else json.dumps(body).encode()

        def once(left: float) -> Any:
            return self._once(method, path, data, max(0.05, left))

        return patiently(once, away=self._away, answer=self._answer)

    def _once(self, method: str, path: str, data: bytes | None, seconds: float) -> Any:
        with self._lock:
            self.requests += 1
            connection = self._idle.pop() if self._idle else None
        kept = connection is not None
        connection = connection or self._connect()
        try:
            status, answer = self._exchange(connection, method, path, data, seconds)
        except TimeoutError as error:
            connection.close()
            raise Away(
                f"Chroma at {self.name} took longer than {seconds:.0f} s to answer",
                hint="is the server overloaded?",
            ) from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            if kept:  # the server may have closed it long ago: once more, on a new one
                self._forget_idle()
                return self._once(method, path, data, seconds)
            raise Away(
                f"Chroma at {self.name} does not answer: {_words(error)}",
                hint="is the server running?",
            ) from error
        with self._lock:
            if len(self._idle) < IDLE_CONNECTIONS:
                self._idle.append(connection)
                connection = None
        if connection is not None:
            connection.close()
        return self._understood(status, answer)

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        data: bytes | None,
        seconds: float,
    ) -> tuple[int, bytes]:
        connection.timeout = seconds
        if connection.sock is not None:
            connection.sock.settimeout(seconds)
        connection.request(method, path, data, self._headers)
        response = connection.getresponse()
        answer = response.read(MAX_ANSWER_BYTES + 1)
        if len(answer) > MAX_ANSWER_BYTES:
            connection.close()
            raise Refused(f"Chroma at {self.name} sent more than an answer may have")
        return response.status, answer

    def _connect(self) -> http.client.HTTPConnection:
        if self._secure:
            return http.client.HTTPSConnection(
                self._host, self._port, context=ssl.create_default_context()
            )
        return http.client.HTTPConnection(self._host, self._port)

    def _forget_idle(self) -> None:
        with self._lock:
            idle = self._idle.copy()
            self._idle.clear()
        _close(idle)

    def _understood(self, status: int, answer: bytes) -> Any:
        try:
            value = json.loads(answer) if answer else None
        except ValueError:
            value = None
            if status < 400:
                raise Away(
                    f"{self.name} sent something that is no JSON", hint="is it Chroma?"
                ) from None
        if status < 400:
            return value
        said = value if isinstance(value, dict) else {}
        words = " ".join(str(said.get("message") or said.get("error") or "").split())[:_SHOWN]
        told = f"Chroma at {self.name} answers {status}{': ' if words else ''}{words}"
        if status == 404:
            raise Gone(told, hint="check the name of the collection")
        if status in (401, 403):
            raise Refused(told, hint="name the variable that holds the token: ?token_env=NAME")
        if status in _BUSY:
            raise Away(told, hint="is the server overloaded?")
        raise Refused(told)


def _close(connections: list[http.client.HTTPConnection]) -> None:
    for connection in connections:
        connection.close()


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


class ServerCollection:
    """A `Collection` of a server."""

    def __init__(self, server: Server, base: str, model: Mapping[str, Any]) -> None:
        self.server = server
        self.id = str(model["id"])
        self.dimension = int(model.get("dimension") or 0)
        self.space = _space(model)
        self._path = f"{base}/{quote(self.id, safe='')}"

    @classmethod
    def open(cls, server: Server, address: Address, *, create: bool = False) -> ServerCollection:
        """Find a collection by name; `create`: make it when there is none.

        Raises: `Away`, `Gone`, `Refused`.
        """
        tenant, database = quote(address.tenant, safe=""), quote(address.database, safe="")
        base = f"/api/v2/tenants/{tenant}/databases/{database}/collections"
        if create:
            settings = {"name": address.collection, "get_or_create": True,
                        "configuration": {"hnsw": {"space": "cosine"}}}  # fmt: skip
            return cls(server, base, server.ask("POST", base, settings))
        model = server.ask("GET", f"{base}/{quote(address.collection, safe='')}")
        return cls(server, base, model)

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
        question: dict[str, Any] = {"include": list(include), "offset": offset}
        for name, value in (("where", where), ("where_document", where_document)):
            if value is not None:
                question[name] = value
        if ids is not None:
            question["ids"] = list(ids)
        if limit is not None:
            question["limit"] = limit
        answer: dict[str, Any] = self.server.ask("POST", f"{self._path}/get", question)
        return answer

    def count(self) -> int:
        return int(self.server.ask("GET", f"{self._path}/count"))

    def query(self, vector: Sequence[float], n: int) -> dict[str, Any]:
        question = {
            "query_embeddings": [list(vector)],
            "n_results": n,
            "include": ["metadatas", "embeddings"],
        }
        answer = self.server.ask("POST", f"{self._path}/query", question)
        return {name: answer[name][0] for name in ("ids", "metadatas", "embeddings")}

    def add(
        self,
        ids: Sequence[str],
        documents: Sequence[str],
        metadatas: Sequence[Row],
        vectors: Sequence[Sequence[float]],
    ) -> None:
        rows = {"ids": ids, "documents": documents, "metadatas": metadatas, "embeddings": vectors}
        self.server.ask("POST", f"{self._path}/add", rows)

    def upsert(
        self,
        ids: Sequence[str],
        documents: Sequence[str],
        metadatas: Sequence[Row],
        vectors: Sequence[Sequence[float]],
    ) -> None:
        rows = {"ids": ids, "documents": documents, "metadatas": metadatas, "embeddings": vectors}
        self.server.ask("POST", f"{self._path}/upsert", rows)

    def delete(self, ids: Sequence[str], *, where: Row | None = None) -> None:
        question: dict[str, Any] = {"ids": list(ids)}
        if where is not None:
            question["where"] = where
        self.server.ask("POST", f"{self._path}/delete", question)


def _space(model: Mapping[str, Any]) -> str:
    """Return the measure of distances; `l2` is Chroma's own default."""
    configuration = model.get("configuration_json")
    hnsw = configuration.get("hnsw") if isinstance(configuration, dict) else None
    return str(hnsw.get("space") or "l2") if isinstance(hnsw, dict) else "l2"
