"""ObjectReader: the bytes behind a pointer, fetched when somebody reads them, in blocks.

A block is kept in the cache under what the object was (URL, size, ETag), so another object never
answers for it. Sequential reading fetches twice as much each time. Every answer is held against the
pointer: another ETag, another size or another number of bytes is an error, never content. Decides
nothing about who may read: whoever holds a pointer was shown its entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from tadoru.config import ObjectsConfig
from tadoru.errors import LimitExceeded, Unavailable
from tadoru.stores.cache import Cache, MemoryCache, Scope, SingleFlight
from tadoru.stores.objects import stores, web
from tadoru.stores.objects.answer import Answer, ObjectChanged, StoreAway, bare
from tadoru.stores.objects.deadline import within
from tadoru.stores.objects.pointer import AllowList, Location, Pointer
from tadoru.stores.objects.recent import Absences, Etags, Strides

BLOCK_BYTES = 256 * 1024
"""As much as the shell reads of a file at a time, so that `head` is one request."""
MOST_BLOCKS = 32
"""Blocks of one request: 8 MiB."""
OWN_CACHE_BYTES = 32 * 1024 * 1024


class ObjectReader:
    """Reads objects that the user's configuration allows. Threads share one."""

    def __init__(self, settings: ObjectsConfig, cache: Cache | None = None) -> None:
        """`cache`: where blocks are kept; by default a small one of its own.

        Raises: `ConfigError` for prefixes that cannot be ones.
        """
        self._settings = settings
        self._allowed = AllowList(settings.allow, settings.options)
        self._cache = cache if cache is not None else MemoryCache(OWN_CACHE_BYTES)
        self._flights: SingleFlight[dict[int, bytes]] = SingleFlight()
        self._etags = Etags()
        self._strides = Strides(MOST_BLOCKS)
        self._absences = Absences()

    def read(self, pointer: Pointer, *, start: int = 0, size: int = -1) -> bytes:
        """Return bytes of an object: from `start`, `size` of them, or to the end when negative.

        Raises: `StoreError` when the object is gone or not the one that is meant, `Unavailable`
        when it may not be read or the store does not answer, `LimitExceeded` for more than
        `objects.max_bytes` at once.
        """
        place = self._allowed.check(pointer.url)
        start = min(max(0, start), pointer.size)
        end = pointer.size if size < 0 else min(start + size, pointer.size)
        if start >= end:
            return b""
        if end - start > self._settings.max_bytes:
            raise LimitExceeded(
                f"{end - start} bytes are more than is read of an object at once "
                f"({self._settings.max_bytes})",
                hint="read it in parts, with head or tail",
            )
        wanted = range(start // BLOCK_BYTES, -(-end // BLOCK_BYTES))
        blocks = self._of_one_object(place, pointer, wanted)
        data = b"".join(blocks[number] for number in wanted)
        first = wanted.start * BLOCK_BYTES
        return data if len(data) == end - start else data[start - first : end - first]

    def describe(self, url: str) -> Pointer:
        """Return a pointer to an object as it is now, for a tree that is made.

        Raises: as `read`.
        """
        place = self._allowed.check(url)
        try:
            answer = self._fetch(place, (0, 1), "")
        except (ObjectChanged, Unavailable):  # an empty object has no first byte
            answer = self._fetch(place, None, "")
        return Pointer(str(place), answer.total, bare(answer.etag))

    def _of_one_object(
        self, place: Location, pointer: Pointer, wanted: range
    ) -> Mapping[int, bytes]:
        """Return blocks that all come from one object, also when its pointer has no ETag.

        Such an object may change between two fetches; everything is read anew once then.
        """
        pinned = bare(pointer.etag)
        try:
            return self._under(place, pointer.size, pinned, wanted)
        except ObjectChanged:
            self._etags.forget(str(place))
            if pinned:
                raise
        return self._under(place, pointer.size, pinned, wanted)

    def _under(self, place: Location, size: int, pinned: str, wanted: range) -> Mapping[int, bytes]:
        """Return blocks of the object with an ETag: that of the pointer, or the one seen last."""
        etag = pinned or self._etags.get(str(place))
        if etag:
            return self._blocks(place, size, etag, wanted)
        return self._first_sight(place, size, wanted)

    def _first_sight(self, place: Location, size: int, wanted: range) -> dict[int, bytes]:
        """Read blocks of an object whose ETag nobody knows, with one request, and note it."""
        answer = self._fetch(place, _extent(wanted, size), "")
        _check_size(place, answer, size)
        blocks = _cut(place, answer, wanted, size)
        if etag := bare(answer.etag):
            self._etags.put(str(place), etag)
            self._keep(_scope(place, size, etag), blocks)
        return blocks

    def _blocks(self, place: Location, size: int, etag: str, wanted: range) -> dict[int, bytes]:
        scope = _scope(place, size, etag)
        found = self._known(scope, wanted, size)
        count = -(-size // BLOCK_BYTES)
        stride = self._strides.next(scope.key(""), wanted)
        for run in _missing(found, wanted):
            if run.stop == wanted.stop:  # as far ahead as this reader has shown that it goes
                run = range(run.start, min(count, max(run.stop, wanted.start + stride)))
            fetch = partial(self._get, place, size, etag, run)
            found.update(self._flights.do(scope.key(f"{run.start}-{run.stop}"), fetch))
        return found

    def _known(self, scope: Scope, wanted: range, size: int) -> dict[int, bytes]:
        keys = {scope.key(str(number)): number for number in wanted}
        known = self._cache.get_many(list(keys))
        blocks = {keys[key]: block for key, block in known.items()}
        return {n: b for n, b in blocks.items() if len(b) == _length(n, size)}

    def _get(self, place: Location, size: int, etag: str, run: range) -> dict[int, bytes]:
        answer = self._fetch(place, _extent(run, size), etag)
        _check_size(place, answer, size)
        if not answer.etag:
            raise Unavailable(f"{place}: the object store gives no ETag to check it by")
        if bare(answer.etag) != etag:
            raise ObjectChanged(place, "its ETag is another one")
        blocks = _cut(place, answer, run, size)
        self._keep(_scope(place, size, etag), blocks)
        return blocks

    def _keep(self, scope: Scope, blocks: Mapping[int, bytes]) -> None:
        self._cache.put_many({scope.key(str(number)): block for number, block in blocks.items()})

    def _fetch(self, place: Location, wish: tuple[int, int] | None, etag: str) -> Answer:
        seconds = self._settings.timeout_seconds
        limit = self._settings.max_bytes + 2 * BLOCK_BYTES  # a block begun at either end
        options = stores.frozen(self._allowed.options(place))

        def work() -> Answer:
            if place.scheme not in ("s3", "http", "https"):
                root = self._allowed.root(place)
                return stores.ask(place, root, options, wish=wish, limit=limit, seconds=seconds)
            address = stores.signed(place, options) if place.scheme == "s3" else str(place)
            return web.fetch(place, address, wish=wish, etag=etag, limit=limit, seconds=seconds)

        store = f"{place.scheme}://{place.host}"
        if self._absences.has(store):
            raise StoreAway(place, "it did not a moment ago")
        began = self._absences.now()
        try:
            return within(seconds, work, place)
        except StoreAway:
            self._absences.failed(store, began)
            raise
        except ImportError:
            raise Unavailable(
                "files in object stores need an optional part",
                hint="pip install 'tadoru[objects]'",
            ) from None


def _scope(place: Location, size: int, etag: str) -> Scope:
    return Scope(f"object:{place}:{size}:{etag}", 0, ())


def _extent(run: range, size: int) -> tuple[int, int]:
    """Return the half-open range of bytes that a run of blocks covers."""
    return run.start * BLOCK_BYTES, min(size, run.stop * BLOCK_BYTES)


def _length(number: int, size: int) -> int:
    return min(BLOCK_BYTES, size - number * BLOCK_BYTES)


def _missing(found: Mapping[int, bytes], wanted: Iterable[int]) -> Iterator[range]:
    """Yield runs of blocks that are not there, each at most as long as one request may be."""
    start = stop = -1
    for number in wanted:
        if number in found:
            continue
        if number != stop or stop - start >= MOST_BLOCKS:
            if start >= 0:
                yield range(start, stop)
            start = number
        stop = number + 1
    if start >= 0:
        yield range(start, stop)


def _check_size(place: Location, answer: Answer, size: int) -> None:
    if answer.total != size:
        raise ObjectChanged(place, f"it has {answer.total} bytes instead of {size}")


def _cut(place: Location, answer: Answer, run: range, size: int) -> dict[int, bytes]:
    """Cut an answer into blocks; it may hold more than was asked for."""
    first, end = _extent(run, size)
    if answer.start > first or answer.start + len(answer.data) < end:
        raise Unavailable(f"{place}: the object store sent another part than was asked for")
    data = memoryview(answer.data)
    return {
        number: bytes(data[at : at + _length(number, size)])
        for number in run
        if (at := number * BLOCK_BYTES - answer.start) >= 0
    }
