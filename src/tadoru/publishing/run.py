"""One publication, from what is there to what is meant to be there: read top to bottom.

    claim the collection -> upload what is new -> check everything -> switch -> sweep

Uploading names chunks by their content, so a run that was killed goes on where it was. Only the
switch, one write of the head of the tree, changes what readers see. What the tree before the new
one needs is kept until the next publication, for those who are reading it. Refuses a collection
that somebody else filled, to begin while another publication is under way, and to switch when a
chunk is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tadoru.errors import BadInput
from tadoru.publishing.before import Before, before
from tadoru.publishing.claim import claimed
from tadoru.publishing.drafts import STAND_IN, Draft
from tadoru.publishing.switch import Progress, check, put, sweep, switch
from tadoru.publishing.upload import Uploader
from tadoru.stores.chroma.address import Address
from tadoru.stores.chroma.collection import Collection
from tadoru.stores.chroma.form import Listed, Manifest, documents_of


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
    old = before(collection, address)  # refuses what is not ours, before anything is written
    if dry_run or collection is None:
        plan = _upload(found, links, old, Uploader(None, names), progress)
        return replace(_report(address, old, plan, vectors), dry_run=True)
    with claimed(collection, names, dimension) as claim:
        old = before(collection, address)
        if not old.head:  # an empty tree, so that the collection is known as ours from now on
            old = replace(old, head=documents_of((), Manifest(0), names)[0])
            put(collection, names, {names.tree: old.head}, claim)
        plan = _upload(found, links, old, Uploader(collection, names), progress)
        report = _report(address, old, plan, vectors)
        check(collection, names, plan.pages, plan.new, vectors, progress)
        manifest = Manifest(old.manifest.generation + 1, (), True, vectors, source)
        if old.holds(plan.pages, manifest) and old.is_readable(collection, names):
            return replace(report, generation=old.manifest.generation)
        switch(collection, names, old, plan.pages, manifest, claim)
        swept = sweep(collection, names, old, plan.pages, manifest, claim)
        return replace(report, generation=manifest.generation, swept=swept)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is meant to be there."""

    pages: list[Listed]
    """All of it, in order of names."""
    new: list[Listed]
    """Those whose text is not there as it is."""
    uploaded: int
    """Chunks that were sent."""


def _upload(
    found: Iterable[Draft],
    links: Sequence[Listed],
    old: Before,
    writer: Uploader,
    progress: Progress | None,
) -> _Plan:
    """Upload the chunks that are not there. Raises: `BadInput` where there is no page."""
    wanted: dict[str, Listed] = {}
    new: list[Listed] = []
    for count, draft in enumerate(found, start=1):
        listed = draft.listed
        known = old.pages.get(listed.slug)
        if known is None or known.version != listed.version:
            new.append(listed)
            writer.add(draft)
        wanted[listed.slug] = _since(known, listed)
        if progress is not None and not count % 100:
            progress(count, 0, listed.path)
    writer.flush()
    for link in links:
        wanted[link.slug] = _since(old.pages.get(link.slug), link)
    if not wanted:
        raise BadInput("there is no page to publish", hint="is the directory indexed?")
    return _Plan([wanted[slug] for slug in sorted(wanted)], new, writer.uploaded)


def _since(known: Listed | None, page: Listed) -> Listed:
    """Return a page with the time that it had when its content came: another checkout of the same
    text is no change."""
    if known is None or not known.modified:
        return page
    same = (known.version, known.pointer) == (page.version, page.pointer)
    return replace(page, modified=known.modified) if same else page


def _report(address: Address, before: Before, plan: _Plan, vectors: str) -> PublishReport:
    pages, known = plan.pages, before.pages
    labels: dict[str, int] = {}
    relabelled = 0
    for page in pages:
        name = "public" if page.label.public else ",".join(sorted(page.label.groups))
        labels[name] = labels.get(name, 0) + 1
        old = known.get(page.slug)
        relabelled += old is not None and old.label != page.label
    changed = sum(1 for page in plan.new if page.slug in known)
    return PublishReport(
        address.text,
        pages=len(pages),
        chunks=sum(max(0, page.chunks) for page in pages),
        added=sum(1 for page in pages if page.slug not in known),
        changed=changed,
        unchanged=sum(1 for page in pages if page.slug in known) - changed,
        deleted=len(known.keys() - {page.slug for page in pages}),
        relabelled=relabelled,
        labels=dict(sorted(labels.items(), key=lambda item: (-item[1], item[0]))),
        uploaded=plan.uploaded,
        vectors=vectors,
    )
