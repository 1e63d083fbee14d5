"""A claim on a collection: of several who publish into it, one at a time.

The first to add the claim has it; Chroma keeps a row that is there already. Whoever holds it gives
a sign of life every few seconds, so that a claim of somebody who was killed is found out: on the
same machine at once, elsewhere after twenty seconds without a sign. Refuses to wait for the living.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from tadoru.errors import StoreBusy, TadoruError
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.collection import Collection
from tadoru.stores.sqlite.lock import started

BEAT_SECONDS = 2.0
SILENCE_SECONDS = 20.0
"""Without a sign for so long, the holder of a claim counts as dead."""
_POLL_SECONDS = 0.25
_held: set[str] = set()
"""Owners in this process whose publication goes on: one that failed may have left its claim."""
_AGAIN = "run it again when that one is done; one publication at a time"


def claim_id(names: FieldNames) -> str:
    return f"{names.tree}@publishing"


@contextmanager
def claimed(collection: Collection, names: FieldNames, dimension: int) -> Iterator[Claim]:
    """Hold the claim on a collection. Raises: `StoreBusy` while somebody else lives who has it."""
    claim = Claim(collection, names, dimension)
    claim.take()
    over = threading.Event()
    beating = threading.Thread(target=claim.beat_until, args=(over,), name="tadoru-claim",
                               daemon=True)  # fmt: skip
    beating.start()
    _held.add(claim.owner)
    try:
        yield claim
    finally:
        _held.discard(claim.owner)
        over.set()
        beating.join()
        with suppress(TadoruError):  # the next publication finds that nobody holds it
            claim.drop(claim.owner)


class Claim:
    """One publication's claim."""

    def __init__(self, collection: Collection, names: FieldNames, dimension: int) -> None:
        """`dimension`: numbers of a vector, which every row has to have."""
        self._collection = collection
        self._names = names
        self.vector = [1.0] + [0.0] * (dimension - 1)
        self._id = claim_id(names)
        self.owner = uuid4().hex
        self._beats = 0

    @property
    def ids(self) -> frozenset[str]:
        """The rows that it consists of."""
        return frozenset({self._id, self._sign(self.owner)})

    def take(self) -> None:
        """Become the holder. Raises: `StoreBusy`."""
        pid = os.getpid()
        mine = {"owner": self.owner, "place": _place(), "pid": pid, "started": started(pid)}
        while True:
            self._collection.add([self._id], [self._id], [self._row(mine)], [self.vector])
            holder = self._holder()
            owner = str(holder.get("owner", ""))
            if owner == self.owner:
                return
            if owner and self._lives(holder):
                raise StoreBusy(
                    f"another publication is under way (process {holder.get('pid')})", hint=_AGAIN
                )
            self.drop(owner)

    def check(self) -> None:
        """Make sure that nobody took this for dead. Raises: `StoreBusy`."""
        if self._holder().get("owner") != self.owner:
            raise StoreBusy(
                "this publication stood still for so long that another one took its place",
                hint=_AGAIN,
            )

    def drop(self, owner: str) -> None:
        """Remove somebody's claim, and nobody else's."""
        if owner:
            self._collection.delete([self._id], where={"owner": owner})
            self._collection.delete([self._sign(owner)])

    def beat_until(self, over: threading.Event) -> None:
        """Give signs of life."""
        while not over.wait(BEAT_SECONDS):
            self._beats += 1
            name = self._sign(self.owner)
            with suppress(TadoruError):  # a server that is away for a while hears the next one
                self._collection.upsert(
                    [name], [name], [self._row({"beats": self._beats})], [self.vector]
                )

    def _row(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        return {self._names.page: self._names.tree, **facts}

    def _sign(self, owner: str) -> str:
        return f"{self._id}#{owner}"

    def _holder(self) -> Mapping[str, Any]:
        return self._facts(self._id)

    def _facts(self, name: str) -> Mapping[str, Any]:
        metadatas = self._collection.get(ids=[name], include=["metadatas"])["metadatas"]
        return (metadatas or [None])[0] or {}

    def _lives(self, holder: Mapping[str, Any]) -> bool:
        """Tell whether the process that holds the claim is there, by its signs if it is elsewhere.

        It counts as gone, too, when it gives its claim up meanwhile.
        """
        if holder.get("place") and holder["place"] == _place():
            if holder["pid"] == os.getpid():
                return holder["owner"] in _held
            if started(int(holder["pid"])) != holder["started"]:
                return False
        sign = self._sign(str(holder["owner"]))
        before = self._facts(sign).get("beats")
        deadline = time.monotonic() + SILENCE_SECONDS
        while time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
            if self._holder().get("owner") != holder["owner"]:
                return False
            if self._facts(sign).get("beats") != before:
                return True
        return False


def _place() -> str:
    """Return what names this machine and its table of processes; empty where nothing does."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""
