"""What a running server says to a hook: candidates for missing paths, from the index as it is.

Knows messages, not sockets. A message asks for some paths and tells which others were touched; the
answer names at most three places of this machine for each, and nothing that the asker does not see.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast, get_args

from tadoru.errors import TadoruError
from tadoru.types import Op
from tadoru.wire import MAX_ASKED, MAX_TOUCHED

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

MAX_SHOWN = 3
CATCH_UP_SECONDS = 5.0
"""The index is looked after no more often than this, however busy the agent is."""


class Hints:
    """Answers messages of hooks with a workspace."""

    def __init__(self, workspace: Callable[[], Workspace]) -> None:
        self._workspace = workspace
        self._catching_up = threading.Lock()
        self._caught_up = -CATCH_UP_SECONDS

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return `{"answers": [{"status", "paths"}, ...]}`, one for each path that was asked.

        Message: `ask`: list of `{"path", "op"}`; `cwd`: host path; `touched`: list of host paths.
        Raises: `TadoruError` when the index cannot be used.
        """
        workspace = self._workspace()
        cwd = str(message.get("cwd", ""))
        answers = [
            self._one(workspace, item, cwd) for item in _list(message.get("ask"))[:MAX_ASKED]
        ]
        touched = [p for p in _list(message.get("touched"))[:MAX_TOUCHED] if isinstance(p, str)]
        if touched:
            workspace.touch(*touched)
        if time.monotonic() - self._caught_up >= CATCH_UP_SECONDS:
            threading.Thread(target=self._catch_up, args=(workspace,), daemon=True).start()
        return {"answers": answers}

    @staticmethod
    def _one(workspace: Workspace, item: Any, cwd: str) -> dict[str, Any]:
        nothing: dict[str, Any] = {"status": "absent", "paths": []}
        if not isinstance(item, dict) or not isinstance(item.get("path"), str):
            return nothing
        op = item.get("op")
        op = op if op in get_args(Op) else "read"
        try:
            found = workspace.resolve(item["path"], op=cast(Op, op), cwd=cwd, catch_up=False)
        except TadoruError:
            return nothing
        if found.status == "absent":
            return nothing
        paths = [found.host_path] if found.status == "resolved" else []
        paths += [candidate.host_path for candidate in found.candidates]
        shown = [path for path in dict.fromkeys(paths) if path][:MAX_SHOWN]
        return {
            "status": found.status,
            "paths": shown[:1] if found.status == "resolved" else shown,
            "kind": found.error_kind,
        }

    def _catch_up(self, workspace: Workspace) -> None:
        """Let the next hook find what has changed since; one look at a time."""
        if self._catching_up.acquire(blocking=False):
            try:
                workspace.status()
            except TadoruError:
                return
            finally:
                self._caught_up = time.monotonic()
                self._catching_up.release()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
