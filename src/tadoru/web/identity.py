"""Who sent a request: an identity, and the request under way that acts for it.

Decides what a refusal looks like. Verifies nothing: see `tokens`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tadoru.deadline import Deadline
from tadoru.types import Principal

if TYPE_CHECKING:
    from tadoru.web.limits import Slot


@dataclass(frozen=True, slots=True)
class Identity:
    """A person or a program, as the identity provider names it."""

    issuer: str
    subject: str
    groups: frozenset[str] = frozenset()
    name: str = ""
    """For people to read; decides nothing."""
    operator: bool = False
    """Whether it may see as others do."""


LOCAL = "local"
"""Issuer of the person at the keyboard, who is served on the loopback interface without a token."""


@dataclass(slots=True)
class Asker:
    """One request under way: who sent it, as whom it sees, and until when it may take."""

    identity: Identity
    principal: Principal
    deadline: Deadline
    slot: Slot
    tool: str = ""
    """What was called, once that is known; for the log and the metrics."""


ASKER: ContextVar[Asker] = ContextVar("asker")
"""Of the request under way; threads that work for it have it too."""


@dataclass(slots=True)
class Refused(Exception):
    """A request that is not served. `message` holds nothing that the request brought along."""

    status: int
    code: str
    message: str
    hint: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
