"""The gate in front of every route: what a request must be before anything looks into it.

In this order: sane headers, a Host that is ours, an Origin that may call, a token, limits, a body
that comes in time and is not too large. After it: a deadline for all the rest, headers that tie a
browser's hands, and one line of the log. Knows nothing of tools.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qsl

from tadoru.config import ServeConfig
from tadoru.deadline import Deadline
from tadoru.types import Principal
from tadoru.web.access import CLOSE, Access, single
from tadoru.web.identity import ASKER, Asker, Identity, Refused
from tadoru.web.limits import Limits
from tadoru.web.log import METHODS, AccessLog
from tadoru.web.metrics import Metrics

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SEND_SECONDS = 30.0
"""Beyond the deadline of a request, for a reader that takes its answer slowly."""
NO_PAGE = "default-src 'none'; frame-ancestors 'none'"
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
    "content-security-policy": NO_PAGE,
}
"""Of every answer, unless a route says otherwise."""


class Authenticator(Protocol):
    """Tells who a request is from by its Authorization header."""

    async def identity(self, header: str | None) -> Identity:
        """Raises: `Refused`."""
        ...


@dataclass(slots=True)
class _Passage:
    """One request on its way, and what is noted of it."""

    scope: Scope
    route: str
    began: float = field(default_factory=time.perf_counter)
    identity: Identity | None = None
    asker: Asker | None = None
    status: int = 0
    sent: int = 0
    reason: str = ""


class Gate:
    """The outermost ASGI application."""

    def __init__(
        self,
        app: App,
        config: ServeConfig,
        *,
        access: Access,
        authenticator: Authenticator,
        metrics: Metrics,
        log: AccessLog,
    ) -> None:
        self._app = app
        self._config = config
        self._access = access
        self._authenticator = authenticator
        self._limits = Limits(config)
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        passage = _Passage(scope, self._access.route(scope["path"]))
        with self._metrics.under_way.track_inprogress():
            try:
                await self._pass(passage, receive, self._noted(passage, send))
            finally:
                self._finish(passage)

    async def _pass(self, passage: _Passage, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self._config.receive_seconds):
                body = await self._admitted(passage, receive)
        except Refused as refusal:
            await self._refuse(passage, refusal, send)
            return
        except TimeoutError:
            late = Refused(408, "slow", "the request did not come in time", headers=CLOSE)
            await self._refuse(passage, late, send)
            return
        if passage.scope["method"] == "OPTIONS":
            await _respond(send, 204, b"")
            return
        asker = passage.asker
        if asker is None:
            await self._app(passage.scope, _replay(body, receive), send)
            return
        token = ASKER.set(asker)
        watching = asyncio.create_task(_stop_when_left(receive, asker.deadline))
        try:
            async with asyncio.timeout(asker.deadline.seconds + SEND_SECONDS):
                await self._app(passage.scope, _replay(body, receive), send)
        except TimeoutError:
            passage.reason = "deadline"
            if not passage.status:
                late = Refused(504, "deadline", "the request took too long")
                await self._refuse(passage, late, send)
        finally:
            watching.cancel()
            ASKER.reset(token)

    async def _admitted(self, passage: _Passage, receive: Receive) -> bytes:
        """Let a request in and return its body. Raises: `Refused`."""
        scope, access = passage.scope, self._access
        access.check_headers(scope)
        access.check_host(scope, passage.route)
        access.check_origin(scope, passage.route)
        if scope["method"] == "OPTIONS":
            return b""
        if access.is_public(passage.route):
            return await self._body(scope, receive, 0)
        if passage.route == "/metrics" and self._shows_token(scope):
            return await self._body(scope, receive, 0)
        authorization = single(scope, b"authorization")
        passage.identity = identity = await self._authenticator.identity(authorization)
        slot = self._limits.admit(identity)
        deadline = Deadline(self._config.deadline_seconds)
        passage.asker = Asker(identity, Principal(identity.groups), deadline, slot)
        passage.asker.principal = _seen_as(identity, scope)
        if passage.route == "/metrics" and not identity.operator:
            raise forbidden()
        return await self._body(scope, receive, self._config.max_body_bytes)

    def _shows_token(self, scope: Scope) -> bool:
        given = single(scope, b"authorization") or ""
        wanted = f"Bearer {self._config.metrics_token}"
        return bool(self._config.metrics_token) and hmac.compare_digest(
            given.encode(), wanted.encode()
        )

    async def _body(self, scope: Scope, receive: Receive, limit: int) -> bytes:
        """Return the whole body. Raises: `Refused` as soon as it is known to be too large."""
        declared = single(scope, b"content-length") or "0"
        if not declared.isdecimal() or len(declared) > 18:
            raise Refused(400, "bad_request", "not a length of a body", headers=CLOSE)
        if int(declared) > limit:
            raise _too_large(limit)
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Refused(400, "bad_request", "the client left")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            more = message.get("more_body", False)
            if size > limit:
                raise _too_large(limit)
        return b"".join(parts)

    def _noted(self, passage: _Passage, send: Send) -> Send:
        """Return what sends, adds the headers of every answer, and notes status and size."""
        extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        extra.append((b"x-request-id", secrets.token_hex(8).encode()))
        extra += self._access.cors(passage.scope)
        if self._config.url.startswith("https://"):
            extra.append((b"strict-transport-security", b"max-age=31536000"))

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                passage.status = message["status"]
                given = {name.lower() for name, _ in message.get("headers", ())}
                added = [row for row in extra if row[0] not in given]
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            elif message["type"] == "http.response.body":
                size = len(message.get("body", b""))
                passage.sent += size
                if passage.asker is not None:
                    passage.asker.slot.sent(size)
            await send(message)

        return noted

    async def _refuse(self, passage: _Passage, refusal: Refused, send: Send) -> None:
        passage.reason = refusal.code
        self._metrics.refused(refusal.code)
        await _respond(send, refusal.status, error_body(refusal), refusal.headers)

    def _finish(self, passage: _Passage) -> None:
        asker = passage.asker
        if asker is not None:
            asker.deadline.cancel()
            asker.slot.release()
        seconds = time.perf_counter() - passage.began
        self._metrics.request(passage.route, passage.status, seconds, passage.sent)
        method = passage.scope["method"]
        line: dict[str, Any] = {
            "method": method if method in METHODS else "other",
            "route": passage.route,
            "status": passage.status,
            "ms": round(seconds * 1000, 1),
            "bytes": passage.sent,
            "who": self._log.who(passage.identity),
        }
        if asker is not None and asker.tool:
            line["tool"] = asker.tool
        if passage.reason:
            line["refused"] = passage.reason
        self._log.line(**line)


async def _stop_when_left(receive: Receive, deadline: Deadline) -> None:
    """End the work for a client that has left: its threads stop at their next look."""
    while (await receive())["type"] != "http.disconnect":
        continue
    deadline.cancel()


def error_body(refusal: Refused) -> bytes:
    """Return an error as every route words it."""
    error = {"code": refusal.code, "message": refusal.message, "hint": refusal.hint}
    return json.dumps({"error": error}).encode()


def forbidden() -> Refused:
    return Refused(403, "forbidden", "this is for operators of the service")


def _too_large(limit: int) -> Refused:
    return Refused(413, "too_large", f"the body has more than {limit:,} bytes", headers=CLOSE)


def _seen_as(identity: Identity, scope: Scope) -> Principal:
    """Return as whom somebody sees: as himself, or as operators ask. Raises: `Refused`."""
    query = scope.get("query_string", b"").decode("latin-1")
    given = [value for name, value in parse_qsl(query, keep_blank_values=True) if name == "as"]
    if not given:
        return Principal(identity.groups)
    if not identity.operator:
        raise forbidden()
    names = (name.strip() for name in ",".join(given).split(","))
    return Principal(frozenset(name for name in names if name))


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read already, and then what else comes."""
    first = True

    async def replay() -> Message:
        nonlocal first
        if first:
            first = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replay


async def _respond(
    send: Send, status: int, body: bytes, headers: Mapping[str, str] | None = None
) -> None:
    rows = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
    listed = [
        (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in rows.items()
    ]
    with suppress(OSError):
        await send({"type": "http.response.start", "status": status, "headers": listed})
        await send({"type": "http.response.body", "body": body})
