"""Keeps the segments few, small and complete: written by the holder of the lock alone.

New states become one segment; segments of like size are merged when there are several, and those
that are mostly superseded are written anew. Segments are never the only place of anything.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from tadoru.stores.sqlite.coverage import (
    Covered,
    FileTable,
    IndexKind,
    cover,
    file_table,
    grouped,
    packs_for,
)
from tadoru.stores.sqlite.segments import Arrays, Segment, Shelf

TIER_STEP = 8
"""Segments count as alike when their sizes differ less than this factor."""
TIER_FULL = 4
"""Alike segments that are merged: a question looks into about ten, a file is rewritten ~5 times."""
COMPACT = 1 << 14
"""Documents in all up to which everything is merged when a run wrote most of it: a sixth is saved,
and more would take as much memory as the rest of the run."""
SUPERSEDED = 0.3
"""Part of a segment that may be superseded before it is written anew."""


def flush(
    connection: sqlite3.Connection,
    database_id: str,
    shelves: Sequence[tuple[Shelf, IndexKind]],
    *,
    compact: bool = False,
) -> None:
    """Bring the segments up to the state that `connection` sees, then empty `pending`.

    `compact`: merge whatever can be merged, which saves a sixth of their size.
    """
    connection.execute("BEGIN")
    try:
        table = file_table(connection)
        for shelf, kind in shelves:
            _bring_up(connection, database_id, shelf, kind, table, compact)
    finally:
        connection.execute("COMMIT")
    connection.execute("DELETE FROM pending")


def _bring_up(
    connection: sqlite3.Connection,
    database_id: str,
    shelf: Shelf,
    kind: IndexKind,
    table: FileTable,
    compact: bool,
) -> None:
    covered, missing = cover(table, shelf.load(database_id))
    live = [part for part in covered if part.alive.any()]
    if len(missing):
        new = [kind.build(group) for group in grouped(packs_for(connection, kind, table, missing))]
        segments = shelf.publish(database_id, [part.segment for part in live], new)
        live, _ = cover(table, segments)
    elif len(live) < len(covered):
        shelf.publish(database_id, [part.segment for part in live], [])
    while group := _to_merge(live, kind.largest, compact):
        kept = [part for part in live if part not in group]
        joined: tuple[Arrays, int] = kind.join([(part.segment, part.alive) for part in group])
        segments = shelf.publish(database_id, [part.segment for part in kept], [joined])
        live, _ = cover(table, segments)


def _to_merge(parts: Sequence[Covered], largest: int, compact: bool) -> list[Covered]:
    """Choose what to write anew as one segment; nothing when all is well."""
    for part in parts:
        if _dead_share(part) > SUPERSEDED:
            return [part]
    tiers: dict[int, list[Covered]] = {}
    for part in parts:
        tiers.setdefault(_tier(part.segment), []).append(part)
    compact = compact and sum(part.segment.weight for part in parts) <= COMPACT
    if compact:
        tiers = {0: list(parts)}
    for _, alike in sorted(tiers.items()):
        group: list[Covered] = []
        weight = 0
        for part in sorted(alike, key=lambda part: part.segment.weight):
            if weight + part.segment.weight <= largest:
                group.append(part)
                weight += part.segment.weight
        if len(group) >= (2 if compact else TIER_FULL):
            return group
    return []


def _tier(segment: Segment) -> int:
    tier, limit = 0, 64
    while segment.weight >= limit:
        tier, limit = tier + 1, limit * TIER_STEP
    return tier


def _dead_share(part: Covered) -> float:
    return 1.0 - float(part.alive.mean()) if len(part.ranks) else 0.0
