"""`tadoru search`: a question, and the packed context that answers it."""

from __future__ import annotations

import sys
from typing import Any

import click

from tadoru.cli.links import located
from tadoru.cli.options import Session, complete_directory, shared_options
from tadoru.cli.output import note, note_state, note_warnings, out, out_json, out_text, shown
from tadoru.errors import BadInput
from tadoru.types import Freshness, SearchAnswer

NOTHING = "tadoru: nothing found; try other words, or exact names with --terms"
MAX_QUESTION_READ = 1_000_000
"""Characters taken from stdin; the workspace has its own, smaller limit and says so."""


def split_list(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Let an option be repeated, hold commas, or both."""
    return tuple(item for value in values for item in map(str.strip, value.split(",")) if item)


@click.command()
@click.argument("words", nargs=-1, metavar="QUESTION")
@click.option("--information-request", metavar="TEXT", help="The question, as an option.")
@click.option(
    "--terms",
    "--technical-terms",
    "terms",
    multiple=True,
    callback=split_list,
    metavar="A,B",
    help="Exact names that the answer should hold.",
)
@click.option("--mode", type=click.Choice(["quick", "balanced", "deep"]), default="balanced")
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Size of the answer.")
@click.option("--top", type=click.IntRange(min=1), default=20, metavar="N", help="Hits at most.")
@click.option("--include", multiple=True, callback=split_list, metavar="GLOB")
@click.option("--exclude", multiple=True, callback=split_list, metavar="GLOB")
@click.option("--language", "languages", multiple=True, callback=split_list, metavar="NAME")
@click.option("--tests", type=click.Choice(["include", "exclude", "only"]), default="include")
@click.option(
    "--under",
    default="",
    metavar="DIR",
    shell_complete=complete_directory,
    help="Search below this directory only.",
)
@click.option("--max-files", type=click.IntRange(min=1), metavar="N")
@click.option("--max-segments-per-file", type=click.IntRange(min=1), metavar="N")
@click.option("--max-total-chars", type=click.IntRange(min=1), metavar="N")
@click.option(
    "--low-confidence",
    type=click.Choice(["return_top1", "return_empty", "return_with_warning"]),
    default="return_top1",
)
@click.option("--changed-since", default="", metavar="REV", help="Only files changed since then.")
@click.option("--files", "names_only", is_flag=True, help="Print path:line of each hit, no text.")
@click.option("--debug", is_flag=True, help="Add the stages of the search to the JSON.")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Skip N hits.")
@click.option(
    "--session", "name", default="", metavar="NAME", help="Name what this session was sent before."
)
@shared_options
def search(
    session: Session,
    words: tuple[str, ...],
    information_request: str | None,
    names_only: bool,
    name: str,
    **parameters: Any,
) -> int:
    """Find the code and documents that answer a question.

    Exits 1 when nothing was found, also when what is printed is a guess (low confidence).

    Example: tadoru search "where is the session cookie signed" --terms SecureCookie
    """
    question = question_from(words, information_request)
    workspace = session.open()
    parameters["under"] = session.tree_path(parameters["under"])
    memory = workspace.session(name) if name else None
    answer = workspace.search(question, session=memory, **parameters)
    if session.as_json:
        out_json(answer)
    elif names_only:
        for hit in answer.hits:
            where = located(hit.path, hit.start_line, hit.host_path)
            out(f"{where}:{shown(hit.breadcrumb)}")
    elif answer.hits:
        out_text(answer.text)
        if answer.index.status is not Freshness.FRESH and not sys.stdout.isatty():
            out(f"\nindex: {answer.index}")  # whoever reads stdout alone must know
    note_warnings(answer.warnings)
    if not answer.hits:
        note(NOTHING if answer.index.files else "tadoru: nothing found: there are no files here")
    note_state(answer.index)
    return 0 if answer.hits and not unconvincing(answer) else 1


def unconvincing(answer: SearchAnswer) -> bool:
    """Tell whether even the best hit is a guess: printed, but not found as grep means it."""
    return any(warning.startswith("low confidence") for warning in answer.warnings)


def question_from(words: tuple[str, ...], information_request: str | None) -> str:
    """Return the question from the arguments, the option, or (for `-`) stdin."""
    if information_request is not None:
        words = (information_request, *words)
    if words == ("-",):
        return sys.stdin.read(MAX_QUESTION_READ)
    question = " ".join(words)
    if not question.strip():
        raise BadInput("no question", hint='ask one: tadoru search "where is ... done"')
    return question
