"""`tadoru index`, `reindex` and `watch`: the write side, with a bar on a terminal."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tadoru.cli import INTERRUPTED
from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import note, note_state, out, out_json, shown
from tadoru.cli.progress import progress_bar
from tadoru.types import LACKING, EmbeddingReport, IndexReport

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

PATHS_NAMED = 5
"""Skipped files that are named per reason; `--json` names them all."""
ERRORS_NAMED = 10


@click.command()
@click.argument("path", default=None, required=False, metavar="[PATH]")
@click.option("--rebuild", "--force", "rebuild", is_flag=True, help="Start from nothing.")
@click.option("--dry-run", is_flag=True, help="Say what would be done.")
@shared_options
def index(session: Session, path: str | None, rebuild: bool, dry_run: bool) -> int:
    """Bring the index up to date and report what was done, what was skipped, and why.

    Example: tadoru index ~/src/flask
    """
    workspace = session.open(path)
    if not dry_run:
        note_wait(workspace)
    with progress_bar() as progress:
        report = workspace.index(rebuild=rebuild, dry_run=dry_run, progress=progress)
    report = after_consent(session, workspace, report)
    if session.as_json:
        out_json(report)
    else:
        print_report(report)
    note_state(report.index)
    return 0 if report.complete or dry_run else 2


@click.command()
@shared_options
def reindex(session: Session) -> int:
    """Build the index anew.

    Example: tadoru reindex
    """
    workspace = session.open()
    note_wait(workspace)
    with progress_bar() as progress:
        report = workspace.index(rebuild=True, progress=progress)
    report = after_consent(session, workspace, report)
    if session.as_json:
        out_json(report)
    else:
        print_report(report)
    note_state(report.index)
    return 0 if report.complete else 2


def note_wait(workspace: Workspace) -> None:
    """Say so when another process writes: a question may have begun a run in the background."""
    if workspace.writing():
        note("tadoru: waiting for a run that is under way")


def after_consent(session: Session, workspace: Workspace, report: IndexReport) -> IndexReport:
    """Ask the person at the terminal whether text may be sent, and make the vectors if so.

    Where nobody can be asked nothing is sent; the report says so, and `--yes` agrees beforehand.
    """
    embedding = report.embedding
    if embedding is None or not embedding.needs_consent:
        return report
    if session.as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        note(
            f"tadoru: nothing was sent to {', '.join(embedding.hosts)}: `tadoru index --yes` agrees"
        )
        return report
    note(
        f"Semantic search with {shown(embedding.model)} sends text of {shown(report.root)} to "
        f"{shown(', '.join(embedding.hosts))}:\n{embedding.waiting} chunks of "
        f"{embedding.waiting_files} files, {_bytes(embedding.bytes)}, about {embedding.tokens} "
        "tokens; later what changes, and what a question finds if a reranker is configured."
    )
    if not click.confirm("Send it?", err=True):
        return report
    workspace.agree()
    with progress_bar() as progress:
        made = workspace.embed(progress=progress)
    lacks = tuple(line for line in report.notes if not line.startswith(LACKING))
    return replace(
        report,
        embedding=made.embedding,
        notes=lacks,
        errors=(*report.errors, *made.errors),
        complete=report.complete and made.complete,
    )


def _vectors_line(embedding: EmbeddingReport) -> str:
    if not (embedding.made or embedding.reused or embedding.refused or embedding.waiting):
        return f"of {embedding.files} files, by {embedding.model}"
    parts = [f"{embedding.made} made", f"{embedding.reused} known before"]
    if embedding.refused:
        parts.append(f"{embedding.refused} refused by the model")
    if embedding.waiting:
        parts.append(f"{embedding.waiting} chunks of {embedding.waiting_files} files wait")
    where = f" ({', '.join(embedding.hosts)})" if embedding.hosts else ""
    return f"{', '.join(parts)}{where}"


def print_report(report: IndexReport) -> None:
    """Print an indexing report; nothing that was left out is silent."""
    verb = "would index" if report.dry_run else "indexed"
    out(f"{verb} {shown(report.root)}")
    out(f"  files     {report.added} added, {report.changed} changed, {report.deleted} deleted, "
        f"{report.unchanged} unchanged")  # fmt: skip
    if report.languages:
        ranked = sorted(report.languages.items(), key=lambda item: (-item[1], item[0]))
        out("  languages " + ", ".join(f"{name or 'other'} {count}" for name, count in ranked[:12]))
    if report.chunks or report.symbols:
        out(f"  content   {report.chunks} chunks, {report.symbols} symbols")
    if report.index_bytes and report.source_bytes:
        files, index_ = _bytes(report.source_bytes), _bytes(report.index_bytes)
        out(f"  size      {files} of files, {index_} of index")
    if report.embedding is not None:
        out(f"  vectors   {shown(_vectors_line(report.embedding))}")
    out(f"  time      {report.seconds:.2f} s")
    for reason, paths in sorted(report.skipped.items()):
        named = ", ".join(shown(path) for path in list(paths)[:PATHS_NAMED])
        more = f", and {len(paths) - PATHS_NAMED} more" if len(paths) > PATHS_NAMED else ""
        out(f"  skipped   {reason}: {len(paths)} ({named}{more})")
    for line in report.notes:
        out(f"  note      {shown(line)}")
    for line in report.errors[:ERRORS_NAMED]:
        note(f"tadoru: {line}")
    if len(report.errors) > ERRORS_NAMED:
        note(f"tadoru: {len(report.errors) - ERRORS_NAMED} more errors; --json names them all")


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


@click.command()
@click.argument("path", default=None, required=False, metavar="[PATH]")
@click.option("--debounce", type=click.IntRange(min=0), metavar="MS", help="Wait for quiet.")
@shared_options
def watch(session: Session, path: str | None, debounce: int | None) -> int:
    """Keep the index up to date until Ctrl-C.

    Example: tadoru watch --debounce 800
    """
    workspace = session.open(path)

    def report(change: IndexReport) -> None:
        if session.as_json:
            out_json(change)
        else:
            out(f"{change.added} added, {change.changed} changed, {change.deleted} deleted "
                f"in {change.seconds:.2f} s")  # fmt: skip
        sys.stdout.flush()

    with progress_bar() as progress:
        report(workspace.index(progress=progress))
    note("tadoru: watching; Ctrl-C stops")
    logging.getLogger("watchfiles").setLevel(logging.ERROR)  # it would comment on Ctrl-C
    workspace.watch(report, debounce_ms=debounce)
    return INTERRUPTED  # nothing else ends it
