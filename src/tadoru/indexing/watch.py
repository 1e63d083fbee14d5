"""Call back when something of the source may have changed; blocks, so it belongs in a thread.

Watches whole roots and asks the walk's rules which paths count: ignored ones wake nobody. The call
back is expected to scan, so an event that the system lost is healed by the next one, and a quiet
root is looked at every `HEAL_SECONDS`.
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
"""How often the stop event is looked at."""


def watch(
    roots: Iterable[Path | str],
    config: IndexConfig,
    on_change: Callable[[], None],
    stop_event: threading.Event,
) -> None:
    """Watch until `stop_event` is set; call `on_change` after each burst of changes.

    A burst ends when nothing happened for `config.debounce_ms`. Raises what `on_change` raises, and
    `OSError` when a root cannot be watched.
    """
    from watchfiles import DefaultFilter
    from watchfiles import watch as watchfiles_watch

    del DefaultFilter
    rules = [Ignored(os.path.realpath(root), config) for root in roots]
    quiet = max(STEP_MS, config.debounce_ms)
    looked = time.monotonic()
    for changes in watchfiles_watch(
        *(each.root for each in rules),
        watch_filter=None,
        debounce=quiet,
        step=min(STEP_MS, quiet),
        stop_event=stop_event,
        rust_timeout=1_000,
        yield_on_timeout=True,
        raise_interrupt=False,
        recursive=True,
        ignore_permission_denied=True,
    ):
        late = time.monotonic() - looked > HEAL_SECONDS
        if late or any(_counts(rules, path) for _, path in changes):
            on_change()
            looked = time.monotonic()


def _counts(rules: list[Ignored], path: str) -> bool:
    """Tell whether an event is about something that can change a tree."""
    for each in rules:
        if path.startswith(each.root + "/"):
            return each.wakes(path[len(each.root) + 1 :])
    return False
