"""The form of a tree in a collection: base64 of gzipped JSON, path -> label and facts.

    {"auth/oauth.mdx": {"isPublic": true, "groups": [], "size": 812, "chunks": 2}, ...}

That is all an existing collection needs. What tadoru publishes has under the empty path, which no
page can have, a `Manifest`: the number of the form, the generation, and the ids and digests of
further parts of the tree. A page there names its `version`, a digest of its text: its chunks lie
under ids made of it, so that the old and the new tree each lead to whole pages while one replaces
the other. A form that is newer than this code is refused.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from tadoru.errors import CorruptStore, NewerStore
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.objects.pointer import Pointer
from tadoru.types import AccessRow

UNNUMBERED = -1
"""The id of a label in a tree: numbers are given by who reads it."""
MARK = "tadoru"
"""Metadata of a published tree: the digest of its text, so that a look at it asks for little."""
FORM = 1
"""The newest form that this code knows."""
TREE_BYTES = 512 * 1024 * 1024
"""The most that a tree may unpack to: a million pages take 100 MiB."""
PART_PAGES = 20_000
"""Pages of one part: about 200 KB in the collection."""
MAX_PARTS = 1_000
PUBLISHED_IDS = "{page}@{version}#{index}"
"""How tadoru names the chunks that it publishes."""
_AGAIN = "publish it again with `tadoru publish`"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a published tree says about itself."""

    generation: int
    """Raised by every publication."""
    parts: tuple[tuple[str, str], ...] = ()
    """Id and digest of each further part."""
    lines: bool = False
    """Whether every chunk ends where a line does, so that no line lies in two."""
    vectors: str = ""
    """Fingerprint of the model that made the vectors."""
    source: str = ""
    """What was published, for people."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of a tree."""

    path: str
    slug: str
    """The page as the collection names it."""
    label: AccessRow
    """Public, or with these groups; its id has no meaning yet."""
    size: int = -1
    """Bytes; -1 where the tree does not say."""
    chunks: int = -1
    """-1 where the tree does not say."""
    title: str = ""
    version: str = ""
    pointer: Pointer | None = None
    modified: int = 0
    """When it changed, in seconds since 1970; 0 where the tree does not say."""

    def ids(self, pattern: str) -> list[str] | None:
        """Return the ids of the chunks; None where they are not known."""
        if self.chunks < 0 or not (self.version or pattern):
            return None
        pattern = PUBLISHED_IDS if self.version else pattern
        filled = pattern.replace("{page}", self.slug).replace("{version}", self.version)
        return [filled.replace("{index}", str(index)) for index in range(self.chunks)]


def unpack(document: str, name: str) -> dict[str, Any]:
    """Return the object in a document. Raises: `CorruptStore`."""
    try:
        packed = base64.b64decode(document, validate=True)
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
            data = stream.read(TREE_BYTES + 1)
        if len(data) > TREE_BYTES:
            raise ValueError("it is too large")
        tree = json.loads(data)
        if not isinstance(tree, dict):
            raise ValueError("it is no JSON object")
    except (ValueError, OSError, EOFError, RecursionError, binascii.Error) as error:
        raise CorruptStore(f"the tree {name} cannot be read: {error}", hint=_AGAIN) from error
    return tree


def pack(tree: Mapping[str, Any]) -> str:
    """Return the document for an object; the same object gives the same document."""
    data = json.dumps(tree, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return base64.b64encode(gzip.compress(data.encode(), mtime=0)).decode()


def digest(document: str) -> str:
    return blake2b(document.encode(), digest_size=8).hexdigest()


def manifest_of(tree: Mapping[str, Any], name: str) -> Manifest | None:
    """Return what a tree says about itself; None when it is not ours.

    Raises: `NewerStore` for a form that this code does not know, `CorruptStore`.
    """
    found = tree.get("")
    if not isinstance(found, dict) or "form" not in found:
        return None
    form = found["form"]
    if not isinstance(form, int) or form < 1:
        raise CorruptStore(f"the tree {name} names no form", hint=_AGAIN)
    if form > FORM:
        raise NewerStore(
            f"the tree {name} has form {form}, and this version of tadoru knows {FORM}",
            hint="update tadoru",
        )
    try:
        parts = tuple((str(part["id"]), str(part["digest"])) for part in found.get("parts", ()))
        generation = int(found["generation"])
        if generation < 0 or len(parts) > MAX_PARTS:
            raise ValueError("its numbers make no sense")
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptStore(f"the tree {name} is incomplete: {error}", hint=_AGAIN) from error
    return Manifest(
        generation,
        parts,
        found.get("lines") is True,
        str(found.get("vectors") or ""),
        str(found.get("source") or ""),
    )


def entry_of(page: Listed, names: FieldNames) -> dict[str, Any]:
    """Return what a tree says about a page: the opposite of `Table`."""
    facts: dict[str, Any] = {names.public: page.label.public}
    if page.label.groups:
        facts[names.groups] = sorted(page.label.groups)
    if page.size >= 0:
        facts[names.size] = page.size
    if page.chunks >= 0:
        facts[names.chunks] = page.chunks
    if page.title:
        facts[names.title] = page.title
    if page.version:
        facts["version"] = page.version
    if page.modified and names.modified:
        facts[names.modified] = page.modified
    if page.pointer is not None:
        pointer = page.pointer
        facts[names.pointer] = {"url": pointer.url, "size": pointer.size, "etag": pointer.etag}
    return facts


def documents_of(
    pages: Sequence[Listed], manifest: Manifest, names: FieldNames
) -> tuple[str, dict[str, str]]:
    """Return the head of a tree, and further parts by id when it is large."""
    parts: dict[str, str] = {}
    own: Sequence[Listed] = pages
    if len(pages) > PART_PAGES:
        own = ()
        for start in range(0, len(pages), PART_PAGES):
            tree = {p.slug: entry_of(p, names) for p in pages[start : start + PART_PAGES]}
            name = f"{names.tree}@{manifest.generation}#{start // PART_PAGES}"
            parts[name] = pack(tree)
    about = {
        "form": FORM,
        "generation": manifest.generation,
        "lines": manifest.lines,
        "vectors": manifest.vectors,
        "source": manifest.source,
        "parts": [{"id": name, "digest": digest(text)} for name, text in parts.items()],
    }
    return pack({"": about, **{p.slug: entry_of(p, names) for p in own}}), parts
