"""The one workspace of a server process: opened by whoever needs it first, exchanged when the
client says that it works elsewhere.

Decides which directories are served and since when hooks are answered for them. A workspace that
was exchanged stays open while calls may still use it.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tadoru.mcp.listen import Listener
    from tadoru.workspace import Workspace

ROOTS_SECONDS = 6.0
"""A call waits so long for the directories that a client has announced."""
STILL_USED_SECONDS = 60.0
"""After this time no call uses a workspace that was exchanged (the shell ends after 30)."""


class Shared:
    """A workspace that threads share."""

    def __init__(
        self,
        roots: Sequence[str],
        groups: Sequence[str],
        *,
        index: bool,
        yes: bool,
        metrics: bool,
    ) -> None:
        """`roots`: canonical directories that are served unless the client offers others."""
        self._own = tuple(roots)
        self._roots = self._own
        self._groups = groups
        self._index = index
        self._yes = yes
        self._metrics = metrics
        self._listener: Listener | None = None
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None
        self._warm: Workspace | None = None
        self._known = threading.Event()
        self._known.set()

    def workspace(self) -> Workspace:
        """Return the workspace; opens it the first time. Raises: `TadoruError`."""
        if not self._known.wait(ROOTS_SECONDS):
            self._known.set()  # announced and never told: nobody waits again
        with self._lock:
            if self._workspace is None:
                self._workspace = self._opened(self._roots)
            return self._workspace

    def _opened(self, roots: Sequence[str]) -> Workspace:
        import tadoru

        principal = tadoru.Principal(frozenset(self._groups)) if self._groups else None
        open_ = partial(tadoru.open, principal=principal, index=self._index, yes=self._yes)
        opened = open_(roots[0]) if len(roots) == 1 else open_(roots=roots)
        opened.on_measure = _write_record if self._metrics else None
        return opened

    def expect_roots(self) -> None:
        """Let calls wait for the directories that the client will tell."""
        self._known.clear()

    def take_roots(self, offered: Sequence[str]) -> None:
        """Serve the directories of the client; its own ones when it offers none that can be."""
        roots = self._checked(offered) or self._own
        with self._lock:
            old, changed = self._workspace, roots != self._roots
            if changed:
                self._roots = roots
                self._workspace = None
        self._known.set()
        if changed and old is not None:
            later = threading.Timer(STILL_USED_SECONDS, old.close)
            later.daemon = True
            later.start()
        self.warm()

    def _checked(self, offered: Sequence[str]) -> tuple[str, ...]:
        """Return the canonical directories among these that can be served, none inside another."""
        from tadoru.errors import TadoruError
        from tadoru.roots import check_root

        found: list[str] = []
        for directory in offered:
            try:
                found.append(str(check_root(directory, yes=self._yes)))
            except TadoruError as error:
                sys.stderr.write(f"tadoru: the client's {error}\n")
        outer = [d for d in found if not any(d.startswith(o.rstrip("/") + "/") for o in found)]
        return tuple(dict.fromkeys(outer))

    def warm(self) -> None:
        """Begin to index in the background, once for each workspace."""
        if self._warm is None or self._warm is not self._workspace:
            threading.Thread(target=self._bring_up_to_date, daemon=True).start()

    def _bring_up_to_date(self) -> None:
        from tadoru.errors import TadoruError

        try:
            workspace = self.workspace()
            with self._lock:
                if workspace is self._warm:
                    return
                self._warm = workspace
            self._listen(workspace)
            workspace.status()
        except TadoruError as error:
            sys.stderr.write(f"tadoru: {error}\n")  # the first question will say it to the model

    def _listen(self, workspace: Workspace) -> None:
        from tadoru.mcp.hints import Hints
        from tadoru.mcp.listen import Listener
        from tadoru.roots import home

        with self._lock:
            if workspace is not self._workspace:
                return  # exchanged meanwhile: hooks are answered for its successor
            earlier, roots = self._listener, self._roots
            listener = Listener(home(workspace.config), roots, Hints(self.workspace).answer)
            self._listener = listener
        if earlier is not None:
            earlier.close()
        listener.start()

    def close(self) -> None:
        """Write what was counted, and remove what lies outside this process: sockets for hooks."""
        if self._workspace is not None:
            with suppress(Exception):
                self._workspace.flush()
        if self._listener is not None:
            self._listener.close()


def _write_record(record: Mapping[str, Any]) -> None:
    with suppress(OSError, ValueError):  # nobody reads stderr any more
        sys.stderr.write(json.dumps(record) + "\n")
        sys.stderr.flush()
