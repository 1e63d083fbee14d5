"""A path that does not exist: how it was read, what was weighed, and what speaks for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tadoru.types import Op
from tadoru.web.panels.base import Panel, Parameter, in_tree, plain

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

_OPS: dict[str, Op] = {op: op for op in ("read", "list", "stat", "search", "write")}


def _ask(workspace: Workspace, given: Mapping[str, str]) -> dict[str, Any]:
    answer, stages = workspace.explain(
        given["path"], intent=given["intent"], op=_OPS[given["op"]], cwd=in_tree(given["cwd"])
    )
    weighed = {row["path"]: row for row in stages.get("rank", ())}
    table = plain(answer)
    for candidate in table["candidates"]:
        candidate["because"] = weighed.get(candidate["path"], {}).get("because", {})
    return {
        **table,
        "confidence": stages.get("confidence", 0.0),
        "read_as": stages.get("normalize", {}),
        "sources": stages.get("candidates", {}),
        "none_of_them": weighed.get("(none of them)", {}).get("utility"),
        "limits": stages.get("limits", {}),
        "milliseconds": stages.get("ms", {}),
    }


PATH = Panel(
    "path",
    "A failed path with its candidates, their features, and the confidence in each.",
    (
        Parameter("path", "the path that failed", required=True),
        Parameter("intent", "what it was for, in words"),
        Parameter("op", "the operation that failed", default="read", choices=tuple(_OPS)),
        Parameter("cwd", "the directory where the path was meant to start"),
    ),
    _ask,
)
