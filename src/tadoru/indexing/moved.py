"""Which untouched files import something that now means another file.

An edge can change its target only when the tree changed: a name that came or went and that the
edge mentions, or a file that gives names their meaning. Everything else is not asked about again,
so that one new file in a large tree costs little; but a run that was ended early may have committed
names without asking about the edges that mention them, so the next one asks about all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tadoru.indexing.changes import Changes
from tadoru.indexing.targets import MANIFEST_NAMES, Targets
from tadoru.types import Import

if TYPE_CHECKING:
    from tadoru.stores.sqlite import SqliteStore

MANY_NAMES = 500
"""Of more changed names than this, all edges are asked about."""
FEW_NAMES = 40
"""So many are looked for by the database; more would make it slower than to read all edges."""

_MEANING = frozenset({"__init__", "mod", "lib", "main"})
"""Files that change what the names around them mean: packages of Python, modules of Rust."""
_OF_DIRECTORY = frozenset({"index", "_index", "README"})
"""Files that an import of their directory means."""
_ALIASED = frozenset({"javascript", "typescript", "tsx", "vue", "svelte", "astro", "html"})
"""Languages whose bare names can stand for any file, as a manifest says."""


def moved(store: SqliteStore, targets: Targets, changes: Changes) -> list[str]:
    """Return the files, neither added nor changed, whose imports have to be written again."""
    names = _mentioned(changes)
    if names is not None and not names:
        return []
    mentions = re.compile("|".join(map(re.escape, names))) if names else None
    touched = {*changes.added, *changes.changed}
    gone = frozenset(changes.deleted)
    few = names if names is not None and len(names) <= FEW_NAMES else None
    found: dict[str, None] = {}
    for language, edge in store.edges(few, sorted(_ALIASED)):
        if edge.path in touched or edge.path in found or not language:
            continue
        if mentions and not _concerned(edge, language, mentions, gone):
            continue
        if targets.resolve([edge], language) != (edge,):
            found[edge.path] = None
    return list(found)


def _mentioned(changes: Changes) -> list[str] | None:
    """Return what imports of the names that came or went mention; empty for none, None for any."""
    if changes.unfinished:
        return None
    stems: set[str] = set()
    for path in (*changes.added, *changes.deleted):
        parent, _, name = path.rpartition("/")
        stem = name.partition(".")[0] or name
        if stem in _MEANING or name in MANIFEST_NAMES or (not parent and name.endswith(".go")):
            return None
        stems.add(stem)
        if stem in _OF_DIRECTORY or name.endswith(".go"):
            stems.add(parent.rpartition("/")[2])
    if any(path.rpartition("/")[2] in MANIFEST_NAMES for path in changes.changed):
        return None
    if len(stems) > MANY_NAMES:
        return None
    return sorted(stem for stem in stems if stem)


def _concerned(
    edge: Import, language: str, mentions: re.Pattern[str], gone: frozenset[str]
) -> bool:
    return bool(
        edge.target in gone
        or mentions.search(edge.module)
        or any(mentions.search(name) for name in edge.names)
        or not edge.module.strip("./")
        or "%" in edge.module
        or (language in _ALIASED and not edge.module.startswith("."))
    )
