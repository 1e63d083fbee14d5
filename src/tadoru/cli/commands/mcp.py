"""`tadoru mcp`: hands over to the server, before anything else is written or loaded."""

from __future__ import annotations

import os

import click

from tadoru.cli.options import Session, shared_options


@click.command()
@click.option(
    "--tools",
    type=click.Choice(["tadoru", "contextweaver", "pathfinder"]),
    default="tadoru",
    help="Whose tool names and parameters to offer.",
)
@click.option(
    "--no-client-roots", is_flag=True, help="Serve --root whatever directories the client offers."
)
@click.option("--metrics", is_flag=True, help="Write one JSON line per resolve to stderr.")
@shared_options
def mcp(session: Session, tools: str, no_client_roots: bool, metrics: bool) -> int:
    """Serve an AI agent over stdio (Model Context Protocol).

    It serves the directories that the client offers; else each --root, those in TADORU_ROOT, or
    the repository around the working directory. With --tools pathfinder it writes metrics.

    Example: claude mcp add tadoru -- tadoru mcp
    """
    from tadoru.cli import interrupts
    from tadoru.mcp.serve import serve

    interrupts.hand_back()
    options = session.options
    named = [root for root in os.environ.get("TADORU_ROOT", "").split(os.pathsep) if root]
    return serve(
        roots=named if named and not options.roots else [str(root) for root in session.roots],
        groups=options.groups,
        index=not options.no_index,
        yes=options.yes,
        tools=tools,
        client_roots=not no_client_roots,
        metrics=metrics or tools == "pathfinder",
    )
