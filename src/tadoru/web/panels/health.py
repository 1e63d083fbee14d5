"""How the index is, how quickly answers came, and what caches saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tadoru.web.panels.base import Panel, plain

if TYPE_CHECKING:
    from tadoru.workspace import Workspace


def _ask(workspace: Workspace, given: Mapping[str, str]) -> dict[str, Any]:
    stats = plain(workspace.stats())
    stats["mounts"] = sorted(stats.pop("roots", {}))
    return dict(stats)


HEALTH = Panel("health", "The state of the index, latency by tool, and rates of caches.", (), _ask)
