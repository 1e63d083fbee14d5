"""Event loops that are used again: making and closing one costs as much as a short command.

A loop serves one call at a time, in whatever thread the call came from, and goes back on the shelf
when nothing of the call is left in it; otherwise it is closed as `asyncio.run` would. A forked
child starts with an empty shelf, because it must not share descriptors with its parent.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import TypeVar

KEPT = 32
"""Idle loops; each holds three descriptors."""

T = TypeVar("T")

_shelf: list[asyncio.Runner] = []
_abandoned: list[asyncio.Runner] = []
_lock = threading.Lock()


def run(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end in this thread, which must not be running a loop."""
    with _lock:
        runner = _shelf.pop() if _shelf else asyncio.Runner()
    done = False
    try:
        result = runner.run(work)
        done = not asyncio.all_tasks(runner.get_loop())
    finally:
        with _lock:
            kept = done and len(_shelf) < KEPT
            if kept:
                _shelf.append(runner)
        if not kept:
            runner.close()
    return result


def close_all() -> None:
    """Close what is idle."""
    with _lock:
        idle, _shelf[:] = list(_shelf), []
    for runner in idle:
        runner.close()


def _abandon() -> None:
    # closing them would take the parent's descriptors out of the parent's epoll set
    _abandoned.extend(_shelf)
    _shelf.clear()


os.register_at_fork(after_in_child=_abandon)
