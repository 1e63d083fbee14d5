"""`tadoru resolve` and `tadoru retry`: from a wrong path to the right one, or an honest "absent".

What stdout holds: resolved, the path alone; ambiguous, one `path<TAB>score<TAB>reason` per line,
best first; absent, one line that says so and why. Everything else is on stderr.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import note, note_state, out, out_json, out_text, shown
from tadoru.errors import OutsideRoots
from tadoru.types import Candidate, Op, Resolution

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

ROOT = "."
"""How the root, whose path is empty, is printed."""
_METRICS = click.option(
    "--metrics", is_flag=True, help="Write one JSON line on stderr: answer, counts, milliseconds."
)
OPERATIONS = click.Choice(["read", "list", "stat", "search", "write"])


@click.command()
@click.argument("path")
@click.option("--intent", default="", metavar="TEXT", help="What you want to do with the file.")
@click.option("--op", type=OPERATIONS, default="read", help="The operation that failed.")
@click.option("--recent", multiple=True, metavar="PATH", help="Paths used lately; repeatable.")
@click.option("--cwd", default=None, metavar="DIR", help="Where the path was meant to start.")
@click.option(
    "--top", type=click.IntRange(min=1), default=3, metavar="N", help="Candidates at most."
)
@click.option("--host", is_flag=True, help="Print absolute paths of this machine.")
@_METRICS
@shared_options
def resolve(
    session: Session,
    path: str,
    intent: str,
    op: Op,
    recent: tuple[str, ...],
    cwd: str | None,
    top: int,
    host: bool,
    metrics: bool,
) -> int:
    """Find the real path for one that does not exist.

    Prints the path alone when it is sure (exit 0), candidates with score and reason when several
    fit (exit 0), and "absent" with the reason when none does (exit 1; 4 outside the roots).

    Example: cat "$(tadoru resolve src/flask/session.py --intent 'load the session')"
    """
    workspace = _open(session, metrics=metrics)
    start = cwd if cwd is not None else session.cwd
    answer = workspace.resolve(
        path, intent=intent, op=op, cwd=start.strip("/"), recent=recent, top=top
    )
    if session.as_json:
        out_json(answer)
    else:
        asked = click.get_current_context().get_parameter_source("top")
        print_resolution(answer, host=host, others=asked is ParameterSource.COMMANDLINE)
    note_state(answer.index)
    if answer.error_kind == OutsideRoots.code:
        return OutsideRoots.exit_code
    return 1 if answer.status == "absent" else 0


def _open(session: Session, *, metrics: bool) -> Workspace:
    workspace = session.open()
    if metrics:
        workspace.on_measure = lambda record: note(json.dumps(record))
    return workspace


def print_resolution(answer: Resolution, *, host: bool, others: bool) -> None:
    """Print an answer for people and scripts. `others`: also name the runners-up when resolved."""
    if answer.status == "resolved":
        out(shown((host and answer.host_path) or answer.path or ROOT))
        if answer.line:
            note(f"line {answer.line}")
        if others:
            for candidate in answer.candidates:
                if candidate.path != answer.path:
                    note(f"also: {_row(candidate, host=host)}")
        return
    if answer.status == "ambiguous":
        for candidate in answer.candidates:
            out(_row(candidate, host=host))
        what = answer.reason or "ambiguous"
        note(f"tadoru: {what}: {answer.next_question or 'several paths fit'}")
        return
    out(f"absent: {shown(answer.reason or 'no such path, and nothing like it')}")
    for candidate in answer.candidates:
        note(f"near: {_row(candidate, host=host)}")
    if answer.next_question:
        note(answer.next_question)


def _row(candidate: Candidate, *, host: bool) -> str:
    path = (host and candidate.host_path) or candidate.path or ROOT
    return f"{shown(path)}\t{candidate.score:.2f}\t{shown(candidate.reason)}"


@click.command()
@click.argument("path")
@click.option("--op", type=OPERATIONS, default="read", help="The operation that failed.")
@click.option("--intent", default="", metavar="TEXT", help="What you want to do with the file.")
@click.option("--root-hint", default="", metavar="DIR", help="Prefer paths below this one.")
@click.option("--strategy", type=click.Choice(["best_first", "score_desc"]), default="best_first")
@click.option("--top", type=click.IntRange(min=1), default=5, metavar="N", help="Paths to try.")
@click.option("--ask", is_flag=True, help="Try the candidates even when several paths fit.")
@_METRICS
@shared_options
def retry(
    session: Session,
    path: str,
    op: Op,
    intent: str,
    root_hint: str,
    strategy: Literal["best_first", "score_desc"],
    top: int,
    ask: bool,
    metrics: bool,
) -> int:
    """Repeat a failed read, list, stat or search on the path that was meant.

    Example: tadoru retry src/flask/session.py
    """
    answer = _open(session, metrics=metrics).retry(
        path,
        op=op,
        intent=intent,
        root_hint=root_hint,
        strategy=strategy,
        top=top,
        ask=ask,
    )
    if session.as_json:
        out_json(answer)
    elif answer.status == "ok":
        if answer.path != path:
            note(f"tadoru: used {answer.path}")
        out_text(answer.result, exact=True)
        if answer.truncated:
            note(f"tadoru: cut; `tadoru read {answer.path}` has the rest")
    elif answer.resolution is not None:
        print_resolution(answer.resolution, host=False, others=True)
    else:
        out(answer.status)
    if answer.status == "refused":
        note("tadoru: refused: what writes is never repeated")
    if answer.status == "all_failed":
        note(f"tadoru: all_failed: tried {', '.join(answer.tried)}")
    note_state(answer.index)
    if answer.resolution is not None and answer.resolution.error_kind == OutsideRoots.code:
        return OutsideRoots.exit_code
    return 0 if answer.status in ("ok", "ambiguous") else 1
