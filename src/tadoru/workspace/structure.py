"""Files and structure: lines of a file, names, definitions, uses, outlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadoru.errors import (
    IsADirectoryHere,
    NotADirectoryHere,
    OutsideRoots,
    PathNotFound,
)
from tadoru.reading import inside, not_found, read, seen
from tadoru.types import (
    Entry,
    FileList,
    Freshness,
    ReadAnswer,
    ReferenceList,
    SymbolList,
    TextAnswer,
)
from tadoru.workspace.arguments import directory, existing, positive, without_nul
from tadoru.workspace.core import counted
from tadoru.workspace.paths import Paths


class Structure(Paths):
    """What lies in the tree, read and listed."""

    @counted
    def read(
        self,
        path: str,
        *,
        start: int = 1,
        end: int | None = None,
        budget: int | None = None,
        recover: bool = False,
    ) -> ReadAnswer:
        """Read the lines `start` to `end` of a file (1-based, both included).

        `budget`: tokens after which the text is cut, `truncated` says so; `recover`: a path that
        does not exist is resolved, `recovered_from` says so.
        Raises: `PathNotFound`, `IsADirectoryHere`, `OutsideRoots`, `BadInput`.
        """
        view = self._view()
        asked = path
        try:
            inner = inside(view, path)
            answer = read(view, inner, counter=self._counter, start=start, end=end, budget=budget)
        except (PathNotFound, OutsideRoots):
            found = self.resolve_in(view, path, op="read", cwd="", top=3) if recover else None
            if found is None:
                raise
            if found.status != "resolved":
                raise not_found(path, found) from None
            inner = found.path
            first = max(start, 1) if start != 1 or not found.line else found.line
            answer = replace(
                read(view, inner, counter=self._counter, start=first, end=end, budget=budget),
                recovered_from=asked,
            )
        self._remember(answer.path)
        tokens = self._counter.count(answer.text)
        self._saved(view, answer.text, tokens, [answer.path])
        return replace(answer, index=self._state(view))

    @counted
    def read_bytes(self, path: str, *, start: int = 0, size: int = -1) -> bytes:
        """Return bytes of a file as they are in its source: `size` from `start`, or to the end.

        Raises: `PathNotFound`, `IsADirectoryHere`, `OutsideRoots`, and what the store raises.
        """
        view = self._view()
        entry = view.entry(inside(view, path))
        if entry is not None and entry.is_dir:
            raise IsADirectoryHere(f"{path or '/'}: is a directory", hint="list it instead")
        data = view.read(entry.path, start=start, size=size) if entry is not None else None
        if entry is None or data is None:
            raise PathNotFound(f"{path}: no such file or directory")
        self._reads(entry.path)
        self._remember(entry.path)
        return data

    def entry(self, path: str = "") -> Entry:
        """Return what is known of a file or directory, links followed, under the path given.

        Raises: `PathNotFound`, `OutsideRoots`.
        """
        view = self._view()
        place = inside(view, path) if path else ""
        found = view.entry(place)
        if found is None:
            raise PathNotFound(f"{path}: no such file or directory")
        return replace(found, path=place)

    def entries(self, path: str = "") -> list[Entry]:
        """Return what lies in a directory, by name; a link to a file is described as the file.

        Raises: `PathNotFound`, `NotADirectoryHere`, `OutsideRoots`.
        """
        view = self._view()
        place = existing(view, path)
        found = view.entry(place)
        if found is None or not found.is_dir:
            raise NotADirectoryHere(f"{path}: is no directory")
        rows: list[Entry] = []
        for name in view.tree.children(found.path):
            inner = f"{found.path}/{name}" if found.path else name
            entry, target = view.tree.get(inner), view.entry(inner)
            if entry is not None and target is not None:
                row = entry if target.is_dir else target
                rows.append(replace(row, path=f"{place}/{name}" if place else name))
        return rows

    @counted
    def list_files(
        self,
        *,
        glob: str = "",
        language: str = "",
        under: str = "",
        offset: int = 0,
        limit: int = 200,
    ) -> FileList:
        """List files by glob, language and directory, a page at a time, with the true total."""
        from tadoru.search import list_files

        without_nul(glob=glob, language=language)
        positive(offset=offset, limit=limit)
        view = self._view()
        place = directory(view, under)
        page = list_files(
            view, glob=glob, language=language, under=place, offset=offset, limit=limit
        )
        rows = tuple(replace(row, host_path=view.host_path(row.path)) for row in page.files)
        self._remember(*seen(view, [place]))
        return replace(page, files=rows, index=self._state(view))

    def names(self, start: str) -> list[str]:
        """Return the paths that a half-written one can go on with; directories end with `/`."""
        view = self._view()
        directory, slash, _ = start.lstrip("/").rpartition("/")
        if not view.tree.is_dir(directory):
            return []
        paths = (f"{directory}{slash}{name}" for name in view.tree.children(directory))
        beginning = start.lstrip("/")
        return [path + "/" * view.tree.is_dir(path) for path in paths if path.startswith(beginning)]

    @counted
    def symbols(
        self,
        *,
        path: str = "",
        name: str = "",
        kinds: Sequence[str] = (),
        offset: int = 0,
        limit: int = 100,
    ) -> SymbolList:
        """List definitions of a file, of a directory, or of a name."""
        without_nul(name=name, kinds=kinds)
        positive(offset=offset, limit=limit)
        view = self._view()
        inner = existing(view, path)
        entry = view.entry(inner)
        assert entry is not None
        symbols, total = view.symbols(
            name=name or None,
            path=None if entry.is_dir else entry.path,
            under=entry.path if entry.is_dir and entry.path else None,
            kinds=tuple(kinds),
            offset=offset,
            limit=limit,
        )
        self._remember(entry.path)
        return SymbolList(tuple(symbols), total, offset, self._state(view))

    @counted
    def outline(self, path: str = "", *, budget: int | None = None) -> TextAnswer:
        """Return the signatures of a file or a directory, without bodies, within a budget."""
        from tadoru.search import outline

        view = self._view()
        inner = existing(view, path)
        answer = outline(view, inner, budget=budget or self.config.budget, counter=self._counter)
        self._reads(inner or ".")
        self._remember(inner)
        return replace(answer, index=self._state(view))

    @counted
    def definition(
        self, name: str, *, hint_path: str = "", top: int = 3, under: str = ""
    ) -> SymbolList:
        """Return where a name is defined, the likeliest first; `under`: in this directory."""
        from tadoru.search import definition

        without_nul(name=name, hint_path=hint_path)
        positive(top=top)
        view = self._view()
        place = directory(view, under)
        answer = definition(view, name, hint_path=hint_path, top=top, under=place)
        return replace(answer, index=self._state(view))

    @counted
    def references(
        self, name: str, *, exclude_definition: bool = False, top: int = 50, under: str = ""
    ) -> ReferenceList:
        """Return the uses of a name, each with how sure that is; `under`: in this directory."""
        from tadoru.search import references

        without_nul(name=name)
        positive(top=top)
        view = self._view()
        place = directory(view, under)
        answer = references(view, name, exclude_definition=exclude_definition, top=top, under=place)
        rows = tuple(replace(r, host_path=view.host_path(r.path)) for r in answer.references)
        state = self._state(view)
        if answer.index.status is Freshness.PARTIAL and state.status is Freshness.FRESH:
            state = answer.index
        return replace(answer, references=rows, index=state)

    @counted
    def map(self, path: str = "", *, budget: int | None = None) -> TextAnswer:
        """Return the outline of the tree, ranked by how much the rest depends on each file."""
        from tadoru.search import repo_map

        view = self._view()
        inner = existing(view, path)
        answer = repo_map(view, inner, budget=budget or self.config.budget, counter=self._counter)
        self._reads(inner or ".")
        self._remember(inner)
        return replace(answer, index=self._state(view))
