"""Where the service listens, and how: one process, one port, one thread for the network.

Refuses to listen beyond the loopback interface without authentication. Connections that send their
headers slowly are closed, which uvicorn alone does not do.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tadoru.config import ServeConfig
from tadoru.errors import BadInput, ConfigError
from tadoru.web.access import LOOPBACK, MAX_HEADER_BYTES

if TYPE_CHECKING:
    from tadoru.web.gate import Gate

IDLE_SECONDS = 15
"""A connection that is kept open for a next request waits so long for it."""
SIGNALS = (signal.SIGTERM, signal.SIGINT)
SWITCH_SECONDS = 0.001
"""How long a thread that computes may keep the network waiting (CPython's default is 0.005)."""
LEAVE_SECONDS = 10
"""For requests under way when the process is told to end."""


def check(config: ServeConfig, host: str) -> None:
    """Refuse what would let strangers in. Raises: `ConfigError`."""
    if host in LOOPBACK or config.issuer:
        if host in ("0.0.0.0", "::", "") and not (config.url or config.hosts):
            raise ConfigError(
                "no name of this service is known, so no Host header could be checked",
                hint="give --url https://tadoru.example.com, or `serve.hosts`",
            )
        return
    raise ConfigError(
        f"refusing to listen on {host or 'every interface'} without authentication: whoever "
        "reaches it could read every file",
        hint="set `serve.issuer`, `serve.audience` and `serve.keys`, or listen on 127.0.0.1",
    )


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that is bound. Raises: `BadInput` where that is impossible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # named as TCP, so that asyncio sets TCP_NODELAY: without it each answer waits 40 ms for an ACK
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise BadInput(
            f"cannot listen on {host}:{port}: {error.strerror or error}",
            hint="give another --port, or 0 for any",
        ) from None
    return listening


class PatientNoLonger(H11Protocol):
    """Closes a connection whose next request has begun and does not come to an end of its
    headers, or never begins."""

    receive_seconds = 10.0
    _since: float | None = None
    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()
        self._look_later()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def _look_later(self) -> None:
        self._watch = self.loop.call_later(self.receive_seconds / 4, self._look)

    def _look(self) -> None:
        served = self.cycle is not None and not self.cycle.response_complete
        now = self.loop.time()
        if served:
            self._since = None
        elif self._since is None:
            self._since = now
        limit = self.receive_seconds if self.cycle is None else IDLE_SECONDS
        if self._since is not None and now - self._since > limit:
            self.transport.close()
            return
        self._look_later()


def serve(
    app: Gate,
    listening: socket.socket,
    config: ServeConfig,
    *,
    certificate: str = "",
    key: str = "",
) -> None:
    """Serve until a signal ends it."""
    sys.setswitchinterval(SWITCH_SECONDS)
    protocol = type("Protocol", (PatientNoLonger,), {"receive_seconds": config.receive_seconds})
    more: dict[str, Any] = {}
    if certificate:
        more = {"ssl_certfile": certificate, "ssl_keyfile": key or None}
        more["ssl_version"] = ssl.PROTOCOL_TLS_SERVER
    settings = uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=config.connections,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES + 16 * 1024,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=LEAVE_SECONDS,
        **more,
    )
    _Server(settings).run(sockets=[listening])


class _Server(uvicorn.Server):
    """Ends by itself when it is told to, so that the command ends as any other."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {each: signal.signal(each, self.handle_exit) for each in SIGNALS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)
