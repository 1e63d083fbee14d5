"""`tadoru config`: what is set, and whether it can be understood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import click

from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import note_warnings, out, out_json, shown
from tadoru.config import Config, load, user_file

_SECRET = "_api_key"


@click.group(invoke_without_command=True)
@click.pass_context
def config(ctx: click.Context) -> None:
    """List or validate the configuration.

    Example: tadoru config list
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@config.command("list")
@shared_options
def list_values(session: Session) -> int:
    """Print every key with its value; keys of services are masked."""
    settings = load(session.roots[0])
    values = dict(flattened(settings))
    if session.as_json:
        out_json({"file": str(_file()), "values": values, "warnings": settings.warnings})
    else:
        for key, value in values.items():
            out(f"{key} = {shown(str(value))}")
        note_warnings((f"your own file is {_file()}", *settings.warnings))
    return 0


@config.command("validate")
@shared_options
def validate(session: Session) -> int:
    """Read all configuration; exit 2 for a mistake, 1 when something was left out."""
    settings = load(session.roots[0])
    if session.as_json:
        out_json({"valid": not settings.warnings, "warnings": settings.warnings})
    elif not settings.warnings:
        out("the configuration is valid")
    note_warnings(settings.warnings)
    return 1 if settings.warnings else 0


def _file() -> Any:
    import os

    return user_file(os.environ)


def flattened(settings: Config) -> Iterator[tuple[str, Any]]:
    """Yield dotted keys and plain values, with secrets masked."""
    for item in fields(settings):
        value = getattr(settings, item.name)
        if item.name == "warnings":
            continue
        if is_dataclass(value):
            for inner in fields(value):
                yield f"{item.name}.{inner.name}", _plain(inner.name, getattr(value, inner.name))
        else:
            yield item.name, _plain(item.name, value)


def _plain(name: str, value: Any) -> Any:
    if name.endswith(_SECRET):
        return "********" if value else ""
    if name == "url" and "@" in value:
        return f"{value.partition('://')[0]}://********@{value.rpartition('@')[2]}"
    if name == "options":
        return ",".join(f"{prefix}: ********" for prefix in value)
    if isinstance(value, frozenset):
        return ",".join(sorted(value))
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return value
