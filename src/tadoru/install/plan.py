"""Works out what an installation would do to each file, and does it.

Nothing is written before everything is worked out. A file that cannot be edited is left alone, with
the reason; the others go on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from tadoru.errors import TadoruError
from tadoru.install import entries, marked
from tadoru.install.agents import AGENTS, Agent, Places
from tadoru.install.files import Read, delete, read, write
from tadoru.install.launch import Invocation
from tadoru.install.record import Footprint, Record

Action = Literal["created", "updated", "unchanged", "removed", "deleted", "failed"]
Edit = Callable[[str, Footprint], str]


@dataclass(slots=True)
class Change:
    """One file: what is wanted of it, its text before and after (None: no file)."""

    path: Path
    before: Read
    after: str | None
    footprint: Footprint
    agents: list[str] = field(default_factory=list)
    what: list[str] = field(default_factory=list)
    error: str = ""
    removing: bool = False

    @property
    def action(self) -> Action:
        if self.error:
            return "failed"
        if self.after is None:
            return "deleted" if self.before.exists else "unchanged"
        if self.after == self.before.text and (self.before.exists or not self.after):
            return "unchanged"
        if self.removing:
            return "removed"
        return "updated" if self.before.exists else "created"


class Plan:
    """The changes to all files of some agents, in the order in which they came up."""

    def __init__(self, places: Places, record: Record) -> None:
        self._places = places
        self._record = record
        self._changes: dict[str, Change] = {}

    @property
    def changes(self) -> list[Change]:
        return list(self._changes.values())

    def install(self, agents: Sequence[Agent], invocation: Invocation) -> None:
        """Add server, hooks and two lines of every agent."""
        command, args = invocation.server_command()
        for agent in agents:
            server, hooks = agent.server(self._places), agent.hooks(self._places)
            entry = partial(entries.with_server, server=server, command=command, args=args)
            self._edit(agent, server.path, "MCP server", entry)
            if hooks is not None:
                name = agent.hook_name
                ask = invocation.hook_command(name)
                edit = partial(entries.with_hooks, hooks=hooks, command=ask, agent=name)
                self._edit(agent, hooks.path, "hooks", edit)
            lines = agent.instructions(self._places)
            if lines is not None:
                self._edit(agent, lines, "two lines", lambda text, _mark: marked.added(text))

    def uninstall(self, agents: Sequence[Agent]) -> None:
        """Take out what `install` has added, as far as no other agent needs it."""
        leaving = {agent.name for agent in agents}
        staying = [agent for agent in AGENTS.values() if agent.name not in leaving]
        needed = {agent.instructions(self._places) for agent in staying if self.has_server(agent)}
        for agent in agents:
            server, hooks = agent.server(self._places), agent.hooks(self._places)
            self._remove(agent, server.path, "MCP server",
                         partial(entries.without_server, server=server))  # fmt: skip
            if hooks is not None:
                edit = partial(entries.without_hooks, hooks=hooks, agent=agent.hook_name)
                self._remove(agent, hooks.path, "hooks", edit)
            lines = agent.instructions(self._places)
            if lines is not None and lines not in needed:
                self._remove(agent, lines, "two lines", lambda text, _mark: marked.removed(text))
        for change in self._changes.values():
            if not change.error and change.footprint.created and not (change.after or "").strip():
                change.after = None

    def has_server(self, agent: Agent) -> bool:
        """Tell whether an agent's configuration names our server."""
        server = agent.server(self._places)
        try:
            return entries.has_server(read(server.path).text, server)
        except TadoruError:
            return False

    def _remove(self, agent: Agent, path: Path, what: str, edit: Edit) -> None:
        self._edit(agent, path, what, edit, removing=True)

    def _edit(
        self, agent: Agent, path: Path, what: str, edit: Edit, *, removing: bool = False
    ) -> None:
        change = self._change(path, removing=removing)
        if agent.name not in change.agents:
            change.agents.append(agent.name)
        if what not in change.what:
            change.what.append(what)
        if change.error or (removing and change.after is None):
            return
        try:
            change.after = edit(change.after or "", change.footprint)
        except TadoruError as error:
            change.error = f"{path}: {error}"
            change.after = change.before.text if change.before.exists else None

    def _change(self, path: Path, *, removing: bool) -> Change:
        key = os.path.realpath(path)
        if key not in self._changes:
            footprint = Footprint()
            if removing and key in self._record.files:
                footprint.merge(self._record.files[key])
            before, error = Read("", None), ""
            try:
                before = read(path)
            except TadoruError as fault:
                error = str(fault)
            after = before.text if before.exists else None
            self._changes[key] = Change(path, before, after, footprint, error=error,
                                        removing=removing)  # fmt: skip
        return self._changes[key]

    def apply(self) -> None:
        """Write all changes; one that fails carries the reason afterwards. Saves the record.

        Raises: `Unwritable` when the record cannot be written; the files are written then.
        """
        for key, change in self._changes.items():
            if change.action in ("unchanged", "failed"):
                continue
            try:
                self._write(key, change)
            except TadoruError as error:
                change.error = str(error)
        self._record.remove_directories()
        self._record.save()

    def _write(self, key: str, change: Change) -> None:
        if change.after is None:
            delete(change.path, change.before)
        else:
            if not change.before.exists:
                change.footprint.created = True
                self._record.note_directories(Path(key))
            mode = 0o644 if self._places.project else 0o600
            write(change.path, change.after, change.before, mode=mode)
        if change.removing:
            self._record.files.pop(key, None)
        else:
            change.footprint.merge(self._record.files.get(key, Footprint()))
            self._record.files[key] = change.footprint
