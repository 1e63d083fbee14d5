"""Runs one server for one client over stdio, and leaves when the client does.

stdout belongs to the protocol from the first moment: whatever a library prints while it loads goes
to stderr. Nothing heavy is loaded before `initialize` is answered; then the index is brought up to
date in the background, and answers say how far it is.
"""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

GRACE_SECONDS = 2.0
"""Time for answers under way after the client left; the process must be gone after 3."""
POLL_SECONDS = 0.5


def serve(*, roots: Sequence[str], groups: Sequence[str], index: bool, yes: bool) -> int:
    """Serve until the client leaves. Raises: `TadoruError` when the roots cannot be served."""
    wire = os.dup(1)
    os.dup2(2, 1)
    client = os.dup(0)
    threading.Thread(target=_leave_with, args=(client, os.getppid()), daemon=True).start()

    from tadoru.sources import check_root

    names = [str(check_root(root, yes=yes)) for root in roots]
    shared = _Shared(names, groups, index=index, yes=yes)

    import anyio

    from tadoru.mcp.server import build

    server = build(shared.workspace, roots=names, on_ready=shared.warm)
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
    _leave(code)
    return code


class _Shared:
    """The one workspace of this process, opened by whoever needs it first."""

    def __init__(
        self, roots: Sequence[str], groups: Sequence[str], *, index: bool, yes: bool
    ) -> None:
        self._roots = roots
        self._groups = groups
        self._index = index
        self._yes = yes
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
                self._workspace = open_(self._roots[0]) if one else open_(roots=self._roots)
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
            self.workspace().status()
        except TadoruError as error:
            sys.stderr.write(f"tadoru: {error}\n")  # the first question will say it to the model


def _leave_with(client: int, parent: int) -> None:
    """End the process soon after stdin is closed by its writer, or the parent is gone."""
    poller = select.poll()
    poller.register(client, getattr(select, "POLLRDHUP", 0))
    while True:
        gone = poller.poll(POLL_SECONDS * 1000)
        if gone:
            time.sleep(GRACE_SECONDS)
            _leave(0)
        if os.getppid() != parent:
            _leave(0)


def _leave(code: int) -> None:
    """End without waiting for threads; the index is safe at any moment (one transaction each)."""
    sys.stderr.flush()
    os._exit(code)
