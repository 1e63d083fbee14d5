"""What the indexer hands to the SQLite store for one file."""

from __future__ import annotations

from dataclasses import dataclass

from tadoru.types import Chunk, Import, Kind, Role, Symbol


@dataclass(frozen=True, slots=True)
class FileStat:
    """A name found by the walk, with what `lstat` says about it."""

    path: str
    """Root-relative, valid Unicode; bytes that are not UTF-8 appear as `\\xNN`."""
    kind: Kind
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    executable: bool = False
    raw: bytes = b""
    """The name's bytes on disk, when they differ from `path` in UTF-8; else empty."""
    target: str = ""
    """For a link: the root-relative path that it leads to inside the root."""


@dataclass(frozen=True, slots=True)
class FileVectors:
    """What one model made of the chunks of one state of a file: `vecpack.pack_vectors`."""

    fingerprint: str
    dimension: int
    signs: bytes
    codes: bytes


@dataclass(frozen=True, slots=True)
class FileRecord:
    """Everything that is known about one file after reading it."""

    stat: FileStat
    digest: bytes
    """BLAKE2b, 16 bytes, of the bytes on disk."""
    content: bytes | None = None
    """The bytes on disk, of files with text; others are read from the source when asked for."""
    encoding: str = "utf-8"
    mark: int = 0
    """Bytes of the byte-order mark."""
    language: str = ""
    role: Role = Role.SOURCE
    note: str = ""
    """Why the file has no chunks (`binary`, `larger than 2 MiB`, ...); else empty."""
    chunks: tuple[Chunk, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    terms: bytes = b""
    """Packed term counts of all chunks: `postings.pack_terms`."""
    trigrams: bytes = b""
    """Packed folded trigrams of the content: `literals.pack_trigrams`."""
    vectors: FileVectors | None = None
    """Of a model that is as fast as reading; None where vectors are made later, or never."""
