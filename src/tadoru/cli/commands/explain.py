"""`tadoru explain`: how an answer came about, stage by stage, in text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from tadoru.cli.commands.resolve import OPERATIONS
from tadoru.cli.commands.search import unconvincing
from tadoru.cli.families import Family
from tadoru.cli.links import located
from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import note_state, out, out_json, shown
from tadoru.types import Mode, Op, Resolution, SearchAnswer, to_json

ROWS = 20
"""Rows of a stage that are printed; `--json` has all."""


@click.group(cls=Family, invoke_without_command=True)
@click.pass_context
def explain(ctx: click.Context) -> None:
    """Show how a search or a resolve came to its answer.

    Example: tadoru explain search "where are cookies signed"
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@explain.command("search")
@click.argument("question")
@click.option("--mode", type=click.Choice(["quick", "balanced", "deep"]), default="balanced")
@click.option("--top", type=click.IntRange(min=1), default=20, metavar="N")
@shared_options
def explain_search(session: Session, question: str, mode: Mode, top: int) -> int:
    """Show every stage of a search: what each brought, kept and cut.

    Example: tadoru explain search "where are cookies signed" --mode deep
    """
    answer = session.open().search(question, mode=mode, top=top, debug=True)
    if session.as_json:
        out_json(answer)
    else:
        print_search(answer)
    note_state(answer.index)
    return 0 if answer.hits and not unconvincing(answer) else 1


def print_search(answer: SearchAnswer) -> None:
    from tadoru.search.debug import without_stages

    out(f"question  {shown(answer.question)}")
    out(f"index     {answer.index}, {answer.index.files} files")
    print_stages(to_json(without_stages(answer.debug)))
    out(f"\nhits ({len(answer.hits)} of {answer.total})")
    for rank, hit in enumerate(answer.hits, 1):
        came = ",".join(hit.sources)
        where = f"{located(hit.path, hit.start_line, hit.host_path)}-{hit.end_line}"
        out(f"  {rank:>3}  {hit.score:8.4f}  {where}  {shown(hit.breadcrumb)}  [{came}]")
    out(f"\npacked    {len(answer.files)} files, {answer.tokens} of {answer.budget} tokens "
        f"({answer.counter})")  # fmt: skip


def print_stages(stages: Mapping[str, Any]) -> None:
    for stage, value in stages.items():
        out(f"\n{stage}")
        print_stage(value)


def print_stage(value: Any, indent: str = "  ") -> None:
    """Print one stage: mappings as `key: value`, lists as rows, cut after `ROWS`."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(item, (Mapping, list)) and item:
                out(f"{indent}{shown(str(key))}:")
                print_stage(item, indent + "  ")
            else:
                out(f"{indent}{shown(str(key))}: {shown(_short(item))}")
    elif isinstance(value, list):
        for row in value[:ROWS]:
            text = "  ".join(_short(v) for v in row.values()) if isinstance(row, Mapping) else (
                "  ".join(map(_short, row)) if isinstance(row, list) else _short(row)
            )  # fmt: skip
            out(indent + shown(text))
        if len(value) > ROWS:
            out(f"{indent}... {len(value) - ROWS} more")
    else:
        out(indent + shown(_short(value)))


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    if isinstance(value, list):
        return ",".join(map(str, value)) or "none"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


@explain.command("resolve")
@click.argument("path")
@click.option("--intent", default="", metavar="TEXT", help="What you want to do with the file.")
@click.option("--op", type=OPERATIONS, default="read", help="The operation that failed.")
@click.option("--cwd", default=None, metavar="DIR", help="Where the path was meant to start.")
@click.option("--top", type=click.IntRange(min=1), default=10, metavar="N")
@shared_options
def explain_resolve(
    session: Session, path: str, intent: str, op: Op, cwd: str | None, top: int
) -> int:
    """Show every stage of a resolve: how the path was read, what was weighed, and why.

    Example: tadoru explain resolve src/flask/session.py
    """
    start = (cwd if cwd is not None else session.cwd).strip("/")
    answer, stages = session.open().explain(path, intent=intent, op=op, cwd=start, top=top)
    if session.as_json:
        out_json({**to_json(answer), "stages": stages})
    else:
        print_resolve(answer, stages)
    note_state(answer.index)
    return 1 if answer.status == "absent" else 0


def print_resolve(answer: Resolution, stages: Mapping[str, Any]) -> None:
    out(f"requested {shown(answer.requested)}")
    out(f"index     {answer.index}, {answer.index.files} files")
    print_stages(stages)
    out(f"\nstatus    {answer.status}{': ' + shown(answer.path) if answer.path else ''}")
    for label, text in (
        ("reason", answer.reason),
        ("error", answer.error_kind),
        ("ask", answer.next_question),
        ("endings", ", ".join(answer.maybe_exts)),
    ):
        if text:
            out(f"{label:<9} {shown(text)}")
    out("candidates")
    for rank, candidate in enumerate(answer.candidates, 1):
        out(f"  {rank:>3}  {candidate.score:.4f}  {candidate.kind:<4}  {shown(candidate.path)}  "
            f"{shown(candidate.reason)}")  # fmt: skip
    if not answer.candidates:
        out("  none")
