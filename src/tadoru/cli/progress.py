"""A progress bar on the terminal's stderr; nothing at all where nobody looks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int, str], None]
"""Called with files done, files in all, and the path that was just finished."""


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Yield a progress function for `Workspace.index`; None when stderr is no terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    faint = "" if os.environ.get("NO_COLOR") else "dim"

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.0f} files/s" if task.speed else "", style=faint)

    bar = Progress(
        TextColumn("indexing"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("indexing", total=None)

        def advance(done: int, total: int, _path: str) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
