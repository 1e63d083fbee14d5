"""One file from disk to everything that is stored about it, but where its imports lead.

Opens without following a link and without waiting for a writer, reads a bounded number of bytes,
and takes the stats from the open file, so that they belong to the bytes that were read. Raises
nothing about the file: what cannot be read or parsed becomes a record with a note.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

from tadoru.indexing.extract import Extract, extract
from tadoru.indexing.instant import vectors_of
from tadoru.indexing.roles import role_of
from tadoru.stores.sqlite.records import FileRecord, FileStat
from tadoru.text.decode import BINARY_PROBE, decode
from tadoru.text.languages import language_of, refined
from tadoru.types import TEXTLESS, Role

if TYPE_CHECKING:
    from tadoru.models.base import Embedder

EDGE_BYTES = 64 * 1024
"""Of a file that is too large to be indexed, this much of both ends goes into the digest."""
READ_TRIES = 3
"""A file that changes while it is read is read again."""

Status = Literal["record", "same", "gone", "unreadable"]


@dataclass(frozen=True, slots=True)
class Task:
    """One file to look at."""

    stat: FileStat
    known: bytes = b""
    """Digest of what is stored; empty when nothing is."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task."""

    path: str
    status: Status
    stat: FileStat | None = None
    record: FileRecord | None = None
    reason: str = ""
    """Why it is unreadable, or why it was cut into lines."""


@dataclass(frozen=True, slots=True)
class Content:
    """What was read of a file."""

    stat: FileStat
    digest: bytes
    data: bytes | None
    """All bytes; None when the file is larger than the limit."""
    head: bytes


def look(root: bytes, task: Task, limit: int, embedder: Embedder | None = None) -> Outcome:
    """Read, decode and take apart one file.

    `limit`: bytes that are indexed; `embedder`: gives the chunks their vectors right away.
    """
    path = task.stat.path
    try:
        content = read(root, task.stat, limit)
    except (FileNotFoundError, NotADirectoryError):
        return Outcome(path, "gone")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        record = FileRecord(task.stat, b"", role=Role.BINARY, note=f"unreadable: {reason}")
        return Outcome(path, "unreadable", record=record, reason=reason)
    if task.known and content.digest == task.known:
        return Outcome(path, "same", stat=content.stat)
    record, reason = make_record(content, limit, embedder)
    return Outcome(path, "record", record=record, reason=reason)


def digest_of(root: bytes, known: FileStat, limit: int) -> bytes:
    """Return the digest of a file as it is now. Raises: `OSError`."""
    return read(root, known, limit).digest


def read(root: bytes, known: FileStat, limit: int) -> Content:
    """Read a regular file. Raises: `OSError` when it is none, or cannot be read."""
    name = root + b"/" + (known.raw or known.path.encode("utf-8", "surrogateescape"))
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    descriptor = os.open(name, flags)
    try:
        for _ in range(READ_TRIES):
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise OSError(0, "not a regular file")
            content = _read_open(descriptor, before, known, limit)
            after = os.fstat(descriptor)
            if (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns):
                break
        return content
    finally:
        os.close(descriptor)


def _read_open(descriptor: int, found: os.stat_result, known: FileStat, limit: int) -> Content:
    fresh = replace(
        known,
        size=found.st_size,
        mtime_ns=found.st_mtime_ns,
        ctime_ns=found.st_ctime_ns,
        inode=found.st_ino,
        executable=bool(found.st_mode & 0o111),
    )
    if found.st_size > limit:
        head = os.pread(descriptor, EDGE_BYTES, 0)
        tail = os.pread(descriptor, EDGE_BYTES, max(0, found.st_size - EDGE_BYTES))
        shape = f"{found.st_size} {found.st_mtime_ns}".encode()
        return Content(fresh, blake2b(head + tail + shape, digest_size=16).digest(), None, head)
    data = _read_all(descriptor, limit)
    return Content(fresh, blake2b(data, digest_size=16).digest(), data, data[:EDGE_BYTES])


def _read_all(descriptor: int, limit: int) -> bytes:
    """Read to the end, but no more than `limit` bytes: the file may grow meanwhile."""
    parts: list[bytes] = []
    at = 0
    while at < limit and (part := os.pread(descriptor, limit - at, at)):
        parts.append(part)
        at += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def make_record(
    content: Content, limit: int, embedder: Embedder | None = None
) -> tuple[FileRecord, str]:
    """Decode and take apart; return the record and why it was cut into lines, if it was."""
    path = content.stat.path
    if content.data is None:
        return _without_text(content, path, limit), ""
    decoded = decode(content.data)
    if decoded is None:
        record = FileRecord(
            content.stat, content.digest, language="", role=Role.BINARY, note="binary"
        )
        return record, ""
    first_line = decoded.text[:200].partition("\n")[0]
    language = refined(language_of(path, first_line), path, decoded.text)
    role = role_of(path, language, decoded.text)
    found = Extract()
    if role not in TEXTLESS:
        found = extract(path, language, decoded.text, decoded.encoding, decoded.mark)
    vectors = None
    if embedder is not None:
        vectors = vectors_of(embedder, path, role, found.chunks, decoded.text)
    from tadoru.stores.sqlite.literals import pack_trigrams
    from tadoru.stores.sqlite.termpack import pack_terms

    return FileRecord(
        stat=content.stat,
        digest=content.digest,
        content=content.data,
        encoding=decoded.encoding,
        mark=decoded.mark,
        language=language,
        role=role,
        note=role.value if role in TEXTLESS else "",
        chunks=found.chunks,
        symbols=found.symbols,
        imports=found.imports,
        terms=pack_terms(found.chunks, decoded.text, path),
        trigrams=pack_trigrams(content.data),
        vectors=vectors,
    ), found.note


def _without_text(content: Content, path: str, limit: int) -> FileRecord:
    """A file over the limit: binary when its start is, else huge."""
    binary = b"\0" in content.head[:BINARY_PROBE] and not content.head.startswith(
        (b"\xff\xfe", b"\xfe\xff")
    )
    return FileRecord(
        content.stat,
        content.digest,
        language="" if binary else language_of(path),
        role=Role.BINARY if binary else Role.HUGE,
        note="binary" if binary else f"larger than {size_name(limit)}",
    )


def size_name(size: int) -> str:
    """Return a size for people: `2 MiB`, `100 bytes`."""
    for unit, name in ((1024 * 1024, "MiB"), (1024, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} bytes"
