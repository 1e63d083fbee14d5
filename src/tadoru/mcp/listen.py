"""Answers hooks: a thread that listens on one socket for each root (see `tadoru.wire`).

One server listens for a root, whoever came first; the others wait for its lock and take over when
it ends. Refuses messages of other users, over-long ones and slow ones, and never disturbs the
server: without a socket, hooks look by themselves.
"""

from __future__ import annotations

import fcntl
import json
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tadoru.wire import MAX_MESSAGE, Address, receive, same_user, socket_path

TAKE_OVER_SECONDS = 1.0
"""How often a server looks whether a root has lost its listener."""
READ_SECONDS = 0.25
"""Time in which a hook must have sent its line."""

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""One message -> its answer; an error of any kind becomes an empty answer."""


class Listener:
    """The sockets of some roots. `close` removes those that this process holds."""

    def __init__(self, home: Path, roots: Sequence[str], answer: Answer) -> None:
        """`roots`: canonical directories."""
        self._posts = [_Post(Path(socket_path(str(home), root))) for root in roots]
        self._answer = answer
        self._closed = threading.Event()
        self._guard = threading.RLock()  # a signal may close while the main thread does

    def start(self) -> None:
        """Begin to listen, in a thread of its own."""
        threading.Thread(target=self._run, name="tadoru-hooks", daemon=True).start()

    def close(self) -> None:
        """Stop, and remove the sockets; safe to call twice and from any thread."""
        self._closed.set()
        with self._guard:
            for post in self._posts:
                post.close()

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            while not self._closed.is_set():
                self._take_posts(selector)
                for key, _ in selector.select(TAKE_OVER_SECONDS):
                    with suppress(OSError, ValueError, RecursionError):  # of a peer
                        self._serve(key.fileobj)  # type: ignore[arg-type]

    def _take_posts(self, selector: selectors.BaseSelector) -> None:
        with self._guard:
            if self._closed.is_set():
                return
            for post in self._posts:
                with suppress(OSError):
                    opened = post.take()
                    if opened is not None:
                        selector.register(opened, selectors.EVENT_READ)

    def _serve(self, listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            if not same_user(connection):
                return
            message = json.loads(receive(connection, time.monotonic() + READ_SECONDS))
            if not isinstance(message, dict):
                return
            try:
                answer = json.dumps(self._answer(message)).encode()
            except Exception:  # whatever it was, the hook looks by itself
                answer = b"null"
            if len(answer) < MAX_MESSAGE:
                connection.settimeout(READ_SECONDS)
                connection.sendall(answer + b"\n")


class _Post:
    """The place of one socket, and the lock that says who listens there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = -1
        self._socket: socket.socket | None = None

    def take(self) -> socket.socket | None:
        """Listen if nobody does, and return the new socket. Raises: `OSError`."""
        if self._socket is not None:
            return None
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.parent.chmod(0o700)
        if not self._locks():
            return None
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._path.unlink(missing_ok=True)  # of a holder that was killed
            self._bind(opened)
        except OSError:
            opened.close()
            self._unlock()
            raise
        self._socket = opened
        return opened

    def _bind(self, opened: socket.socket) -> None:
        with Address(str(self._path)) as address:
            opened.bind(address)
        self._path.chmod(0o600)
        opened.listen(8)
        opened.settimeout(READ_SECONDS)  # a client that has left again must not hold the thread

    def _locks(self) -> bool:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(self._path.with_suffix(".lock"), flags, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            return False
        self._lock = handle
        return True

    def _unlock(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def close(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            self._socket.close()
            self._socket = None
        self._unlock()
