"""From a local root to a publication: its index, its vectors when they are complete, its labels."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tadoru.errors import BadInput
from tadoru.indexing.labels import everything
from tadoru.publishing.drafts import STAND_IN, LeftOut, drafts
from tadoru.publishing.labels import rules_of
from tadoru.publishing.run import PublishReport, publish
from tadoru.publishing.switch import Progress
from tadoru.stores.chroma.address import Address, parse_address
from tadoru.stores.chroma.collection import Collection, Gone
from tadoru.stores.chroma.connect import connector
from tadoru.stores.chroma.form import Listed

if TYPE_CHECKING:
    from tadoru.indexing.labels import Labels
    from tadoru.sources import LocalSource


def publish_root(
    source: LocalSource,
    address: str,
    *,
    labels: Sequence[str] = (),
    public: bool = False,
    links: Mapping[str, str] | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> PublishReport:
    """Make a collection hold what the index of a root holds.

    `labels`: rules as `GLOB=GROUP,GROUP`, instead of those of the configuration; `public`: what no
    rule matches is public; `links`: path -> URL of an object that the path points to; `dry_run`:
    only say what would be done. Raises: `BadInput`, `StoreError`, `Unavailable`.
    """
    rules = rules_of(source.config, labels, public=public)
    place = parse_address(address)
    pointers = [_pointer(source, path, url, rules) for path, url in (links or {}).items()]
    collection = _collection(place, dry_run)
    vectors, dimension, note = _model(source, collection.dimension if collection else 0)
    left_out = LeftOut({})
    found = drafts(source.store, rules, vectors, left_out, dimension)
    report = publish(
        collection,
        place,
        found,
        vectors=vectors,
        dimension=dimension,
        source=source.place,
        links=pointers,
        progress=progress,
        dry_run=dry_run,
    )
    notes = (note,) if note else ()
    return replace(report, left_out=left_out.reasons, notes=(*report.notes, *notes))


def _collection(address: Address, dry_run: bool) -> Collection | None:
    try:
        return connector(address, create=not dry_run)()
    except Gone:
        if dry_run:
            return None
        raise


def _model(source: LocalSource, there: int) -> tuple[str, int, str]:
    """Return fingerprint and dimension of the vectors that every chunk of the index has, and what
    to say when there are none for this collection, whose own have `there` numbers (0 for any)."""
    from tadoru.models.configured import embedder_of, is_configured

    models = source.config.models
    embedder = embedder_of(models) if is_configured(models) else None
    if embedder is None:
        return "", there or STAND_IN, ""
    store = source.store
    coverage = source.vectors.coverage(store, embedder.fingerprint, everything(store))
    if coverage.seen < coverage.files:
        lacking = coverage.files - coverage.seen
        return "", there or STAND_IN, f"published without vectors: {lacking} files have none yet"
    if there not in (0, embedder.dimension):
        why = f"those of the collection have {there} numbers, the model's {embedder.dimension}"
        return "", there, f"published without vectors: {why}; a new collection can have them"
    return embedder.fingerprint, embedder.dimension, ""


def _pointer(source: LocalSource, path: str, url: str, rules: Labels) -> Listed:
    from tadoru.stores.objects import ObjectReader

    clean = path.strip("/")
    if not clean or {".", "..", ""} & set(clean.split("/")):
        raise BadInput(f"{path!r} cannot be the path of a page")
    label = rules(clean)
    if label is None:
        raise BadInput(f"{path}: nobody may see it by the rules that were given")
    pointer = ObjectReader(source.config.objects).describe(url)
    now = int(time.time())
    return Listed(clean, clean, label, size=pointer.size, pointer=pointer, modified=now)
