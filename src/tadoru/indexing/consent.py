"""Consent to send the text of a root to a host: asked once, kept in the user's home, mode 0600.

A configured endpoint says where text may go; consent says which root's. Without it nothing is sent,
and who has to know is told. A file that cannot be read is no consent.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from tadoru.errors import StoreError

NAME = "consent.json"


def missing(home: Path, place: str, hosts: Iterable[str]) -> list[str]:
    """Return the hosts that nothing of a place (a root or a mount's address) may be sent to yet."""
    given = _read(home).get(place, [])
    return [host for host in hosts if host not in given]


def grant(home: Path, place: str, hosts: Iterable[str]) -> None:
    """Remember that text of a place may be sent to these hosts.

    Raises: `StoreError` when that cannot be written.
    """
    wanted = missing(home, place, hosts)
    if not wanted:
        return
    table = _read(home)
    table[place] = sorted({*table.get(place, []), *wanted})
    temporary = home / f"{NAME}.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(table, file, indent=1, sort_keys=True)
            file.flush()
            os.fsync(handle)
        temporary.replace(home / NAME)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(
            f"cannot write {home / NAME}: {error.strerror}", hint="check TADORU_HOME"
        ) from None


def _read(home: Path) -> dict[str, list[str]]:
    try:
        table = json.loads((home / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(table, dict):
        return {}
    return {str(k): [str(host) for host in v] for k, v in table.items() if isinstance(v, list)}
