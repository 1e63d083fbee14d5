"""The key that signs shell states: from `TADORU_SECRET`, else made once per home, mode 0600."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from tadoru.errors import StoreError


def secret(home: Path) -> bytes:
    """Return the 32-byte key of this home. Replicas share one through `TADORU_SECRET`.

    Raises: `StoreError` when it can be neither read nor made.
    """
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
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from None
    return _make(path)


def _make(path: Path) -> bytes:
    """Write a new key beside its place and link it there: the first of two processes wins."""
    temporary = path.with_name(f"secret.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(32))
        with suppress(FileExistsError):
            os.link(temporary, path)
        return path.read_bytes()
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}", hint="set TADORU_HOME or TADORU_SECRET"
        ) from None
    finally:
        temporary.unlink(missing_ok=True)
