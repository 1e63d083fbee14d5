"""`tadoru mount`, `unmount`: document stores in the user's own configuration."""

from __future__ import annotations

import os
from typing import Any

import click

from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import complain, out, out_json, shown
from tadoru.config import Config, load, user_file
from tadoru.errors import BadInput, ConfigError, TadoruError
from tadoru.types import Principal

TABLE = "mounts"


@click.command()
@click.argument("place", required=False, metavar="[PLACE]")
@click.argument("address", required=False, metavar="[ADDRESS]")
@click.option("--no-check", is_flag=True, help="Do not ask the server whether it is there.")
@shared_options
def mount(session: Session, place: str | None, address: str | None, no_check: bool) -> int:
    """Mount a document store at a place of every tree; alone: list what is mounted.

    ADDRESS: chroma://HOST:PORT/COLLECTION, chroma+https://HOST/COLLECTION, or
    chroma+file:DIR#COLLECTION; settings follow a question mark (?page=slug&joiner=%0A).

    Example: tadoru mount /docs chroma://localhost:8000/docs
    """
    if place is None:
        return _list(session)
    if address is None:
        raise BadInput(f"nothing is named to mount at {place}", hint="give its address too")
    from tadoru.opening import place_of
    from tadoru.stores.chroma import parse_address

    where = "/" + place_of(place)
    parsed = parse_address(address)
    full = _absolute(address, parsed.where) if not parsed.is_server else address
    settings = _settings()
    row = _row(session, where, full, settings, ask=not no_check)
    if "error" in row:
        raise row["error"]
    _edit(where, full)
    if session.as_json:
        out_json({"file": str(user_file(os.environ)), **row})
    else:
        out(_line(row))
    return 0


@click.command()
@click.argument("place")
@shared_options
def unmount(session: Session, place: str) -> int:
    """Take a mount out of your configuration.

    Example: tadoru unmount /docs
    """
    from tadoru.opening import place_of

    wanted = place_of(place)
    named = next((name for name in _settings().mounts if place_of(name) == wanted), None)
    if named is None:
        raise BadInput(f"nothing is mounted at /{wanted}", hint="`tadoru mount` lists what is")
    _edit(named, None)
    if session.as_json:
        out_json({"file": str(user_file(os.environ)), "unmounted": f"/{wanted}"})
    else:
        out(f"unmounted /{wanted}")
    return 0


def _settings() -> Config:
    return load(None)


def _absolute(address: str, directory: str) -> str:
    """Name a directory from the root on: the configuration is read from everywhere."""
    return f"chroma+file:{directory}#{address.rpartition('#')[2]}"


def _list(session: Session) -> int:
    settings = _settings()
    rows = [_row(session, *item, settings, ask=True) for item in sorted(settings.mounts.items())]
    if session.as_json:
        plain = [{**row, "error": str(row["error"])} if "error" in row else row for row in rows]
        out_json({"file": str(user_file(os.environ)), "mounts": plain})
    for row in () if session.as_json else rows:
        out(_line(row))
        if "error" in row:
            complain(str(row["error"]))
    return 0 if rows else 1


def _row(
    session: Session, place: str, address: str, settings: Config, *, ask: bool
) -> dict[str, Any]:
    """Return what is known of a mount: how many pages the asker sees, or why nobody knows."""
    row: dict[str, Any] = {"place": place, "address": address}
    if not ask:
        return row
    from tadoru.documents import ChromaSource

    principal = Principal(frozenset(session.options.groups) or settings.groups)
    try:
        store = ChromaSource(address, settings).store
        access = frozenset(row.id for row in store.access_rows() if row.admits(principal))
        row["pages"] = sum(1 for _ in store.entries(access=access))
    except TadoruError as error:
        row["error"] = error
    return row


def _line(row: dict[str, Any]) -> str:
    count = row.get("pages")
    seen = "" if count is None else f"  {count} page{'' if count == 1 else 's'}"
    return f"{shown(row['place'])}  {shown(row['address'])}{seen}"


def _edit(place: str, address: str | None) -> None:
    """Set or remove one mount in the user's file; comments and order of it stay."""
    from tadoru.install.files import read, write
    from tadoru.install.toml_edits import put, remove_table

    path = user_file(os.environ)
    before = read(path)
    try:
        key = (TABLE, place)
        text = remove_table(before.text, key) if address is None else put(before.text, key, address)
    except BadInput as error:
        raise ConfigError(f"{path}: {error.message}", hint=error.hint) from None
    if text != before.text:
        write(path, text, before, mode=0o600)
