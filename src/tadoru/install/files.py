"""Reading and writing configuration files that belong to somebody else.

A text is written whole or not at all, keeps mode, byte order mark and line ends, and lands where a
symbolic link leads. Refuses what is no regular file, no UTF-8, too large, read-only, or was changed
between reading and writing.
"""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tadoru.errors import TadoruError

MAX_BYTES = 32 * 1024 * 1024
"""Claude Code keeps histories in `~/.claude.json`; nothing that is edited here is larger."""
_BOM = b"\xef\xbb\xbf"


class Unwritable(TadoruError):
    """A configuration file that cannot be read or written as it is."""

    code = "unwritable"


@dataclass(frozen=True, slots=True)
class Read:
    """A file as it was read: its text without byte order mark; `data` is None when it is absent."""

    text: str
    data: bytes | None

    @property
    def exists(self) -> bool:
        return self.data is not None


def read(path: Path) -> Read:
    """Return a file's text. Raises: `Unwritable` for what should not be edited."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return Read("", None)
    except OSError as error:
        raise Unwritable(f"{path}: {error.strerror}") from None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise Unwritable(f"{path} is no regular file")
    with os.fdopen(handle, "rb") as file:
        if status.st_size > MAX_BYTES:
            raise Unwritable(f"{path} is larger than {MAX_BYTES >> 20} MiB")
        data = file.read()
    try:
        return Read(data.removeprefix(_BOM).decode(), data)
    except UnicodeDecodeError as error:
        raise Unwritable(f"{path}: byte {error.start} is no UTF-8",
                         hint="save it as UTF-8") from None  # fmt: skip


def write(path: Path, text: str, before: Read, *, mode: int = 0o600) -> None:
    """Write a file in one step; `mode` is that of a new one.

    Raises: `Unwritable` when it may not be written, or is no longer as it was read.
    """
    target = Path(os.path.realpath(path))
    data = text.encode()
    if before.data is not None:
        if before.data.startswith(_BOM):
            data = _BOM + data
        status = target.stat()
        mode = stat.S_IMODE(status.st_mode)
        if not mode & stat.S_IWUSR:
            raise Unwritable(f"{path} is read-only", hint="make it writable if it may be changed")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data, mode, path, before)
    except OSError as error:
        raise Unwritable(f"{error.filename or path}: {error.strerror}") from None


def _replace(target: Path, data: bytes, mode: int, path: Path, before: Read) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            os.fchmod(handle, mode)
            file.flush()
            os.fsync(handle)
        if read(path).data != before.data:
            raise Unwritable(f"{path} was changed meanwhile", hint="run this again")
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def delete(path: Path, before: Read) -> None:
    """Delete a file that is still as it was read."""
    if read(path).data != before.data:
        raise Unwritable(f"{path} was changed meanwhile", hint="run this again")
    try:
        Path(os.path.realpath(path)).unlink()
    except OSError as error:
        raise Unwritable(f"{path}: {error.strerror}") from None


def line_end(text: str) -> str:
    """Return the line end of a text: that of its first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
