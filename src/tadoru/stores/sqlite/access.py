"""Access labels: which ids a read admits, and which id a label has.

An id belongs to one label for ever, so a set of ids that a View made long ago can never come to
see more. A label that is missing is the hidden one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable

from tadoru.types import HIDDEN, PUBLIC, Access, AccessRow

Labels = Callable[[str], AccessRow | None]
"""Path -> its label; only `public` and `groups` of it count. None: nobody sees the path."""


def admitted(access: Access) -> str:
    """Return the right side of an SQL condition on `access_id`; an empty set admits nothing."""
    return f"IN ({','.join(str(int(number)) for number in sorted(access))})"


def all_rows(connection: sqlite3.Connection) -> tuple[AccessRow, ...]:
    return tuple(
        AccessRow(number, bool(public), frozenset(json.loads(groups)))
        for number, public, groups in connection.execute(
            "SELECT id, public, groups FROM access ORDER BY id"
        )
    )


class LabelIds:
    """Finds or makes the id of a label, inside the writer's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._ids: dict[tuple[bool, frozenset[str]], int] = {}

    def of(self, label: AccessRow | None) -> int:
        if label is None or (not label.public and not label.groups):
            return HIDDEN.id
        if label.public:
            return PUBLIC.id
        key = (False, label.groups)
        if key not in self._ids:
            groups = json.dumps(sorted(label.groups), ensure_ascii=False)
            self._connection.execute(
                "INSERT OR IGNORE INTO access (public, groups) VALUES (0, ?)", (groups,)
            )
            row = self._connection.execute(
                "SELECT id FROM access WHERE public = 0 AND groups = ?", (groups,)
            ).fetchone()
            self._ids[key] = int(row[0])
        return self._ids[key]

    def forget(self) -> None:
        """Drop what was learnt in a transaction that was rolled back."""
        self._ids.clear()
