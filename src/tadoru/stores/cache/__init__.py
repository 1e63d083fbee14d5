"""Caches of pages, trees and pieces of objects: in memory, and in a Redis that processes share.

Disposable, all of it: keyed by store, generation and access labels, checked when it comes back, and
nothing depends on it but speed.
"""

from tadoru.stores.cache.base import Cache, Scope
from tadoru.stores.cache.flight import SingleFlight
from tadoru.stores.cache.memory import MemoryCache
from tadoru.stores.cache.tiers import TieredCache

__all__ = ["Cache", "MemoryCache", "Scope", "SingleFlight", "TieredCache"]
