"""TadoruFileSystem: what fsspec's users can list, stat and read, as far as the principal sees it.

Every question goes to the workspace anew, so nothing is shown here that it would not show at that
moment elsewhere, and nothing is kept that could outlive a label. Every write is refused, also where
fsspec itself would do nothing or half of it.
"""

from __future__ import annotations

import errno
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from tadoru.errors import IsADirectoryHere, NotADirectoryHere, OutsideRoots, PathNotFound, ReadOnly
from tadoru.types import Entry, Kind, Principal

if TYPE_CHECKING:
    from tadoru.config import Config
    from tadoru.workspace import Workspace

BLOCK_BYTES = 256 * 1024
"""Bytes that an open file reads ahead: one request, where the bytes lie in an object store."""
PIECE_BYTES = 16 * 1024 * 1024
"""Bytes asked of the workspace at once."""


class ReadOnlyTree(ReadOnly, OSError):
    """A write, as both tadoru and fsspec's users know the error: `OSError` with `errno.EROFS`."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path}: the tree is read-only", hint="write to the source itself, where it lies"
        )
        self.errno = errno.EROFS
        self.filename = path


class _File(AbstractBufferedFile):  # type: ignore[misc]
    DEFAULT_BLOCK_SIZE: ClassVar[int] = BLOCK_BYTES

    def _fetch_range(self, start: int, end: int) -> bytes:
        data: bytes = self.fs.cat_file(self.path, start=start, end=end)
        return data


class TadoruFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """A workspace, or the directory `root` with `mounts`, as a filesystem.

    `fsspec.filesystem("tadoru", root="path/to/repository")` opens one; `workspace=` takes one that
    is open already and leaves closing it to its owner. `mounts` as in `tadoru.open`; `groups` (a
    list, or names joined by commas): those of whoever asks, by default the configured ones.
    """

    protocol = "tadoru"
    root_marker = ""
    cachable = False
    """An instance must not outlive the groups that it was made for."""

    def __init__(
        self,
        root: str = ".",
        *,
        mounts: Mapping[str, str] | None = None,
        groups: str | Iterable[str] | None = None,
        config: Config | None = None,
        workspace: Workspace | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        principal = None if groups is None else Principal(_names(groups))
        if workspace is None:
            import tadoru

            workspace = tadoru.open(root, mounts=mounts, principal=principal, config=config)
            weakref.finalize(self, workspace.close)
        elif principal is not None:
            workspace = workspace.seen_by(principal)
        self._workspace = workspace

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        """Return the tree's path: `tadoru:///a/b`, `tadoru://a/b` and `/a/b` are all `a/b`."""
        stripped = super()._strip_protocol(path)
        if isinstance(stripped, list):
            return [one.strip("/") for one in stripped]
        return stripped.strip("/")

    # -- names ---------------------------------------------------------------------------------

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """List a directory, or the file itself. Raises: FileNotFoundError.

        A link to a file is the file; one to a directory is left out: who walks follows none.
        """
        path = self._strip_protocol(path)
        with _told_by_errno(path):
            try:
                entries = self._workspace.entries(path)
            except NotADirectoryHere:
                entries = [self._workspace.entry(path)]
        rows = [_row(entry) for entry in entries if entry.kind is not Kind.LINK]
        return rows if detail else [row["name"] for row in rows]

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Return name, size (bytes; 0 for a directory), type and `mtime`.

        Raises: FileNotFoundError.
        """
        path = self._strip_protocol(path)
        with _told_by_errno(path):
            return _row(self._workspace.entry(path))

    def exists(self, path: str, **_: Any) -> bool:
        """Tell whether a path is there; a store that does not answer is an error, and not a no."""
        try:
            self.info(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def modified(self, path: str) -> datetime:
        """Return when a file changed, as its source tells. Raises: FileNotFoundError."""
        return datetime.fromtimestamp(self.info(path)["mtime"], UTC)

    # -- content -------------------------------------------------------------------------------

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        """Return the bytes of a file from `start` to `end` (half-open; negative from the end).

        Raises: FileNotFoundError, IsADirectoryError, and what the store raises.
        """
        path = self._strip_protocol(path)
        info = self.info(path)
        if info["type"] == "directory":
            raise IsADirectoryError(errno.EISDIR, "is a directory", path)
        first, last, _step = slice(start, end).indices(info["size"])
        pieces: list[bytes] = []
        with _told_by_errno(path):
            for at in range(first, last, PIECE_BYTES):
                size = min(PIECE_BYTES, last - at)
                pieces.append(self._workspace.read_bytes(path, start=at, size=size))
        return b"".join(pieces)

    def _open(self, path: str, mode: str = "rb", **options: Any) -> _File:
        if mode != "rb":
            raise ReadOnlyTree(path)
        if self.info(path)["type"] == "directory":
            raise IsADirectoryError(errno.EISDIR, "is a directory", path)
        return _File(self, path, mode=mode, **options)

    # -- writes --------------------------------------------------------------------------------

    def _refuse(self, path: Any, *_: Any, **__: Any) -> NoReturn:
        """Refuse to write. Raises: ReadOnlyTree."""
        raise ReadOnlyTree(str(path))

    mkdir = makedirs = rmdir = rm = rm_file = _rm = touch = _refuse
    pipe = pipe_file = put = put_file = upload = _refuse
    cp_file = copy = cp = mv = move = rename = delete = mkdirs = makedir = _refuse


def _names(groups: str | Iterable[str]) -> frozenset[str]:
    names = groups.split(",") if isinstance(groups, str) else groups
    return frozenset(name.strip() for name in names if name.strip())


def _row(entry: Entry) -> dict[str, Any]:
    kind = "directory" if entry.is_dir else "file"
    size = 0 if entry.is_dir else entry.size
    return {"name": entry.path, "size": size, "type": kind, "mtime": entry.mtime_ns / 1e9}


@contextmanager
def _told_by_errno(path: str) -> Iterator[None]:
    """Raise what Python's own file functions raise for a path that is not there, or not that."""
    try:
        yield
    except PathNotFound:
        raise FileNotFoundError(errno.ENOENT, "no such file or directory", path) from None
    except NotADirectoryHere:
        raise NotADirectoryError(errno.ENOTDIR, "not a directory", path) from None
    except IsADirectoryHere:
        raise IsADirectoryError(errno.EISDIR, "is a directory", path) from None
    except OutsideRoots:
        raise FileNotFoundError(errno.ENOENT, "leads outside the tree", path) from None
