"""What a collection holds before a publication: the tree that readers see, or nothing at all.

Refuses a collection that somebody else filled, before a single row is written into it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tadoru.errors import BadInput
from tadoru.publishing.claim import claim_id
from tadoru.stores.chroma.address import Address, FieldNames
from tadoru.stores.chroma.collection import Collection
from tadoru.stores.chroma.form import MARK, Listed, Manifest, digest, manifest_of, unpack
from tadoru.stores.chroma.table import Table

_ELSEWHERE = "publish into a collection of another name"


@dataclass(frozen=True, slots=True)
class Before:
    """The tree of the last publication."""

    head: str = ""
    """Its first document; empty where there is none."""
    manifest: Manifest = field(default_factory=lambda: Manifest(0))
    pages: dict[str, Listed] = field(default_factory=dict)
    """Pages by the names that the collection has for them."""

    def holds(self, pages: list[Listed], manifest: Manifest) -> bool:
        """Tell whether it says just what a new one would say."""
        old = self.manifest
        return (
            old.generation > 0
            and [self.pages[slug] for slug in sorted(self.pages)] == pages
            and (old.lines, old.vectors) == (manifest.lines, manifest.vectors)
        )

    def is_readable(self, collection: Collection, names: FieldNames) -> bool:
        """Tell whether readers can read it as it is; a broken one is written anew."""
        wanted = {names.tree: digest(self.head), **dict(self.manifest.parts)}
        rows = collection.get(ids=list(wanted), include=["metadatas"])
        marks = zip(rows["ids"], rows["metadatas"] or (), strict=True)
        return {name: (facts or {}).get(MARK) for name, facts in marks} == wanted


def before(collection: Collection | None, address: Address) -> Before:
    """Return what is there; `collection`: None for one that does not exist.

    Raises: `BadInput` for a collection of others, and what reading a tree raises.
    """
    if collection is None:
        return Before()
    names = address.names
    head = head_of(collection, names)
    if not head:
        rows = collection.get(include=[], limit=10)["ids"]
        if any(not name.startswith(claim_id(names)) for name in rows):
            raise BadInput(
                f"the collection {address.collection} holds something else already",
                hint=_ELSEWHERE,
            )
        return Before()
    tree = unpack(head, names.tree)
    manifest = manifest_of(tree, names.tree)
    if manifest is None:
        raise BadInput(
            f"the collection {address.collection} was not published by tadoru", hint=_ELSEWHERE
        )
    trees = [tree]
    if manifest.parts:
        ids = [name for name, _ in manifest.parts]
        answer = collection.get(ids=ids, include=["documents"])
        trees += [unpack(text, names.tree) for text in answer["documents"] or ()]
    pages = Table(trees, names)
    return Before(head, manifest, {page.slug: page for page in pages.values()})


def head_of(collection: Collection, names: FieldNames) -> str:
    """Return the first document of the tree; empty when it is not there."""
    documents = collection.get(ids=[names.tree], include=["documents"]).get("documents") or [""]
    return documents[0] or ""
