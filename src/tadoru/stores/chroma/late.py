"""Entries whose size is not known until somebody asks for it.

A tree need not name sizes, and a collection cannot be asked for lengths; so the first command that
looks at one has the pages of that directory fetched, in bulk.
"""

from __future__ import annotations

from collections.abc import Callable

from tadoru.types import Entry, Kind, Role

_set = object.__setattr__


class LateEntry(Entry):
    """An `Entry` that asks for its size."""

    __slots__ = ("_size",)

    _size: int | Callable[[], int]

    @classmethod
    def of(
        cls,
        path: str,
        ask: int | Callable[[], int],
        access_id: int,
        number: int,
        language: str,
    ) -> LateEntry:
        """Return the entry of a page; `ask` gives its size in bytes."""
        entry = object.__new__(cls)
        _set(entry, "path", path)
        _set(entry, "kind", Kind.FILE)
        _set(entry, "mtime_ns", 0)
        _set(entry, "access_id", access_id)
        _set(entry, "id", number)
        _set(entry, "language", language)
        _set(entry, "role", Role.DOCS)
        _set(entry, "indexed", True)
        _set(entry, "target", "")
        _set(entry, "executable", False)
        _set(entry, "_size", ask)
        return entry

    @property
    def size(self) -> int:
        """Bytes; what asking raises is raised."""
        asked = self._size
        if not isinstance(asked, int):
            asked = asked()
            _set(self, "_size", asked)
        return asked

    @size.setter
    def size(self, value: int) -> None:
        _set(self, "_size", value)

    def moved(self, path: str, target: str = "") -> Entry:
        """Return the same entry at another path, without asking."""
        return LateEntry.of(path, self._size, self.access_id, self.id, self.language)
