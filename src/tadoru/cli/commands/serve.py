"""`tadoru serve`: puts the two faces for networks together, MCP and the API with its page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import note
from tadoru.config import Config, load
from tadoru.errors import Unavailable

if TYPE_CHECKING:
    from tadoru.web.gate import Gate
    from tadoru.workspace import Workspace

PORT = 8321
BACKLOG = 512
"""Connections that wait to be accepted."""
RANKINGS_KEPT = 200
"""Finished rankings that all principals share."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=PORT, show_default=True, help="0 for any that is free.")
@click.option(
    "--tools",
    type=click.Choice(["tadoru", "contextweaver"]),
    default="tadoru",
    help="Whose tool names and parameters MCP offers.",
)
@click.option("--url", help="What clients call this service (https://tadoru.example.com).")
@click.option("--issuer", help="The identity provider, as its tokens name it.")
@click.option("--audience", multiple=True, help="What tokens must be made for (repeatable).")
@click.option("--keys", help="The provider's keys (JWKS): an https URL or a file.")
@click.option("--scope", "scopes", multiple=True, help="A scope that tokens need (repeatable).")
@click.option("--groups-claim", help="Where tokens name groups: groups, realm_access.roles, ...")
@click.option("--operators", help="Groups that may see as others do and read metrics (a,b).")
@click.option("--origin", "origins", multiple=True, help="A web page that may call (repeatable).")
@click.option("--certificate", type=click.Path(exists=True, dir_okay=False), help="For TLS.")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), help="Of the certificate.")
@shared_options
def serve(session: Session, /, host: str, port: int, **flags: Any) -> int:
    """Serve MCP, a JSON API and a page over HTTP.

    Without an identity provider it listens on this machine only. Settings: `serve.` in your
    configuration, TADORU_SERVE_... in the environment, and the options here.

    Example: tadoru serve --port 8321
    """
    try:
        import jwt  # noqa: F401
        import prometheus_client  # noqa: F401
    except ImportError as error:
        raise Unavailable(
            f"`tadoru serve` needs the extra `serve` ({error.name} is missing)",
            hint="pip install 'tadoru[serve]'",
        ) from None
    certificate, key = flags.pop("certificate") or "", flags.pop("key") or ""
    tools = flags.pop("tools")
    config = _configured(session, flags)

    from tadoru.web import listening

    listening.check(config.serve, host)
    with listening.bound(host, port) as place:
        shown = f"[{host}]" if ":" in host else host
        scheme = "https" if certificate else "http"
        at = f"{scheme}://{shown}:{place.getsockname()[1]}"
        gate = _composed(session, config, host, at, tools)
        place.listen(BACKLOG)
        note(f"tadoru: listening on {at}")
        listening.serve(gate, place, config.serve, certificate=certificate, key=key)
    return 0


def _configured(session: Session, flags: dict[str, Any]) -> Config:
    """Return the configuration with the options, and with bounds that a shared service needs."""
    given = {f"serve.{name}": value for name, value in flags.items() if value}
    config = load(session.roots[0] if session.roots else None, flags=given)
    shell = replace(
        config.shell,
        timeout_seconds=min(config.shell.timeout_seconds, config.serve.deadline_seconds),
        max_tmp_bytes=min(config.shell.max_tmp_bytes, config.serve.max_body_bytes // 2),
    )
    entries = max(config.search.query_cache_entries, RANKINGS_KEPT)
    search = replace(config.search, query_cache_entries=entries)
    return replace(config, shell=shell, search=search)


def _answer_hooks(session: Session, workspace: Workspace, place: Path) -> None:
    """Answer the hooks of the local person's agents, as `tadoru mcp` does."""
    from tadoru.mcp.hints import Hints
    from tadoru.mcp.listen import Listener

    directories = [root for root in workspace.roots.values() if root.startswith("/")]
    listener = Listener(place, directories, Hints(lambda: workspace).answer)
    listener.start()
    session.context.call_on_close(listener.close)


def _composed(session: Session, config: Config, host: str, at: str, tools: str) -> Gate:
    """Return the application: both faces over one workspace, which is opened here."""
    from tadoru.mcp import server as mcp
    from tadoru.roots import home
    from tadoru.secret import secret
    from tadoru.web import app

    workspace = session.open(config=config)
    service = app.open_service(workspace, at=at)
    protocol = mcp.build(
        service.askers.current, tools=tools, one_client=False, run=service.workers.run
    )
    gate = app.build(
        service,
        mcp.over_http(protocol, path=app.MCP, body_bytes=config.serve.max_body_bytes),
        secret=secret(home(config)),
        host=host,
        groups=workspace.principal.groups,
    )
    if not service.authenticated:
        _answer_hooks(session, workspace, home(config))
    note(f"tadoru: serving {', '.join(workspace.roots.values())} as {service.url}")
    return gate
