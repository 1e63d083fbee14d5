"""What of a chunk is embedded, and which files have nothing embedded at all.

A vector is of the place and the text: path and breadcrumb, signature and doc comment where the text
does not hold them itself, and the text, each bounded. Generated files and data are left out, for
words find them well enough; files whose name looks like a secret are never handed to a model.
"""

from __future__ import annotations

from hashlib import blake2b

from tadoru.indexing.defaults import secret_like
from tadoru.types import Chunk, Entry, Role

MAX_PLACE = 250
"""Characters of path and breadcrumb, cut in the middle. Source: ContextWeaver."""
MAX_SIGNATURE = 400
MAX_TEXT = 4_000
"""Characters of the text itself: whole chunks but for very wide ones, and fewer tokens, also of CJK
text, than the 8,192 that common models read."""
LEFT_OUT = frozenset({Role.GENERATED, Role.MINIFIED, Role.BINARY, Role.HUGE, Role.DATA})
HASH_BYTES = 16


def left_out(entry: Entry) -> bool:
    """Tell whether nothing of a file is embedded."""
    return is_left_out(entry.role, entry.path)


def is_left_out(role: Role, path: str) -> bool:
    """The same of a file that is no entry yet."""
    return role in LEFT_OUT or secret_like(path.rpartition("/")[2])


def embedded_text(chunk: Chunk, text: str) -> str:
    """Return what is embedded for a chunk of a file with this decoded text.

    A change here needs another `models.base.PREPARATION`.
    """
    body = text[chunk.span.start_char : chunk.span.end_char][:MAX_TEXT].strip("\n")
    place = f"{chunk.path} > {chunk.breadcrumb}" if chunk.breadcrumb else chunk.path
    parts = [_cut_middle(place, MAX_PLACE)]
    parts += [part[:MAX_SIGNATURE] for part in (chunk.signature, chunk.doc) if part not in body]
    return "\n".join([*parts, body])


def key_of(text: str) -> bytes:
    """Return the hash under which the vector of an embedded text is kept, 16 bytes."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def size_of(chunk: Chunk) -> int:
    """Return about how many bytes of a chunk a model reads, without reading its text."""
    span = chunk.span
    return min(span.end_byte - span.start_byte, MAX_TEXT) + min(len(chunk.path), MAX_PLACE)


def _cut_middle(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head = (limit - 3) // 2
    return f"{text[:head]}...{text[len(text) - (limit - 3 - head) :]}"
