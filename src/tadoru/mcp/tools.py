"""The tools: each calls the Workspace once and returns text. Knows nothing of the protocol.

Names, parameters and docstrings are what a model sees; together they stay under 1,500 tokens.
Defaults are plain values, since strict clients refuse nullable types.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Literal

from tadoru.errors import BadInput, PathNotFound
from tadoru.mcp import answers
from tadoru.mcp.statistics import statistics_text
from tadoru.text.shown import shown

if TYPE_CHECKING:
    from tadoru.search.memory import SessionMemory
    from tadoru.workspace import Workspace

DEFINITION_LINES = 80
"""Lines of a definition that are shown; read_file has the rest."""
DEFINITION_CHARACTERS = 12_000
MOST_FILES = 500
MOST_REFERENCES = 300
MOST_PLACES = 100
"""Rows of one answer, whatever is asked for: about the 12,000 tokens of every other answer."""
_QUALIFIED = re.compile(r"\.|::|#|->")
"""What stands between a class and a member, in one language or another."""


class Tools:
    """The tools over a workspace that is opened by the first call."""

    def __init__(self, workspace: Callable[[], Workspace]) -> None:
        self._workspace = workspace
        self.remembers = True
        """Whether one client alone is served: what it was sent is then not sent again."""
        self._session: SessionMemory | None = None

    def all(self) -> tuple[Callable[..., str], ...]:
        """Return the tools in the order in which a client lists them."""
        return (
            self.search,
            self.bash,
            self.resolve_path,
            self.read_file,
            self.find_definition,
            self.find_references,
            self.list_files,
            self.map,
            self.index_status,
        )

    def search(
        self,
        question: str = "",
        terms: Sequence[str] = (),
        under: str = "",
        include: Sequence[str] = (),
        mode: Literal["quick", "balanced", "deep"] = "balanced",
        budget: int = 0,
        offset: int = 0,
        more: str = "",
        related: str = "",
    ) -> str:
        """Find code and documents that answer a question: excerpts with path and lines, best first,
        within `budget` tokens (0: 12000). `terms`: exact names. `under`: a directory. `include`:
        globs. `offset`: next page. Instead of a question: `more` (a whole hit and what is around)
        or `related` (what is like it), a hit as `path:line`. What was sent before is only named.
        """
        workspace = self._workspace()
        if self._session is None and self.remembers:
            self._session = workspace.session()
        session = self._session
        tokens = _limit("budget", budget)
        if more or related:
            follow = workspace.more if more else workspace.related
            answer = follow(_hit(workspace, more or related), budget=tokens, session=session)
        elif not question.strip():
            raise BadInput("`question` is missing", hint="ask one, or name a hit in `more`")
        else:
            with _meant(workspace, under):
                answer = workspace.search(
                    question,
                    terms=terms,
                    under=_place(workspace, under),
                    include=include,
                    mode=mode,
                    budget=tokens,
                    offset=_limit("offset", offset) or 0,
                    session=session,
                )
        return answers.search_text(answer, offset)

    def bash(self, command: str, cwd: str = "/") -> str:
        """Run a command line in a read-only shell over the tree: ls, find, tree, cat, head, grep,
        rg, sed, awk, sort, jq, pipes, loops. Writes fail. Each call starts in `cwd`. At most 30 s
        and 1 MiB of output.
        """
        workspace = self._workspace()
        return answers.run_text(workspace.run(command, cwd=f"/{_place(workspace, cwd)}"))

    def resolve_path(
        self,
        path: str,
        intent: str = "",
        op: Literal["read", "list", "stat", "search", "write"] = "read",
        top: int = 3,
    ) -> str:
        """Find the real path for one that does not exist or is uncertain: `resolved`, `ambiguous`
        with candidates, or `absent` with the reason. `intent`: what you want to do there.
        """
        answer = self._workspace().resolve(path, intent=intent, op=op, top=_limit("top", top) or 1)
        return answers.resolution_text(answer)

    def read_file(self, path: str, start_line: int = 1, end_line: int = 0, budget: int = 0) -> str:
        """Read a file with line numbers, within `budget` tokens (0: 12000); says how to go on.
        A wrong path is corrected when that is certain.
        """
        workspace = self._workspace()
        answer = workspace.read(
            path,
            start=_limit("start_line", start_line) or 1,
            end=_limit("end_line", end_line),
            budget=_limit("budget", budget) or workspace.config.budget,
            recover=True,
        )
        return answers.read_text(answer)

    def find_definition(self, name: str, hint_path: str = "", top: int = 3) -> str:
        """Show where a function, class or constant is defined, with its text. `hint_path`: prefer
        what is there.
        """
        workspace = self._workspace()
        hint = _place(workspace, hint_path)
        find = partial(workspace.definition, hint_path=hint, top=_limit("top", top) or 1)
        found = find(name)
        if not found.symbols and _bare(name) != name:
            found = find(_bare(name))
        parts: list[str] = []
        size = 0
        for number, symbol in enumerate(found.symbols):
            if size > answers.STREAM_CHARACTERS:
                parts += map(answers.place, found.symbols[number : number + MOST_PLACES])
                left = len(found.symbols) - number - MOST_PLACES
                parts += [f"{left} more; give `hint_path`"] if left > 0 else []
                break
            first, last = symbol.span.start_line, symbol.span.end_line
            text = workspace.read(
                symbol.path, start=first, end=min(last, first + DEFINITION_LINES - 1)
            )
            kept, missing = answers.clipped(text.text, DEFINITION_CHARACTERS)
            parts.append(f"{answers.place(symbol)}\n{answers.fenced(kept)}")
            size += len(kept)
            if missing:
                parts.append(missing)
            elif text.end_line < last:
                further = text.end_line + 1
                parts.append(f"more: read_file {shown(symbol.path)} start_line={further}")
        text_of_all = "\n".join(parts) or f"no definition of {shown(name)} found"
        return answers.stated(text_of_all, found.index)

    def find_references(self, name: str, exclude_definition: bool = False, top: int = 50) -> str:
        """List the uses of a name: calls, imports, mentions."""
        rows = min(_limit("top", top) or 1, MOST_REFERENCES)
        find = partial(
            self._workspace().references, exclude_definition=exclude_definition, top=rows
        )
        answer = find(name)
        bare = _bare(name)
        for other in (bare, _QUALIFIED.split(bare)[-1]):  # uses seldom name a class
            if other and not answer.references:
                answer = find(other)
        return answers.references_text(answer)

    def list_files(
        self, glob: str = "", language: str = "", under: str = "", offset: int = 0, limit: int = 200
    ) -> str:
        """List files by glob (`src/**/*.py`), language or directory, `limit` at a time."""
        workspace = self._workspace()
        with _meant(workspace, under):
            answer = workspace.list_files(
                glob=glob,
                language=language,
                under=_place(workspace, under),
                offset=_limit("offset", offset) or 0,
                limit=min(_limit("limit", limit) or 1, MOST_FILES),
            )
        return answers.files_text(answer)

    def map(self, path: str = "", budget: int = 0) -> str:
        """Outline a directory or the tree: its most important files and their symbols."""
        workspace = self._workspace()
        with _meant(workspace, path):
            answer = workspace.map(_place(workspace, path), budget=_limit("budget", budget))
        return answers.budgeted_text(answer)

    def index_status(self, details: bool = False) -> str:
        """Tell whether the index is fresh. `details`: counts, latencies, tokens saved."""
        workspace = self._workspace()
        state = workspace.status()
        lines = [f"files: {state.files}, pending: {state.pending}, generation: {state.generation}"]
        lines += [
            f"root: {shown(place)} = {shown(folder)}" for place, folder in workspace.roots.items()
        ]
        if details:
            lines += ["", statistics_text(workspace.stats())]
        return answers.stated("\n".join(lines), state)


def _limit(name: str, number: int) -> int | None:
    """Return a limit; None, which means "as configured", for 0. Raises: `BadInput` below that."""
    if number < 0:
        raise BadInput(f"{name} is negative: {number}", hint="give 0 or more")
    return number or None


def _bare(name: str) -> str:
    """Return a name without what models write around it: `class Basket`, `` `total()` ``."""
    words = name.strip().strip("`'\"").split()
    return words[-1].removesuffix("()") if words else name


@contextmanager
def _meant(workspace: Workspace, place: str) -> Iterator[None]:
    """Name the place that was meant in an error about one that is not there."""
    try:
        yield
    except PathNotFound as error:
        found = workspace.resolve(place, op="list", top=1) if place and not error.hint else None
        if found is None or not found.candidates:
            raise
        raise PathNotFound(
            error.message, hint=f"did you mean {found.candidates[0].path}?"
        ) from None


def _hit(workspace: Workspace, hit: str) -> str:
    """Return `path:line` or an id with the path as the tree has it."""
    for mark in ("#", ":"):
        path, found, rest = hit.rpartition(mark)
        if found and path:
            return f"{_place(workspace, path)}{mark}{rest}"
    return hit


def _place(workspace: Workspace, path: str) -> str:
    """Return a directory or file as models write it (`.`, `./src`, of this machine) in the tree.

    Raises: `PathNotFound` for what leads out of it.
    """
    for place, directory in workspace.roots.items():
        if path == directory or path.startswith(directory.rstrip("/") + "/"):
            path = f"{place}/{path[len(directory) :]}"
            break
    clean = posixpath.normpath(path.lstrip("/")) if path else ""
    if clean == ".." or clean.startswith("../"):
        raise PathNotFound(f"{path}: no such directory", hint="paths start at the root of the tree")
    return "" if clean == "." else clean
