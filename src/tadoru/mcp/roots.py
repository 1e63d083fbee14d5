"""The directories that a client works in, where it says so: asked for, and asked again on a change.

Clients of the handshake era offer `roots`; later protocols have dropped that. Decides which of
them can be served: directories of this machine.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import anyio.to_thread
from mcp_types import ListRootsRequest, ListRootsResult, NotificationParams

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

log = logging.getLogger(__name__)

Take = Callable[[Sequence[str]], None]
"""Serves these directories from now on; none when the client offers none that exist."""
ANSWER_SECONDS = 5.0


def offers_roots(params: Mapping[str, Any] | None) -> bool:
    """Tell whether a client says in `initialize` that it can be asked for its directories."""
    capabilities = (params or {}).get("capabilities")
    return isinstance(capabilities, Mapping) and isinstance(capabilities.get("roots"), Mapping)


def directories(result: ListRootsResult) -> list[str]:
    """Return the directories of this machine among what a client offers."""
    found: list[str] = []
    for root in result.roots:
        parts = urlsplit(str(root.uri))
        path = unquote(parts.path)
        local = parts.scheme == "file" and parts.netloc in ("", "localhost") and "\0" not in path
        if local and path and Path(path).is_dir():
            found.append(path)
    return list(dict.fromkeys(found))


async def ask_client(ctx: ServerRequestContext[Any, Any], take: Take) -> None:
    """Ask a client for its directories and serve them; without an answer nothing changes."""
    offered: list[str] = []
    try:
        with anyio.fail_after(ANSWER_SECONDS):
            result = await ctx.session.send_request(ListRootsRequest(), ListRootsResult)
        offered = directories(result)
    except Exception as error:  # of the client: what was to be served is served
        log.warning("the client does not tell its directories: %s", type(error).__name__)
    await anyio.to_thread.run_sync(take, offered)


def handlers(take: Take) -> Mapping[str, Any]:
    """Return what is to be done on a client's notifications, by their method."""

    async def changed(ctx: ServerRequestContext[Any, Any], params: NotificationParams) -> None:
        capabilities = ctx.session.client_capabilities
        if capabilities is not None and capabilities.roots is not None:
            await ask_client(ctx, take)

    return {"notifications/initialized": changed, "notifications/roots/list_changed": changed}
