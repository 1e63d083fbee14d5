"""`tadoru hook`: only its help. The command itself runs without click (see `tadoru.cli.main`)."""

from __future__ import annotations

import click

from tadoru.hooks.agents import AGENTS


@click.command()
@click.option("--agent", type=click.Choice(sorted(AGENTS)), help="Whose payload is on stdin.")
def hook(agent: str | None) -> int:
    """Turn an agent's failed read into a suggestion.

    Reads the agent's hook payload (JSON) on stdin and prints the agent's own answer, or nothing.
    Any failure is silent and exits 0, so that a hook never stands in an agent's way.

    Example: tadoru hook --agent claude-code < payload.json
    """
    from tadoru.hooks.main import main

    return main(["--agent", agent] if agent else [])
