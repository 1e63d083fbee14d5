"""Runs one server for one client over stdio, and leaves when the client does.

stdout belongs to the protocol from the first moment: whatever a library prints while it loads goes
to stderr. Nothing heavy is loaded before `initialize` is answered; then the index is brought up to
date in the background, and answers say how far it is. Beside its client it answers hooks.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

GRACE_SECONDS = 2.0
"""Time for answers under way after the client left; the process must be gone after 3."""
POLL_SECONDS = 0.5


def serve(
    *,
    roots: Sequence[str],
    groups: Sequence[str],
    index: bool,
    yes: bool,
    tools: str = "tadoru",
    metrics: bool = False,
    client_roots: bool = True,
) -> int:
    """Serve until the client leaves. Raises: `TadoruError` when the roots cannot be served.

    `roots`: served unless the client offers directories of its own; `client_roots=False` takes
    none of these. `tools`: a name of `server.TOOLSETS`; `metrics`: write one JSON line per resolve
    to stderr.
    """
    wire = os.dup(1)
    os.dup2(2, 1)
    client = os.dup(0)
    leaving: list[Callable[[], None]] = []
    leave = partial(_leave, leaving)
    threading.Thread(target=_leave_with, args=(client, os.getppid(), leave), daemon=True).start()
    signal.signal(signal.SIGTERM, lambda number, _: leave(128 + number))

    from tadoru.mcp.shared import Shared
    from tadoru.roots import check_root

    names = [str(check_root(root, yes=yes)) for root in roots]
    shared = Shared(names, groups, index=index, yes=yes, metrics=metrics)
    leaving.append(shared.close)

    gc.disable()  # what is made while the SDK loads stays: looking through it costs 60 ms
    import anyio

    from tadoru.mcp.server import build

    server = build(
        shared.workspace,
        on_ready=shared.warm,
        on_roots=shared.take_roots if client_roots else None,
        expect_roots=shared.expect_roots if client_roots else None,
        tools=tools,
    )
    gc.freeze()
    gc.enable()
    sys.stdout.flush()
    os.dup2(wire, 1)
    os.close(wire)
    code = 0
    try:
        anyio.run(_over_stdio, server)
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        code = 0
    leave(code)
    return code


async def _over_stdio(server: Server[Any]) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _leave_with(client: int, parent: int, leave: Callable[[int], None]) -> None:
    """End the process soon after stdin is closed by its writer, or the parent is gone."""
    poller = select.poll()
    poller.register(client, getattr(select, "POLLRDHUP", 0))
    while True:
        gone = poller.poll(POLL_SECONDS * 1000)
        if gone:
            time.sleep(GRACE_SECONDS)
            leave(0)
        if os.getppid() != parent:
            leave(0)


def _leave(leaving: Sequence[Callable[[], None]], code: int) -> None:
    """End without waiting for threads; the index is safe at any moment (one transaction each)."""
    try:
        for step in leaving:
            step()
        sys.stderr.flush()
    finally:
        os._exit(code)
