"""Names for hits, so that a session can ask for more of one, or for what is like it; and which of
them a session was sent.

An id is `path#chunk.digest`: it holds no state, so any process can follow it, and the digest of
the text tells a chunk that was edited since. `path:line` names the chunk there as well. Whoever
may not see the file gets the same answer as for one that does not exist.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator
from hashlib import blake2b

from tadoru.errors import BadInput, PathNotFound
from tadoru.types import Chunk, PackedFile
from tadoru.views import View

SENT_KEPT = 2_000
"""Chunks that a session remembers, the oldest forgotten first: more than any model's window."""

_HINT = "search again for an id that is up to date"


class SessionMemory(Collection[str]):
    """Ids of what one session was sent. Threads may share it."""

    def __init__(self, ids: Iterable[str] = (), *, kept: int = SENT_KEPT) -> None:
        self._ids: dict[str, None] = dict.fromkeys(ids)
        self._kept = kept
        self._lock = threading.Lock()

    def add(self, *ids: str) -> None:
        """Remember ids; those sent again are the newest."""
        with self._lock:
            for identity in ids:
                self._ids.pop(identity, None)
                self._ids[identity] = None
            for old in list(self._ids)[: max(0, len(self._ids) - self._kept)]:
                del self._ids[old]

    def __contains__(self, identity: object) -> bool:
        return identity in self._ids

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            return iter(list(self._ids))

    def __len__(self) -> int:
        return len(self._ids)


def hit_id(chunk: Chunk, text: str) -> str:
    """Return the id of a chunk with this text."""
    return f"{chunk.path}#{chunk.index}.{_digest(text)}"


def part_id(chunk: Chunk, text: str, first: int, last: int) -> str:
    """Return what a session remembers of a chunk of which only these lines were shown."""
    return f"{hit_id(chunk, text)}@{first}-{last}"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def sent_in(view: View, files: Iterable[PackedFile]) -> list[str]:
    """Return the ids of all chunks, or parts of chunks, whose text stands in a packed answer."""
    ids: list[str] = []
    for file in files:
        text = view.text(file.path)
        if text is None:
            continue
        for chunk in view.chunks(file.path):
            own = text[chunk.span.start_char : chunk.span.end_char]
            for segment in file.segments:
                if segment.sources == ("named",):
                    continue  # one line of a chunk tells nothing of the rest
                first = max(segment.start_line, chunk.span.start_line)
                last = min(segment.end_line, _last_line(chunk, own))
                if first > last:
                    continue
                if own.strip("\n") in segment.text:
                    ids.append(hit_id(chunk, own))
                else:
                    ids.append(part_id(chunk, own, first, last))
    return ids


def _last_line(chunk: Chunk, text: str) -> int:
    """Return the last line of a chunk that holds something."""
    return chunk.span.end_line - (len(text) - len(text.rstrip("\n")) - text.endswith("\n"))


def chunk_of(view: View, identity: str) -> Chunk:
    """Return the chunk that an id names, also when it has moved inside its file; or the one that
    holds the line of `path:line`.

    Raises: `BadInput` for what is no id; `PathNotFound` when the file or that text is gone.
    """
    path, mark, rest = identity.rpartition("#")
    index, dot, digest = rest.partition(".")
    if path and mark and dot and index.isdecimal() and len(index) < 9:
        return _by_digest(view, identity, path, int(index), digest.partition("@")[0])
    place, colon, line = identity.rpartition(":")
    if place and colon and line.isdecimal() and 0 < len(line) < 9:
        return _by_line(view, identity, place.lstrip("/"), int(line))
    raise BadInput(f"not the id of a hit: {identity[:80]!r}", hint=_HINT)


def _by_digest(view: View, identity: str, path: str, index: int, digest: str) -> Chunk:
    text = view.text(path)
    chunks = view.chunks(path) if text is not None else ()
    for chunk in sorted(chunks, key=lambda chunk: abs(chunk.index - index)):
        if _digest((text or "")[chunk.span.start_char : chunk.span.end_char]) == digest:
            return chunk
    raise PathNotFound(f"no such hit: {identity[:200]}", hint=_HINT)


def _by_line(view: View, identity: str, path: str, line: int) -> Chunk:
    for chunk in view.chunks(path) if view.text(path) is not None else ():
        if chunk.span.start_line <= line <= chunk.span.end_line:
            return chunk
    raise PathNotFound(f"no such hit: {identity[:200]}", hint=_HINT)
