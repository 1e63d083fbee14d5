"""From what was uploaded to what readers see: checked, switched with one write, and swept.

Nothing is switched that is not there as it should be, and nothing by one who lost the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tadoru.errors import StoreBusy, StoreError
from tadoru.publishing.before import Before, head_of
from tadoru.publishing.claim import Claim
from tadoru.publishing.upload import ROWS_WRITTEN, there
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.collection import Collection
from tadoru.stores.chroma.form import MARK, Listed, Manifest, digest, documents_of
from tadoru.stores.chroma.pages import Pages, Torn

IDS_LISTED = 30_000
PAGES_CHECKED = 200

Progress = Callable[[int, int, str], None]


def put(
    collection: Collection, names: FieldNames, documents: Mapping[str, str], claim: Claim
) -> None:
    """Write parts of a tree."""
    ids = list(documents)
    collection.upsert(
        ids,
        [documents[name] for name in ids],
        [{names.page: names.tree, MARK: digest(documents[name])} for name in ids],
        [claim.vector] * len(ids),
    )


def check(
    collection: Collection,
    names: FieldNames,
    pages: Sequence[Listed],
    new: Sequence[Listed],
    vectors: str,
    progress: Progress | None,
) -> None:
    """Hold the chunks against the tree: new pages by their content, all others by their ids.

    Raises: `StoreError` naming the first page that is not whole; nothing was switched then.
    """
    reader = Pages(names)
    for start in range(0, len(new), PAGES_CHECKED):
        batch = new[start : start + PAGES_CHECKED]
        for page, whole in reader.fetch(collection, batch, vectors):
            if isinstance(whole, Torn):
                collection.delete(page.ids("") or [])  # so that the next run sends it again
                raise StoreError(
                    f"the check before the switch failed: {page.path}: {whole.message}",
                    hint="run it again; readers still see what they saw before",
                )
        if progress is not None:
            progress(start + len(batch), len(new), "checked")
    fresh = {page.slug for page in new}
    ids = [n for page in pages if page.slug not in fresh for n in page.ids("") or ()]
    missing = set(ids).difference(there(collection, ids))
    if missing:
        raise StoreError(
            f"the check before the switch failed: {len(missing)} chunks are gone: {min(missing)}",
            hint="publish into a new collection; somebody removes chunks from this one",
        )


def switch(
    collection: Collection,
    names: FieldNames,
    old: Before,
    pages: Sequence[Listed],
    manifest: Manifest,
    claim: Claim,
) -> None:
    """Make readers see these pages. Raises: `StoreBusy` after a lost claim, `StoreError`."""
    head, parts = documents_of(pages, manifest, names)
    if parts:
        put(collection, names, parts, claim)
        answer = collection.get(ids=list(parts), include=["documents"])
        written = dict(zip(answer["ids"], answer["documents"] or (), strict=True))
        if any(digest(written.get(name) or "") != digest(text) for name, text in parts.items()):
            raise StoreError("the tree was not written as it is", hint="run it again")
    claim.check()
    if head_of(collection, names) != old.head:
        raise StoreBusy(
            "another publication came first", hint="run it again; only one may run at a time"
        )
    put(collection, names, {names.tree: head}, claim)


def sweep(
    collection: Collection,
    names: FieldNames,
    old: Before,
    pages: Sequence[Listed],
    manifest: Manifest,
    claim: Claim,
) -> int:
    """Remove what neither the new tree nor the one before it needs; return how many rows."""
    kept = {name for page in (*pages, *old.pages.values()) for name in page.ids("") or ()}
    kept |= {names.tree, *claim.ids}
    trees = tuple(f"{names.tree}@{m.generation}#" for m in (manifest, old.manifest))
    gone = [
        name for name in _all_ids(collection) if name not in kept and not name.startswith(trees)
    ]
    for start in range(0, len(gone), ROWS_WRITTEN):
        claim.check()
        collection.delete(gone[start : start + ROWS_WRITTEN])
    return len(gone)


def _all_ids(collection: Collection) -> list[str]:
    found: list[str] = []
    while True:
        ids = collection.get(include=[], limit=IDS_LISTED, offset=len(found))["ids"]
        found += ids
        if len(ids) < IDS_LISTED:
            return found
