"""The tools of pathfinder, for those who switch: its names, its parameters, its answers.

An answer is one JSON object. Fields appear only where they help to act (pathfinder's study of its
own vocabulary: more of them cost models accuracy), paths are absolute paths of this machine, scores
run from 0 to 100. Source: the articles on pathfinder (LoftLLC, "Automatic Path Error Recovery MCP
Tool for Local LLMs").
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from tadoru.mcp.answers import STREAM_CHARACTERS, clipped
from tadoru.mcp.progress import current
from tadoru.types import Candidate, Freshness, IndexState, Resolution, RetryResult

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

ERROR_KINDS = {
    "ambiguous": "Ambiguous",
    "wrong_extension": "Ambiguous",
    "is_a_directory": "IsADirectory",
}
SHOWN = 3
MAX_TRIES = 10


class PathfinderTools:
    """The four tools over a workspace that is opened by the first call."""

    def __init__(self, workspace: Callable[[], Workspace]) -> None:
        self._workspace = workspace

    def all(self) -> tuple[Callable[..., str], ...]:
        """Return the tools in the order in which a client lists them."""
        return (
            self.path_resolve,
            self.tool_retry_with_resolve,
            self.roots_list,
            self.reindex_paths,
        )

    def path_resolve(
        self,
        failed_path: str,
        op: Literal["read", "list", "stat", "search", "write"] = "read",
        intent_text: str = "",
        root_hint: str = "",
        top_n: int = SHOWN,
    ) -> str:
        """Resolve a failed file path to the best match. `intent_text`: what you want to do there.
        `root_hint`: directory that you are working in. Returns `path`, or `error_kind` with
        `candidates` and `next_question`. Every path returned exists.
        """
        workspace = self._workspace()
        answer = workspace.resolve(
            failed_path,
            op=op,
            intent=intent_text,
            cwd=root_hint,
            recent=[root_hint] if root_hint else [],
            top=min(max(top_n, 1), max(workspace.config.resolve.top_k, SHOWN)),
        )
        return _json(resolved(failed_path, answer))

    def tool_retry_with_resolve(
        self,
        failed_path: str,
        op: Literal["read", "list", "stat", "search"] = "read",
        intent_text: str = "",
        root_hint: str = "",
        strategy: Literal["best_first", "score_desc"] = "best_first",
        top_n: int = 5,
    ) -> str:
        """Resolve a failed path and repeat the operation on the match. `intent_text`: what you
        want there; for `search`, the text to find. Returns `status` ok with the `path` used and
        its `result`, or `all_failed`. Never writes; a choice between paths is left to you.
        """
        answer = self._workspace().retry(
            failed_path,
            op=op,
            intent=intent_text,
            root_hint=root_hint,
            strategy=strategy,
            top=min(max(top_n, 1), MAX_TRIES),
        )
        return _json(retried(failed_path, answer))

    def roots_list(self) -> str:
        """Return configured root directories."""
        return _json({"roots": list(self._workspace().roots.values())})

    def reindex_paths(self) -> str:
        """Force a full rebuild of the path index."""
        report = self._workspace().index(rebuild=True, progress=current().update)
        return _json(
            {
                "status": "ok" if report.complete else "partial",
                "files": report.index.files,
                "ms": round(report.seconds * 1000),
            }
        )


def resolved(asked: str, answer: Resolution) -> dict[str, Any]:
    """Return an answer in pathfinder's words."""
    if answer.status == "resolved":
        found: dict[str, Any] = {"path": answer.host_path or answer.path}
        others = [c for c in answer.candidates if c.path != answer.path]
        if others:
            found["candidates"] = [_candidate(c) for c in answer.candidates]
        return {**found, **_index(answer.index)}
    kind = ERROR_KINDS.get(answer.error_kind, "NotFound")
    found = {"error_kind": kind, "path": asked}
    if answer.candidates:
        found["candidates"] = [_candidate(c) for c in answer.candidates]
    if answer.maybe_exts:
        found["maybe_exts"] = list(answer.maybe_exts)
    if answer.next_question:
        found["next_question"] = answer.next_question
    if answer.status == "absent" and answer.reason:
        found["reason"] = answer.reason
    return {**found, **_index(answer.index)}


def retried(asked: str, answer: RetryResult) -> dict[str, Any]:
    """Return the outcome of a retry in pathfinder's words."""
    resolution = answer.resolution
    places: dict[str, str] = {}
    if resolution is not None:
        places = {c.path: c.host_path for c in resolution.candidates}
        places[resolution.path] = resolution.host_path
    tried = [places.get(path) or path for path in answer.tried]
    if answer.status == "ok":
        used = places.get(answer.path) or answer.path
        kept, missing = clipped(answer.result, STREAM_CHARACTERS)
        cut = {"truncated": True} if missing or answer.truncated else {}
        return {"status": "ok", "path": used, "result": kept, **cut, **_index(answer.index)}
    found = {} if resolution is None else resolved(asked, resolution)
    if resolution is not None and resolution.status == "resolved":
        found = {"path": asked} if answer.tried else found
    return {"status": "all_failed", **({"tried": tried} if tried else {}), **found}


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "path": candidate.host_path or candidate.path,
        "score": round(100 * candidate.score, 1),
    }


def _index(state: IndexState) -> dict[str, str]:
    """Return how far an answer may be trusted, unless it is up to date."""
    return {} if state.status is Freshness.FRESH else {"index": str(state)}


def _json(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False)
    lone = any("\ud800" <= char <= "\udfff" for char in text)  # a file name that is no UTF-8
    return json.dumps(value) if lone else text
