"""The key that signs shell states: from `TADORU_SECRET`, else made once per home, mode 0600.

Where none can be kept (a full disk, a read-only home), a key of this process serves: reading needs
no write, and only sessions that would go on in another process notice.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path


def secret(home: Path) -> bytes:
    """Return the 32-byte key of this home. Replicas share one through `TADORU_SECRET`."""
    given = os.environ.get("TADORU_SECRET")
    if given:
        return sha256(given.encode()).digest()
    path = home / "secret"
    try:
        key = path.read_bytes()
        if len(key) == 32:
            return key
        path.unlink()
    except FileNotFoundError:
        pass
    except OSError:
        return _of_this_process()
    try:
        return _make(path)
    except OSError:
        return _of_this_process()


@cache
def _of_this_process() -> bytes:
    return secrets.token_bytes(32)


def _make(path: Path) -> bytes:
    """Write a new key beside its place and link it there: the first of two processes wins."""
    temporary = path.with_name(f"secret.{os.getpid()}.{secrets.token_hex(4)}")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(32))
        with suppress(FileExistsError):
            os.link(temporary, path)
        return path.read_bytes()
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
