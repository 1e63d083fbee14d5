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
import threading
from types import TracebackType

from tadoru.config import ShellConfig
from tadoru.errors import BadInput

VARIABLE = "RUST_MIN_STACK"
"""Read once by Rust's standard library, when it starts its first thread."""
STACK_BYTES = 1 << 30
MAX_DARK_COMMANDS = 5_000
"""Commands of a script with `eval` or commands from variables: as many levels of it fit on the
stack seven times."""
MAX_PREFIXES = 64
"""Prefix commands in front of one command."""

_PREFIXES = frozenset(
    {"eval", "command", "builtin", "exec", "env", "time", "timeout", "nice", "nohup", "!", "xargs"}
)
_SEPARATOR = re.compile(r"[;|&\n()`]+")


def max_commands(config: ShellConfig, *, dark: bool) -> int:
    """Return how many commands a script may run. `dark`: it makes commands while it runs."""
    return min(config.max_commands, MAX_DARK_COMMANDS) if dark else config.max_commands


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
    """Sets the variable while the first script runs, and puts it back afterwards."""

    _lock = threading.Lock()
    _done = False

    def __enter__(self) -> None:
        self._ours = False
        with self._lock:
            if not DeepStack._done and VARIABLE not in os.environ:
                os.environ[VARIABLE] = str(STACK_BYTES)
                self._ours = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            DeepStack._done = True
            if self._ours:
                os.environ.pop(VARIABLE, None)
