"""Caches of pages, trees and pieces of objects: in memory, and in a Redis that processes share.

Disposable, all of it: keyed by store, generation and access labels, checked when it comes back, and
nothing depends on it but speed.
"""

from tadoru.config import MIB, CacheConfig
from tadoru.stores.cache.base import Cache, Scope
from tadoru.stores.cache.flight import SingleFlight
from tadoru.stores.cache.memory import MemoryCache
from tadoru.stores.cache.tiers import TieredCache

__all__ = ["Cache", "MemoryCache", "Scope", "SingleFlight", "TieredCache", "open_cache"]


def open_cache(settings: CacheConfig) -> Cache:
    """Return the configured cache: memory, in front of Redis when it has an address.

    Raises: `Unavailable` without the extra `tadoru[redis]`, `ConfigError` for a bad address.
    """
    near = MemoryCache(settings.megabytes * MIB)
    if not settings.url:
        return near
    from tadoru.stores.cache.redis import RedisCache

    return TieredCache(near, RedisCache(settings.url, seconds=settings.seconds))
