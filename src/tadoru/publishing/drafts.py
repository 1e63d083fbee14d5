"""From an indexed file to the page that is published: its text, cut where lines end.

The chunks are those of the index, so that what a collection ranks is what a local index ranks; one
that ends within a line is joined with the next, because grep then never has to look across two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import shake_128
from itertools import pairwise
from typing import TYPE_CHECKING

from tadoru.indexing.labels import Labels, everything
from tadoru.stores.chroma.form import Listed
from tadoru.stores.chroma.pages import Page, version_of
from tadoru.types import Chunk, Entry, Kind

if TYPE_CHECKING:
    from tadoru.stores.sqlite import SqliteStore

PLAIN_CHARS = 2_000
"""Characters of a chunk where the index has none that tile the text."""
STAND_IN = 4
"""Numbers of a vector where no model made one: Chroma wants some, and equal ones slow it down."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A page to publish."""

    listed: Listed
    page: Page
    vectors: tuple[tuple[float, ...], ...]

    @property
    def documents(self) -> list[str]:
        edges = (0, *self.page.ends)
        return [self.page.text[start:end] for start, end in pairwise(edges)]


@dataclass(slots=True)
class LeftOut:
    """What is not published, and why."""

    reasons: dict[str, list[str]]

    def add(self, reason: str, path: str) -> None:
        self.reasons.setdefault(reason, []).append(path)


def drafts(
    store: SqliteStore,
    labels: Labels,
    fingerprint: str,
    left_out: LeftOut,
    dimension: int = STAND_IN,
) -> Iterator[Draft]:
    """Yield the pages of an index in order of paths, one at a time.

    `fingerprint`: the model whose vectors the index has; empty for none, and for stand-ins of
    `dimension` numbers.
    """
    access = everything(store)
    for entry in sorted(store.entries(access=access), key=lambda entry: entry.path):
        label = labels(entry.path)
        if entry.kind is not Kind.FILE:
            left_out.add("a link", entry.path)
            continue
        if label is None:
            left_out.add("nobody may see it", entry.path)
            continue
        text = store.text(entry.path, access=access)
        why = _unfit(entry, text)
        if text is None or why:
            left_out.add(why, entry.path)
            continue
        chunks = store.chunks(entry.path, access=access)
        page, groups = _cut(text, chunks)
        version = version_of(page, fingerprint)
        listed = Listed(
            entry.path,
            entry.path,
            label,
            size=len(text.encode("utf-8", "surrogatepass")),
            chunks=len(page.ends),
            version=version,
            modified=entry.mtime_ns // 1_000_000_000,
        )
        if fingerprint:
            vectors = _vectors(store, listed, groups, fingerprint)
        else:
            names = (f"{listed.path}#{at}" for at in range(listed.chunks))
            vectors = tuple(_stand_in(name, dimension) for name in names)
        yield Draft(listed, page, vectors)


def _unfit(entry: Entry, text: str | None) -> str:
    """Return why a file cannot be a page; empty when it can."""
    if text is None:
        return "not a text file"
    if "\0" in text:
        return "it holds a NUL byte"
    if not (is_sayable(text) and is_sayable(entry.path)):
        return "it is not Unicode"
    return ""


def is_sayable(text: str) -> bool:
    """Tell whether a text can travel as UTF-8: lone surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _cut(text: str, chunks: Sequence[Chunk]) -> tuple[Page, list[list[int]]]:
    """Return the page, and for each of its chunks those of the index that went into it."""
    tiles = _tile(text, chunks)
    if not tiles:
        ends = _plain_ends(text)
        return Page(text, tuple(ends), ("",) * len(ends)), [[] for _ in ends]
    ends, titles, groups = [], [], []
    group: list[int] = []
    for at, chunk in enumerate(chunks):
        group.append(at)
        end = chunk.span.end_char
        if end == len(text) or text[end - 1] == "\n":
            first = chunks[group[0]]
            ends.append(end)
            titles.append(first.breadcrumb or first.name)
            groups.append(group)
            group = []
    return Page(text, tuple(ends), tuple(titles)), groups


def _tile(text: str, chunks: Sequence[Chunk]) -> bool:
    """Tell whether chunks cover a text without a gap; those of a notebook do not."""
    at = 0
    for chunk in chunks:
        if chunk.span.start_char != at or chunk.span.end_char <= at:
            return False
        at = chunk.span.end_char
    return at == len(text) and at > 0


def _plain_ends(text: str) -> list[int]:
    """Return ends of chunks of whole lines."""
    ends: list[int] = []
    start = 0
    while start < len(text):
        near = text.rfind("\n", start, start + PLAIN_CHARS)
        end = near if near >= 0 else text.find("\n", start)
        start = len(text) if end < 0 else end + 1
        ends.append(start)
    return ends


def _vectors(
    store: SqliteStore, listed: Listed, groups: Sequence[Sequence[int]], fingerprint: str
) -> tuple[tuple[float, ...], ...]:
    """Return one unit vector for each chunk: the mean of those of its parts."""
    import numpy as np

    refs = [(listed.path, index) for group in groups for index in group]
    found = store.vectors(refs, fingerprint=fingerprint, access=everything(store))
    if found is None:
        return ()
    rows = []
    at = 0
    for group in groups:
        mean = found[at : at + len(group)].mean(axis=0)
        at += len(group)
        length = float(np.linalg.norm(mean))
        if not length:
            return ()
        rows.append(tuple((mean / length).tolist()))
    return tuple(rows)


def _stand_in(name: str, dimension: int) -> tuple[float, ...]:
    bits = shake_128(name.encode("utf-8", "surrogatepass")).digest(dimension)
    return tuple((byte + 1) / 256 for byte in bits)
