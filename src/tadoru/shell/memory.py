"""Stops a command line that makes this process grow too fast.

bashkit bounds its variables, buffers and files, but not what deep chains of commands take
(`env env env ...` built while the script runs copies all its words at each level). The growth is
that of the whole process, so another call may be to blame: the limit is far above what any command
line needs, and it only ever stops a command line, with words that say why.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
from collections.abc import Callable
from pathlib import Path

MAX_GROWTH = 256 << 20
"""Bytes of resident memory that the process may gain while one command line runs."""
MAX_KEPT = 64 << 20
"""Bytes that the C library may keep for later of what one command line took."""
EVERY_SECONDS = 0.02
_STATM = Path("/proc/self/statm")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> int:
    """Return the bytes of memory that this process holds; 0 where the system does not say."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def release() -> None:
    """Give freed memory back to the system, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


class Watch:
    """Calls `stop` once when the process has grown too much; looks first after 20 ms.

    While `excused` says so, growth is not the command line's: a tool may load a model.
    """

    def __init__(self, stop: Callable[[], object], excused: Callable[[], bool]) -> None:
        self._stop = stop
        self._excused = excused
        self._start = 0
        self.tripped = False
        self._timer = asyncio.get_running_loop().call_later(EVERY_SECONDS, self._look)

    def _look(self) -> None:
        now = resident()
        if not self._start or self._excused():
            self._start = now
        if now - self._start > MAX_GROWTH:
            self.tripped = True
            self._stop()
            return
        self._timer = asyncio.get_running_loop().call_later(EVERY_SECONDS, self._look)

    def end(self) -> None:
        """Look no more; what the command line has freed goes back to the system when it is much."""
        self._timer.cancel()
        if self._start and resident() - self._start > MAX_KEPT:
            release()
