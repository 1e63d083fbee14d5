"""`tadoru list-files`, `outline` and `map`: what there is, from far to near."""

from __future__ import annotations

import click

from tadoru.cli.options import Session, complete_directory, complete_file, shared_options
from tadoru.cli.output import note, note_state, out, out_json, out_text, shown
from tadoru.types import Freshness, TextAnswer


@click.command("list-files")
@click.argument("under", default="", metavar="[DIR]", shell_complete=complete_directory)
@click.option("--glob", default="", metavar="GLOB", help="Only paths that match.")
@click.option("--language", default="", metavar="NAME", help="Only this language.")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N")
@click.option(
    "--limit",
    "--max-results",
    "--top",
    "limit",
    type=click.IntRange(min=1),
    default=200,
    metavar="N",
    help="Files at most (default 200).",
)
@click.option("-l", "--long", "long", is_flag=True, help="Add size, language and role.")
@shared_options
def list_files(
    session: Session,
    under: str,
    glob: str,
    language: str,
    offset: int,
    limit: int,
    long: bool,
) -> int:
    """List files by glob, language or directory.

    Example: tadoru list-files --glob "src/**/*.py" --max-results 50
    """
    answer = session.open().list_files(
        glob=glob, language=language, under=session.tree_path(under), offset=offset, limit=limit
    )
    if session.as_json:
        out_json(answer)
    else:
        for row in answer.files:
            name = shown(row.path)
            out(f"{row.size:>10}  {row.language or '-':<12} {row.role:<9} {name}" if long else name)
    note_page(len(answer.files), answer.offset, answer.total, "files")
    note_state(answer.index)
    return 0 if answer.files else 1


def note_page(count: int, offset: int, total: int, what: str) -> None:
    """Say that there is more, and how to get it."""
    if offset + count < total and count:
        note(f"tadoru: {count} of {total} {what}; go on with --offset {offset + count}")


@click.command()
@click.argument("path", default="", metavar="[PATH]", shell_complete=complete_file)
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Size of the answer.")
@shared_options
def outline(session: Session, path: str, budget: int | None) -> int:
    """Print the outline of a file or directory.

    Example: tadoru outline src/app.py
    """
    return print_text(session, session.open().outline(session.tree_path(path), budget=budget))


@click.command("map")
@click.argument("path", default="", metavar="[DIR]", shell_complete=complete_directory)
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Size of the answer.")
@shared_options
def map(session: Session, path: str, budget: int | None) -> int:
    """Draw a directory with its most important symbols.

    Example: tadoru map src --budget 2000
    """
    return print_text(session, session.open().map(session.tree_path(path), budget=budget))


def print_text(session: Session, answer: TextAnswer) -> int:
    if session.as_json:
        out_json(answer)
    else:
        out_text(answer.text)
    if not answer.text and answer.index.status is Freshness.FRESH:
        note("tadoru: there is nothing to outline here")
    if answer.truncated:
        note(f"tadoru: cut at {answer.budget} tokens; give a larger --budget or a deeper path")
    note_state(answer.index)
    return 0 if answer.text else 1
