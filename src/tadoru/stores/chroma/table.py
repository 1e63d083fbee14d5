"""The pages of a tree by path, from the JSON in which they lie.

A session needs paths and labels alone; what else a page says about itself is looked at when it is
asked for. A label that makes no sense hides its page, and what cannot be a path is no page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from tadoru.errors import StoreError
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.form import UNNUMBERED, Listed
from tadoru.stores.objects.pointer import Pointer
from tadoru.types import HIDDEN, PUBLIC, AccessRow

_HIDDEN, _PUBLIC = 0, 1
"""Where the first two rows of `Table.rows` lie."""
_NO_FACTS: Mapping[str, Any] = {}


class Table(Mapping[str, Listed]):
    """The pages of a tree by path."""

    def __init__(self, trees: Iterable[Mapping[str, Any]], names: FieldNames) -> None:
        self._names = names
        self._facts: dict[str, Mapping[str, Any]] = {}
        self._slugs: dict[str, str] = {}
        """Path -> what the collection calls the page, where that is another name."""
        self._made: dict[str, Listed] = {}
        self.rows: list[AccessRow] = [HIDDEN, PUBLIC]
        """The labels of this tree."""
        self.label_of: dict[str, int] = {}
        """Path -> the label of a page, as a position in `rows`."""
        self.below: list[Listed] = []
        """Pages that lie below another page, and so have no place: a file is no directory."""
        for tree in trees:
            self._facts |= self._named(tree) if self._slugs or _has_odd_names(tree) else tree
        self._facts.pop("", None)
        self._label()
        self._drop_below()

    def _named(self, tree: Mapping[str, Any]) -> dict[str, Any]:
        """Return a tree by paths, where names of its pages are not their paths."""
        found = {}
        for slug, facts in tree.items():
            path = _path_of(slug)
            found[path] = facts
            self._slugs[path] = slug
        return found

    def _label(self) -> None:
        labels = _Labels(self.rows, self._names.groups)
        public, label_of = self._names.public, self.label_of
        for path, facts in self._facts.items():
            if type(facts) is not dict:
                self._facts[path] = _NO_FACTS
                label_of[path] = _HIDDEN
            elif facts.get(public) is True:
                label_of[path] = _PUBLIC
            else:
                label_of[path] = labels.at(facts)

    def _drop_below(self) -> None:
        folders = {path.rpartition("/")[0] for path in self._facts}
        folders |= {above for folder in folders for above in above_of(folder)}
        if folders.isdisjoint(self._facts):
            return
        for path in sorted(self._facts):
            if any(above in self._facts for above in above_of(path)):
                self.below.append(self[path])
        for page in self.below:
            del self._facts[page.path], self._made[page.path], self.label_of[page.path]

    def __getitem__(self, path: str) -> Listed:
        page = self._made.get(path)
        if page is None:
            page = self._made[path] = self._page(path, self._facts[path])
        return page

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, path: object) -> bool:
        return path in self._facts

    def _page(self, path: str, facts: Mapping[str, Any]) -> Listed:
        names = self._names
        title = facts.get(names.title, "")
        version = facts.get("version", "")
        return Listed(
            path,
            self.slug(path),
            self.rows[self.label_of[path]],
            _number(facts.get(names.size)) if names.size else -1,
            _number(facts.get(names.chunks)) if names.chunks else -1,
            title if isinstance(title, str) else "",
            version if isinstance(version, str) else "",
            _pointer(facts.get(names.pointer)) if names.pointer in facts else None,
            self.modified(path),
        )

    def slug(self, path: str) -> str:
        """Return the name that the collection has for a page."""
        return self._slugs.get(path, path)

    def size(self, path: str) -> int:
        """Return the bytes of a page; -1 where the tree does not say."""
        facts, names = self._facts[path], self._names
        if names.pointer in facts:
            pointer = self[path].pointer
            return pointer.size if pointer is not None else 0
        return _number(facts.get(names.size)) if names.size else -1

    def modified(self, path: str) -> int:
        """Return when a page changed, in seconds since 1970; 0 where the tree does not say."""
        name = self._names.modified
        return _seconds(self._facts[path].get(name)) if name else 0

    def pointing(self) -> frozenset[str]:
        """Return the pages whose bytes the collection does not have."""
        name = self._names.pointer
        return frozenset(path for path, facts in self._facts.items() if name in facts)


class _Labels:
    """The labels of a tree, each once."""

    def __init__(self, rows: list[AccessRow], name: str) -> None:
        self._rows = rows
        self._name = name
        self._known: dict[tuple[str, ...], int] = {}

    def at(self, facts: Mapping[str, Any]) -> int:
        """Return where the label of a page that is not public lies among the rows."""
        groups = facts.get(self._name)
        if type(groups) is not list:
            return _HIDDEN
        try:
            return self._known[tuple(groups)]
        except KeyError:
            return self._new(groups)
        except TypeError:  # what cannot be hashed is no name of a group
            return self._new([group for group in groups if isinstance(group, str)])

    def _new(self, groups: list[Any]) -> int:
        named = frozenset(group for group in groups if isinstance(group, str) and group)
        at = _HIDDEN
        if named:
            self._rows.append(AccessRow(UNNUMBERED, public=False, groups=named))
            at = len(self._rows) - 1
        return self._known.setdefault(tuple(groups), at)


def above_of(path: str) -> Iterator[str]:
    """Yield the paths of all directories above a path."""
    end = path.rfind("/")
    while end > 0:
        yield path[:end]
        end = path.rfind("/", 0, end)


_ODD = ("\n/", "\n.", "//", "/.", "/\n", "\0")
"""What a name between line ends has that is not the path of its page as it stands."""


def _has_odd_names(tree: Mapping[str, Any]) -> bool:
    """Tell whether a name is not its path; all at once, as most trees have none."""
    named = [name for name in tree if name]
    names = "\n".join(["", *named, ""])
    return names.count("\n") != len(named) + 1 or any(odd in names for odd in _ODD)


def _path_of(slug: str) -> str:
    """Return the path that a page has in the tree; empty for what cannot be one."""
    parts = [part for part in slug.split("/") if part]
    return "" if {".", ".."} & set(parts) or "\0" in slug else "/".join(parts)


def _number(value: object) -> int:
    return value if type(value) is int and value >= 0 else -1


def _seconds(value: object) -> int:
    """Return a time as seconds since 1970, of a number of them or a date of ISO 8601; else 0."""
    seconds = 0.0
    try:
        if isinstance(value, str):
            when = datetime.fromisoformat(value)
            seconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        elif isinstance(value, int | float):
            seconds = value
        return min(max(0, int(seconds)), LAST_SECOND)
    except (ValueError, OverflowError):
        return 0


LAST_SECOND = 253_402_300_799
"""The end of the year 9999: what is later is a number that means something else."""


def _pointer(value: object) -> Pointer | None:
    """Return a pointer; None for what makes no sense: the page then has no content at all."""
    try:
        return Pointer.parse(value)
    except StoreError:
        return None
