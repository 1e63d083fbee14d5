"""`tadoru config`: what is set, and whether it can be understood."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import click

from tadoru.cli.families import Family
from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import note_warnings, out, out_json, shown
from tadoru.config import PROJECT_FILE, Config, load, project_may_set, user_file
from tadoru.errors import BadInput, ConfigError

_SECRET = ("_api_key", "_token")
_TABLES = ("access", "restrict", "mounts")


@click.group(cls=Family, invoke_without_command=True)
@click.pass_context
def config(ctx: click.Context) -> None:
    """List, set or validate the configuration.

    Example: tadoru config list
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@config.command("list")
@shared_options
def list_values(session: Session) -> int:
    """Print every key with its value; keys of services are masked.

    Example: tadoru config list --json
    """
    settings = load(session.roots[0])
    values = dict(flattened(settings))
    if session.as_json:
        own = str(user_file(os.environ))
        out_json({"file": own, "values": values, "warnings": settings.warnings})
    else:
        for key, value in values.items():
            out(f"{key} = {shown(str(value))}")
        note_warnings((f"your own file is {user_file(os.environ)}", *settings.warnings))
    return 0


@config.command("set")
@click.argument("key")
@click.argument("value")
@click.option("--project", is_flag=True, help="In the repository's .tadoru.toml, not your file.")
@shared_options
def set_value(session: Session, key: str, value: str, project: bool) -> int:
    """Set a key in your configuration file; comments and order of it stay.

    A list is given with commas. What cannot be right is refused before anything is written.

    Example: tadoru config set search.smart_max_k 12
    """
    from tadoru.install.files import read, write
    from tadoru.install.toml_edits import put

    parsed, warnings = parsed_value(key, value)
    if project and not project_may_set(key):
        raise BadInput(f"a repository may not set `{key}`", hint="leave --project out")
    path = session.roots[0] / PROJECT_FILE if project else user_file(os.environ)
    before = read(path)
    try:
        text = put(before.text, tuple(key.split(".")), parsed)
    except BadInput as error:
        raise ConfigError(f"{path}: {error.message}", hint=error.hint) from None
    if text != before.text:
        write(path, text, before, mode=0o644 if project else 0o600)
    if key.endswith(_SECRET):
        path.chmod(0o600)
    if session.as_json:
        plain = _plain(key, parsed)
        out_json({"file": str(path), "key": key, "value": plain, "warnings": warnings})
    else:
        out(f"{key} = {shown(str(_plain(key, parsed)))}  ({shown(str(path))})")
    note_warnings(warnings)
    return 0


def parsed_value(key: str, value: str) -> tuple[Any, tuple[str, ...]]:
    """Return a value in the type of its key, and warnings. Raises: `ConfigError`, `BadInput`."""
    keys = [name for name, _ in flattened(Config())]
    if key not in keys:
        from difflib import get_close_matches

        near = get_close_matches(key, keys, n=1)
        hint = f"did you mean `{near[0]}`?" if near else "see `tadoru config list`"
        raise BadInput(f"no such key: {key}", hint=hint)
    if key in _TABLES:
        raise BadInput(f"`{key}` is a table", hint="write it into the file, see configuration.md")
    settings = load(env={"TADORU_CONFIG": os.devnull}, flags={key: value})
    section, _, name = key.rpartition(".")
    parsed = getattr(getattr(settings, section) if section else settings, name)
    plain = sorted(parsed) if isinstance(parsed, frozenset) else parsed
    return (list(plain) if isinstance(plain, tuple) else plain), settings.warnings


@config.command("validate")
@shared_options
def validate(session: Session) -> int:
    """Read all configuration; exit 2 for a mistake, 1 when something was left out.

    Example: tadoru config validate
    """
    settings = load(session.roots[0])
    if session.as_json:
        out_json({"valid": not settings.warnings, "warnings": settings.warnings})
    elif not settings.warnings:
        out("the configuration is valid")
    note_warnings(settings.warnings)
    return 1 if settings.warnings else 0


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
    if isinstance(value, (tuple, list)):
        return ",".join(map(str, value))
    return value
