"""Which paths of a root were touched, how often and how lately: one journal that processes share.

A line per touch is appended; when the file has grown, lines of one path become one whose weight has
decayed. Decides what is kept and what it weighs; refuses to wait for anybody: a journal that cannot
be locked or written at once loses a touch, and nothing else. Standard library only, because hooks
write it too.
"""

# pathlib would cost a sixth of the time that a hook has
# ruff: noqa: PTH103, PTH105, PTH116, PTH118, PTH120, PTH123

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Mapping

try:
    from _blake2 import blake2b  # what hashlib exports, for a tenth of its import time
except ImportError:  # another interpreter than CPython
    from hashlib import blake2b

HALF_LIFE_SECONDS = 7 * 86_400.0
"""After this time a touch weighs half: exponentially decayed frequency ("frecency")."""
SETTLED_SECONDS = 30.0
"""Touches of one path within this time are one: an agent reads a file page by page."""
MAX_BYTES = 128 * 1024
"""Size from which the journal is made short."""
KEPT_EACH = 500
"""Paths kept of one principal, the heaviest ones."""
KEPT_IN_ALL = 1_000
MAX_PATH = 1_024
"""Characters; longer paths are not remembered."""
LOCK_TRIES = 4
LOCK_PAUSE = 0.004


def key_of(root: str) -> str:
    """Return the name under which things about a root lie; `root`: canonical."""
    return blake2b(os.fsencode(root), digest_size=8).hexdigest()


def journal_path(home: str, root: str) -> str:
    """Return where the journal of a root lies; `root`: canonical."""
    return os.path.join(home, "touched", key_of(root))


def who(groups: Iterable[str]) -> str:
    """Return the name of a principal in a journal: one for each set of groups."""
    return blake2b("\0".join(sorted(groups)).encode(), digest_size=8).hexdigest()


class Touched:
    """The journal of one root. Threads and processes may share it; no method raises `OSError`."""

    def __init__(self, path: str) -> None:
        """`path`: of the file; it is made, mode 0600, by the first touch."""
        self.path = path
        self._lately: dict[tuple[str, str], float] = {}
        self._stamp: tuple[int, int, int] = (0, 0, 0)
        self._weights: dict[str, dict[str, float]] = {}

    def add(self, name: str, paths: Iterable[str], now: float | None = None) -> None:
        """Note that the principal `name` (see `who`) touched paths, relative to the root."""
        now = time.time() if now is None else now
        lines = [
            f"1\t{now:.0f}\t{name}\t{json.dumps(path)}\n"
            for path in dict.fromkeys(paths)
            if path and len(path) <= MAX_PATH and self._is_new(name, path, now)
        ]
        if lines:
            self._write("".join(lines).encode("ascii"), now)

    def weights(self, name: str, now: float | None = None) -> Mapping[str, float]:
        """Return path -> decayed number of touches by the principal `name`."""
        try:
            status = os.stat(self.path)
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
            if stamp != self._stamp:
                with open(self.path, "rb") as file:
                    data = file.read(2 * MAX_BYTES)
                now = time.time() if now is None else now
                self._weights, self._stamp = _merged(data, now), stamp
        except OSError:
            return {}
        return self._weights.get(name, {})

    def _is_new(self, name: str, path: str, now: float) -> bool:
        if now - self._lately.get((name, path), -SETTLED_SECONDS) < SETTLED_SECONDS:
            return False
        if len(self._lately) > KEPT_IN_ALL:
            self._lately.clear()
        self._lately[name, path] = now
        return True

    def _write(self, data: bytes, now: float) -> None:
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            handle = self._locked()
            if handle < 0:
                return
            try:
                os.write(handle, data)
                if os.fstat(handle).st_size > MAX_BYTES:
                    self._shorten(handle, now)
            finally:
                os.close(handle)
        except OSError:
            return

    def _locked(self) -> int:
        """Return a handle of the file that lies there now, locked for writing; -1 without one."""
        for _ in range(LOCK_TRIES):
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            handle = os.open(self.path, flags, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(handle).st_ino == os.stat(self.path).st_ino:
                    return handle
            except OSError:  # held by another process, or replaced just now
                time.sleep(LOCK_PAUSE)
            os.close(handle)
        return -1

    def _shorten(self, handle: int, now: float) -> None:
        """Write one line for each path beside the journal, and put it in its place."""
        data = os.pread(handle, 4 * MAX_BYTES, 0)
        rows = [
            (weight, name, path)
            for name, weights in _merged(data, now).items()
            for path, weight in sorted(weights.items(), key=lambda row: -row[1])[:KEPT_EACH]
        ]
        rows.sort(key=lambda row: -row[0])
        lines = [
            f"{weight:.4g}\t{now:.0f}\t{name}\t{json.dumps(path)}\n"
            for weight, name, path in rows[:KEPT_IN_ALL]
        ]
        while sum(map(len, lines)) > MAX_BYTES // 2:
            del lines[len(lines) // 2 :]
        temporary = f"{self.path}.{os.getpid()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        with open(os.open(temporary, flags, 0o600), "wb") as file:
            file.write("".join(lines).encode("ascii"))
        os.replace(temporary, self.path)


def _merged(data: bytes, now: float) -> dict[str, dict[str, float]]:
    """Return principal -> path -> weight at this time; lines that cannot be read are left out."""
    merged: dict[str, dict[str, float]] = {}
    for line in data.splitlines():
        try:
            weight, moment, name, quoted = line.decode("ascii").split("\t")
            path = json.loads(quoted)
            age = max(0.0, now - float(moment))
            value = float(weight) * 0.5 ** (age / HALF_LIFE_SECONDS)
        except (ValueError, OverflowError):
            continue
        if isinstance(path, str) and 0.0 < value < 1e9:
            weights = merged.setdefault(name, {})
            weights[path] = weights.get(path, 0.0) + value
    return merged
