"""What a cache of pages, trees and pieces of objects is, and the keys under which things lie.

A key names the store, its generation and the access labels that the value was made for, never a
user: two who may see the same share what is cached, and two who may not cannot meet. Access ids are
numbered by each process as it meets them, so the labels themselves are digested. A cache may lose
anything at any time and never fails: the worst it does is to know nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Protocol, runtime_checkable

from tadoru.types import AccessRow


@runtime_checkable
class Cache(Protocol):
    """Bytes by key. Threads may share one."""

    def get(self, key: str) -> bytes | None:
        """Return what was put there, exactly; None when it is not known (any more)."""
        ...

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return those of the values that are known, asked for in bulk."""
        ...

    def put(self, key: str, value: bytes) -> None:
        """Keep a value, or don't: it may be too large, or nobody may be there to keep it."""
        ...

    def put_many(self, items: Mapping[str, bytes]) -> None: ...


class Scope:
    """The part of a key that says whose catalogue, which generation, and for which labels."""

    __slots__ = ("_prefix",)

    def __init__(self, store: str, generation: int, labels: Iterable[AccessRow]) -> None:
        """`labels`: those that the value was made for: of an access set, or of one entry alone.

        A public label has no groups that count, and an order of labels does not exist.
        """
        named = {"public" if row.public else _named(row.groups) for row in labels}
        digest = blake2b(digest_size=16)
        for part in (store, str(generation), *sorted(named)):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
        self._prefix = digest.hexdigest()

    def key(self, kind: str, name: str = "") -> str:
        """Return the key of one thing: `scope.key("page", path)`, `scope.key("tree")`."""
        return f"{self._prefix}:{kind}:{name}"


def _named(groups: Iterable[str]) -> str:
    return "groups:" + "".join(f"{len(group)}:{group}" for group in sorted(groups))
