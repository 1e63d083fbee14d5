"""`tadoru publish`: a directory of documents becomes a collection that others mount."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import note, out, out_json, shown
from tadoru.cli.progress import progress_bar
from tadoru.errors import BadInput, StoreError

if TYPE_CHECKING:
    from tadoru.publishing import PublishReport

PATHS_NAMED = 3


@click.command()
@click.argument("source", metavar="DIR")
@click.argument("address", metavar="chroma://HOST:PORT/COLLECTION")
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="GLOB=GROUPS",
    help="Who may see what: GLOB=group,group, GLOB=public, GLOB= for nobody; the last that matches "
    "decides. Instead of [access] in your configuration.",
)
@click.option("--public", is_flag=True, help="What no rule matches is public.")
@click.option(
    "--link",
    "links",
    multiple=True,
    metavar="PATH=URL",
    help="A page that points to an object in an object store.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@shared_options
def publish(
    session: Session,
    source: str,
    address: str,
    labels: tuple[str, ...],
    public: bool,
    links: tuple[str, ...],
    dry_run: bool,
) -> int:
    """Publish a directory into a Chroma collection, for `tadoru mount`.

    Only what changed is sent; a run that was killed goes on where it was. Readers see the old tree
    until the new one is whole and checked.

    Example: tadoru publish docs chroma://localhost:8000/docs --label '**=public'
    """
    workspace = session.open(source)
    with progress_bar() as progress:
        indexed = workspace.index(progress=progress)
        if not indexed.complete:
            raise StoreError(f"{source} could not be indexed as a whole", hint="run `tadoru index`")
        report = workspace.publish(
            address,
            labels=labels,
            public=public,
            links=dict(_link(link) for link in links),
            dry_run=dry_run,
            progress=progress,
        )
    if session.as_json:
        out_json(report)
    else:
        print_report(report)
    return 0


def _link(text: str) -> tuple[str, str]:
    path, equals, url = text.partition("=")
    if not (path and equals and url):
        raise BadInput(f"{text!r} is no link", hint="such as api/openapi.json=s3://bucket/o.json")
    return path, url


def print_report(report: PublishReport) -> None:
    """Print what was published, by label; nothing that was left out is silent."""
    verb = "would publish" if report.dry_run else "published"
    out(f"{verb} {report.pages} pages in {report.chunks} chunks to {shown(report.address)}")
    out(f"  pages     {report.added} added, {report.changed} changed, {report.deleted} deleted, "
        f"{report.unchanged} unchanged, {report.relabelled} relabelled")  # fmt: skip
    for label, count in report.labels.items():
        out(f"  label     {shown(label)}: {count}")
    if not report.dry_run:
        out(f"  chunks    {report.uploaded} sent, {report.swept} old ones removed")
        out(f"  state     generation {report.generation}")
    out(f"  vectors   {shown(report.vectors) or 'none: search over it is lexical'}")
    for reason, paths in sorted(report.left_out.items()):
        named = ", ".join(shown(path) for path in list(paths)[:PATHS_NAMED])
        more = f", and {len(paths) - PATHS_NAMED} more" if len(paths) > PATHS_NAMED else ""
        out(f"  left out  {reason}: {len(paths)} ({named}{more})")
    for line in report.notes:
        note(f"tadoru: {line}")
