"""`tadoru status`, `stats` and `roots`: what is served, and how fresh it is."""

from __future__ import annotations

import click

from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import out, out_json, out_text, shown


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
    """Print what the index holds, what was asked of it, and how quickly it answered.

    Example: tadoru stats --json
    """
    workspace = session.open(path)
    report = workspace.stats()
    if session.as_json:
        out_json({"index": workspace.status(), **report})
    else:
        from tadoru.mcp.statistics import statistics_text

        out_text(statistics_text(report))
    return 0


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
