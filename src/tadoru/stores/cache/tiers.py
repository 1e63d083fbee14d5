"""TieredCache: memory in front of a cache that other processes share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tadoru.stores.cache.base import Cache
from tadoru.stores.cache.memory import MemoryCache


class TieredCache:
    """A `Cache` of two levels: what the far one knows is kept near."""

    def __init__(self, near: MemoryCache, far: Cache) -> None:
        self.near = near
        self.far = far

    def get(self, key: str) -> bytes | None:
        value = self.near.get(key)
        if value is None and (value := self.far.get(key)) is not None:
            self.near.put(key, value)
        return value

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        found = self.near.get_many(keys)
        missing = [key for key in keys if key not in found]
        if missing and (fetched := self.far.get_many(missing)):
            self.near.put_many(fetched)
            found.update(fetched)
        return found

    def put(self, key: str, value: bytes) -> None:
        self.near.put(key, value)
        self.far.put(key, value)

    def put_many(self, items: Mapping[str, bytes]) -> None:
        self.near.put_many(items)
        self.far.put_many(items)
