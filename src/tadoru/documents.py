"""Sources that are document stores: a collection in a Chroma server or directory, read as it is.

Who opens the same address twice in one process shares its tree, its connections and its index. A
store that is away costs its own mount only: the rest of the tree answers, and every answer says
what is missing.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from tadoru.config import CacheConfig, Config, ObjectsConfig
from tadoru.types import Freshness, IndexState, Principal

if TYPE_CHECKING:
    from tadoru.stores.cache import Cache
    from tadoru.stores.chroma import Address, ChromaStore

_Settings = tuple[CacheConfig, ObjectsConfig, Path | None]

_open: WeakValueDictionary[str, _Shared] = WeakValueDictionary()
_opening = threading.Lock()


class _Shared:
    """An open store, and the settings that it was opened with."""

    __slots__ = ("__weakref__", "settings", "store")

    def __init__(self, store: ChromaStore, settings: _Settings) -> None:
        self.store = store
        self.settings = settings


class ChromaSource:
    """A collection in a Chroma server or directory."""

    def __init__(
        self, address: str, config: Config | None = None, *, directory: Path | None = None
    ) -> None:
        """`address`: as in `stores.chroma.parse_address`; `directory`: where indexes are kept.

        Raises: `BadInput` for an address that is none. Nothing is asked before a question.
        """
        from tadoru.stores.chroma import parse_address

        self.place = address
        self._address = parse_address(address)
        config = config or Config()
        self._settings: _Settings = (config.cache, config.objects, directory)
        self._shared: _Shared | None = None
        self._lock = threading.Lock()
        self.away = ""
        """Why the store was left out of the last view."""

    @property
    def store(self) -> ChromaStore:
        """The store. Raises: `Unavailable` without the extra, or the token that it names."""
        with self._lock:
            if self._shared is None:
                self._shared = _shared(self._address, self._settings)
            return self._shared.store

    def freshen(self) -> None:
        """Nothing to do: the collection is the catalogue."""

    def state(self, stored: IndexState, principal: Principal) -> IndexState:
        """Say that this store was left out."""
        if not self.away:
            return stored
        detail = "; ".join(part for part in (self.away, stored.detail) if part)
        return replace(stored, status=Freshness.PARTIAL, detail=detail)

    def close(self) -> None:
        with self._lock:
            self._shared = None


def _shared(address: Address, settings: _Settings) -> _Shared:
    """Return the store that this process has open for an address, or open it."""
    from tadoru.stores.chroma import ChromaStore

    cache_settings, objects_settings, directory = settings
    with _opening:
        found = _open.get(address.text)
        if found is None or found.settings != settings:
            from tadoru.stores.objects import ObjectReader

            cache = _cache(cache_settings)
            objects = ObjectReader(objects_settings, cache)
            store = ChromaStore.open(address, cache=cache, objects=objects, directory=directory)
            found = _open[address.text] = _Shared(store, settings)
        return found


@lru_cache(maxsize=4)
def _cache(settings: CacheConfig) -> Cache:
    """Return the one cache of this process for some settings."""
    from tadoru.stores.cache import open_cache

    return open_cache(settings)
