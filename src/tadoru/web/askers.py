"""One workspace for all who ask, as each of them sees it.

Stores, indexes, models and caches are shared; a principal has a view. Decides whose history a call
has: the local person's own is kept as everywhere; of anybody else nothing is kept between calls.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING

from tadoru.errors import TadoruError
from tadoru.types import Principal
from tadoru.web.identity import ASKER, LOCAL, Identity

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

KEPT = 256
"""Principals whose counters lie in memory; those of others are written and read again."""


class Askers:
    """The workspaces of all principals."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Principal, bool], Workspace] = OrderedDict()

    def current(self) -> Workspace:
        """Return the workspace of the request under way."""
        asker = ASKER.get()
        local = asker.identity.issuer == LOCAL
        workspace = self._of(asker.principal, local)
        return workspace if local else workspace.remembering()

    def _of(self, principal: Principal, local: bool) -> Workspace:
        evicted: Workspace | None = None
        with self._lock:
            key = principal, local
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = self._workspace.seen_by(principal, local=local)
                if len(self._kept) > KEPT:
                    _, evicted = self._kept.popitem(last=False)
            self._kept.move_to_end(key)
        if evicted is not None:
            evicted.flush()
        return found

    def warm(self) -> None:
        """Bring the index up to date, as far as a question would."""
        with suppress(TadoruError):  # the first question will say it to who asks
            self._workspace.status()

    def close(self) -> None:
        """Write what was counted, and close the stores."""
        with self._lock:
            kept = list(self._kept.values())
            self._kept.clear()
        for workspace in kept:
            with suppress(Exception):
                workspace.flush()
        self._workspace.close()


class LocalPerson:
    """Takes everybody on the loopback interface for the person at the keyboard."""

    def __init__(self, groups: frozenset[str]) -> None:
        self._identity = Identity(LOCAL, "local", groups, name="you", operator=True)

    async def identity(self, header: str | None) -> Identity:
        return self._identity
