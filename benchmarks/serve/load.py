"""A load generator for HTTP on the loopback interface that costs little itself: one process, bare
sockets, connections that stay open, as many at most as it is told."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any

Call = tuple[str, dict[str, Any]]
"""Route and body."""


@dataclass
class Outcomes:
    """What became of the calls of one run, by route: seconds, and what failed."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)

    def add(self, route: str, seconds: float, status: int) -> None:
        if status == 200:
            self.seconds.setdefault(route, []).append(seconds)
        else:
            self.failed[f"{route} {status}"] = self.failed.get(f"{route} {status}", 0) + 1

    @property
    def count(self) -> int:
        return sum(map(len, self.seconds.values()))

    def table(self) -> dict[str, Any]:
        """Return the percentiles in milliseconds."""
        rows = {route: percentiles(values) for route, values in sorted(self.seconds.items())}
        return {**rows, "errors": self.failed}


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    cuts = quantiles(seconds, n=100) if len(seconds) > 1 else list(seconds) * 99
    named = {"p50": cuts[49], "p90": cuts[89], "p99": cuts[98]}
    return {"calls": len(seconds), **{name: round(s * 1000, 2) for name, s in named.items()}}


class Link:
    """One person with a token and a connection that stays open."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._token = token
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def call(self, route: str, given: dict[str, Any]) -> tuple[int, bytes]:
        """Return status and body; a connection that was closed while idle is opened again."""
        body = json.dumps(given).encode()
        head = (
            f"POST {route} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        for again in (True, False):
            try:
                if self._writer is None:
                    self._reader, self._writer = await asyncio.open_connection(
                        "127.0.0.1", self._port
                    )
                self._writer.write(head.encode() + body)
                return await self._answer()
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                if not again:
                    raise
        raise AssertionError("unreachable")

    async def _answer(self) -> tuple[int, bytes]:
        assert self._reader is not None
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        return int(head.split(b" ", 2)[1]), await self._reader.readexactly(length)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


async def steadily(
    links: Sequence[Link],
    calls: Callable[[random.Random], Iterator[Call]],
    *,
    seconds: float,
    each: float,
    sample: Callable[[], None] = lambda: None,
) -> Outcomes:
    """Let everybody make a call every `each` seconds, whether or not the last one was slow: the
    wait for one's own turn counts. `sample`: called every few seconds."""
    outcomes = Outcomes()
    began = time.perf_counter()

    async def person(number: int, link: Link) -> None:
        dice = random.Random(number)
        due = began + each * number / len(links)
        for route, given in calls(dice):
            now = time.perf_counter()
            if due - began > seconds:
                return
            await asyncio.sleep(max(0.0, due - now))
            status, _ = await link.call(route, given)
            outcomes.add(route, time.perf_counter() - due, status)
            due += each

    async def sampling() -> None:
        while True:
            sample()
            await asyncio.sleep(5)

    watching = asyncio.create_task(sampling())
    await asyncio.gather(*(person(n, link) for n, link in enumerate(links)))
    watching.cancel()
    sample()
    return outcomes


async def at_once(
    links: Sequence[Link], calls: Callable[[random.Random], Iterator[Call]], *, seconds: float
) -> tuple[Outcomes, float]:
    """Let everybody call again as soon as the answer is there; return also the seconds it took."""
    outcomes = Outcomes()
    began = time.perf_counter()

    async def person(number: int, link: Link) -> None:
        for route, given in calls(random.Random(1_000 + number)):
            start = time.perf_counter()
            if start - began > seconds:
                return
            status, _ = await link.call(route, given)
            outcomes.add(route, time.perf_counter() - start, status)

    await asyncio.gather(*(person(n, link) for n, link in enumerate(links)))
    return outcomes, time.perf_counter() - began
