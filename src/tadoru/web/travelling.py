"""What travels with the calls of one session, so that any replica can answer the next one: the
shell's state and the paths that were touched, signed for the one who made them.

A session that was altered, or belongs to anybody else or to another set of groups, is refused
before anything of it is read. Nothing of it is kept here.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct

from tadoru.errors import BadInput
from tadoru.types import Principal
from tadoru.web.identity import Identity

MAGIC = b"TDH1"
TAG_BYTES = 32
_HEAD = Struct(">I")


@dataclass(frozen=True, slots=True)
class Travelling:
    """A session between two calls."""

    state: bytes = b""
    """Of the shell, as `Workspace.run` gives it."""
    recent: tuple[str, ...] = ()
    """Paths that were touched, newest first."""


def key_for(secret: bytes, identity: Identity, principal: Principal) -> bytes:
    """Return the 32-byte key of the sessions of somebody who sees as this principal."""
    whose = json.dumps([identity.issuer, identity.subject, sorted(principal.groups)])
    return hmac.digest(secret, b"tadoru http session\0" + whose.encode(), sha256)


def sealed(session: Travelling, key: bytes) -> str:
    """Return a session as text for the next call."""
    recent = json.dumps(session.recent).encode("ascii")
    body = MAGIC + _HEAD.pack(len(recent)) + recent + session.state
    return base64.urlsafe_b64encode(body + hmac.digest(key, body, sha256)).decode("ascii")


def opened(text: str, key: bytes) -> Travelling:
    """Return the session of a text; an empty one for an empty text. Raises: `BadInput`."""
    if not text:
        return Travelling()
    try:
        data = base64.b64decode(text, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    body, tag = data[:-TAG_BYTES], data[-TAG_BYTES:]
    if not body.startswith(MAGIC) or not hmac.compare_digest(tag, hmac.digest(key, body, sha256)):
        raise BadInput(
            "the session is not one of this service and of who asks",
            hint='start a new one: `"session": ""`',
        )
    start = len(MAGIC) + _HEAD.size
    (size,) = _HEAD.unpack_from(body, len(MAGIC))
    recent = json.loads(body[start : start + size])
    return Travelling(state=body[start + size :], recent=tuple(recent))
