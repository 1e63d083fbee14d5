"""The state that travels between two calls: interpreter snapshot and `/tmp`, signed.

The key is derived from the server's secret and the principal's groups, so a state works for the
principal that made it and nobody else. A state that was altered, or comes from elsewhere, is
refused before anything of it is read. Nothing is kept on the server.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct

from tadoru.config import ShellConfig
from tadoru.errors import BadInput
from tadoru.shell.scratch import Scratch
from tadoru.types import Principal

MAGIC = b"TDS2"
TAG_BYTES = 32
_HEAD = Struct(">??IBI")
"""Whether plain, whether dark; bytes of the directory, of the exit codes, of the snapshot."""
MAX_CODES = 255
MAX_SNAPSHOT_BYTES = 1 << 20
"""Variables, functions and so on of one session; about 2 KB in an ordinary one."""


@dataclass(slots=True)
class Session:
    """What a call starts from: the interpreter's snapshot, empty while there is nothing to
    keep but the directory, and `/tmp`."""

    snapshot: bytes
    scratch: Scratch
    cwd: str = "/"
    """Where an interpreter without a snapshot starts."""
    codes: bytes = b"\0"
    """Exit codes of the last pipeline, one byte for each of its commands."""
    plain: bool = True
    """Whether no command line of it could define a function, an alias or an option."""
    dark: bool = False
    """Whether some command line of it kept text that may be run later (see `plain`)."""


def derive_key(secret: bytes, principal: Principal) -> bytes:
    """Return the 32-byte key of one principal's states. Raises BadInput without a secret."""
    if not secret:
        raise BadInput("the shell needs a secret to sign sessions with")
    groups = json.dumps(sorted(principal.groups)).encode()
    return hmac.digest(secret, b"tadoru shell session\0" + groups, sha256)


def open_state(state: bytes | None, key: bytes, config: ShellConfig, cwd: str = "/") -> Session:
    """Return the session in a signed state; a new one in `cwd` for None. Raises BadInput."""
    if not state:
        return Session(b"", Scratch(config.max_tmp_bytes), cwd)
    if len(state) > MAX_SNAPSHOT_BYTES + 2 * config.max_tmp_bytes + (1 << 16):
        raise BadInput("the session state is too long", hint="start a new session: leave it out")
    body, tag = state[:-TAG_BYTES], state[-TAG_BYTES:]
    if not body.startswith(MAGIC) or not hmac.compare_digest(tag, hmac.digest(key, body, sha256)):
        raise BadInput(
            "the session state is not one of this server and principal",
            hint="start a new session: leave the state out",
        )
    plain, dark, *sizes = _HEAD.unpack_from(body, len(MAGIC))
    parts = []
    start = len(MAGIC) + _HEAD.size
    for size in sizes:
        parts.append(body[start : start + size])
        start += size
    place, codes, snapshot = parts
    scratch = Scratch.unpack(body[start:], config.max_tmp_bytes)
    return Session(snapshot, scratch, place.decode("utf-8", "surrogatepass"), codes, plain, dark)


def seal(session: Session, key: bytes) -> bytes:
    """Return the signed state. Raises BadInput when the interpreter holds too much."""
    if len(session.snapshot) > MAX_SNAPSHOT_BYTES:
        raise BadInput(
            f"variables and functions of this session exceed {MAX_SNAPSHOT_BYTES >> 10} KiB",
            hint="unset what is large; the session stays as it was before this command",
        )
    cwd = session.cwd.encode("utf-8", "surrogatepass")
    codes = session.codes[-MAX_CODES:]
    head = _HEAD.pack(session.plain, session.dark, len(cwd), len(codes), len(session.snapshot))
    body = MAGIC + head + cwd + codes + session.snapshot + session.scratch.pack()
    return body + hmac.digest(key, body, sha256)
