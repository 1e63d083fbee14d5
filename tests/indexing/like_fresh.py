"""Everything that readers can see of a store, to compare it with one that was made from nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tadoru.config import Config
from tadoru.indexing.labels import everything
from tadoru.indexing.sync import index
from tadoru.stores.sqlite import SqliteStore
from tadoru.text.terms import terms


def rows(store: SqliteStore) -> dict[str, Any]:
    """Return what is known of each path, without ids, revisions and generations."""
    access = everything(store)
    labels_of = {row.id: (row.public, row.groups) for row in store.access_rows()}
    result: dict[str, Any] = {}
    for entry in store.entries(access=access):
        result[entry.path] = (
            replace(entry, id=0, access_id=0),
            labels_of.get(entry.access_id),
            store.text(entry.path, access=access),
            store.chunks(entry.path, access=access),
            store.symbols(access=access, path=entry.path),
            store.imports(entry.path, access=access),
            store.importers(entry.path, access=access),
        )
    return result


def found(store: SqliteStore, words: tuple[str, ...]) -> list[Any]:
    """Return what the seams for finding answer: postings with scores, and literals."""
    access = everything(store)
    asked = sorted({term for word in words for term in terms(word)})
    return [
        store.postings.frequencies(asked, access=access),
        *(store.postings.search([(term, 1.0)], access=access, k=50) for term in asked),
        *(store.literals.candidates([[word.encode()]], access=access) for word in words),
    ]


def fresh(scratch: Path, root: Path, config: Config, words: tuple[str, ...] = ()) -> Any:
    """Return rows and findings of an index of `root` made in `scratch` from nothing."""
    SqliteStore.remove(scratch)
    made = SqliteStore.open(scratch, root=root, create=True)
    try:
        index(made, root, config)
        return (rows(made), found(made, words)) if words else rows(made)
    finally:
        made.close()
