"""Segments: immutable files of arrays beside the database, and the list of those that count.

All of them are disposable. A file is written under another name, fsynced and renamed; the manifest
says which segments belong to which database. Whatever is missing, foreign, cut short or of another
version is simply not there, and its files are indexed again from the database.
"""

from __future__ import annotations

import json
import os
import secrets
import struct
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray[Any]]

_MAGIC = b"tadoruS2"
_HEAD = struct.Struct("<8sII")
"""Magic, length of the JSON header, its CRC-32."""
_ALIGN = 64
PACKED_BYTES = 2_500_000
"""Smaller segments are compressed to a third; to undo it takes 2 ms per megabyte when they are
opened. Larger ones are mapped, so that processes share them: there the text outweighs them."""
_LEVEL = 3
"""Of zstd: level 9 saves 3% more and takes four times as long."""
_LOOKS = 3
"""How often a list is read whose segments are not all there."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Arrays of one segment, mapped from a file or in memory (then without a name).

    Always there: `ids` and `revs`, int64, (files,): which state of which files it covers.
    """

    name: str
    arrays: Arrays
    weight: int
    """Documents in it, as its kind counts them: merging goes by that."""

    @property
    def ids(self) -> npt.NDArray[np.int64]:
        return self.arrays["ids"]

    @property
    def revs(self) -> npt.NDArray[np.int64]:
        return self.arrays["revs"]


class Shelf:
    """The segments of one kind in one directory."""

    def __init__(self, directory: Path, kind: str, version: int) -> None:
        self._directory = directory
        self._kind = kind
        self._version = version
        self._manifest = directory / f"{kind}.json"
        self._open: dict[str, Segment] = {}

    def load(self, database_id: str) -> list[Segment]:
        """Return the segments that can be used now, in the manifest's order."""
        for _ in range(_LOOKS):
            names = self._listed(database_id)
            found = [self._segment(name, database_id) for name in names]
            segments = [segment for segment in found if segment is not None]
            if len(segments) == len(names):
                break  # else the writer has just merged some away, and the list is another now
        self._open = {segment.name: segment for segment in segments}
        return segments

    def _listed(self, database_id: str) -> list[str]:
        try:
            manifest = json.loads(self._manifest.read_bytes())
        except (OSError, ValueError):
            return []
        if not isinstance(manifest, dict):
            return []
        if manifest.get("database") != database_id or manifest.get("version") != self._version:
            return []
        names = manifest.get("segments")
        return [str(name) for name in names] if isinstance(names, list) else []

    def _segment(self, name: str, database_id: str) -> Segment | None:
        segment = self._open.get(name)
        if segment is None and "/" not in name:
            with suppress(OSError, ValueError, KeyError, TypeError):
                segment = _map(self._directory / name, name, database_id)
        return segment

    def publish(
        self, database_id: str, kept: Sequence[Segment], new: Sequence[tuple[Arrays, int]]
    ) -> list[Segment]:
        """Write new segments, list them with the kept ones, and remove all other files.

        Only the writer calls this: it holds the lock.
        """
        names = []
        for arrays, weight in new:
            name = f"{self._kind}-{secrets.token_hex(8)}.seg"
            header = {"database": database_id, "weight": weight}
            _replace(self._directory / name, _encode(header, arrays))
            names.append(name)
        names = [segment.name for segment in kept] + names
        manifest = {"database": database_id, "version": self._version, "segments": names}
        _replace(self._manifest, [json.dumps(manifest).encode()])
        _sync_directory(self._directory)
        for path in self._directory.glob(f"{self._kind}-*"):
            if path.name not in names:
                path.unlink(missing_ok=True)
        return self.load(database_id)

    def broken(self, database_id: str) -> list[str]:
        """Return the listed segments that are missing or whose content has changed on disk."""
        return [
            name
            for name in self._listed(database_id)
            if "/" in name or not _is_sound(self._directory / name)
        ]


def _encode(header: Mapping[str, Any], arrays: Arrays) -> list[bytes]:
    table = []
    body: list[bytes] = []
    position = 0
    packed = sum(array.nbytes for array in arrays.values()) <= PACKED_BYTES
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        data = _planes(array) if packed and _in_planes(array.dtype, array.ndim) else array.tobytes()
        padding = bytes(-len(data) % _ALIGN)
        table.append([name, array.dtype.str, list(array.shape), position])
        body += [data, padding]
        position += len(data) + len(padding)
    if packed:
        body = [_compressed(b"".join(body))]
    checksum = 0
    for part in body:
        checksum = zlib.crc32(part, checksum)
    size = sum(map(len, body))
    full = {**header, "arrays": table, "size": size, "crc": checksum, "packed": packed}
    text = json.dumps(full).encode()
    text += b" " * (-(_HEAD.size + len(text)) % _ALIGN)
    return [_HEAD.pack(_MAGIC, len(text), zlib.crc32(text)), text, *body]


def _in_planes(dtype: np.dtype[Any], dimensions: int) -> bool:
    return dimensions == 1 and dtype.kind in "iu" and dtype.itemsize > 1


def _planes(array: npt.NDArray[Any]) -> bytes:
    """Return the differences of an array's numbers, all first bytes first, then all second ones.

    Most of them are the same then, whatever the numbers are: keys and offsets ascend.
    """
    steps = np.diff(array, prepend=array.dtype.type(0))
    return steps.view(np.uint8).reshape(-1, array.dtype.itemsize).T.tobytes()


def _from_planes(part: npt.NDArray[np.uint8], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    steps = np.ascontiguousarray(part.reshape(dtype.itemsize, -1).T).view(dtype).reshape(-1)
    found: npt.NDArray[Any] = np.cumsum(steps, dtype=dtype)
    return found


def _compressed(body: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=_LEVEL).compress(body)


def _decompressed(header: Mapping[str, Any], stored: bytes) -> npt.NDArray[np.uint8]:
    """Raise ValueError for what is not what was written."""
    import zstandard

    if zlib.crc32(stored) != header["crc"]:
        raise ValueError("the content of the segment has changed")
    return np.frombuffer(zstandard.ZstdDecompressor().decompress(stored), dtype=np.uint8)


def _header(file: Path) -> tuple[dict[str, Any], int]:
    """Return the header and where the arrays start; raise ValueError when it is not sound."""
    with file.open("rb") as stream:
        magic, length, checksum = _HEAD.unpack(stream.read(_HEAD.size).ljust(_HEAD.size, b"\0"))
        text = stream.read(length) if magic == _MAGIC else b""
        if len(text) != length or not length or zlib.crc32(text) != checksum:
            raise ValueError(f"{file} is no segment")
        start = _HEAD.size + length
        header: dict[str, Any] = json.loads(text)
        if os.fstat(stream.fileno()).st_size != start + header["size"]:
            raise ValueError(f"{file} is cut short")
    return header, start


def _map(file: Path, name: str, database_id: str) -> Segment | None:
    header, start = _header(file)
    if header["database"] != database_id:
        return None
    if header["packed"]:
        with file.open("rb") as stream:
            stream.seek(start)
            raw, start = _decompressed(header, stream.read()), 0
    else:
        raw = np.memmap(file, dtype=np.uint8, mode="r")
    arrays: Arrays = {}
    for key, code, shape, position in header["arrays"]:
        dtype = np.dtype(code)
        count = int(np.prod(shape)) * dtype.itemsize
        part = np.asarray(raw[start + position : start + position + count])
        if header["packed"] and _in_planes(dtype, len(shape)):
            arrays[key] = _from_planes(part, dtype)
        else:
            arrays[key] = part.view(dtype).reshape(shape)
    return Segment(name, arrays, int(header["weight"]))


def _is_sound(file: Path) -> bool:
    try:
        header, start = _header(file)
        with file.open("rb") as stream:
            stream.seek(start)
            checksum = 0
            while block := stream.read(1 << 20):
                checksum = zlib.crc32(block, checksum)
    except (OSError, ValueError, KeyError):
        return False
    return bool(checksum == header["crc"])


def _replace(path: Path, parts: Sequence[bytes]) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            for part in parts:
                stream.write(part)
            stream.flush()
            os.fsync(descriptor)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
