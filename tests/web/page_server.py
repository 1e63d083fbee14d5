"""The page over one workspace, as `tadoru serve` shows it: for tests of the page alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tadoru import Principal, TadoruError, Workspace
from tadoru.web.panels import panels

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "html": "text/html"}


def page_app(workspace: Workspace, *, operator: bool = False) -> Starlette:
    """Return an app with the page, its panels, and `as` for an operator."""

    async def page(request: Request) -> Response:
        name = request.path_params.get("asset", "index.html")
        asset = files("tadoru.web").joinpath("page", name)
        headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
        return Response(
            asset.read_bytes(), media_type=TYPES[name.rpartition(".")[2]], headers=headers
        )

    async def me(request: Request) -> Response:
        groups = sorted(workspace.principal.groups)
        who = {"name": "", "groups": groups, "operator": operator, "mounts": ["/"]}
        return JSONResponse(who)

    def panel(request: Request) -> Response:
        parameters = dict(request.query_params)
        asker = workspace
        if "as" in parameters and operator:
            groups = frozenset(parameters.pop("as").replace(" ", "").split(","))
            asker = workspace.seen_by(Principal(groups))
        try:
            return JSONResponse(panels[request.path_params["name"]].answer(asker, parameters))
        except TadoruError as error:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            return JSONResponse({"error": told}, 404 if error.code == "not_found" else 400)

    routes = [Route("/", page), Route("/page/{asset}", page), Route("/api/me", me)]
    return Starlette(routes=[*routes, Route("/api/panels/{name}", panel)])


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Run an app on a free port of loopback; yields its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        end = time.monotonic() + 20
        while not server.started:
            assert thread.is_alive() and time.monotonic() < end, "the server does not start"
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
