"""Symbols and imports, as far as they are visible.

Definitions are found by an index on their names; what else is known of them lies with their file.
An edge to a file that the asker may not see looks like one that leads outside.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Any

from tadoru.stores.sqlite.access import admitted
from tadoru.stores.sqlite.codec import Blob, symbols_of
from tadoru.stores.sqlite.content import is_sayable
from tadoru.stores.sqlite.rows import DETAILS, name_key
from tadoru.stores.sqlite.unpacked import Unpacked
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
    kept: Unpacked[Symbol],
) -> tuple[list[Symbol], int]:
    """Return a page of definitions, ordered by path and position, and their total."""
    conditions = [f"f.access_id {admitted(access)}"]
    values: list[Any] = []
    if name is not None:
        conditions += ["s.folded = ?", "ifnull(s.exact, s.folded) = ?"]
        values += [name_key(name.casefold()), name_key(name)]
    if folded is not None:
        conditions.append("s.folded = ?")
        values.append(name_key(folded.casefold()))
    if path is not None:
        conditions.append("f.path = ?")
        values.append(path)
    if under:
        conditions += ["f.path >= ?", "f.path < ?"]
        values += [under.rstrip("/") + "/", under.rstrip("/") + "0"]  # "0" follows "/"
    if kinds:
        conditions.append(f"s.kind IN ({','.join('?' * len(kinds))})")
        values += list(kinds)
    if not all(is_sayable(value) for value in values if isinstance(value, str)):
        return [], 0
    source = f"FROM symbols s JOIN files f ON f.id = s.file_id WHERE {' AND '.join(conditions)}"
    total = int(connection.execute(f"SELECT count(*) {source}", values).fetchone()[0])
    rows = connection.execute(
        f"SELECT f.id, f.rev, f.path, s.position {source}"
        " ORDER BY f.path, s.position LIMIT ? OFFSET ?",
        [*values, max(0, limit), max(0, offset)],
    ).fetchall()
    return _read(connection, rows, kept), total


def _read(
    connection: sqlite3.Connection, rows: list[tuple[int, int, str, int]], kept: Unpacked[Symbol]
) -> list[Symbol]:
    files: dict[int, Sequence[Symbol]] = {}

    def load(number: int, path: str) -> Sequence[Symbol]:
        row = connection.execute(
            "SELECT data, content, chunks FROM texts WHERE file_id = ?", (number,)
        ).fetchone()
        return symbols_of(Blob(*row), path)

    found: list[Symbol] = []
    for number, rev, path, position in rows:
        if number not in files:
            files[number] = kept.of((number, rev), partial(load, number, path))
        found.append(files[number][position])
    return found


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


def edges(
    connection: sqlite3.Connection, names: Sequence[str] | None, bare: Sequence[str]
) -> list[tuple[str, Import]]:
    """Return language and edge of the imports that can mean one of `names`, file by file.

    For the indexer, hence without access. `names`: parts of paths; None for every import. `bare`:
    languages in which a module that is not relative can mean any file.
    """
    condition, values = "1", list[str]()
    if names is not None:
        told = " OR ".join(
            ["instr(i.module, ?) OR instr(i.names, ?) OR instr(i.target, ?)"] * len(names)
        )
        condition = (
            f"{told or '0'} OR trim(i.module, './') = '' OR instr(i.module, '%')"
            f" OR (f.language IN ({','.join('?' * len(bare))}) AND i.module NOT LIKE '.%')"
        )
        values = [*(name for name in names for _ in range(3)), *bare]
    rows = connection.execute(
        "SELECT f.path, i.module, i.line, i.target, i.names, f.language FROM imports i"
        f" JOIN files f ON f.id = i.file_id WHERE {condition} ORDER BY i.file_id, i.position",
        values,
    )
    return [(row[5], _edge(row[:5])) for row in rows]


def faults_of(connection: sqlite3.Connection) -> list[str]:
    """Return, in words, what is damaged, and which rows lack what belongs to them."""
    faults = [
        f"the database is damaged: {row[0]}"
        for row in connection.execute("PRAGMA integrity_check(20)")
        if row[0] != "ok"
    ]
    (lost,) = connection.execute(
        "SELECT count(*) FROM files f WHERE f.stored AND NOT EXISTS"
        " (SELECT 1 FROM texts t WHERE t.file_id = f.id)"
    ).fetchone()
    if lost:
        faults.append(f"{lost} files have lost their text")
    for table in DETAILS:
        (count,) = connection.execute(
            f"SELECT count(*) FROM {table} WHERE file_id NOT IN (SELECT id FROM files)"
        ).fetchone()
        if count:
            faults.append(f"the table {table} has {count} rows of files that are gone")
    return faults
