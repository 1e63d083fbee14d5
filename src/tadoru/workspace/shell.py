"""Command lines of the read-only shell, with what one capability lends another; and the operation
that failed on a wrong path, done on the right one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, cast

from tadoru.roots import home
from tadoru.types import Op, RetryResult, RunResult
from tadoru.views import View
from tadoru.workspace.core import counted
from tadoru.workspace.paths import Paths

if TYPE_CHECKING:
    from tadoru.workspace import Workspace


class Shell(Paths):
    """A command line is run over the tree, or completed."""

    @counted
    def run(self, command: str, *, cwd: str = "/", state: bytes | None = None) -> RunResult:
        """Run a command line in the read-only shell.

        `state`: what the call before returned, to go on with its variables and directory.
        Raises: `BadInput` for a NUL byte, an over-long line, or a state that is not the asker's.
        """
        from tadoru.resolve import mentioned

        view = self._noting()
        result = self.run_in(view, command, cwd=cwd, state=state)
        self._remember(*mentioned(view.tree, command, cwd))
        return replace(result, index=self._state(view))

    def run_in(
        self, view: View, command: str, *, cwd: str = "/", state: bytes | None = None
    ) -> RunResult:
        """Run a command line over a view that is at hand."""
        from tadoru.shell import run
        from tadoru.tools import shell_tools

        return run(
            view,
            command,
            cwd=cwd,
            state=state,
            config=self.config.shell,
            secret=self._secret(),
            tools=shell_tools(self._whole, view),
            suggest=partial(self._suggest, view),
        )

    @counted
    def retry(
        self,
        path: str,
        *,
        op: Op = "read",
        intent: str = "",
        root_hint: str = "",
        strategy: Literal["best_first", "score_desc"] = "best_first",
        top: int = 5,
        ask: bool = False,
    ) -> RetryResult:
        """Resolve a failed path and do the operation on the first candidate that works.

        Only reads: `op` write is refused. An ambiguous answer is retried only with `ask`.
        """
        from tadoru.resolve import of_retry, retry
        from tadoru.tools import perform

        measure = self._measure()
        view = self._noting()
        measure.stage("catch_up")
        cut = False

        def attempt(found: str) -> str:
            nonlocal cut
            text, cut = perform(self._whole, view, op, intent, found)
            return text

        result = retry(
            lambda: self.resolve_in(
                view,
                path,
                intent=intent,
                op=op,
                cwd=root_hint,
                recent=[root_hint],
                top=top,
                measure=measure,
            ),
            op=op,
            strategy=strategy,
            top=top,
            ask=ask,
            perform=attempt,
        )
        measure.stage("retry")
        if result.path:
            self._remember(result.path)
        result = replace(result, truncated=cut, index=self._state(view))
        self._report(of_retry(measure, op, result))
        return result

    @property
    def _whole(self) -> Workspace:
        """This workspace with all its jobs, which the shell's own commands ask."""
        return cast("Workspace", self)

    def _suggest(self, view: View, path: str) -> str | None:
        """Return a hint for a path that the shell did not find, within the asker's view."""
        here = view.from_host(path) if path.startswith("/") else None
        if here is not None and view.entry(here) is not None:
            return f"paths start at the root of the tree: it is /{here} here"
        answer = self.resolve_in(view, path, op="read", cwd="", top=3)
        if answer.status == "resolved" and answer.path:
            return f"did you mean /{answer.path}?"
        if answer.status == "ambiguous" and answer.candidates:
            return (
                "did you mean one of: " + ", ".join(f"/{c.path}" for c in answer.candidates) + "?"
            )
        return None

    def _secret(self) -> bytes:
        from tadoru.secret import secret

        return secret(home(self.config))

    def complete(self, line: str, *, cwd: str = "/") -> list[str]:
        """Return completions of the last word of a command line."""
        from tadoru.shell import complete
        from tadoru.tools import NAMES

        return complete(self._view(), line, cwd, tools=NAMES)
