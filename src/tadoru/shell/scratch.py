"""The session's own `/tmp`: a bounded tree of bytes that travels with the signed state.

Also holds `/dev/fd`, where bashkit keeps what a process substitution wrote; that part does not
travel. Knows nothing of the workspace's tree.
"""

from __future__ import annotations

import json
import time
import zlib
from dataclasses import dataclass

from tadoru.errors import BadInput, PathNotFound, StoreFull, TadoruError
from tadoru.types import Entry, Kind

MAX_ENTRIES = 4_096
"""Files and directories in one session's scratch."""
ENTRY_COST = 64
"""Bytes that a name counts against the limit, so that empty files are not free."""
PIPE_BYTES = 64 << 20
"""What process substitutions of one command line may hold in all."""


class NotEmpty(TadoruError):
    """A directory that is to be removed has entries."""

    errno_name = "ENOTEMPTY"


class Exists(TadoruError):
    """A name that is to be made is there already."""

    errno_name = "EEXIST"


@dataclass(slots=True)
class _Node:
    data: bytes | None
    """None for a directory."""
    mtime_ns: int
    mode: int
    link: str = ""
    """What a symbolic link says, as it was written; its `data` are the bytes of that."""


class Scratch:
    """Files below `tmp/` and `dev/fd/`, by tree path. Not for use by two threads at once:
    one command line runs at a time, and bashkit serialises its file operations."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._nodes: dict[str, _Node] = {}
        self._used = {"tmp": 0, "dev": 0}
        self._links = 0

    # -- reading -------------------------------------------------------------------------------

    def entry(self, path: str) -> Entry | None:
        if path in ("tmp", "dev/fd"):
            return Entry(path=path, kind=Kind.DIRECTORY, mtime_ns=time.time_ns())
        node = self._nodes.get(path)
        if node is None:
            return None
        if node.data is None:
            return Entry(path=path, kind=Kind.DIRECTORY, mtime_ns=node.mtime_ns)
        if node.link:
            target = resolved_link(path, node.link)
            return Entry(path, Kind.LINK, len(node.data), node.mtime_ns, target=target)
        return Entry(
            path=path,
            kind=Kind.FILE,
            size=len(node.data),
            mtime_ns=node.mtime_ns,
            executable=bool(node.mode & 0o111),
        )

    def children(self, path: str) -> list[str]:
        prefix = path + "/"
        return sorted(p[len(prefix) :] for p in self._nodes if _directly_below(p, prefix))

    def read(self, path: str) -> bytes:
        node = self._nodes.get(path)
        if node is None or node.data is None:
            raise PathNotFound(f"{path}: no such file or directory")
        return node.data

    def link(self, path: str) -> str:
        """Return what the symbolic link at a path says; empty when it is none."""
        node = self._nodes.get(path)
        return node.link if node is not None else ""

    def followed(self, path: str, *, last: bool = True) -> str:
        """Return the path behind the first link on the way. `last`: also when it is the end."""
        if not self._links:
            return path
        parts = path.split("/")
        for end in range(1, len(parts) + last):
            prefix = "/".join(parts[:end])
            if text := self.link(prefix):
                return "/".join(filter(None, [resolved_link(prefix, text), *parts[end:]]))
        return path

    # -- writing -------------------------------------------------------------------------------

    def write(self, path: str, data: bytes, *, append: bool = False) -> None:
        """Write a file whose parent exists. Raises StoreFull over the limit."""
        node = self._nodes.get(path)
        old = node.data if node is not None and node.data is not None else b""
        grown = len(data) if append else len(data) - len(old)
        self._charge(path, grown + (ENTRY_COST if node is None else 0))
        data = old + data if append else data
        if node is None:
            self._nodes[path] = _Node(data, time.time_ns(), 0o644)
        else:
            node.data, node.mtime_ns = data, time.time_ns()  # under every name that it has

    def make_link(self, path: str, text: str) -> None:
        """Make a symbolic link whose parent exists."""
        if path in self._nodes:
            raise Exists(f"{path}: file exists")
        data = text.encode("utf-8", "surrogatepass")
        self._charge(path, ENTRY_COST + len(data))
        self._nodes[path] = _Node(data, time.time_ns(), 0o777, text)
        self._links += 1

    def make_name(self, path: str, other: str) -> None:
        """Give a file another name."""
        if path in self._nodes:
            raise Exists(f"{path}: file exists")
        node = self._nodes[other]
        self._charge(path, ENTRY_COST + len(node.data or b""))
        self._nodes[path] = node

    def make_directory(self, path: str) -> None:
        if self.entry(path) is not None:
            raise Exists(f"{path}: file exists")
        self._charge(path, ENTRY_COST)
        self._nodes[path] = _Node(data=None, mtime_ns=time.time_ns(), mode=0o755)

    def remove(self, path: str, *, recursive: bool = False) -> None:
        node = self._nodes.get(path)
        if node is None:
            raise PathNotFound(f"{path}: no such file or directory")
        below = [p for p in self._nodes if p.startswith(path + "/")]
        if below and not recursive:
            raise NotEmpty(f"{path}: directory not empty")
        for name in (*below, path):
            gone = self._nodes.pop(name)
            self._used[_area(name)] -= len(gone.data or b"") + ENTRY_COST
            self._links -= bool(gone.link)

    def rename(self, source: str, target: str) -> None:
        moved = {
            p: target + p[len(source) :]
            for p in self._nodes
            if p == source or p.startswith(source + "/")
        }
        if not moved:
            raise PathNotFound(f"{source}: no such file or directory")
        if target in self._nodes and target not in moved:
            self.remove(target)
        for old, new in moved.items():
            self._nodes[new] = self._nodes.pop(old)

    def touch(self, path: str, at_ns: int | None = None) -> None:
        """Set the time of a file, which is made when it is missing; by default to now."""
        if path not in self._nodes:
            self.write(path, b"")
        self._nodes[path].mtime_ns = time.time_ns() if at_ns is None else at_ns

    def change_mode(self, path: str, mode: int) -> None:
        if path in self._nodes:
            self._nodes[path].mode = mode & 0o777

    def mode(self, path: str) -> int:
        node = self._nodes.get(path)
        return node.mode if node is not None else 0o777

    def _charge(self, path: str, grown: int) -> None:
        area = _area(path)
        limit = self.max_bytes if area == "tmp" else PIPE_BYTES
        if grown > 0 and self._used[area] + grown > limit:
            raise StoreFull(
                f"{path}: /tmp holds at most {limit >> 10} KiB", hint="remove what is not needed"
            )
        if path not in self._nodes and len(self._nodes) >= MAX_ENTRIES:
            raise StoreFull(f"{path}: /tmp holds at most {MAX_ENTRIES} files")
        self._used[area] += grown

    # -- travelling ----------------------------------------------------------------------------

    def pack(self) -> bytes:
        """Return `/tmp` as bytes; empty when it is empty."""
        nodes = {p: n for p, n in self._nodes.items() if _area(p) == "tmp"}
        if not nodes:
            return b""
        rows = [
            [p, n.mode, n.mtime_ns, -1 if n.data is None else len(n.data), n.link]
            for p, n in nodes.items()
        ]
        head = json.dumps(rows, separators=(",", ":")).encode("utf-8", "surrogatepass")
        body = b"".join(n.data or b"" for n in nodes.values())
        return zlib.compress(len(head).to_bytes(4, "big") + head + body, 1)

    @classmethod
    def unpack(cls, packed: bytes, max_bytes: int) -> Scratch:
        """Make a scratch from `pack`'s bytes, which the caller has authenticated."""
        scratch = cls(max_bytes)
        if not packed:
            return scratch
        inflater = zlib.decompressobj()
        raw = inflater.decompress(packed, 2 * max_bytes + (1 << 20))
        if inflater.unconsumed_tail:
            raise BadInput("the session's /tmp is larger than this server allows")
        end = 4 + int.from_bytes(raw[:4], "big")
        rows = json.loads(raw[4:end].decode("utf-8", "surrogatepass"))
        for path, mode, mtime_ns, size, link in rows:
            data = None if size < 0 else raw[end : end + size]
            end += max(0, size)
            scratch._nodes[path] = _Node(data=data, mtime_ns=mtime_ns, mode=mode, link=link)
            scratch._links += bool(link)
            scratch._used["tmp"] += len(data or b"") + ENTRY_COST
        return scratch


def resolved_link(path: str, text: str) -> str:
    """Return the tree path to which a link leads: `..` drops the name before it."""
    parts = [] if text.startswith("/") else path.split("/")[:-1]
    for part in text.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part and part != ".":
            parts.append(part)
    return "/".join(parts)


def _area(path: str) -> str:
    return path.partition("/")[0]


def _directly_below(path: str, prefix: str) -> bool:
    return path.startswith(prefix) and "/" not in path[len(prefix) :]
