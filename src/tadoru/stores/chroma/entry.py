"""Entries of pages: a path and where to ask, as most of a tree is never looked at.

A tree of ten thousand pages is ten thousand of these for each session's first look, so what all
pages have in common stands in the class, and the rest is asked for. A tree need not name sizes, and
a collection cannot be asked for lengths: the first command that looks at one has the pages of that
directory fetched, in bulk.
"""

from __future__ import annotations

from typing import Any, Protocol

from tadoru.text.languages import language_of
from tadoru.types import Entry, Kind, Role

_new = object.__new__
# An entry is frozen; its slots are set past that, three times as fast as by object.__setattr__.
_set_path: Any = vars(Entry)["path"].__set__


class Facts(Protocol):
    """What is known of the pages of a state of a collection."""

    def size_of(self, path: str) -> int: ...

    def modified(self, path: str) -> int:
        """Return seconds since 1970; 0 where nobody says."""
        ...

    def access_id(self, path: str) -> int: ...


class PageEntry(Entry):
    """An `Entry` that asks for what is not in its path."""

    __slots__ = ("_facts", "_inner")

    _facts: Facts
    _inner: str
    """The path in the collection, wherever it is mounted."""

    kind = Kind.FILE
    id = 1
    role = Role.DOCS
    indexed = True
    target = ""
    executable = False

    def __new__(cls, **fields: Any) -> Entry:  # type: ignore[misc]
        """Return the plain entry that `dataclasses.replace` makes of one of these."""
        return Entry(**fields)

    @classmethod
    def of(cls, path: str, facts: Facts, inner: str = "") -> PageEntry:
        """Return the entry of a page; `inner`: its path in the collection, where that differs."""
        entry = _new(cls)
        _set_path(entry, path)
        _set_facts(entry, facts)
        _set_inner(entry, inner or path)
        return entry

    @property
    def size(self) -> int:
        """Bytes; what asking raises is raised."""
        return self._facts.size_of(self._inner)

    @property
    def mtime_ns(self) -> int:
        return self._facts.modified(self._inner) * 1_000_000_000

    @property
    def access_id(self) -> int:
        return self._facts.access_id(self._inner)

    @property
    def language(self) -> str:
        return language_of(self.path)

    def moved(self, path: str, target: str = "") -> Entry:
        """Return the same page at another path, without asking."""
        return PageEntry.of(path, self._facts, self._inner)


_set_facts: Any = vars(PageEntry)["_facts"].__set__
_set_inner: Any = vars(PageEntry)["_inner"].__set__
