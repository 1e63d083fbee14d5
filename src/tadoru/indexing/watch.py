"""Call back when something of the source may have changed; blocks, so it belongs in a thread.

Watches whole roots and asks the rules of the walk which paths count: ignored ones wake nobody. The
call back is expected to scan, so an event that the system lost is healed by the next one, and a
quiet root is looked at every `HEAL_SECONDS`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from tadoru.config import IndexConfig
from tadoru.indexing.ignored import Ignored

HEAL_SECONDS = 300.0
"""How long a lost event can stay unnoticed in a root that is otherwise quiet."""
STEP_MS = 50
"""A burst has ended when nothing happened for so long."""


def watch(
    roots: Iterable[Path | str],
    config: IndexConfig,
    on_change: Callable[[], None],
    stop_event: threading.Event,
) -> None:
    """Watch until `stop_event` is set; call `on_change` after each burst of changes.

    A burst is gathered for `config.debounce_ms` at most. Raises what `on_change` raises, and
    `FileNotFoundError` when a root cannot be watched.
    """
    from watchfiles import watch as changes_of

    rules = [Ignored(os.path.realpath(root), config) for root in roots]
    looked = time.monotonic()
    for changes in changes_of(
        *(each.root for each in rules),
        watch_filter=None,
        debounce=max(STEP_MS, config.debounce_ms),
        step=STEP_MS,
        stop_event=stop_event,
        rust_timeout=int(min(1.0, HEAL_SECONDS) * 1_000),
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        late = time.monotonic() - looked > HEAL_SECONDS
        if late or _count(rules, {path for _, path in changes}):
            on_change()
            looked = time.monotonic()


def _count(rules: list[Ignored], paths: set[str]) -> bool:
    """Tell whether events are about something that can change a tree."""
    for each in rules:
        start = each.root + "/"
        inside = [path[len(start) :] for path in paths if path.startswith(start)]
        if inside and each.wakes(inside):
            return True
    return False
