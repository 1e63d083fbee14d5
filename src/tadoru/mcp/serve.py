"""Runs one server for one client over stdio, and leaves when the client does.

stdout belongs to the protocol from the first moment: whatever a library prints while it loads goes
to stderr. Nothing heavy is loaded before `initialize` is answered; then the index is brought up to
date in the background, and answers say how far it is. Beside its client it answers hooks.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tadoru.mcp.listen import Listener
    from tadoru.workspace import Workspace

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
) -> int:
    """Serve until the client leaves. Raises: `TadoruError` when the roots cannot be served.

    `tools`: a name of `server.TOOLSETS`; `metrics`: write one JSON line per resolve to stderr.
    """
    wire = os.dup(1)
    os.dup2(2, 1)
    client = os.dup(0)
    leaving: list[Callable[[], None]] = []
    leave = partial(_leave, leaving)
    threading.Thread(target=_leave_with, args=(client, os.getppid(), leave), daemon=True).start()
    signal.signal(signal.SIGTERM, lambda number, _: leave(128 + number))

    from tadoru.sources import check_root

    names = [str(check_root(root, yes=yes)) for root in roots]
    shared = _Shared(names, groups, index=index, yes=yes, metrics=metrics)
    leaving.append(shared.close)

    import anyio

    from tadoru.mcp.server import build

    server = build(shared.workspace, roots=names, on_ready=shared.warm, tools=tools)
    sys.stdout.flush()
    os.dup2(wire, 1)
    os.close(wire)
    code = 0
    try:
        anyio.run(server.run_stdio_async)
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        code = 0
    leave(code)
    return code


class _Shared:
    """The one workspace of this process, opened by whoever needs it first."""

    def __init__(
        self,
        roots: Sequence[str],
        groups: Sequence[str],
        *,
        index: bool,
        yes: bool,
        metrics: bool,
    ) -> None:
        self._roots = roots
        self._groups = groups
        self._index = index
        self._yes = yes
        self._metrics = metrics
        self._listener: Listener | None = None
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None
        self._warmed = False

    def workspace(self) -> Workspace:
        with self._lock:
            if self._workspace is None:
                import tadoru

                principal = tadoru.Principal(frozenset(self._groups)) if self._groups else None
                open_ = partial(tadoru.open, principal=principal, index=self._index, yes=self._yes)
                one = len(self._roots) == 1
                opened = open_(self._roots[0]) if one else open_(roots=self._roots)
                opened.on_measure = _write_record if self._metrics else None
                self._workspace = opened
            return self._workspace

    def warm(self) -> None:
        """Begin to index in the background, once."""
        if self._warmed:
            return
        self._warmed = True
        threading.Thread(target=self._bring_up_to_date, daemon=True).start()

    def _bring_up_to_date(self) -> None:
        from tadoru.errors import TadoruError

        try:
            workspace = self.workspace()
            self._listen(workspace)
            workspace.status()
        except TadoruError as error:
            sys.stderr.write(f"tadoru: {error}\n")  # the first question will say it to the model

    def _listen(self, workspace: Workspace) -> None:
        from tadoru.mcp.hints import Hints
        from tadoru.mcp.listen import Listener
        from tadoru.sources import home

        self._listener = Listener(home(workspace.config), self._roots, Hints(self.workspace).answer)
        self._listener.start()

    def close(self) -> None:
        """Remove what lies outside this process: the sockets for hooks."""
        if self._listener is not None:
            self._listener.close()


def _write_record(record: Mapping[str, Any]) -> None:
    with suppress(OSError, ValueError):  # nobody reads stderr any more
        sys.stderr.write(json.dumps(record) + "\n")
        sys.stderr.flush()


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
