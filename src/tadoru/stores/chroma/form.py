"""The form of a tree in a collection: base64 of gzipped JSON, path -> label and facts.

    {"auth/oauth.mdx": {"isPublic": true, "groups": [], "size": 812, "chunks": 2}, ...}

That is all an existing collection needs. What tadoru publishes has under the empty path, which no
page can have, a `Manifest`: the number of the form, the generation, and the ids and digests of
further parts of the tree. A page there names its `version`, a digest of its text: its chunks lie
under ids made of it, so that the old and the new tree each lead to whole pages while one replaces
the other. A label that makes no sense hides its page, and a form that is newer than this code is
refused.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from tadoru.errors import CorruptStore, NewerStore, StoreError
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.objects.pointer import Pointer
from tadoru.types import HIDDEN, PUBLIC, AccessRow

UNNUMBERED = -1
"""The id of a label in a tree: numbers are given by who reads it."""
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


def listed_of(
    trees: Iterable[Mapping[str, Any]], names: FieldNames
) -> tuple[list[Listed], list[Listed]]:
    """Return the pages of all parts of a tree, sorted by path, and those that are left out because
    they lie below another page: a file cannot be a directory too."""
    pages: dict[str, Listed] = {}
    labels: dict[tuple[str, ...], AccessRow] = {}
    for tree in trees:
        for slug, facts in tree.items():
            path = _path_of(slug)
            if path:
                pages[path] = _page(path, slug, facts, names, labels)
    below = {path for path in pages if _lies_below_a_page(path, pages)}
    ordered = [pages[path] for path in sorted(pages)]
    return (
        [page for page in ordered if page.path not in below],
        [page for page in ordered if page.path in below],
    )


def _path_of(slug: str) -> str:
    """Return the path that a page has in the tree; empty for what cannot be one."""
    if not slug or "\0" in slug:
        return ""
    if (
        slug[0] != "/"
        and "//" not in slug
        and "/." not in slug
        and slug[0] != "."
        and slug[-1] != "/"
    ):
        return slug
    parts = [part for part in slug.split("/") if part]
    return "" if {".", ".."} & set(parts) else "/".join(parts)


def _lies_below_a_page(path: str, pages: Mapping[str, Listed]) -> bool:
    """Tell whether a page lies below another one."""
    end = path.rfind("/")
    while end > 0:
        if path[:end] in pages:
            return True
        end = path.rfind("/", 0, end)
    return False


def _page(
    path: str,
    slug: str,
    facts: object,
    names: FieldNames,
    labels: dict[tuple[str, ...], AccessRow],
) -> Listed:
    known: Mapping[str, Any] = facts if isinstance(facts, dict) else {}
    title = known.get(names.title, "")
    version = known.get("version", "")
    return Listed(
        path,
        slug,
        _label(known, names, labels),
        _number(known.get(names.size)) if names.size else -1,
        _number(known.get(names.chunks)) if names.chunks else -1,
        title if isinstance(title, str) else "",
        version if isinstance(version, str) else "",
        _pointer(known.get(names.pointer)) if names.pointer in known else None,
    )


def _label(
    known: Mapping[str, Any], names: FieldNames, labels: dict[tuple[str, ...], AccessRow]
) -> AccessRow:
    if known.get(names.public) is True:
        return PUBLIC
    groups = known.get(names.groups)
    if not isinstance(groups, list):
        return HIDDEN
    key = tuple(sorted({group for group in groups if isinstance(group, str) and group}))
    if not key:
        return HIDDEN
    found = labels.get(key)
    if found is None:
        found = labels[key] = AccessRow(UNNUMBERED, public=False, groups=frozenset(key))
    return found


def _number(value: object) -> int:
    return value if type(value) is int and value >= 0 else -1


def _pointer(value: object) -> Pointer | None:
    """Return a pointer; None for what makes no sense: the page then has no content at all."""
    try:
        return Pointer.parse(value)
    except StoreError:
        return None


def entry_of(page: Listed, names: FieldNames) -> dict[str, Any]:
    """Return what a tree says about a page: the opposite of `listed_of`."""
    facts: dict[str, Any] = {
        names.public: page.label.public,
        names.groups: sorted(page.label.groups),
    }
    if page.size >= 0:
        facts[names.size] = page.size
    if page.chunks >= 0:
        facts[names.chunks] = page.chunks
    if page.title:
        facts[names.title] = page.title
    if page.version:
        facts["version"] = page.version
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
