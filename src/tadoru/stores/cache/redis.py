"""RedisCache: a cache that processes and machines share.

Whatever goes wrong there is the same as knowing nothing: no answer within a deadline, a refusal, a
value that is not what was put (see `envelope`). Never waits longer than the deadline for one
question, and asks no server that is down (see `breaker`). What is kept, and for how long under
pressure, is the server's own `maxmemory-policy`; every key also has a time to live, so that old
generations go away by themselves.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar
from weakref import finalize

from tadoru.errors import ConfigError, Unavailable
from tadoru.stores.cache.breaker import Breaker
from tadoru.stores.cache.envelope import seal, unseal

Value = TypeVar("Value")

PREFIX = "tadoru:"
DEADLINE_SECONDS = 0.25
"""The most that a question for one value may take, all its packets together."""
SECONDS_PER_VALUE = 0.004
"""What each further value of one question may take: 256 KiB, a piece of an object, at 64 MB/s."""
DAY_SECONDS = 24 * 3600
ASKED_AT_ONCE = 64
"""Keys of one MGET or one pipeline."""
LARGEST_STORED = 16 * 1024 * 1024
"""Larger values, in bytes after compression, are not sent: they would hold up all others."""
CONNECTIONS = 256
REFUSED_SECONDS = 1.0
"""How long nothing is put after a refusal: the server is full, or a replica."""


class RedisCache:
    """A `Cache` in a Redis server; nothing is connected before the first question."""

    def __init__(
        self, url: str, *, seconds: int = DAY_SECONDS, deadline: float = DEADLINE_SECONDS
    ) -> None:
        """`url`: `redis://`, `rediss://` or `unix://`; `seconds`: how long a value lives.

        Raises: `Unavailable` without the extra `tadoru[redis]`, `ConfigError` for a bad URL.
        """
        try:
            import redis
        except ImportError as error:
            raise Unavailable(
                "a cache in Redis needs an optional part", hint="pip install 'tadoru[redis]'"
            ) from error
        try:
            pool = redis.ConnectionPool.from_url(
                url,
                max_connections=CONNECTIONS,
                protocol=2,
                retry=redis.retry.Retry(redis.backoff.NoBackoff(), 0),
            )
        except (ValueError, TypeError):  # the words of redis-py would repeat a password
            raise ConfigError(
                "the address of the cache is no Redis address",
                hint="set cache.url to redis://host:6379/0",
            ) from None
        # what the address itself asks for must not undo these
        own = {"socket_timeout": deadline, "socket_connect_timeout": deadline}
        pool.connection_kwargs.update(own, decode_responses=False)
        self._deadline = deadline
        self._seconds = max(1, seconds)
        self._ends = _Ends()
        pool.connection_class = _timed(pool.connection_class, self._ends)
        self._client = redis.Redis(connection_pool=pool)
        self._refusal = redis.exceptions.ResponseError
        self._errors = (redis.exceptions.RedisError, OSError, ValueError)
        ask = partial(_ping, self._client, self._ends, deadline)
        self._breaker = Breaker(ask, patience=deadline)
        self.close = finalize(self, pool.disconnect)
        """Close all connections; also done when nobody holds the cache any more."""
        self._refused_until = float("-inf")

    @property
    def away(self) -> str:
        """Why the server is not asked now; empty while it is."""
        return self._breaker.reason

    @property
    def ready(self) -> bool:
        """Tell whether the server is asked now."""
        return self._breaker.allows()

    def get(self, key: str) -> bytes | None:
        data = self._ask(self._client.get, _name(key))
        return unseal(key, data) if isinstance(data, bytes) else None

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for start in range(0, len(keys), ASKED_AT_ONCE):
            batch = keys[start : start + ASKED_AT_ONCE]
            answer = self._ask(self._client.mget, [_name(key) for key in batch], len(batch))
            if answer is None:
                break
            for key, data in zip(batch, answer, strict=True):
                value = unseal(key, data) if isinstance(data, bytes) else None
                if value is not None:
                    found[key] = value
        return found

    def put(self, key: str, value: bytes) -> None:
        self.put_many({key: value})

    def put_many(self, items: Mapping[str, bytes]) -> None:
        for batch in self._sealed(items):
            if time.monotonic() < self._refused_until or not self._breaker.allows():
                return
            self._ask(self._send, batch, len(batch))

    def _sealed(self, items: Mapping[str, bytes]) -> Iterator[dict[bytes, bytes]]:
        """Yield what is to be sent, in batches that each go within a deadline."""
        batch: dict[bytes, bytes] = {}
        size = 0
        for key, value in items.items():
            if not self._breaker.allows():
                return
            data = seal(key, value)
            if len(data) > LARGEST_STORED:
                continue
            batch[_name(key)] = data
            size += len(data)
            if len(batch) >= ASKED_AT_ONCE or size >= LARGEST_STORED // 4:
                yield batch
                batch, size = {}, 0
        if batch:
            yield batch

    def _send(self, batch: Mapping[bytes, bytes]) -> None:
        pipe = self._client.pipeline(transaction=False)
        for name, data in batch.items():
            pipe.set(name, data, ex=self._seconds)
        pipe.execute()

    def _ask(self, question: Callable[..., Value], argument: Any, values: int = 1) -> Value | None:
        """Return the answer; None when there is none, for whatever reason."""
        if not self._breaker.allows():
            return None
        more = (values - 1) * SECONDS_PER_VALUE
        began = time.monotonic()
        try:
            with self._ends.within(self._deadline + more):
                answer = question(argument)
        except self._refusal:  # full, a replica, a key of another type: it is there, but says no
            self._refused_until = began + REFUSED_SECONDS
            return None
        except self._errors as error:
            self._breaker.failed(error)
            return None
        self._breaker.took(time.monotonic() - began - more)
        return answer


def _name(key: str) -> bytes:
    return (PREFIX + key).encode("utf-8", "surrogatepass")


def _ping(client: Any, ends: _Ends, seconds: float) -> None:
    with ends.within(seconds):
        client.ping()


class _Ends:
    """When the question that this thread asks must be over, as `time.monotonic` counts."""

    def __init__(self) -> None:
        self._own = threading.local()

    def within(self, seconds: float) -> _Ends:
        self._own.end = time.monotonic() + seconds
        return self

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        self._own.end = None

    def left(self, wish: float | None) -> float | None:
        """Return the seconds that a wait may last. Raises: TimeoutError when none are left."""
        end = getattr(self._own, "end", None)
        if end is None or wish == 0:
            return wish
        left: float = end - time.monotonic()
        if left <= 0:
            raise TimeoutError("no answer within the deadline")
        return left if wish is None else min(wish, left)


class _TimedSocket:
    """A socket whose waits all end at one moment: its own timeout holds for each packet alone."""

    def __init__(self, inner: Any, ends: _Ends) -> None:
        self._inner = inner
        self._ends = ends
        self._wish: float | None = inner.gettimeout()

    def settimeout(self, seconds: float | None) -> None:
        self._wish = seconds

    def recv(self, *arguments: Any) -> bytes:
        self._inner.settimeout(self._ends.left(self._wish))
        data: bytes = self._inner.recv(*arguments)
        return data

    def recv_into(self, *arguments: Any) -> int:
        self._inner.settimeout(self._ends.left(self._wish))
        count: int = self._inner.recv_into(*arguments)
        return count

    def sendall(self, *arguments: Any) -> None:
        self._inner.settimeout(self._ends.left(self._wish))
        self._inner.sendall(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _timed(connection: Any, ends: _Ends) -> Any:
    """Return a class of connections whose sockets keep the deadline of the question."""

    class Timed(connection):  # type: ignore[misc]
        def _connect(self) -> Any:
            return _TimedSocket(super()._connect(), ends)

    return Timed
