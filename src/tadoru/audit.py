"""The audit log: who called what, and which files were read. Opt-in; never any content.

One JSON object a line: `time` (UTC), `principal` (its groups), `tool`, `paths` (of the tree),
`more` (how many further ones), `error` (code of a call that failed). Decides that a call whose
line cannot be written fails: a log with gaps that nobody notices is none.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tadoru.errors import StoreError
from tadoru.types import Principal

MAX_PATHS = 200
"""Named in one line; the others are counted."""


class AuditLog:
    """A file that only grows. Threads and processes may share it: a line is written at once."""

    def __init__(self, path: str) -> None:
        """`path`: absolute, or from the home directory with `~`; made with mode 0600."""
        self._path = Path(path).expanduser()

    def write(
        self, principal: Principal, tool: str, paths: Iterable[str], *, error: str = ""
    ) -> None:
        """Append one call. Raises: `StoreError` when that is impossible."""
        named = list(dict.fromkeys(paths))
        line: dict[str, Any] = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "principal": sorted(principal.groups),
            "tool": tool,
            "paths": named[:MAX_PATHS],
        }
        if len(named) > MAX_PATHS:
            line["more"] = len(named) - MAX_PATHS
        if error:
            line["error"] = error
        data = json.dumps(line).encode("ascii") + b"\n"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            handle = os.open(self._path, flags | os.O_NONBLOCK, 0o600)
            try:
                status = os.fstat(handle)
                if not stat.S_ISREG(status.st_mode):
                    raise OSError("not a regular file")
                if stat.S_IMODE(status.st_mode) & 0o077 and status.st_uid == os.geteuid():
                    os.fchmod(handle, 0o600)
                if os.write(handle, data) != len(data):
                    raise OSError("no space for a whole line")
            finally:
                os.close(handle)
        except (OSError, ValueError) as fault:
            reason = getattr(fault, "strerror", None) or str(fault)
            raise StoreError(
                f"the audit log {self._path} cannot be written: {reason}",
                hint="mend it, or take `audit` out of your configuration",
            ) from None
