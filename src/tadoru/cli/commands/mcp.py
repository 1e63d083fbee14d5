"""`tadoru mcp`: hands over to the server, before anything else is written or loaded."""

from __future__ import annotations

import click

from tadoru.cli.options import Session, shared_options


@click.command()
@shared_options
def mcp(session: Session) -> int:
    """Serve an AI agent over stdio (Model Context Protocol).

    Example: claude mcp add tadoru -- tadoru mcp
    """
    from tadoru.mcp.serve import serve

    options = session.options
    return serve(
        roots=[str(root) for root in session.roots],
        groups=options.groups,
        index=not options.no_index,
        yes=options.yes,
    )
