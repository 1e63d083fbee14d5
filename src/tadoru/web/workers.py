"""The threads that do the work: so many, and each held to the deadline of its request.

A thread cannot be killed. At the deadline the asker is answered; the thread is stopped by its view
at its next look into a store, and until it has ended it counts as a request of its principal.
Decides also what somebody elsewhere is told of a fault that is none of his.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from tadoru import deadline
from tadoru.errors import ConfigError, StoreBusy, StoreError, TadoruError, Unavailable
from tadoru.web.identity import ASKER, LOCAL

log = logging.getLogger(__name__)

T = TypeVar("T")

GRACE_SECONDS = 1.0
"""After its deadline a call has this long to say so itself."""


@dataclass(slots=True)
class Workers:
    """A pool of threads. `measured`: given tool, seconds and the code of the error of each call."""

    pool: ThreadPoolExecutor
    measured: Callable[[str, float, str], None]

    @classmethod
    def of(cls, threads: int, measured: Callable[[str, float, str], None]) -> Workers:
        return cls(ThreadPoolExecutor(threads, thread_name_prefix="tadoru"), measured)

    async def run(self, function: Callable[[], T], tool: str = "") -> T:
        """Call a function for the request under way. Raises: what it raises, and `TimeUp`."""
        asker = ASKER.get()
        asker.slot.hold()
        work = partial(copy_context().run, self._held_to_deadline, function, tool)
        try:
            working = self.pool.submit(work)
        except RuntimeError:  # the process is leaving
            asker.slot.release()
            raise Unavailable("this service is stopping", hint="ask again") from None
        working.add_done_callback(lambda _: asker.slot.release())
        waiting = asyncio.wrap_future(working)
        done, _ = await asyncio.wait([waiting], timeout=asker.deadline.seconds + GRACE_SECONDS)
        if not done:
            working.cancel()
            waiting.add_done_callback(_seen)
            try:
                asker.deadline.check()
            finally:
                asker.deadline.cancel()
        return await waiting

    def _held_to_deadline(self, function: Callable[[], T], tool: str) -> T:
        asker, began, code = ASKER.get(), time.perf_counter(), ""
        if tool:
            asker.tool = tool
        try:
            with deadline.within(asker.deadline):
                asker.deadline.check()  # it may have waited for a thread for too long
                return function()
        except TadoruError as error:
            code = error.code
            if asker.identity.issuer == LOCAL:
                raise
            raise _without_details(error) from error
        except Exception as error:
            code = type(error).__name__
            raise
        finally:
            self.measured(asker.tool, time.perf_counter() - began, code)

    def close(self) -> None:
        self.pool.shutdown(wait=False, cancel_futures=True)


def _seen(waiting: asyncio.Future[T]) -> None:
    """Take the outcome of work that nobody waits for, so that nobody warns of it."""
    if not waiting.cancelled():
        waiting.exception()


def _without_details(error: TadoruError) -> TadoruError:
    """Return what somebody elsewhere is told: nothing of files and services of this machine."""
    if isinstance(error, StoreBusy):
        return StoreBusy("the index is busy", hint="ask again")
    if isinstance(error, (StoreError, ConfigError, Unavailable)):
        log.error("%s", error)
        return Unavailable("a part of this service is away", hint="its log says which")
    return error
