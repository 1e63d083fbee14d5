"""What the JSON API can do: one function for each route, over the workspace of whoever asks.

Name, parameters and docstring are what the description of the API says. Answers are values of
`tadoru.types`; how they are written, and what travels beside them, is decided in `api`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tadoru.parameters import Parameter, parameters_of
from tadoru.types import (
    FileList,
    ReadAnswer,
    ReferenceList,
    Resolution,
    RunResult,
    SearchAnswer,
    SymbolList,
    TextAnswer,
)

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

MOST_ROWS = 1_000
"""Of one answer, whatever is asked for."""
MOST_TOKENS = 100_000


@dataclass(frozen=True, slots=True)
class Operation:
    """One route below `/api/`."""

    name: str
    answer: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    about: str

    @property
    def route(self) -> str:
        return f"/api/{self.name}"


class Operations:
    """The operations over one workspace, with the state of the shell that came along."""

    def __init__(self, workspace: Workspace, state: bytes = b"") -> None:
        self._workspace = workspace
        self.state = state

    def search(
        self,
        question: str,
        terms: Sequence[str] = (),
        under: str = "",
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        languages: Sequence[str] = (),
        mode: Literal["quick", "balanced", "deep"] = "balanced",
        tests: Literal["include", "exclude", "only"] = "include",
        budget: int = 0,
        top: int = 20,
        offset: int = 0,
    ) -> SearchAnswer:
        """Find code and documents that answer a question, packed into a budget of tokens."""
        return self._workspace.search(
            question,
            terms=terms,
            under=under,
            include=include,
            exclude=exclude,
            languages=languages,
            mode=mode,
            tests=tests,
            budget=_budget(budget),
            top=min(top, MOST_ROWS),
            offset=offset,
        )

    def bash(self, command: str, cwd: str = "") -> RunResult:
        """Run a command line in the read-only shell. `cwd`: where it starts; without it, where
        the session is."""
        result = self._workspace.run(command, cwd=cwd or "/", state=self.state or None)
        self.state = result.state
        return result

    def resolve(
        self,
        path: str,
        intent: str = "",
        op: Literal["read", "list", "stat", "search", "write"] = "read",
        cwd: str = "",
        top: int = 3,
    ) -> Resolution:
        """Find the real path for one that does not exist or is uncertain."""
        return self._workspace.resolve(path, intent=intent, op=op, cwd=cwd, top=min(top, MOST_ROWS))

    def read(
        self,
        path: str,
        start_line: int = 1,
        end_line: int = 0,
        budget: int = 0,
        recover: bool = True,
    ) -> ReadAnswer:
        """Read lines of a file. `recover`: correct a wrong path where that is certain."""
        return self._workspace.read(
            path,
            start=start_line,
            end=end_line or None,
            budget=_budget(budget) or self._workspace.config.budget,
            recover=recover,
        )

    def definition(
        self, name: str, hint_path: str = "", under: str = "", top: int = 3
    ) -> SymbolList:
        """Tell where a name is defined, the likeliest place first."""
        return self._workspace.definition(
            name, hint_path=hint_path, under=under, top=min(top, MOST_ROWS)
        )

    def references(
        self, name: str, exclude_definition: bool = False, under: str = "", top: int = 50
    ) -> ReferenceList:
        """List the uses of a name, each with how sure that is."""
        return self._workspace.references(
            name, exclude_definition=exclude_definition, under=under, top=min(top, MOST_ROWS)
        )

    def list_files(
        self, glob: str = "", language: str = "", under: str = "", offset: int = 0, limit: int = 200
    ) -> FileList:
        """List files by glob, language and directory, a page at a time, with the true total."""
        return self._workspace.list_files(
            glob=glob, language=language, under=under, offset=offset, limit=min(limit, MOST_ROWS)
        )

    def map(self, path: str = "", budget: int = 0) -> TextAnswer:
        """Outline a directory or the tree: its most important files and their symbols."""
        return self._workspace.map(path, budget=_budget(budget))

    def status(self, details: bool = False) -> dict[str, Any]:
        """Tell how fresh the index is. `details`: what it holds, and what was counted."""
        if details:
            return self._workspace.stats()
        return {"index": self._workspace.status(), "mounts": sorted(self._workspace.roots)}


def _budget(tokens: int) -> int | None:
    return min(tokens, MOST_TOKENS) or None


def _operation(function: Callable[..., Any]) -> Operation:
    about = " ".join((function.__doc__ or "").split())
    name = function.__name__.replace("_", "-")
    return Operation(name, function, parameters_of(function), about)


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    Operations.search,
    Operations.bash,
    Operations.resolve,
    Operations.read,
    Operations.definition,
    Operations.references,
    Operations.list_files,
    Operations.map,
    Operations.status,
)


def operations() -> dict[str, Operation]:
    """Return every operation by its name."""
    return {operation.name: operation for operation in map(_operation, _FUNCTIONS)}
