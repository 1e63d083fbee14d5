"""Where each agent keeps its configuration, and in what form it takes a server and hooks.

Facts only, from each agent's own documentation: Claude Code (MCP, hooks, memory), Codex
(`config.toml`, `hooks.json`, AGENTS.md), Cursor (`mcp.json`, `hooks.json`), VS Code (`mcp.json`,
agent hooks), Gemini CLI (`settings.json`, hooks, GEMINI.md), Zed (`context_servers`). Reads no
file; looks only whether an agent is there.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tadoru.errors import BadInput

WORKSPACE = ("--root", "${workspaceFolder}")
"""For editors that do not start a server in the directory that is open, but know this variable."""


@dataclass(frozen=True, slots=True)
class Places:
    """What the paths below depend on; `project` is None when the user's own files are meant."""

    home: Path
    project: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    mac: bool = False

    def own(self, variable: str, default: str) -> Path:
        """Return a directory of the user's that a variable may move."""
        named = self.env.get(variable)
        return Path(named) if named else self.home / default


@dataclass(frozen=True, slots=True)
class Server:
    """A file with MCP servers: the key that holds them, and what an entry has besides."""

    path: Path
    key: str
    fields: tuple[tuple[str, str], ...] = ()
    tail: tuple[str, ...] = ()

    @property
    def toml(self) -> bool:
        return self.path.suffix == ".toml"


@dataclass(frozen=True, slots=True)
class Hooks:
    """A file with hooks: its events, and how an agent wants a command wrapped."""

    path: Path
    events: tuple[tuple[str, Callable[[str], dict[str, Any]]], ...]
    versioned: bool = False


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent that tadoru can be installed into."""

    name: str
    title: str
    programs: tuple[str, ...]
    traces: Callable[[Places], tuple[Path, ...]]
    server: Callable[[Places], Server]
    hooks: Callable[[Places], Hooks | None]
    instructions: Callable[[Places], Path | None]
    hint: str = ""
    """What is left to the user after an installation."""
    project_hint: str = ""
    """The same, after one into a project."""

    @property
    def hook_name(self) -> str:
        """Return the name by which `tadoru hook --agent` knows it."""
        return "copilot" if self.name == "vscode" else self.name


def _grouped(matcher: str = "") -> Callable[[str], dict[str, Any]]:
    def wrap(command: str) -> dict[str, Any]:
        hooks = [{"type": "command", "command": command}]
        return {"matcher": matcher, "hooks": hooks} if matcher else {"hooks": hooks}

    return wrap


def _plain(command: str) -> dict[str, Any]:
    return {"command": command}


def _in_bash(command: str) -> dict[str, Any]:
    return {"type": "command", "bash": command}


_STDIO = (("type", "stdio"),)
_CURSOR_EVENTS = ("postToolUse", "postToolUseFailure", "afterFileEdit")
_COPILOT_EVENTS = ("postToolUse", "postToolUseFailure")


def _claude(places: Places) -> Path:
    return places.own("CLAUDE_CONFIG_DIR", ".claude")


def _claude_server(places: Places) -> Server:
    if places.project:
        path = places.project / ".mcp.json"
    elif places.env.get("CLAUDE_CONFIG_DIR"):
        path = _claude(places) / ".claude.json"
    else:
        path = places.home / ".claude.json"
    return Server(path, "mcpServers", _STDIO)


def _claude_hooks(places: Places) -> Hooks:
    directory = places.project / ".claude" if places.project else _claude(places)
    events = (("PostToolBatch", _grouped()), ("PostToolUseFailure", _grouped("Bash|Write")))
    return Hooks(directory / "settings.json", events)


def _codex(places: Places) -> Path:
    if places.project:
        return places.project / ".codex"
    return places.own("CODEX_HOME", ".codex")


def _cursor(places: Places) -> Path:
    return (places.project or places.home) / ".cursor"


def _code_user(places: Places) -> Path:
    """Return VS Code's directory of the default profile."""
    if places.mac:
        return places.home / "Library/Application Support/Code/User"
    return places.own("XDG_CONFIG_HOME", ".config") / "Code/User"


def _code_hooks(places: Places) -> Hooks:
    directory = places.project / ".github" if places.project else places.home / ".copilot"
    events = tuple((event, _in_bash) for event in _COPILOT_EVENTS)
    return Hooks(directory / "hooks/tadoru.json", events, versioned=True)


def _gemini(places: Places) -> Path:
    return (places.project or places.home) / ".gemini"


def _zed(places: Places) -> Path:
    if places.project:
        return places.project / ".zed"
    return places.own("XDG_CONFIG_HOME", ".config") / "zed"


def _in_project(name: str) -> Callable[[Places], Path | None]:
    return lambda places: places.project / name if places.project else None


AGENTS: Mapping[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent(
            "claude-code",
            "Claude Code",
            ("claude",),
            lambda p: (_claude(p), p.home / ".claude.json"),
            _claude_server,
            _claude_hooks,
            lambda p: p.project / "CLAUDE.md" if p.project else _claude(p) / "CLAUDE.md",
            project_hint="a server of a project is used after you have approved it (`/mcp`)",
        ),
        Agent(
            "codex",
            "Codex",
            ("codex",),
            lambda p: (p.own("CODEX_HOME", ".codex"),),
            lambda p: Server(_codex(p) / "config.toml", "mcp_servers"),
            lambda p: Hooks(_codex(p) / "hooks.json", (("PostToolUse", _grouped()),)),
            lambda p: p.project / "AGENTS.md" if p.project else _codex(p) / "AGENTS.md",
            "a new hook runs after you have trusted it (`/hooks`)",
        ),
        Agent(
            "cursor",
            "Cursor",
            ("cursor", "cursor-agent"),
            lambda p: (p.home / ".cursor",),
            lambda p: Server(_cursor(p) / "mcp.json", "mcpServers", _STDIO, WORKSPACE),
            lambda p: Hooks(
                _cursor(p) / "hooks.json", tuple((e, _plain) for e in _CURSOR_EVENTS), True
            ),
            _in_project("AGENTS.md"),
        ),
        Agent(
            "vscode",
            "VS Code",
            ("code", "code-insiders"),
            lambda p: (_code_user(p),),
            lambda p: Server(
                (p.project / ".vscode" if p.project else _code_user(p)) / "mcp.json",
                "servers",
                _STDIO,
                WORKSPACE,
            ),
            _code_hooks,
            _in_project("AGENTS.md"),
        ),
        Agent(
            "gemini",
            "Gemini CLI",
            ("gemini",),
            lambda p: (p.home / ".gemini",),
            lambda p: Server(_gemini(p) / "settings.json", "mcpServers"),
            lambda p: Hooks(_gemini(p) / "settings.json", (("AfterTool", _grouped()),)),
            lambda p: p.project / "GEMINI.md" if p.project else _gemini(p) / "GEMINI.md",
            "servers are used in folders that you trust (`/permissions`)",
        ),
        Agent(
            "zed",
            "Zed",
            ("zed", "zeditor"),
            lambda p: (p.own("XDG_CONFIG_HOME", ".config") / "zed",),
            lambda p: Server(_zed(p) / "settings.json", "context_servers"),
            lambda p: None,
            _in_project("AGENTS.md"),
        ),
    )
}
_ALIASES = {"claude": "claude-code", "code": "vscode", "copilot": "vscode", "gemini-cli": "gemini"}


def named(name: str) -> Agent:
    """Return an agent by its name. Raises: `BadInput` with those that there are."""
    plain = name.lower().replace("_", "-")
    agent = AGENTS.get(_ALIASES.get(plain, plain))
    if agent is None:
        raise BadInput(f"no such agent: {name}", hint=f"one of {', '.join(AGENTS)}")
    return agent


def detected(places: Places) -> dict[str, str]:
    """Return the agents of this machine by name, with what gave them away."""
    found: dict[str, str] = {}
    for agent in AGENTS.values():
        program = next(filter(None, map(_program(places), agent.programs)), None)
        trace = next((path for path in agent.traces(places) if path.exists()), None)
        if program or trace:
            found[agent.name] = str(program or trace)
    return found


def _program(places: Places) -> Callable[[str], str | None]:
    return lambda name: shutil.which(name, path=places.env.get("PATH", ""))
