"""Which requests a service of this name takes: headers, Host, Origin. Knows nothing of who asks.

A page elsewhere whose name was made to lead here (DNS rebinding) fails at Host; one that calls from
a browser fails at Origin. A name that nobody gave is refused, whatever it resolves to.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from tadoru.config import ServeConfig
from tadoru.web.identity import Refused

Scope = MutableMapping[str, Any]

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
MAX_HEADERS = 100
MAX_HEADER_BYTES = 32 * 1024
MAX_QUERY = 16 * 1024
ONCE = (b"host", b"authorization", b"origin", b"content-length", b"content-type")
"""Headers that two readers could understand differently when there are two of them."""
ALLOWED_HEADERS = "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name"
CLOSE = {"Connection": "close"}
"""What came of the request is not sure, so nothing further is read from this connection."""
OPEN = ("/healthz", "/openapi.json", "/", "/page", "/.well-known")
"""Routes that tell nothing of any file, and need no token."""


def header(scope: Scope, name: bytes) -> list[str]:
    """Return the values of a header; `name` in lower case."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def single(scope: Scope, name: bytes) -> str | None:
    """Return the value of a header that stands there once at most."""
    values = header(scope, name)
    return values[0] if values else None


class Access:
    """The names of a service, and the routes it has."""

    def __init__(
        self,
        config: ServeConfig,
        routes: Sequence[str],
        *,
        host: str,
        authenticated: bool,
    ) -> None:
        """`routes`: the paths that are served; `host`: what is listened on."""
        self._routes = frozenset(routes)
        self._authenticated = authenticated
        self._origins = frozenset(origin.rstrip("/").lower() for origin in config.origins)
        names = {name.lower() for name in config.hosts}
        if config.url:
            names.add(urlsplit(config.url).netloc.lower())
        if host not in ("", "0.0.0.0", "::"):
            names.add(_bare(host))
        if host in LOOPBACK:
            names |= LOOPBACK
        self._hosts = frozenset(names)

    def route(self, path: str) -> str:
        """Return what stands for a path in logs and counters: a route of ours, or `other`."""
        first = "/" + path.lstrip("/").partition("/")[0]
        if first in ("/page", "/.well-known"):
            return first
        return path if path in self._routes else "other"

    def is_public(self, route: str) -> bool:
        return route in OPEN

    def check_headers(self, scope: Scope) -> None:
        """Raises: `Refused` for too many headers, too long ones, and doubled ones."""
        rows = scope["headers"]
        size = sum(len(name) + len(value) for name, value in rows)
        if len(rows) > MAX_HEADERS or size > MAX_HEADER_BYTES:
            raise Refused(431, "headers", "the headers are too many or too long")
        if len(scope.get("query_string", b"")) > MAX_QUERY:
            raise Refused(414, "query", "the address is too long")
        both = header(scope, b"transfer-encoding") and header(scope, b"content-length")
        if both or any(len(header(scope, name)) > 1 for name in ONCE):
            raise Refused(400, "bad_request", "headers contradict each other", headers=CLOSE)

    def check_host(self, scope: Scope, route: str) -> None:
        """Raises: `Refused` for a name that is not ours.

        Probes of a cluster know an address only: what they ask tells nothing, or needs a token.
        """
        if route == "/healthz" or (route == "/metrics" and self._authenticated):
            return
        host = (single(scope, b"host") or "").lower()
        if host not in self._hosts and _bare(host) not in self._hosts:
            raise Refused(421, "host", "this service has another name")

    def check_origin(self, scope: Scope, route: str) -> None:
        """Raises: `Refused` for a page elsewhere that may not call."""
        origin = single(scope, b"origin")
        if origin is None:
            site = single(scope, b"sec-fetch-site")
            if site in ("cross-site", "same-site") and not self.is_public(route):
                raise Refused(403, "origin", "other sites may not call this service")
            return
        if not (self._is_own(origin, scope) or self._may_call(origin)):
            raise Refused(403, "origin", "other sites may not call this service")

    def _is_own(self, origin: str, scope: Scope) -> bool:
        host = (single(scope, b"host") or "").lower()
        try:
            parts = urlsplit(origin.lower())
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and bool(host) and parts.netloc == host

    def _may_call(self, origin: str) -> bool:
        return origin.lower() in self._origins

    def cors(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """Return the headers that let a page elsewhere read an answer; none by default."""
        origin = single(scope, b"origin")
        if origin is None or not self._may_call(origin):
            return []
        rows = {
            "access-control-allow-origin": origin,
            "vary": "Origin",
            "access-control-expose-headers": "www-authenticate, x-request-id, retry-after",
            "cross-origin-resource-policy": "cross-origin",
        }
        if scope["method"] == "OPTIONS":
            rows["access-control-allow-methods"] = "GET, POST"
            rows["access-control-allow-headers"] = ALLOWED_HEADERS
            rows["access-control-max-age"] = "600"
        return [(name.encode(), value.encode("latin-1")) for name, value in rows.items()]


def _bare(host: str) -> str:
    """Return a host without its port and without the brackets of IPv6."""
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        return name if bracket and (not port or _is_port(port)) else ""
    name, colon, port = host.partition(":")
    return name if not colon or _is_port(f":{port}") else host


def _is_port(text: str) -> bool:
    return text[:1] == ":" and text[1:].isascii() and text[1:].isdecimal()
