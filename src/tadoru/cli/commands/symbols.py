"""`tadoru symbols`, `definition` and `references`: names, where they are made and used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tadoru.cli.commands.files import note_page
from tadoru.cli.commands.read import numbered
from tadoru.cli.commands.search import split_list
from tadoru.cli.links import located
from tadoru.cli.options import Session, complete_file, shared_options
from tadoru.cli.output import note, note_state, out, out_json, out_text, shown

if TYPE_CHECKING:
    from tadoru.types import Symbol

SHOWN_LINES = 60
"""Lines of a definition that are printed; `tadoru read` has the rest."""


@click.command()
@click.argument("path", default="", metavar="[PATH]", shell_complete=complete_file)
@click.option("--name", default="", metavar="TEXT", help="Only this name.")
@click.option("--kind", "kinds", multiple=True, callback=split_list, metavar="KIND")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N")
@click.option("--limit", "--top", "limit", type=click.IntRange(min=1), default=100, metavar="N")
@shared_options
def symbols(
    session: Session, path: str, name: str, kinds: tuple[str, ...], offset: int, limit: int
) -> int:
    """List definitions.

    Example: tadoru symbols src/app.py --kind class
    """
    answer = session.open().symbols(
        path=session.tree_path(path), name=name, kinds=kinds, offset=offset, limit=limit
    )
    if session.as_json:
        out_json(answer)
    else:
        for symbol in answer.symbols:
            out(_row(session, symbol))
    note_page(len(answer.symbols), answer.offset, answer.total, "symbols")
    note_state(answer.index)
    return 0 if answer.symbols else 1


@click.command()
@click.argument("name")
@click.option(
    "--hint-path",
    default="",
    metavar="PATH",
    shell_complete=complete_file,
    help="Prefer definitions here.",
)
@click.option("--top", "--max-results", "top", type=click.IntRange(min=1), default=3, metavar="N")
@click.option("--brief", is_flag=True, help="Print where, not the text.")
@shared_options
def definition(session: Session, name: str, hint_path: str, top: int, brief: bool) -> int:
    """Show where a name is defined.

    Example: tadoru definition SessionInterface --hint-path src
    """
    workspace = session.open()
    answer = workspace.definition(name, hint_path=session.tree_path(hint_path), top=top)
    if session.as_json:
        out_json(answer)
    else:
        for symbol in answer.symbols:
            out(_row(session, symbol))
            if brief:
                continue
            first, last = symbol.span.start_line, symbol.span.end_line
            text = workspace.read(symbol.path, start=first, end=min(last, first + SHOWN_LINES - 1))
            out_text(numbered(text.text, first))
            if last > text.end_line:
                note(f"tadoru: goes on to line {last}; "
                     f"tadoru read {symbol.path} --lines {text.end_line + 1}-{last}")  # fmt: skip
    note_state(answer.index)
    return 0 if answer.symbols else 1


def _row(session: Session, symbol: Symbol) -> str:
    full = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
    signature = " ".join(symbol.signature.split())
    tail = f"  {shown(signature)}" if signature else ""
    where = located(symbol.path, symbol.span.start_line, session.host_path(symbol.path))
    return f"{where}: {symbol.kind} {shown(full)}{tail}"


@click.command()
@click.argument("name")
@click.option("--exclude-definition", is_flag=True, help="Leave out where it is defined.")
@click.option("--top", "--max-results", "top", type=click.IntRange(min=1), default=50, metavar="N")
@shared_options
def references(session: Session, name: str, exclude_definition: bool, top: int) -> int:
    """Show where a name is used.

    Example: tadoru references open_session --exclude-definition
    """
    answer = session.open().references(name, exclude_definition=exclude_definition, top=top)
    if session.as_json:
        out_json(answer)
    else:
        for use in answer.references:
            where = located(use.path, use.line, use.host_path)
            out(f"{where}: [{use.kind}] {shown(use.text.strip())}")
    count = len(answer.references)
    if count < answer.total:
        note(f"tadoru: {count} of {answer.total} references; more with --top {answer.total}")
    note_state(answer.index)
    return 0 if answer.references else 1
