"""Where a hook and a running server meet: one socket for each root, one line of JSON each way.

Decides where sockets and journals lie, how large a message may be and how long either side waits.
Refuses other users: the socket lies in a directory of mode 0700, has mode 0600, and both sides look
who is at the other end. Standard library only, and sockets are loaded when one is there: a hook
pays for every import.
"""

# pathlib would cost a sixth of the time that a hook has
# ruff: noqa: PTH100, PTH111, PTH118, PTH123

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tadoru.touched import key_of

if TYPE_CHECKING:
    import socket

ANSWER_SECONDS = 0.15
"""How long a hook waits for an answer before it looks by itself."""
MAX_MESSAGE = 64 * 1024
"""Bytes of a line, in both directions."""
MAX_ASKED = 4
"""Paths of one message that get an answer."""
MAX_TOUCHED = 32
"""Paths of one message that are remembered."""
_SHORT_PATH = 100
"""Bytes that fit into the address of a socket on every system (Linux: 107, macOS: 103)."""


def home_of(env: Mapping[str, str]) -> str:
    """Return the directory of indexes, sockets and journals, as `tadoru.roots.home` finds it."""
    given = env.get("TADORU_HOME") or str(_user_file(env).get("home") or "")
    if given:
        return os.path.abspath(os.path.expanduser(given))
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/tadoru")
    return os.path.join(env.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tadoru")


def groups_of(env: Mapping[str, str]) -> frozenset[str]:
    """Return the groups of the principal when no other is given."""
    given: Any = env.get("TADORU_GROUPS") or _user_file(env).get("groups") or ()
    names = given.split(",") if isinstance(given, str) else given
    return frozenset(name for name in (str(item).strip() for item in names) if name)


def _user_file(env: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the user's own configuration, or nothing where it cannot matter here."""
    path = env.get("TADORU_CONFIG")
    if not path:
        mac = sys.platform == "darwin"
        place = (
            "~/Library/Application Support" if mac else env.get("XDG_CONFIG_HOME") or "~/.config"
        )
        path = os.path.join(os.path.expanduser(place), "tadoru", "config.toml")
    try:
        with open(path, "rb") as file:
            data = file.read(1024 * 1024)
        if b"home" not in data and b"groups" not in data:
            return {}
        import tomllib  # costs as much as the rest of a hook: only where something is set

        return tomllib.loads(data.decode("utf-8-sig"))
    except (OSError, ValueError):
        return {}


def socket_path(home: str, root: str) -> str:
    """Return where the socket of a root lies; `root`: canonical."""
    return os.path.join(home, "run", f"{key_of(root)}.sock")


def ask(path: str, message: Mapping[str, Any], *, answered: bool) -> dict[str, Any] | None:
    """Send one message to the server behind a socket and return what it answers.

    `answered`: wait for the answer, at most `ANSWER_SECONDS` in all; else an empty one is returned
    as soon as the message is on its way. None without a server, an answer, or in time.
    """
    data = json.dumps(message).encode() + b"\n"
    if len(data) > MAX_MESSAGE or not _ours(path):
        return None
    import socket

    deadline = time.monotonic() + ANSWER_SECONDS
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(ANSWER_SECONDS)
            with Address(path) as address:
                client.connect(address)
            if not same_user(client):
                return None
            client.sendall(data)
            if not answered:
                return {}
            answer = json.loads(receive(client, deadline))
    except (OSError, ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def receive(connection: socket.socket, deadline: float) -> bytes:
    """Read one line. Raises: `OSError` after the deadline, `ValueError` for one that is too long
    or not ended."""
    data = b""
    while not data.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        piece = connection.recv(16_384)
        data += piece
        if not piece or len(data) > MAX_MESSAGE:
            raise ValueError("not one line")
    return data


def same_user(connection: socket.socket) -> bool:
    """Tell whether the other end runs as the same user; where that cannot be asked, file modes
    alone decide."""
    import socket
    import struct

    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, size))
    return bool(user == os.geteuid())


def _ours(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISSOCK(status.st_mode) and status.st_uid == os.geteuid()


class Address:
    """A path as the address of a socket: a long one goes through a handle of its directory."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._handle = -1

    def __enter__(self) -> str:
        """Raises: `OSError` where a long path cannot be shortened."""
        if len(os.fsencode(self._path)) <= _SHORT_PATH:
            return self._path
        directory, name = os.path.split(self._path)
        self._handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return f"/proc/self/fd/{self._handle}/{name}"

    def __exit__(self, *_: object) -> None:
        if self._handle >= 0:
            os.close(self._handle)
