"""`tadoru status`, `stats` and `roots`: what is served, and how fresh it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import note_state, out, out_json, shown
from tadoru.types import to_json


@click.command()
@shared_options
def status(session: Session) -> int:
    """Tell how fresh the index is.

    Example: tadoru status --json
    """
    state = session.open().status()
    if session.as_json:
        out_json(state)
    else:
        out(f"{state}, {state.files} files, generation {state.generation}")
    return 0


@click.command()
@click.option("--path", default=None, metavar="DIR", help="The root, as an option.")
@shared_options
def stats(session: Session, path: str | None) -> int:
    """Print what the index holds.

    Example: tadoru stats --json
    """
    workspace = session.open(path)
    report = workspace.stats()
    if session.as_json:
        out_json({"index": workspace.status(), **report})
    else:
        print_table(to_json(report))
        note_state(workspace.status())
    return 0


def print_table(table: Mapping[str, Any], indent: str = "") -> None:
    """Print nested numbers as aligned lines."""
    width = max((len(str(key)) for key in table), default=0)
    for key, value in table.items():
        if isinstance(value, Mapping):
            out(f"{indent}{shown(str(key))}")
            print_table(value, indent + "  ")
        elif isinstance(value, list):
            for item in value:
                out(f"{indent}{shown(str(key)):<{width}}  {shown(str(item))}")
        else:
            out(f"{indent}{shown(str(key)):<{width}}  {shown(str(value))}")


@click.command()
@shared_options
def roots(session: Session) -> int:
    """List the roots that are served, as `place<TAB>directory`.

    Example: tadoru --root api --root web roots
    """
    served = session.open().roots
    if session.as_json:
        out_json({"roots": dict(served)})
    else:
        for name, directory in served.items():
            out(f"{shown(name)}\t{shown(directory)}")
    return 0
