"""Every error that tadoru raises on purpose.

    TadoruError
    ├── BadInput            the caller's words are wrong (empty, too long, NUL, bad option)
    ├── OutsideRoots        a path or root that tadoru was not given to serve
    ├── PathNotFound        the path does not exist for the asker (missing and hidden are the same)
    ├── NotADirectoryHere   a file where a directory is meant
    ├── IsADirectoryHere    a directory where a file is meant
    ├── ReadOnly            a write to the tree
    ├── NotIndexed          no index, and making one was forbidden or refused
    ├── BroadRoot           `/` or the home directory as root, without consent
    ├── StoreError          the catalogue cannot be used
    │   ├── CorruptStore    damaged database
    │   ├── NewerStore      written by a later version of tadoru
    │   ├── StoreFull       no space, or a quota
    │   └── StoreBusy       another writer did not finish within the deadline
    ├── ConfigError         a configuration file or variable that cannot be understood
    ├── LimitExceeded       time, memory, output or recursion ran out
    │   └── TimeUp          the call's deadline passed, or its asker left
    └── Unavailable         an optional part (server, extra, model) is missing or away

An error has a message (what happened, to what) and a `hint` (what to do now). `exit_code` is what
the command line returns, `errno_name` what the shell prints, `code` what JSON and MCP carry.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "BadInput",
    "BroadRoot",
    "ConfigError",
    "CorruptStore",
    "IsADirectoryHere",
    "LimitExceeded",
    "NewerStore",
    "NotADirectoryHere",
    "NotIndexed",
    "OutsideRoots",
    "PathNotFound",
    "ReadOnly",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "TadoruError",
    "TimeUp",
    "Unavailable",
]


class TadoruError(Exception):
    """Base of all errors that a caller may want to catch."""

    code: ClassVar[str] = "error"
    """Stable name for JSON and MCP."""
    exit_code: ClassVar[int] = 2
    """Exit code of the command line: 1 nothing, 2 error, 3 no index, 4 outside all roots."""
    errno_name: ClassVar[str] = "EIO"
    """The errno that the shell reports."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class BadInput(TadoruError):
    """The caller's words are wrong: empty, too long, a NUL byte, an unknown option."""

    code = "bad_input"
    errno_name = "EINVAL"


class OutsideRoots(TadoruError):
    """A path or a root that tadoru was not given to serve. Never used for a hidden path."""

    code = "outside_roots"
    exit_code = 4
    errno_name = "EACCES"


class PathNotFound(TadoruError):
    """The path does not exist for the asker. Missing and hidden answer alike."""

    code = "not_found"
    exit_code = 1
    errno_name = "ENOENT"


class NotADirectoryHere(TadoruError):
    """A file where a directory is meant."""

    code = "not_a_directory"
    errno_name = "ENOTDIR"


class IsADirectoryHere(TadoruError):
    """A directory where a file is meant."""

    code = "is_a_directory"
    errno_name = "EISDIR"


class ReadOnly(TadoruError):
    """The tree is read-only."""

    code = "read_only"
    errno_name = "EROFS"


class NotIndexed(TadoruError):
    """There is no index, and making one was forbidden."""

    code = "not_indexed"
    exit_code = 3


class BroadRoot(TadoruError):
    """`/` or the home directory was given as root without consent."""

    code = "broad_root"


class StoreError(TadoruError):
    """The catalogue cannot be used."""

    code = "store"


class CorruptStore(StoreError):
    """The database is damaged."""

    code = "store_corrupt"


class NewerStore(StoreError):
    """The database was written by a later version of tadoru."""

    code = "store_newer"


class StoreFull(StoreError):
    """No space is left where the index lies."""

    code = "store_full"
    errno_name = "ENOSPC"


class StoreBusy(StoreError):
    """Another writer did not finish within the deadline."""

    code = "store_busy"
    errno_name = "EBUSY"


class ConfigError(TadoruError):
    """A configuration file or variable cannot be understood."""

    code = "config"


class LimitExceeded(TadoruError):
    """Time, memory, output or recursion ran out."""

    code = "limit"


class TimeUp(LimitExceeded):
    """The deadline of a call passed, or nobody waits for it any more."""

    code = "deadline"


class Unavailable(TadoruError):
    """An optional part (server, extra, model) is missing or away."""

    code = "unavailable"
