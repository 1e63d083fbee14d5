"""Symbols and imports, as far as they are visible.

Definitions are found by an index on their names; what else is known of them lies with their file.
An edge to a file that the asker may not see looks like one that leads outside.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from tadoru.stores.sqlite.access import admitted
from tadoru.stores.sqlite.codec import unpack_symbols
from tadoru.stores.sqlite.content import is_sayable
from tadoru.types import Access, Import, Symbol


def symbols(
    connection: sqlite3.Connection,
    access: Access,
    *,
    name: str | None,
    folded: str | None,
    path: str | None,
    under: str | None,
    kinds: Sequence[str],
    offset: int,
    limit: int,
) -> tuple[list[Symbol], int]:
    """Return a page of definitions, ordered by path and position, and their total."""
    conditions = [f"f.access_id {admitted(access)}"]
    values: list[Any] = []
    if name is not None:
        conditions += ["ifnull(s.folded, s.name) = ?", "s.name = ?"]
        values += [name.casefold(), name]
    if folded is not None:
        conditions.append("ifnull(s.folded, s.name) = ?")
        values.append(folded.casefold())
    if path is not None:
        conditions.append("f.path = ?")
        values.append(path)
    if under:
        conditions += ["f.path >= ?", "f.path < ?"]
        values += [under.rstrip("/") + "/", under.rstrip("/") + "0"]  # "0" follows "/"
    if kinds:
        conditions.append(f"s.kind IN ({','.join('?' * len(kinds))})")
        values += list(kinds)
    if not all(is_sayable(value) for value in values):
        return [], 0
    source = f"FROM symbols s JOIN files f ON f.id = s.file_id WHERE {' AND '.join(conditions)}"
    total = int(connection.execute(f"SELECT count(*) {source}", values).fetchone()[0])
    rows = connection.execute(
        f"SELECT f.id, f.path, s.position {source} ORDER BY f.path, s.position LIMIT ? OFFSET ?",
        [*values, max(0, limit), max(0, offset)],
    ).fetchall()
    return _read(connection, rows), total


def _read(connection: sqlite3.Connection, rows: list[tuple[int, str, int]]) -> list[Symbol]:
    paths = {number: path for number, path, _ in rows}
    files: dict[int, list[Symbol]] = {}
    for number, path in paths.items():
        (blob,) = connection.execute(
            "SELECT symbols FROM texts WHERE file_id = ?", (number,)
        ).fetchone()
        files[number] = unpack_symbols(blob, path)
    return [files[number][position] for number, _, position in rows]


_EDGE = "f.path, i.module, i.line, i.target, i.names"


def imports(connection: sqlite3.Connection, path: str, access: Access) -> list[Import]:
    visible = admitted(access)
    rows = connection.execute(
        f"SELECT f.path, i.module, i.line, ifnull(t.path, ''), i.names FROM imports i"
        f" JOIN files f ON f.id = i.file_id"
        f" LEFT JOIN files t ON t.path = i.target AND t.access_id {visible}"
        f" WHERE f.path = ? AND f.access_id {visible} ORDER BY i.position",
        (path,),
    )
    return [_edge(row) for row in rows]


def importers(connection: sqlite3.Connection, path: str, access: Access) -> list[Import]:
    visible = admitted(access)
    rows = connection.execute(
        f"SELECT {_EDGE} FROM imports i JOIN files f ON f.id = i.file_id"
        f" JOIN files t ON t.path = i.target"
        f" WHERE i.target = ? AND i.target <> '' AND f.access_id {visible}"
        f" AND t.access_id {visible} ORDER BY f.path, i.position",
        (path,),
    )
    return [_edge(row) for row in rows]


def import_counts(connection: sqlite3.Connection, access: Access) -> dict[str, int]:
    visible = admitted(access)
    return dict(
        connection.execute(
            f"SELECT i.target, count(DISTINCT i.file_id) FROM imports i"
            f" JOIN files f ON f.id = i.file_id JOIN files t ON t.path = i.target"
            f" WHERE i.target <> '' AND f.access_id {visible} AND t.access_id {visible}"
            f" GROUP BY i.target ORDER BY i.target"
        ).fetchall()
    )


def _edge(row: tuple[str, str, int, str, str]) -> Import:
    path, module, line, target, names = row
    return Import(path, module, line, target, tuple(json.loads(names)) if names else ())
