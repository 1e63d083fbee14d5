"""TadoruFileSystem: what fsspec's users can list, stat and read, as far as the principal sees it.

Names and sizes come from the workspace's list of files, bytes from its shell, so nothing is shown
here that the workspace would not show elsewhere. Every write is refused.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, ClassVar

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from tadoru.errors import ReadOnly

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

PAGE = 5_000
"""Files per page of the list."""
PIECE = 256 * 1024
"""Bytes asked of the shell at once; below its limit on output."""


class _File(AbstractBufferedFile):  # type: ignore[misc]
    def _fetch_range(self, start: int, end: int) -> bytes:
        data: bytes = self.fs.cat_file(self.path, start=start, end=end)
        return data


class TadoruFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """A workspace, or the directory `root`, as a filesystem.

    `fsspec.filesystem("tadoru", root="path/to/repository")` opens one; `workspace=` takes one that
    is open already and leaves closing it to its owner.
    """

    protocol = "tadoru"
    root_marker = ""
    cachable = False
    mode: ClassVar[str] = "rb"

    def __init__(self, root: str = ".", workspace: Workspace | None = None, **options: Any) -> None:
        super().__init__(**options)
        if workspace is None:
            import tadoru

            workspace = tadoru.open(root)
        self._workspace = workspace
        self._listed: tuple[int, int] | None = None
        self._tree: dict[str, list[dict[str, Any]]] = {}

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """List a directory, or the file itself. Raises: FileNotFoundError."""
        path = self._strip_protocol(path).strip("/")
        tree = self._current()
        rows = tree.get(path)
        if rows is None:
            rows = [self._row(path)]
        return [dict(row) for row in rows] if detail else sorted(row["name"] for row in rows)

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Return name, size (bytes; 0 for a directory) and type. Raises: FileNotFoundError."""
        path = self._strip_protocol(path).strip("/")
        if path in self._current():
            return {"name": path, "size": 0, "type": "directory"}
        return dict(self._row(path))

    def _row(self, path: str) -> dict[str, Any]:
        for row in self._current().get(self._parent(path).strip("/"), ()):
            if row["name"] == path:
                return row
        raise FileNotFoundError(path)

    def _current(self) -> dict[str, list[dict[str, Any]]]:
        """Return rows by directory, listed anew when the index has moved on."""
        state = self._workspace.status()
        if self._listed != (state.generation, state.files):
            self._tree = self._list()
            self._listed = (state.generation, state.files)
        return self._tree

    def _list(self) -> dict[str, list[dict[str, Any]]]:
        tree: dict[str, list[dict[str, Any]]] = {"": []}
        offset = 0
        while True:
            page = self._workspace.list_files(offset=offset, limit=PAGE)
            for file in page.files:
                parent = _directory(tree, file.path.rpartition("/")[0])
                parent.append({"name": file.path, "size": file.size, "type": "file"})
            offset += len(page.files)
            if not page.files or offset >= page.total:
                return tree

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        """Return the bytes of a file from `start` to `end` (half-open; negative from the end)."""
        path = self._strip_protocol(path).strip("/")
        size = self.info(path)["size"]
        first, last, _step = slice(start, end).indices(size)
        place = shlex.quote("/" + path)
        pieces: list[bytes] = []
        for at in range(first, last, PIECE):
            count = min(PIECE, last - at)
            result = self._workspace.run(f"tail -c +{at + 1} {place} | head -c {count}")
            if result.exit_code or result.stderr:
                raise OSError(result.stderr.strip() or f"{path}: cannot be read")
            pieces.append(result.stdout_bytes)
        return b"".join(pieces)

    def _open(self, path: str, mode: str = "rb", **options: Any) -> _File:
        if mode != "rb":
            raise ReadOnly(f"{path}: the tree is read-only", hint="write to the directory itself")
        return _File(self, path, mode=mode, **options)


def _directory(tree: dict[str, list[dict[str, Any]]], path: str) -> list[dict[str, Any]]:
    """Return the rows of a directory, making it and its parents known."""
    rows = tree.get(path)
    if rows is None:
        rows = tree[path] = []
        above = _directory(tree, path.rpartition("/")[0])
        above.append({"name": path, "size": 0, "type": "directory"})
    return rows
