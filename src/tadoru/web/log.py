"""The two logs of the service, one JSON object a line on stderr: requests, and what went wrong.

A line about a request holds no path, no question, no group and no name: routes and tools are those
of the tables, and who asked is a keyed hash that is the same on every replica with one secret. A
line about a fault has its message, its kind and its place in our code.
"""

from __future__ import annotations

import hmac
import json
import logging
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from tadoru.web.identity import Identity

METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "DELETE", "PUT", "PATCH"})


class AccessLog:
    """One JSON object a line."""

    def __init__(self, secret: bytes, write: Callable[[str], Any] | None = None) -> None:
        """`write`: takes a line; stderr when it is not given."""
        self._key = hmac.digest(secret, b"tadoru access log", sha256)
        self._write = write or sys.stderr.write

    def who(self, identity: Identity | None) -> str:
        """Return what stands for an identity: 16 hexadecimal digits; empty for nobody."""
        if identity is None:
            return ""
        whose = json.dumps([identity.issuer, identity.subject]).encode()
        return hmac.digest(self._key, whose, sha256).hex()[:16]

    def line(self, **fields: Any) -> None:
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        with suppress(OSError, ValueError):  # nobody reads stderr any more
            self._write(json.dumps({"time": time, **fields}) + "\n")


class FaultLog(logging.Handler):
    """Warnings and errors of this package, beside the access log."""

    def __init__(self, log: AccessLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        more: dict[str, Any] = {}
        if record.exc_info and record.exc_info[1] is not None:
            fault = record.exc_info[1]
            frames = traceback.extract_tb(fault.__traceback__)[-8:]
            more["kind"] = type(fault).__name__
            more["where"] = [f"{Path(f.filename).name}:{f.lineno}" for f in frames]
        self._log.line(level=record.levelname.lower(), message=record.getMessage(), **more)
