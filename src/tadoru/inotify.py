"""The kernel's own list of what happened in directories, through the C library.

An event is in the queue when the call that caused it returns, and the queue keeps the order; so a
read that finds nothing proves that nothing happened in the watched directories before it. Knows
nothing of trees; where there is no inotify, `Queue` raises OSError.
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from errno import ENOSYS, ENOTDIR
from struct import Struct

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF = 0x400, 0x800
UNMOUNT, OVERFLOW, IGNORED = 0x2000, 0x4000, 0x8000
ONLY_DIRECTORIES, NO_LINKS, IS_DIRECTORY = 0x0100_0000, 0x0200_0000, 0x4000_0000
CHANGES = MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE
CHANGES |= DELETE_SELF | MOVE_SELF
"""All that can change what `lstat` and `read` say of a directory's entries."""

_HEAD = Struct("=iIII")
_READ_BYTES = 256 << 10


@dataclass(frozen=True, slots=True)
class Event:
    mask: int
    name: bytes
    """Of the entry in its directory; empty when the event is about the directory itself."""


class Queue:
    """One inotify instance. Not for two threads at once; a forked child must not read it."""

    def __init__(self) -> None:
        """Raises OSError without inotify, or when the user's instances are used up."""
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = -1
        if not hasattr(self._libc, "inotify_init1"):
            raise OSError(ENOSYS, os.strerror(ENOSYS))
        self._descriptor = self._checked(self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))

    def add(self, directory: bytes) -> None:
        """Watch a directory. Raises OSError: ENOSPC when the user's watches are used up."""
        mask = CHANGES | ONLY_DIRECTORIES | NO_LINKS
        if b"\0" in directory:
            raise OSError(ENOTDIR, os.strerror(ENOTDIR))
        self._checked(self._libc.inotify_add_watch(self._descriptor, directory, mask))

    def drain(self) -> list[Event]:
        """Return what happened since the last call; empty when nothing did."""
        events: list[Event] = []
        while True:
            try:
                events += parse(os.read(self._descriptor, _READ_BYTES))
            except BlockingIOError:
                return events

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()

    @staticmethod
    def _checked(result: int) -> int:
        if result < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return result


def parse(data: bytes) -> list[Event]:
    """Return the events in what was read from an inotify descriptor (inotify(7))."""
    events, position = [], 0
    while position < len(data):
        _, mask, _, length = _HEAD.unpack_from(data, position)
        position += _HEAD.size
        events.append(Event(mask, data[position : position + length].rstrip(b"\0")))
        position += length
    return events
