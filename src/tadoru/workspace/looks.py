"""What a person looks at who asks why: a search with its stages, a file with its company, a tree.

A look is counted and audited as every call, and leaves nothing in the history: it must not change
the answer that it explains. Decides nothing else; what exists is what the principal sees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tadoru.errors import IsADirectoryHere, PathNotFound
from tadoru.reading import inside, window
from tadoru.types import (
    Entry,
    Import,
    IndexState,
    Kind,
    Mode,
    ReadAnswer,
    SearchAnswer,
    Symbol,
)
from tadoru.workspace.arguments import directory, existing, positive, without_nul
from tadoru.workspace.core import counted
from tadoru.workspace.questions import Questions

MOST_SYMBOLS = 2_000
"""Definitions of one file that a look has; more are counted."""


@dataclass(frozen=True, slots=True)
class Look:
    """A file: its lines, what it defines, what it imports, and what imports it."""

    entry: Entry
    text: ReadAnswer | None
    """None for a file without text."""
    tokens: int
    """Of the whole text, as the workspace counts them."""
    symbols: tuple[Symbol, ...]
    symbols_total: int
    imports: tuple[Import, ...]
    importers: tuple[Import, ...]
    index: IndexState


@dataclass(frozen=True, slots=True)
class Survey:
    """The files below a directory, by path; links are left out, they lead to what is counted."""

    path: str
    entries: tuple[Entry, ...]
    index: IndexState


class Looks(Questions):
    """Answers with their reasons, for people."""

    @counted
    def explain_search(
        self,
        question: str,
        *,
        mode: Mode = "balanced",
        budget: int | None = None,
        top: int = 20,
        under: str = "",
        tests: Literal["include", "exclude", "only"] = "include",
    ) -> SearchAnswer:
        """Search, and tell how: `debug` has every stage. Raises: as `search`."""
        without_nul(question=question)
        positive(top=top, budget=budget)
        view = self._view()
        answer = self.search_in(
            view,
            question,
            budget=budget or self.config.budget,
            mode=mode,
            top=top,
            under=directory(view, under),
            tests=tests,
            debug=True,
        )
        return replace(answer, index=self._state(view))

    @counted
    def look(self, path: str, *, start: int = 1, end: int | None = None) -> Look:
        """Return a file with the lines `start` to `end` and what it is connected with.

        Raises: `PathNotFound`, `IsADirectoryHere`, `OutsideRoots`, `BadInput`.
        """
        view = self._view()
        place = inside(view, path)
        entry = view.entry(place)
        if entry is None:
            raise PathNotFound(f"{path}: no such file or directory")
        if entry.is_dir:
            raise IsADirectoryHere(f"{path or '/'}: is a directory", hint="look at the tree")
        text = view.text(entry.path)
        lines = None
        if text is not None:
            self._reads(entry.path)
            lines = replace(
                window(text, start=start, end=end, budget=None, counter=self._counter), path=place
            )
        symbols, total = view.symbols(path=entry.path, limit=MOST_SYMBOLS)
        return Look(
            entry=entry.moved(place, entry.target),
            text=lines,
            tokens=self._counter.count(text or ""),
            symbols=tuple(symbols),
            symbols_total=total,
            imports=tuple(view.imports(entry.path)),
            importers=tuple(view.importers(entry.path)),
            index=self._state(view),
        )

    @counted
    def survey(self, path: str = "") -> Survey:
        """Return the entries of all files below a directory, or of one file.

        Raises: `PathNotFound`, `OutsideRoots`.
        """
        view = self._view()
        place = existing(view, path)
        found = view.entry(place)
        assert found is not None
        tree = view.tree
        below = tree.below(found.path) if found.is_dir else [found.path]
        entries = (tree.get(each) for each in below)
        files = tuple(e for e in entries if e is not None and e.kind is Kind.FILE)
        return Survey(found.path, files, self._state(view))
