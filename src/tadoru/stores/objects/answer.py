"""What a store answers to a question for bytes, and the words for what can be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from tadoru.errors import StoreError, Unavailable
from tadoru.stores.objects.pointer import Location


@dataclass(frozen=True, slots=True)
class Answer:
    """Bytes of an object, with what the store says about the whole of it."""

    data: bytes
    start: int
    """Where `data` begins in the object."""
    total: int
    """Bytes of the whole object."""
    etag: str
    """Empty when the store gave none."""


class StoreAway(Unavailable):
    """The store gave no answer, or said that it can't now."""

    def __init__(self, place: Location, why: str) -> None:
        super().__init__(f"{place}: the object store did not answer: {why}", hint="try again later")


def gone(place: Location) -> StoreError:
    return StoreError(
        f"{place}: the object behind this file is gone", hint="publish the tree again"
    )


class ObjectChanged(StoreError):
    """The object is not the one that was meant, or not any more."""

    def __init__(self, place: Location, what: str) -> None:
        super().__init__(
            f"{place}: the object behind this file has changed since the tree was made: {what}",
            hint="publish the tree again",
        )


def bare(etag: str) -> str:
    """Return an ETag without its quotes: stores and publishers differ in them."""
    return etag[1:-1] if len(etag) > 1 and etag[0] == etag[-1] == '"' else etag
