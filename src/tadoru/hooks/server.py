"""Finds and asks the server of a directory; without one, writes what was touched by itself.

Which root is served is not known here, so each directory upwards from the working directory is
tried for a socket. Refuses to make a journal: it only adds to one that tadoru keeps already.
"""

# pathlib would cost a sixth of the time that a hook has
# ruff: noqa: PTH110, PTH120

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from tadoru.hooks.calls import Wanted
from tadoru.touched import Touched, journal_path, who
from tadoru.wire import MAX_ASKED, MAX_TOUCHED, ask, groups_of, home_of, socket_path

MAX_LEVELS = 32
"""Directories looked at upwards."""


def consult(missing: Sequence[Wanted], touched: Sequence[str], cwd: str) -> list[Any] | None:
    """Hand both to the server of the working directory; return its answers to `missing`.

    None when there is no server, or none that answers in time.
    """
    home = home_of(os.environ)
    touched = [os.path.realpath(path) for path in touched[-MAX_TOUCHED:]]
    message = {
        "cwd": missing[0].cwd if missing else cwd,
        "ask": [{"path": wanted.path, "op": wanted.op} for wanted in missing[:MAX_ASKED]],
        "touched": touched,
    }
    for directory in _upwards(cwd):
        answer = ask(socket_path(home, directory), message, answered=bool(missing))
        if answer is not None:
            answers = answer.get("answers")
            return answers if isinstance(answers, list) else []
    _note(home, touched, cwd)
    return None


def _note(home: str, touched: Sequence[str], cwd: str) -> None:
    """Add to the journal of the innermost root that has one."""
    for directory in _upwards(cwd) if touched else ():
        path = journal_path(home, directory)
        if os.path.exists(path):
            prefix = directory.rstrip("/") + "/"
            inside = [
                p[len(prefix) :] for p in map(os.path.realpath, touched) if p.startswith(prefix)
            ]
            Touched(path).add(who(groups_of(os.environ)), inside)
            return


def _upwards(cwd: str) -> Iterator[str]:
    directory = os.path.realpath(cwd)
    for _ in range(MAX_LEVELS):
        yield directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return
        directory = parent
