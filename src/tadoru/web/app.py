"""The ASGI application: its routes, and what each of them is handed. Listens to nothing itself.

MCP is another face: its application is handed in. Everything stands behind the gate.
"""

from __future__ import annotations

import json
import logging
import mimetypes
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tadoru.config import ServeConfig
from tadoru.web.access import Access
from tadoru.web.api import Api, failed, written
from tadoru.web.askers import Askers, LocalPerson
from tadoru.web.gate import Gate
from tadoru.web.identity import Refused
from tadoru.web.log import AccessLog, FaultLog
from tadoru.web.metrics import Metrics
from tadoru.web.openapi import document
from tadoru.web.operations import operations
from tadoru.web.panels import panels
from tadoru.web.tokens import open_tokens
from tadoru.web.workers import Workers

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

MCP = "/mcp"
METADATA = "/.well-known/oauth-protected-resource"
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
MAX_ASSET = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Service:
    """What all routes share."""

    askers: Askers
    workers: Workers
    metrics: Metrics
    config: ServeConfig
    url: str
    """What clients call this service, without a slash at the end."""
    authenticated: bool

    def close(self) -> None:
        self.workers.close()
        self.askers.close()


def open_service(workspace: Workspace, *, at: str) -> Service:
    """Return what serves a workspace, as its configuration says. `at`: the URL that is listened
    on, which is its name unless the configuration has another.
    """
    config = workspace.config.serve
    metrics = Metrics(lambda: workspace.lookups)
    return Service(
        askers=Askers(workspace),
        workers=Workers.of(config.threads, metrics.call),
        metrics=metrics,
        config=config,
        url=config.url.rstrip("/") or at,
        authenticated=bool(config.issuer),
    )


def build(
    service: Service,
    mcp: Starlette,
    *,
    secret: bytes,
    host: str,
    groups: frozenset[str] = frozenset(),
    log: Callable[[str], Any] | None = None,
) -> Gate:
    """Return the application. `mcp`: answers `/mcp`; `groups`: of the local person."""
    routes = [*_open_routes(service), *_api_routes(service, secret), *_only_asked(mcp)]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.workers.pool.submit(service.askers.warm)
        async with mcp.router.lifespan_context(mcp):
            yield
        service.close()

    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={404: _missing})
    app.router.redirect_slashes = False
    access = Access(
        service.config,
        [route.path for route in routes if isinstance(route, Route)],
        host=host,
        authenticated=service.authenticated,
    )
    written_to = AccessLog(secret, log)
    logging.getLogger("tadoru").addHandler(FaultLog(written_to))
    return Gate(
        app,
        service.config,
        access=access,
        authenticator=_authenticator(service, groups),
        metrics=service.metrics,
        log=written_to,
    )


def _only_asked(mcp: Starlette) -> list[Route]:
    """Return the routes of MCP without streams that stay open: nothing is told unasked."""
    return [
        Route(route.path, route.endpoint, methods=["POST"])
        for route in mcp.routes
        if isinstance(route, Route)
    ]


def _authenticator(service: Service, groups: frozenset[str]) -> Any:
    if not service.authenticated:
        return LocalPerson(groups)
    return open_tokens(service.config, metadata=f"{service.url}{METADATA}{MCP}")


def _open_routes(service: Service) -> list[Route]:
    described = written(
        document(
            operations().values(),
            panels.values(),
            url=service.config.url,
            authenticated=service.authenticated,
        )
    )

    async def healthz(request: Request) -> Response:
        return Response("ok\n", media_type="text/plain")

    async def openapi(request: Request) -> Response:
        return Response(described, media_type="application/json")

    async def metrics(request: Request) -> Response:
        return Response(service.metrics.text(), media_type=service.metrics.content_type)

    async def page(request: Request) -> Response:
        return _asset("index.html")

    async def asset(request: Request) -> Response:
        return _asset(request.path_params["asset"])

    async def metadata(request: Request) -> Response:
        if not service.authenticated:
            return _missing(request, None)
        place = request.url.path.removeprefix(METADATA)
        told = {
            "resource": f"{service.url}{place}",
            "authorization_servers": [service.config.issuer],
            "scopes_supported": list(service.config.scopes),
            "bearer_methods_supported": ["header"],
            "resource_name": "tadoru",
        }
        return Response(json.dumps(told), media_type="application/json")

    return [
        Route("/", page),
        Route("/page/{asset}", asset),
        Route("/healthz", healthz),
        Route("/metrics", metrics),
        Route("/openapi.json", openapi),
        Route(METADATA, metadata),
        Route(METADATA + MCP, metadata),
    ]


def _api_routes(service: Service, secret: bytes) -> list[Route]:
    api = Api(
        service.askers,
        service.workers,
        secret=secret,
        max_answer_bytes=service.config.max_answer_bytes,
    )
    return [
        Route("/api/me", api.me),
        *(Route(o.route, api.operation(o), methods=["POST"]) for o in operations().values()),
        *(Route(f"/api/panels/{name}", api.panel(panel)) for name, panel in panels.items()),
    ]


@lru_cache(maxsize=64)
def _bytes_of(name: str) -> bytes | None:
    """Return a file of the page; None for what is none of it, whatever it is called."""
    place = files("tadoru.web").joinpath("page")
    for file in place.iterdir():
        if file.name == name and file.is_file():
            return file.read_bytes()[:MAX_ASSET]
    return None


def _asset(name: str) -> Response:
    body = _bytes_of(name)
    if body is None or name.startswith("."):
        return failed(Refused(404, "not_found", "there is no such page"))
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    headers = {"content-security-policy": PAGE_POLICY, "cache-control": "no-cache"}
    return Response(body, media_type=kind, headers=headers)


def _missing(request: Request, error: Exception | None) -> Response:
    return failed(Refused(404, "not_found", "there is nothing at this address"))
