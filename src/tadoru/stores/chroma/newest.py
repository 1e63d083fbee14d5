"""The newest state of a collection that is known, and when it is looked at again.

A state is believed for two seconds. While the server is away it counts for half a minute more, and
then nothing is answered; only one asker waits for a look, the others go on with what there is.
After any other failure than that of the server nothing is known any more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from tadoru.errors import TadoruError
from tadoru.stores.cache import Cache
from tadoru.stores.chroma import snapshot as snapshots
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.collection import Away, Collection, Gone
from tadoru.stores.chroma.snapshot import FindSize, Snapshot
from tadoru.types import HIDDEN, PUBLIC, AccessRow

CHECK_SECONDS = 2.0
"""How long the tree is believed before it is asked for again: so late a label takes effect."""
GRACE_SECONDS = 30.0
"""How long it is believed while the server is away."""
PAUSE_SECONDS = 3.0
"""After a look in vain nobody else looks for so long."""
T = TypeVar("T")


class Newest:
    """Looks at one collection. Threads share one."""

    def __init__(
        self,
        connect: Callable[[], Collection],
        names: FieldNames,
        cache: Cache,
        find_size: FindSize,
    ) -> None:
        """`connect`: finds the collection, by name; `find_size`: as in `Snapshot`."""
        self._connect = connect
        self._names = names
        self._cache = cache
        self._find_size = find_size
        self._rows: dict[tuple[bool, frozenset[str]], AccessRow] = {
            (False, frozenset()): HIDDEN,
            (True, frozenset()): PUBLIC,
        }
        self._looking = threading.Lock()
        self._collection: Collection | None = None
        self._snapshot: Snapshot | None = None
        self._seen = float("-inf")
        """When the snapshot was last found to be the newest state."""
        self._failed = float("-inf")
        self._failure: Away | None = None

    @property
    def rows(self) -> tuple[AccessRow, ...]:
        """The labels that were seen so far; their numbers stay."""
        return tuple(self._rows.values())

    def outdated(self) -> str:
        """Tell since when the server is away; empty when it is not."""
        failure = self._failure
        if failure is None:
            return ""
        age = max(1, round(time.monotonic() - self._seen))
        return f"{failure.message}; this is what was there {age} s ago"

    def get(self) -> Snapshot:
        """Return the newest state that is known, after a look at the collection when it is due.

        Raises: `Away` when the server does not answer, `Gone` without the collection,
        `NotIndexed`, `CorruptStore`, `NewerStore` for its tree.
        """
        known, age = self._snapshot, time.monotonic() - self._seen
        if known is not None and age <= CHECK_SECONDS:
            return known
        usable = known is not None and age <= GRACE_SECONDS
        if usable and not self._looking.acquire(blocking=False):
            assert known is not None
            return known  # somebody else is looking
        if not usable:
            self._looking.acquire()
        try:
            return self._look()
        finally:
            self._looking.release()

    def again(self, seen: Snapshot) -> Snapshot:
        """Look at the collection now, because what `seen` promised was not there."""
        with self._looking:
            if self._snapshot is seen:
                self._seen = float("-inf")
                self._failure = None
                return self._look()
        return self.get()

    def ask(self, question: Callable[[Snapshot], T]) -> T:
        """Ask the newest state; once more when the collection was replaced meanwhile."""
        snapshot = self.get()
        try:
            return question(snapshot)
        except Gone:
            return question(self.again(snapshot))

    def _look(self) -> Snapshot:
        known, age = self._snapshot, time.monotonic() - self._seen
        if known is not None and age <= CHECK_SECONDS:
            return known
        usable = known if known is not None and age <= GRACE_SECONDS else None
        if self._failure is not None and time.monotonic() - self._failed < PAUSE_SECONDS:
            if usable is not None:
                return usable
            raise self._failure
        try:
            found = self._read()
        except Away as error:
            self._failed, self._failure = time.monotonic(), error
            if usable is not None:
                return usable
            raise
        self._seen, self._failure = time.monotonic(), None
        self._snapshot = found
        return found

    def _read(self) -> Snapshot:
        """Read the state of the collection; of its successor of the same name, if it is gone."""
        before = self._snapshot
        for attempt in range(2):
            try:
                if self._collection is None:
                    self._collection = self._connect()
                return snapshots.read(
                    self._collection,
                    self._names,
                    before,
                    self._label,
                    self._find_size,
                    self._cache,
                )
            except Gone:
                self._collection = self._snapshot = before = None
                if attempt:
                    raise
            except Away:
                raise
            except TadoruError:
                self._snapshot = None
                raise
        raise AssertionError("two attempts return or raise")

    def _label(self, label: AccessRow) -> AccessRow:
        """Return a label with its number in this process."""
        key = (True, frozenset[str]()) if label.public else (False, label.groups)
        if key not in self._rows:
            self._rows[key] = AccessRow(len(self._rows), False, label.groups)
        return self._rows[key]
