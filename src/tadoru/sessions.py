"""Sessions that have a name: which chunks were sent lies in a file, so that processes share it.

Decides where the file lies and how long it is kept. The name is the caller's; whoever may not see
a chunk cannot learn of it here, because each principal has files of its own.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

from tadoru.errors import BadInput
from tadoru.search.memory import SessionMemory
from tadoru.usage import private_directory

KEPT_SECONDS = 7 * 86_400
MAX_BYTES = 1024 * 1024
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class NamedSession(SessionMemory):
    """A memory that is read from a file, and written there when something was added."""

    def __init__(self, path: Path) -> None:
        self._path = path
        super().__init__(_lines(path))

    def add(self, *ids: str) -> None:
        """Remember ids; what another process added meanwhile stays. A full disk loses them."""
        if not ids:
            return
        super().add(*(i for i in _lines(self._path) if i not in self), *ids)
        with suppress(OSError):
            private_directory(self._path.parent)
            temporary = self._path.with_name(f".{self._path.name}.{os.getpid()}")
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
            with os.fdopen(os.open(temporary, flags, 0o600), "w", errors="surrogateescape") as file:
                file.writelines(f"{identity}\n" for identity in self if "\n" not in identity)
            temporary.replace(self._path)


def named_session(directory: Path, name: str) -> NamedSession:
    """Return the session of this name; files that nobody used for a week are removed.

    Raises: `BadInput` for a name that is none.
    """
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"not the name of a session: {name[:80]!r}",
            hint="use 1 to 64 letters, digits, `.`, `_` and `-`",
        )
    with suppress(OSError):
        for path in directory.iterdir():
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink()
    return NamedSession(directory / name)


def _lines(path: Path) -> list[str]:
    with suppress(OSError), path.open("r", errors="surrogateescape") as file:
        return [line.rstrip("\n") for line in file.read(MAX_BYTES).splitlines(keepends=True)]
    return []
