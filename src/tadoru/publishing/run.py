"""One publication, from what is there to what is meant to be there: read top to bottom.

    open the collection -> upload what is new -> check everything -> switch -> sweep

Uploading names chunks by their content, so a run that was killed goes on where it was. Only the
switch, one write of the head of the tree, changes what readers see. What the tree before the new
one needs is kept until the next publication, for those who are reading it. Refuses a collection
that somebody else filled, and to switch when a chunk is missing or another publication came first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tadoru.errors import BadInput, StoreBusy, StoreError
from tadoru.publishing.drafts import STAND_IN, Draft
from tadoru.publishing.upload import ROWS_WRITTEN, Uploader, there
from tadoru.stores.chroma.address import Address, FieldNames
from tadoru.stores.chroma.collection import Collection
from tadoru.stores.chroma.form import (
    MARK,
    Listed,
    Manifest,
    Table,
    digest,
    documents_of,
    manifest_of,
    unpack,
)
from tadoru.stores.chroma.pages import Pages, Torn

IDS_LISTED = 30_000
PAGES_CHECKED = 200

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class PublishReport:
    """What a publication did."""

    address: str
    generation: int = 0
    pages: int = 0
    chunks: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    relabelled: int = 0
    labels: Mapping[str, int] = field(default_factory=dict)
    """`public`, or groups with commas, and how many pages they see."""
    left_out: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Reason -> paths."""
    uploaded: int = 0
    """Chunks that were sent."""
    swept: int = 0
    """Chunks of older generations that were removed."""
    vectors: str = ""
    """The model whose vectors were published; empty for none."""
    notes: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(slots=True)
class _Before:
    """What the collection had when the run began."""

    head: str = ""
    manifest: Manifest = field(default_factory=lambda: Manifest(0))
    pages: dict[str, Listed] = field(default_factory=dict)


def publish(
    collection: Collection | None,
    address: Address,
    found: Iterable[Draft],
    *,
    vectors: str = "",
    dimension: int = STAND_IN,
    source: str = "",
    links: Sequence[Listed] = (),
    progress: Progress | None = None,
    dry_run: bool = False,
) -> PublishReport:
    """Make a collection hold exactly these pages.

    `collection`: None for one that does not exist, in a dry run; `found`: pages by path;
    `vectors`: the model whose vectors they have, with `dimension` numbers each; `links`: pages that
    are pointers. Raises: `BadInput` for a collection of others, `StoreError` when the check fails,
    `StoreBusy` when another publication came first, and what the collection raises.
    """
    names = address.names
    if collection is not None and collection.dimension not in (0, dimension):
        raise BadInput(
            f"the vectors of {address.collection} have {collection.dimension} numbers, these have "
            f"{dimension}",
            hint="publish into a collection of another name",
        )
    before = _open(None if dry_run and not _filled(collection, names) else collection, address,
                   dimension)  # fmt: skip
    writer = Uploader(None if dry_run else collection, names)
    wanted: dict[str, Listed] = {}
    new: list[Listed] = []
    for count, draft in enumerate(found, start=1):
        listed = draft.listed
        wanted[listed.slug] = listed
        old = before.pages.get(listed.slug)
        if old is None or old.version != listed.version:
            new.append(listed)
            writer.add(draft)
        if progress is not None and not count % 100:
            progress(count, 0, listed.path)
    writer.flush()
    for link in links:
        wanted[link.slug] = link
    ordered = [wanted[slug] for slug in sorted(wanted)]
    report = _report(address, before, ordered, new, writer.uploaded, vectors)
    if not ordered:
        raise BadInput("there is no page to publish", hint="is the directory indexed?")
    if dry_run or collection is None:
        return replace(report, dry_run=True)
    _check(collection, names, ordered, new, vectors, progress)
    manifest = Manifest(before.manifest.generation + 1, (), True, vectors, source)
    if _same(before, ordered, manifest) and _readable(collection, names, before):
        return _finished(report, before.manifest.generation, 0)
    _switch(collection, names, before, ordered, manifest, dimension)
    swept = _sweep(collection, names, (*ordered, *before.pages.values()), manifest, before.manifest)
    return _finished(report, manifest.generation, swept)


def _filled(collection: Collection | None, names: FieldNames) -> bool:
    return collection is not None and bool(_head(collection, names))


def _open(collection: Collection | None, address: Address, dimension: int) -> _Before:
    """Return what is there; an empty collection gets an empty tree, so that it is known as ours."""
    if collection is None:
        return _Before()
    names = address.names
    head = _head(collection, names)
    if not head:
        if collection.count():
            raise BadInput(
                f"the collection {address.collection} holds something else already",
                hint="publish into a collection of another name",
            )
        empty, _ = documents_of((), Manifest(0), names)
        _put(collection, names, {names.tree: empty}, dimension)
        head = empty
    tree = unpack(head, names.tree)
    manifest = manifest_of(tree, names.tree)
    if manifest is None:
        raise BadInput(
            f"the collection {address.collection} was not published by tadoru",
            hint="publish into a collection of another name",
        )
    trees = [tree]
    if manifest.parts:
        ids = [name for name, _ in manifest.parts]
        answer = collection.get(ids=ids, include=["documents"])
        trees += [unpack(text, names.tree) for text in answer["documents"] or ()]
    pages = Table(trees, names)
    return _Before(head, manifest, {page.slug: page for page in pages.values()})


def _head(collection: Collection, names: FieldNames) -> str:
    documents = collection.get(ids=[names.tree], include=["documents"]).get("documents") or [""]
    return documents[0] or ""


def _put(
    collection: Collection, names: FieldNames, documents: Mapping[str, str], dimension: int
) -> None:
    """Write parts of a tree; they need a vector of the collection's own length."""
    ids = list(documents)
    vector = [1.0] + [0.0] * (dimension - 1)
    collection.upsert(
        ids,
        [documents[name] for name in ids],
        [{names.page: names.tree, MARK: digest(documents[name])} for name in ids],
        [vector] * len(ids),
    )


def _check(
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


def _same(before: _Before, ordered: Sequence[Listed], manifest: Manifest) -> bool:
    old = before.manifest
    return (
        old.generation > 0
        and [before.pages[slug] for slug in sorted(before.pages)] == list(ordered)
        and (old.lines, old.vectors) == (manifest.lines, manifest.vectors)
    )


def _readable(collection: Collection, names: FieldNames, before: _Before) -> bool:
    """Tell whether readers can read the tree as it is; a broken one is written anew."""
    wanted = {names.tree: digest(before.head), **dict(before.manifest.parts)}
    rows = collection.get(ids=list(wanted), include=["metadatas"])
    marks = zip(rows["ids"], rows["metadatas"] or (), strict=True)
    return {name: (facts or {}).get(MARK) for name, facts in marks} == wanted


def _switch(
    collection: Collection,
    names: FieldNames,
    before: _Before,
    pages: Sequence[Listed],
    manifest: Manifest,
    dimension: int,
) -> None:
    head, parts = documents_of(pages, manifest, names)
    if parts:
        _put(collection, names, parts, dimension)
        answer = collection.get(ids=list(parts), include=["documents"])
        written = dict(zip(answer["ids"], answer["documents"] or (), strict=True))
        if any(digest(written.get(name) or "") != digest(text) for name, text in parts.items()):
            raise StoreError("the tree was not written as it is", hint="run it again")
    if before.head and _head(collection, names) != before.head:
        raise StoreBusy(
            "another publication came first", hint="run it again; only one may run at a time"
        )
    _put(collection, names, {names.tree: head}, dimension)


def _sweep(
    collection: Collection,
    names: FieldNames,
    needed: Iterable[Listed],
    manifest: Manifest,
    before: Manifest,
) -> int:
    """Remove what neither the new tree nor the one before it needs."""
    kept = {name for page in needed for name in page.ids("") or ()}
    kept.add(names.tree)
    trees = tuple(f"{names.tree}@{m.generation}#" for m in (manifest, before))
    gone = [
        name for name in _all_ids(collection) if name not in kept and not name.startswith(trees)
    ]
    for start in range(0, len(gone), ROWS_WRITTEN):
        collection.delete(gone[start : start + ROWS_WRITTEN])
    return len(gone)


def _all_ids(collection: Collection) -> list[str]:
    found: list[str] = []
    while True:
        ids = collection.get(include=[], limit=IDS_LISTED, offset=len(found))["ids"]
        found += ids
        if len(ids) < IDS_LISTED:
            return found


def _report(
    address: Address,
    before: _Before,
    pages: Sequence[Listed],
    new: Sequence[Listed],
    uploaded: int,
    vectors: str,
) -> PublishReport:
    labels: dict[str, int] = {}
    relabelled = 0
    for page in pages:
        name = "public" if page.label.public else ",".join(sorted(page.label.groups))
        labels[name] = labels.get(name, 0) + 1
        old = before.pages.get(page.slug)
        relabelled += old is not None and old.label != page.label
    changed = sum(1 for page in new if page.slug in before.pages)
    return PublishReport(
        address.text,
        pages=len(pages),
        chunks=sum(max(0, page.chunks) for page in pages),
        added=sum(1 for page in pages if page.slug not in before.pages),
        changed=changed,
        unchanged=sum(1 for page in pages if page.slug in before.pages) - changed,
        deleted=len(before.pages.keys() - {page.slug for page in pages}),
        relabelled=relabelled,
        labels=dict(sorted(labels.items(), key=lambda item: (-item[1], item[0]))),
        uploaded=uploaded,
        vectors=vectors,
    )


def _finished(report: PublishReport, generation: int, swept: int) -> PublishReport:
    return replace(report, generation=generation, swept=swept)
