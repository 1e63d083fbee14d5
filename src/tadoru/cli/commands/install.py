"""`tadoru install` and `uninstall`: into the agents of this machine, and out of them again."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import complain, note, out, out_json, out_text, shown
from tadoru.errors import BadInput

if TYPE_CHECKING:
    from tadoru.install import Change, Places, Plan, Record

_AGENTS = click.argument("agents", nargs=-1, metavar="[AGENT]...")
_PROJECT = click.option(
    "--project", is_flag=True, help="In the files of this repository, for all who work on it."
)
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print the changes; write nothing.")


@click.command()
@_AGENTS
@_PROJECT
@_DRY_RUN
@click.option(
    "--via",
    type=click.Choice(["auto", "uvx", "installed"]),
    default="auto",
    help="Start this version by uvx, or what is installed here.",
)
@click.option("--plugin", is_flag=True, help="Print the folder of the Claude Code plugin.")
@shared_options
def install(
    session: Session, agents: tuple[str, ...], project: bool, dry_run: bool, via: Any, plugin: bool
) -> int:
    """Install into agents: MCP server, hooks, two lines of instruction.

    AGENT is claude-code, codex, cursor, vscode, gemini or zed; without one, those of this machine
    are listed, and a terminal is asked. Comments and order of a file stay as they are; `uninstall`
    takes out what was added.

    Example: tadoru install claude-code --dry-run
    """
    from tadoru.install import PLUGIN, Plan, invocation, named

    if plugin:
        out_json({"plugin": str(PLUGIN)}) if session.as_json else out(str(PLUGIN))
        return 0
    places = _places(session, project=project)
    names = agents or _asked(session, places)
    if not names:
        return 2
    chosen = list({agent.name: agent for agent in map(named, names)}.values())
    plan = Plan(places, _record(session))
    plan.install(chosen, invocation(via, shared=project, path=os.environ.get("PATH")))
    hints = [(a.title, (project and a.project_hint) or a.hint) for a in chosen]
    return _finish(session, plan, dry_run, [f"{title}: {hint}" for title, hint in hints if hint])


@click.command()
@_AGENTS
@_PROJECT
@_DRY_RUN
@shared_options
def uninstall(session: Session, agents: tuple[str, ...], project: bool, dry_run: bool) -> int:
    """Take tadoru out of agents (all, if none is named): its server, hooks and lines, no more.

    Example: tadoru uninstall cursor
    """
    from tadoru.install import AGENTS, Plan, named

    chosen = list({agent.name: agent for agent in map(named, agents or AGENTS)}.values())
    plan = Plan(_places(session, project=project), _record(session))
    plan.uninstall(chosen)
    return _finish(session, plan, dry_run, [])


def _places(session: Session, *, project: bool) -> Places:
    from tadoru.install import Places

    root = Path(os.path.realpath(session.roots[0])) if project else None
    if root is not None and not root.is_dir():
        raise BadInput(f"no such directory: {root}")
    try:
        home = Path.home()
    except RuntimeError:
        home = Path("~")  # neither HOME nor an entry in the list of users
    if root is None and not home.is_absolute():
        raise BadInput("there is no home directory", hint="set HOME, or use --project")
    return Places(home, root, os.environ, mac=sys.platform == "darwin")


def _record(session: Session) -> Record:
    from tadoru.config import load
    from tadoru.install import RECORD, Record
    from tadoru.roots import home

    return Record(home(load()) / RECORD)


def _asked(session: Session, places: Places) -> Sequence[str]:
    """Return the detected agents that the user agrees to; at no terminal, those are listed."""
    from tadoru.install import AGENTS, detected

    found = detected(places)
    if not found:
        raise BadInput("no agent was found", hint=f"name one of {', '.join(AGENTS)}")
    if session.options.yes:
        return list(found)
    if session.as_json:
        out_json({"detected": found})
        return ()
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        for name, trace in found.items():
            out(f"{name}\t{shown(trace)}")
        note("tadoru: nothing was changed: name the agents, or agree to all of these with --yes")
        return ()
    return [
        name
        for name, trace in found.items()
        if click.confirm(f"{AGENTS[name].title} ({shown(trace)})?", default=True, err=True)
    ]


def _finish(session: Session, plan: Plan, dry_run: bool, hints: Sequence[str]) -> int:
    """Write what was worked out, unless only asked to tell, and report it."""
    from tadoru.install import Unwritable

    if not dry_run:
        try:
            plan.apply()
        except Unwritable as error:
            note(f"tadoru: what was made could not be noted for uninstall: {error}")
    changes = plan.changes
    if session.as_json:
        out_json({"dry_run": dry_run, "changes": [_row(change) for change in changes]})
    elif dry_run:
        for change in changes:
            out_text(_diff(change))
    else:
        for change in changes:
            if not change.error and (change.after is not None or change.before.exists):
                what = ", ".join(change.what)
                out(f"{change.action:<9} {shown(_short(change.path))}  "
                    f"{what} ({', '.join(change.agents)})")  # fmt: skip
    for change in changes:
        if change.error:
            complain(f"left alone: {change.error}")
    if not any(c.error or c.before.exists or c.after is not None for c in changes):
        note("tadoru: there was nothing to remove")
    if not dry_run and any(change.action in ("created", "updated") for change in changes):
        for line in hints:
            note(f"tadoru: {line}")
    return 2 if any(change.error for change in changes) else 0


def _row(change: Change) -> dict[str, Any]:
    row = {"path": str(change.path), "action": change.action, "what": change.what,
           "agents": change.agents}  # fmt: skip
    return {**row, "error": change.error} if change.error else row


def _short(path: Path) -> str:
    home = os.environ.get("HOME", "")
    text = str(path)
    return f"~{text[len(home) :]}" if home and text.startswith(f"{home}/") else text


def _diff(change: Change) -> str:
    """Return a change as a unified diff without context: a configuration may hold keys."""
    if change.action in ("unchanged", "failed"):
        return ""
    name = str(change.path)
    lines = unified_diff(
        change.before.text.splitlines(keepends=True),
        (change.after or "").splitlines(keepends=True),
        name if change.before.exists else "/dev/null",
        "/dev/null" if change.after is None else name,
        n=0,
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
