"""How much one principal may ask: requests a second, requests at a time, bytes a minute.

Counts by identity, never by address: behind a proxy all addresses are one. Each process counts for
itself. The person at the keyboard has no limit but the machine. Decides nothing of who somebody is.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from tadoru.config import MIB, ServeConfig
from tadoru.web.identity import LOCAL, Identity, Refused

KEPT = 10_000
"""Identities that are counted; of more, those idle for longest are forgotten."""
OUTPUT_SECONDS = 60.0


@dataclass(slots=True)
class Bucket:
    """A token bucket (RFC 2697, section 3, with one rate): fills steadily, up to its size."""

    rate: float
    """Tokens a second."""
    size: float
    level: float
    stamp: float

    def fill(self, now: float) -> None:
        self.level = min(self.size, self.level + (now - self.stamp) * self.rate)
        self.stamp = now

    def seconds_until(self, level: float) -> float:
        """Return how long it takes to have so many tokens."""
        return max(0.0, (level - self.level) / self.rate)


@dataclass(slots=True)
class _Account:
    requests: Bucket
    output: Bucket
    held: int = 0


class Slot:
    """One request that is served. It is held by the request and by each thread that works for it,
    also where nobody waits for that thread any more: so abandoned work counts."""

    __slots__ = ("_account", "_holders", "_limits")

    def __init__(self, limits: Limits, account: _Account) -> None:
        self._limits = limits
        self._account = account
        self._holders = 1

    def hold(self) -> None:
        with self._limits.lock:
            self._holders += 1

    def release(self) -> None:
        with self._limits.lock:
            self._holders -= 1
            self._account.held -= self._holders == 0

    def sent(self, size: int) -> None:
        """Count bytes that were sent; more than allowed is owed by the next request."""
        with self._limits.lock:
            self._account.output.level -= size


class Limits:
    """The accounts of one process."""

    def __init__(self, config: ServeConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self.lock = threading.Lock()
        self._config = config
        self._clock = clock
        self._accounts: OrderedDict[tuple[str, str], _Account] = OrderedDict()

    def admit(self, identity: Identity) -> Slot:
        """Let a request in. Raises: `Refused` with 429 and the seconds to wait."""
        now = self._clock()
        with self.lock:
            account = self._account(identity, now)
            account.requests.fill(now)
            account.output.fill(now)
            if identity.issuer != LOCAL:
                self._check(account)
            account.requests.level -= 1
            account.held += 1
            return Slot(self, account)

    def _check(self, account: _Account) -> None:
        if account.held >= self._config.concurrency:
            raise _too_many("requests at the same time", 1.0)
        if account.output.level < 0:
            raise _too_many("bytes in a minute", account.output.seconds_until(0))
        if account.requests.level < 1:
            raise _too_many("requests a second", account.requests.seconds_until(1))

    def _account(self, identity: Identity, now: float) -> _Account:
        key = identity.issuer, identity.subject
        account = self._accounts.get(key)
        if account is None:
            burst, size = float(self._config.burst), float(self._config.output_megabytes * MIB)
            account = _Account(
                requests=Bucket(self._config.rate, burst, burst, now),
                output=Bucket(size / OUTPUT_SECONDS, size, size, now),
            )
            self._accounts[key] = account
            self._forget()
        self._accounts.move_to_end(key)
        return account

    def _forget(self) -> None:
        """Forget who was idle for longest; whoever is served right now stays."""
        while len(self._accounts) > KEPT:
            key, account = self._accounts.popitem(last=False)
            if account.held:
                self._accounts[key] = account
                return

    def __len__(self) -> int:
        return len(self._accounts)


def _too_many(what: str, seconds: float) -> Refused:
    return Refused(
        429,
        "too_many",
        f"too many {what}",
        hint="ask again later",
        headers={"Retry-After": str(max(1, math.ceil(seconds)))},
    )
