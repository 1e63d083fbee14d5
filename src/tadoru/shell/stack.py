"""Keeps deep nesting in a script from overflowing a native stack, which would end the process.

bashkit bounds the nesting of its syntax, of functions and of `bash -c`, but not that of `eval` and
of prefix commands (`env env env ...`): each level takes about 30 KB of the thread's 2 MB. So its
threads are given a large stack (only touched pages cost memory), scripts that make commands while
they run get fewer of them, and a long chain of prefixes is refused before it is run. What is built
at run time and still grows is stopped by `memory`.
"""

from __future__ import annotations

import os
import re
import resource
import threading
from functools import cache
from types import TracebackType

from tadoru.config import ShellConfig
from tadoru.errors import BadInput

STACK_BYTES = 1 << 30
LEVEL_BYTES = 200 << 10
"""What a level of `eval` or of commands from variables may take: seven times what it does."""
THREADS = 128
"""Of a stack each, which have to fit where the address space is limited (`ulimit -v`)."""
WORKERS = 8
"""Threads of bashkit's own; its default is one for each core."""
MAX_PREFIXES = 64
"""Prefix commands in front of one command."""

_PREFIXES = frozenset(
    {"eval", "command", "builtin", "exec", "env", "time", "timeout", "nice", "nohup", "!", "xargs"}
)
_SEPARATOR = re.compile(r"[;|&\n()`]+")


@cache
def stack_bytes() -> int:
    """Return the size of each thread's stack: less where the process may not take much space."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return STACK_BYTES if limit == resource.RLIM_INFINITY else min(STACK_BYTES, limit // THREADS)


def max_commands(config: ShellConfig, *, dark: bool, plain: bool) -> int:
    """Return how many commands a script may run. `dark`: it makes commands while it runs; `plain`:
    it calls nothing that could. On small stacks whatever is not plain may be dark."""
    if plain or not (dark or stack_bytes() < STACK_BYTES):
        return config.max_commands
    return max(1, min(config.max_commands, stack_bytes() // LEVEL_BYTES))


def check_prefixes(command: str) -> None:
    """Raise BadInput for a chain of prefix commands that is too long."""
    if len(command) < 3 * MAX_PREFIXES:
        return
    for part in _SEPARATOR.split(command):
        if len(part) < 3 * MAX_PREFIXES:
            continue
        count = sum(word.strip("'\"\\") in _PREFIXES for word in part.split())
        if count > MAX_PREFIXES:
            raise BadInput(
                f"more than {MAX_PREFIXES} commands are nested in one",
                hint="run the inner command directly",
            )


class DeepStack:
    """Sets the variables that Rust and bashkit read when they start their first thread, while the
    first script runs, and puts them back afterwards."""

    _lock = threading.Lock()
    _done = False

    def __enter__(self) -> None:
        self._ours: list[str] = []
        wanted = {"RUST_MIN_STACK": stack_bytes()}
        wanted["TOKIO_WORKER_THREADS"] = min(WORKERS, os.cpu_count() or 1)
        with self._lock:
            if DeepStack._done:
                return
            for name, value in wanted.items():
                if name not in os.environ:
                    os.environ[name] = str(value)
                    self._ours.append(name)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            DeepStack._done = True
            for name in self._ours:
                os.environ.pop(name, None)
