"""`tadoru mcp`: hands over to the server, before anything else is written or loaded."""

from __future__ import annotations

import click

from tadoru.cli.options import Session, shared_options


@click.command()
@click.option(
    "--tools",
    type=click.Choice(["tadoru", "pathfinder"]),
    default="tadoru",
    help="Whose tool names and parameters to offer.",
)
@click.option("--metrics", is_flag=True, help="Write one JSON line per resolve to stderr.")
@shared_options
def mcp(session: Session, tools: str, metrics: bool) -> int:
    """Serve an AI agent over stdio (Model Context Protocol).

    With --tools pathfinder it offers path_resolve, tool_retry_with_resolve, roots_list and
    reindex_paths, and writes metrics.

    Example: claude mcp add tadoru -- tadoru mcp
    """
    from tadoru.mcp.serve import serve

    options = session.options
    return serve(
        roots=[str(root) for root in session.roots],
        groups=options.groups,
        index=not options.no_index,
        yes=options.yes,
        tools=tools,
        metrics=metrics or tools == "pathfinder",
    )
