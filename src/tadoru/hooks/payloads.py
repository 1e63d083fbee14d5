"""What each agent sends to a hook, and what it wants back. One function per question, no I/O.

Sources: the hook references of Claude Code (PostToolBatch, PostToolUse, PostToolUseFailure), Codex
(PostToolUse) and Gemini CLI (AfterTool). Claude Code rejects a read of a missing file before any
hook of that tool runs, so the batch event is the one that sees it; its `tool_response` need not be
understood, since the path in the call can be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

AGENTS = frozenset({"claude-code", "codex", "gemini"})

_PATH_KEYS = ("file_path", "absolute_path", "path", "notebook_path", "dir_path")
"""Parameters that name what a tool reads, in the order in which they are believed."""
_WRITES = frozenset({"Write", "write_file", "NotebookEdit", "create_file"})
"""Tools that make the file: a missing path is no mistake."""
_SAYS_MISSING = ": no such file or directory"


def agent_of(payload: dict[str, Any]) -> str:
    """Tell whose payload it is by the name of its event."""
    event = str(payload.get("hook_event_name", ""))
    return "gemini" if event in ("AfterTool", "BeforeTool") else "claude-code"


def wanted_paths(agent: str, payload: dict[str, Any]) -> Iterator[str]:
    """Yield the paths that the tool calls of a payload wanted to read, as they were written."""
    calls = payload.get("tool_calls")
    for call in calls if isinstance(calls, list) else [payload]:
        if not isinstance(call, dict) or call.get("tool_name") in _WRITES:
            continue
        arguments = call.get("tool_input")
        if isinstance(arguments, dict):
            for key in _PATH_KEYS:
                path = arguments.get(key)
                if isinstance(path, str) and path:
                    yield path
                    break
            else:
                for text in _texts(call.get("error")), _texts(call.get("tool_response")):
                    yield from missing_in(text)


def _texts(value: Any) -> str:
    """Return all strings in a response of unknown shape, one per line."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(_texts(item) for item in value.values())
    if isinstance(value, list):
        return "\n".join(_texts(item) for item in value)
    return ""


def missing_in(text: str) -> Iterator[str]:
    """Yield the paths of which a command said `cat: PATH: No such file or directory`."""
    for line in text.splitlines():
        end = line.lower().find(_SAYS_MISSING)
        if end < 0:
            continue
        name = line[:end].rpartition(": ")[2].strip()
        for marker in ("cannot access ", "cannot open ", "can't open ", "can't read "):
            name = name.removeprefix(marker)
        name = name.removesuffix(" for reading").strip("'\"‘’")
        if name:
            yield name


def reply(agent: str, payload: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the agent's JSON that puts `text` before the model."""
    default = "AfterTool" if agent == "gemini" else "PostToolUse"
    event = payload.get("hook_event_name") or default
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
