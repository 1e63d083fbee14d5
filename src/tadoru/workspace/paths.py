"""Paths: which one was meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tadoru.reading import exists_now, seen, with_host_paths
from tadoru.types import Op, Resolution
from tadoru.views import View
from tadoru.workspace.arguments import without_nul
from tadoru.workspace.core import Core, counted

if TYPE_CHECKING:
    from tadoru.resolve import Measure


class Paths(Core):
    """A wrong path becomes the right one, or an honest no."""

    @counted
    def resolve(
        self,
        path: str,
        *,
        intent: str = "",
        op: Op = "read",
        cwd: str | None = None,
        recent: Iterable[str] = (),
        top: int = 3,
        catch_up: bool = True,
    ) -> Resolution:
        """Find the path that was meant; `status` is resolved, ambiguous or absent.

        `intent`: what the caller wants to do there; `recent`: paths touched lately, newest first;
        `top`: candidates returned; `catch_up=False`: answer from what is indexed now, for those who
        cannot wait. Raises: `BadInput` for a path that cannot be one.
        """
        without_nul(intent=intent, cwd=cwd or "", recent=(lately := tuple(recent)))
        measure = self._measure()
        view = self._view(catch_up=catch_up)
        measure.stage("catch_up")
        answer = self.resolve_in(
            view,
            path,
            intent=intent,
            op=op,
            cwd=cwd or "",
            recent=lately,
            top=top,
            measure=measure,
        )
        self._remember(*reversed(seen(view, lately)))
        if answer.status == "resolved":
            self._remember(answer.path)
        answer = replace(answer, index=self._state(view))
        self._report(measure.record("resolve", answer, op=op))
        return answer

    def explain(
        self,
        path: str,
        *,
        intent: str = "",
        op: Op = "read",
        cwd: str = "",
        top: int = 10,
    ) -> tuple[Resolution, dict[str, Any]]:
        """Resolve, and tell how: the answer, and what each stage found. Remembers nothing."""
        from tadoru.resolve.trace import Trace

        without_nul(intent=intent, cwd=cwd)
        trace = Trace()
        view = self._view()
        trace.stage("catch_up")
        answer = self.resolve_in(view, path, intent=intent, op=op, cwd=cwd, top=top, measure=trace)
        return replace(answer, index=self._state(view)), trace.table()

    def touch(self, *paths: str) -> None:
        """Remember paths as touched, the last one as the newest: of the tree, or of this machine.

        What the asker does not see, or is not there, is left out.
        """
        view = self._view(catch_up=False)
        self._remember(*seen(view, paths))

    @staticmethod
    def _measure() -> Measure:
        from tadoru.resolve import Measure

        return Measure()

    def _report(self, record: Mapping[str, Any]) -> None:
        if self.on_measure is not None:
            self.on_measure(record)

    def resolve_in(
        self,
        view: View,
        path: str,
        *,
        intent: str = "",
        op: Op = "read",
        cwd: str = "",
        recent: Iterable[str] = (),
        top: int = 3,
        measure: Measure | None = None,
    ) -> Resolution:
        """Resolve within a view that is at hand: no catching up, no entry in the history."""
        from tadoru.resolve import resolve

        answer = resolve(
            view,
            path,
            intent=intent,
            op=op,
            cwd=cwd,
            top=top,
            recent=tuple(recent),
            history=self._history.paths(self.principal),
            touched=self._history.touched(self.principal),
            config=self.config.resolve,
            reranker=self._models.path_reranker(),
            renames=self._mounts.renames,
            stat=partial(exists_now, view),
            measure=measure,
        )
        return with_host_paths(answer, view)
