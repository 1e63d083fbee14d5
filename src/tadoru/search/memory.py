"""Names for hits, so that a session can ask for more of one, or for what is like it.

An id is `path#chunk.digest`: it holds no state, so any process can follow it, and the digest of
the text tells a chunk that was edited since. Whoever may not see the file gets the same answer as
for one that does not exist.
"""

from __future__ import annotations

from hashlib import blake2b

from tadoru.errors import BadInput, PathNotFound
from tadoru.types import Chunk
from tadoru.views import View

_HINT = "search again for an id that is up to date"


def hit_id(chunk: Chunk, text: str) -> str:
    """Return the id of a chunk with this text."""
    return f"{chunk.path}#{chunk.index}.{_digest(text)}"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def chunk_of(view: View, identity: str) -> Chunk:
    """Return the chunk that an id names, also when it has moved inside its file.

    Raises: `BadInput` for what is no id; `PathNotFound` when the file or that text is gone.
    """
    path, mark, rest = identity.rpartition("#")
    index, dot, digest = rest.partition(".")
    if not (path and mark and dot and index.isdecimal() and len(index) < 9):
        raise BadInput(f"not the id of a hit: {identity[:80]!r}", hint=_HINT)
    text = view.text(path)
    chunks = view.chunks(path) if text is not None else ()
    if text is None or not chunks:
        raise PathNotFound(f"no such hit: {identity[:200]}", hint=_HINT)
    near = sorted(chunks, key=lambda chunk: abs(chunk.index - int(index)))
    for chunk in near:
        if _digest(text[chunk.span.start_char : chunk.span.end_char]) == digest:
            return chunk
    raise PathNotFound(f"no such hit: {identity[:200]}", hint=_HINT)
