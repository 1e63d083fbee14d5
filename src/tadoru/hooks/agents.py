"""What each agent sends to a hook, and what it wants back: one adapter each, no I/O.

An adapter turns a payload into tool calls and a text into the agent's own JSON; what a call means
is told elsewhere (`calls`). Sources: the hook references of Claude Code (PostToolBatch,
PostToolUse, PostToolUseFailure), Codex (PostToolUse), Gemini CLI (AfterTool), Copilot CLI and SDK
(postToolUse, postToolUseFailure), VS Code (the names of Claude Code), and Cursor (postToolUse,
postToolUseFailure, afterShellExecution, afterFileEdit). opencode has plugins in its own process;
the one in `docs/hooks.md` sends what the adapter here reads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Payload = Mapping[str, Any]


class Call(NamedTuple):
    """One tool call as far as a hook can know it."""

    tool: str
    arguments: Mapping[str, Any]
    said: str = ""
    """Output or error, as text of unknown shape."""


class Adapter(NamedTuple):
    """How one agent is listened and answered to."""

    calls: Callable[[Payload], list[Call]]
    reply: Callable[[Payload, str], dict[str, Any]]


def agent_of(payload: Payload) -> str:
    """Tell whose payload it is by its field names, for a hook that was not told."""
    event = str(payload.get("hook_event_name", ""))
    if event in ("AfterTool", "BeforeTool"):
        return "gemini"
    if "conversation_id" in payload or "workspace_roots" in payload:
        return "cursor"
    if "toolName" in payload:
        return "copilot"
    if "tool" in payload and "args" in payload:
        return "opencode"
    return "claude-code"


def cwd_of(payload: Payload) -> str:
    """Return the working directory that a payload names; empty when it names none."""
    for key in ("cwd", "workingDirectory", "directory"):
        value = payload.get(key)
        if isinstance(value, str) and value.startswith("/"):
            return value
    roots = payload.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str):
        return roots[0] if roots[0].startswith("/") else ""
    return ""


def texts(value: Any) -> str:
    """Return all strings in a value of unknown shape, one per line."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(texts(item) for item in value.values())
    if isinstance(value, list):
        return "\n".join(texts(item) for item in value)
    return ""


def _arguments(value: Any) -> Mapping[str, Any]:
    """Return the arguments of a call, which some agents send as a string of JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, Mapping) else {}


def _claude(payload: Payload) -> list[Call]:
    """A batch, or one call with the same names."""
    batch = payload.get("tool_calls")
    rows = batch if isinstance(batch, list) else [payload]
    return [
        Call(
            str(row.get("tool_name", "")),
            _arguments(row.get("tool_input")),
            "\n".join((texts(row.get("error")), texts(row.get("tool_response")))),
        )
        for row in rows
        if isinstance(row, Mapping)
    ]


def _claude_reply(payload: Payload, text: str) -> dict[str, Any]:
    event = payload.get("hook_event_name") or "PostToolUse"
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _gemini_reply(payload: Payload, text: str) -> dict[str, Any]:
    """Of a failed call Gemini CLI (0.61) sends the error's message alone and drops what is added to
    the result; a denial's reason takes that message's place, so it repeats it."""
    response = payload.get("tool_response")
    error = response.get("error") if isinstance(response, Mapping) else None
    if error:
        said = error.get("message") if isinstance(error, Mapping) else error
        return {"decision": "deny", "reason": f"{said}\n{text}" if said else text}
    event = payload.get("hook_event_name") or "AfterTool"
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _copilot(payload: Payload) -> list[Call]:
    if "toolName" not in payload:
        return _claude(payload)  # VS Code
    said = "\n".join((texts(payload.get("error")), texts(payload.get("toolResult"))))
    return [Call(str(payload["toolName"]), _arguments(payload.get("toolArgs")), said)]


def _copilot_reply(payload: Payload, text: str) -> dict[str, Any]:
    if "toolName" not in payload:
        return _claude_reply(payload, text)
    return {"additionalContext": text}


def _cursor(payload: Payload) -> list[Call]:
    event = payload.get("hook_event_name")
    if event == "afterShellExecution":
        return [Call("Shell", {"command": payload.get("command")}, texts(payload.get("output")))]
    if event == "afterFileEdit":
        return [Call("Write", {"file_path": payload.get("file_path")})]
    said = "\n".join((texts(payload.get("error_message")), texts(payload.get("tool_output"))))
    return [Call(str(payload.get("tool_name", "")), _arguments(payload.get("tool_input")), said)]


def _cursor_reply(payload: Payload, text: str) -> dict[str, Any]:
    return {"additional_context": text}


def _opencode(payload: Payload) -> list[Call]:
    said = "\n".join((texts(payload.get("error")), texts(payload.get("output"))))
    return [Call(str(payload.get("tool", "")), _arguments(payload.get("args")), said)]


def _opencode_reply(payload: Payload, text: str) -> dict[str, Any]:
    return {"additionalContext": text}


AGENTS: Mapping[str, Adapter] = {
    "claude-code": Adapter(_claude, _claude_reply),
    "codex": Adapter(_claude, _claude_reply),
    "gemini": Adapter(_claude, _gemini_reply),
    "copilot": Adapter(_copilot, _copilot_reply),
    "cursor": Adapter(_cursor, _cursor_reply),
    "opencode": Adapter(_opencode, _opencode_reply),
}
