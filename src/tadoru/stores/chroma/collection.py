"""What a collection can be asked and told, whichever way it is reached, and how often one tries.

What fails because the server is away or busy is tried again until a deadline; that is harmless for
writes too, as each names the ids that it sets or removes. Errors say what happened and never hold
the token.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from tadoru.errors import StoreError, Unavailable

Row = Mapping[str, Any]
T = TypeVar("T")

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 0.8
"""Seconds between two tries, doubled from the first to the longest."""
AWAY_SECONDS = 5.0
"""So long a server that does not answer at all is tried: a restart takes two to four."""
ANSWER_SECONDS = 30.0
"""So long one question may take in all, tries and pauses included."""


class Away(Unavailable):
    """The server does not answer, or says that it cannot now: trying again may help."""


class Gone(Unavailable):
    """The collection does not exist, or not any more."""


class Refused(StoreError):
    """The server does not take the question: trying again cannot help."""


class Collection(Protocol):
    """One collection of a server or of a directory. Threads may share one."""

    @property
    def id(self) -> str:
        """Names this very collection: one that is made anew under the same name has another."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers of a vector; 0 while the collection is empty."""
        ...

    @property
    def space(self) -> str:
        """How distances are measured: `l2`, `cosine` or `ip`."""
        ...

    def get(
        self,
        *,
        include: Sequence[str],
        ids: Sequence[str] | None = None,
        where: Row | None = None,
        where_document: Row | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> dict[str, Any]:
        """Return `ids` and what `include` names, as lists of one length.

        Raises: `Away`, `Gone`, `Refused`.
        """
        ...

    def count(self) -> int: ...

    def query(self, vector: Sequence[float], n: int) -> dict[str, Any]:
        """Return `ids`, `metadatas` and `embeddings` of the `n` nearest, the nearest first."""
        ...

    def add(
        self,
        ids: Sequence[str],
        documents: Sequence[str],
        metadatas: Sequence[Row],
        vectors: Sequence[Sequence[float]],
    ) -> None:
        """Write rows that are not there; what is there already stays as it is."""
        ...

    def upsert(
        self,
        ids: Sequence[str],
        documents: Sequence[str],
        metadatas: Sequence[Row],
        vectors: Sequence[Sequence[float]],
    ) -> None: ...

    def delete(self, ids: Sequence[str], *, where: Row | None = None) -> None:
        """Remove rows; those alone that `where` admits."""
        ...


def patiently(ask: Callable[[float], T], *, away: float, answer: float) -> T:
    """Call `ask(seconds left)` until it answers; it is given up after `away` seconds without any
    sign of life, after `answer` seconds in all.

    Raises: `Away`, and whatever else `ask` raised at once.
    """
    begun = time.monotonic()
    pause = FIRST_PAUSE
    while True:
        try:
            return ask(begun + answer - time.monotonic())
        except Away:
            spent = time.monotonic() - begun
            if spent + pause >= min(away, answer):
                raise
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
