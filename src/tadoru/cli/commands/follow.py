"""`tadoru more` and `tadoru related`: going on from a hit of a search."""

from __future__ import annotations

import click

from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import note, note_state, note_warnings, out_json, out_text
from tadoru.types import SearchAnswer

_BUDGET = click.option(
    "--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Size of the answer."
)
_SESSION = click.option(
    "--session", "name", default="", metavar="NAME", help="Remember what this session was sent."
)


@click.command()
@click.argument("hit")
@_BUDGET
@_SESSION
@shared_options
def more(session: Session, hit: str, budget: int | None, name: str) -> int:
    """Print a hit whole, with as much of its file around it as the budget takes.

    HIT is path:line, or the id of a hit in the JSON of a search.

    Example: tadoru more src/app.py:120 --budget 2000
    """
    workspace = session.open()
    memory = workspace.session(name) if name else None
    answer = workspace.more(_in_tree(session, hit), budget=budget, session=memory)
    return _print(session, answer, "tadoru: nothing there")


@click.command()
@click.argument("hit")
@click.option("--top", type=click.IntRange(min=1), default=5, metavar="N", help="Hits at most.")
@_BUDGET
@_SESSION
@shared_options
def related(session: Session, hit: str, top: int, budget: int | None, name: str) -> int:
    """Find what is about the same as a hit.

    HIT is path:line, or the id of a hit in the JSON of a search.

    Example: tadoru related src/app.py:120 --top 3
    """
    workspace = session.open()
    memory = workspace.session(name) if name else None
    answer = workspace.related(_in_tree(session, hit), top=top, budget=budget, session=memory)
    return _print(session, answer, "tadoru: nothing is like it")


def _in_tree(session: Session, hit: str) -> str:
    """Return a hit with its path as the tree has it."""
    for mark in ("#", ":"):
        path, found, rest = hit.rpartition(mark)
        if found and path:
            return f"{session.tree_path(path)}{mark}{rest}"
    return hit


def _print(session: Session, answer: SearchAnswer, nothing: str) -> int:
    found = bool(answer.files or answer.hits)
    if session.as_json:
        out_json(answer)
    elif answer.text:
        out_text(answer.text)
    note_warnings(answer.warnings)
    if not found:
        note(nothing)
    note_state(answer.index)
    return 0 if found else 1
