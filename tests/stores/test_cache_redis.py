"""The shared cache against a real Redis, and against everything that can become of one."""

from __future__ import annotations

import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis_server import RedisServer

from tadoru.config import CacheConfig
from tadoru.errors import ConfigError, Unavailable
from tadoru.stores.cache import Cache, MemoryCache, Scope, TieredCache, open_cache
from tadoru.stores.cache.breaker import FIRST_PAUSE, SLOW_IN_A_ROW, Breaker
from tadoru.types import AccessRow

redis = pytest.importorskip("redis")
from tadoru.stores.cache.redis import DEADLINE_SECONDS, PREFIX, RedisCache  # noqa: E402


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    running = RedisServer(tmp_path_factory.mktemp("redis"))
    yield running
    running.kill()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[RedisServer]:
    """A server that a test may harm."""
    running = RedisServer(tmp_path)
    yield running
    running.thaw()
    running.kill()


@pytest.fixture
def cache(server: RedisServer) -> Iterator[RedisCache]:
    made = RedisCache(server.url)
    yield made
    made.close()


@pytest.fixture
def raw(server: RedisServer) -> Iterator[redis.Redis]:
    client = redis.Redis.from_url(server.url)
    yield client
    client.close()


def wait_for(condition: Callable[[], object], seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_values_come_back_exactly(cache: RedisCache) -> None:
    assert isinstance(cache, Cache)
    values = {f"exact {n}": v for n, v in enumerate([b"", b"\0\xff", b"page " * 4_000])}
    cache.put_many(values)
    assert cache.get_many([*values, "never"]) == values
    assert all(cache.get(key) == value for key, value in values.items())
    assert cache.get("never") is None
    assert cache.away == ""


def test_many_values_are_asked_for_in_bulk(cache: RedisCache) -> None:
    values = {f"bulk {number}": b"%d " % number * 300 for number in range(1_000)}
    cache.put_many(values)
    began = time.monotonic()
    assert cache.get_many(list(values)) == values
    assert time.monotonic() - began < 1.0


def test_an_address_cannot_undo_deadlines_or_bytes(server: RedisServer) -> None:
    cache = RedisCache(f"{server.url}?decode_responses=true&socket_timeout=60")
    cache.put("as bytes", b"\xff")
    assert cache.get("as bytes") == b"\xff"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        costs_only_speed(RedisCache(f"redis://127.0.0.1:{port}/0?socket_timeout=60"))


def test_large_values_in_bulk_are_not_taken_for_a_slow_server(own: RedisServer) -> None:
    import random

    cache = RedisCache(own.url)
    rng = random.Random(5)
    blocks = {f"block {number}": rng.randbytes(256 * 1024) for number in range(128)}
    cache.put_many(blocks)
    for _ in range(4):
        assert cache.get_many(list(blocks)) == blocks
    assert cache.away == ""


def test_names_that_are_no_utf8_are_keys_too(cache: RedisCache) -> None:
    cache.put("page \udcff ü 日本", b"x")
    assert cache.get("page \udcff ü 日本") == b"x"


def test_a_value_goes_away_by_itself(server: RedisServer, raw: redis.Redis) -> None:
    cache = RedisCache(server.url, seconds=1)
    cache.put("short-lived", b"x")
    assert 0 < raw.pttl(PREFIX + "short-lived") <= 1_000


def test_what_was_changed_there_is_not_known(cache: RedisCache, raw: redis.Redis) -> None:
    value = b"page " * 1_000
    cache.put("a", value)
    cache.put("b", value[::-1])
    good = raw.get(PREFIX + "a")
    for bad in (b"", b"x", good[:-1], good + b"x", good[:40] + b"\0" + good[41:],
                raw.get(PREFIX + "b"), value, b"\xff" * 100_000):  # fmt: skip
        raw.set(PREFIX + "a", bad)
        assert cache.get("a") is None
        assert cache.get_many(["a", "b"]) == {"b": value[::-1]}
    raw.delete(PREFIX + "a")
    raw.rpush(PREFIX + "a", "not", "a", "string")
    assert cache.get("a") is None
    assert cache.get_many(["a", "b"]) == {"b": value[::-1]}
    raw.delete(PREFIX + "a")


def test_values_of_another_generation_or_access_set_do_not_answer(
    cache: RedisCache, raw: redis.Redis
) -> None:
    staff = [AccessRow(4, False, frozenset({"staff"}))]
    old, now = Scope("docs", 1, staff), Scope("docs", 2, staff)
    others = Scope("docs", 2, [AccessRow(4, False, frozenset({"sales"}))])
    cache.put(old.key("page", "x"), b"old")
    cache.put(others.key("page", "x"), b"theirs")
    assert cache.get(now.key("page", "x")) is None
    # even when somebody copies what is theirs under our key
    raw.copy(PREFIX + others.key("page", "x"), PREFIX + now.key("page", "x"), replace=True)
    assert cache.get(now.key("page", "x")) is None
    cache.put(now.key("page", "x"), b"new")
    assert cache.get(now.key("page", "x")) == b"new"


SECOND = """
import sys
from tadoru.config import CacheConfig
from tadoru.stores.cache import Scope, open_cache
from tadoru.types import AccessRow

cache = open_cache(CacheConfig(url=sys.argv[1]))
# another process numbers its labels in another order
scope = Scope("docs", 7, [AccessRow(99, False, frozenset({"b", "a"})), AccessRow(1, True)])
fetched = []
for number in range(200):
    if cache.get(scope.key("page", f"p{number}")) != b"page %d " % number * 100:
        fetched.append(number)
print(len(fetched))
"""


def test_a_second_process_asks_the_source_nothing(server: RedisServer) -> None:
    cache = open_cache(CacheConfig(url=server.url))
    scope = Scope("docs", 7, [AccessRow(1, True), AccessRow(2, False, frozenset({"a", "b"}))])
    cache.put_many({scope.key("page", f"p{n}"): b"page %d " % n * 100 for n in range(200)})
    second = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(SECOND), server.url],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert second.stdout == "0\n"


def test_memory_stands_in_front(server: RedisServer, raw: redis.Redis) -> None:
    cache = open_cache(CacheConfig(url=server.url, megabytes=1))
    assert isinstance(cache, TieredCache)
    cache.put("front", b"x")
    raw.delete(PREFIX + "front")
    assert cache.get("front") == b"x"


@pytest.mark.parametrize(
    "url", ["http://host", "host:6379", "redis://host:port/0", "redis://:secret@host:x"]
)
def test_a_bad_address_is_the_users_mistake_and_no_secret_is_repeated(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RedisCache(url)
    assert "secret" not in str(caught.value)


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(Unavailable, match=r"tadoru\[redis\]"):
        open_cache(CacheConfig(url="redis://host"))


# -- dead, slow, full, restarted -------------------------------------------------------------------


def costs_only_speed(cache: RedisCache) -> None:
    """Ask a hundred things: one of them may wait for the deadline, the others for nothing."""
    began = time.monotonic()
    for number in range(100):
        assert cache.get(f"nothing {number}") is None
        cache.put(f"nothing {number}", b"x")
    assert cache.get_many([str(n) for n in range(500)]) == {}
    assert time.monotonic() - began < 3 * DEADLINE_SECONDS


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        cache = RedisCache(f"redis://127.0.0.1:{taken.getsockname()[1]}/0")
        costs_only_speed(cache)
        assert cache.away == "ConnectionError"


def test_a_port_that_accepts_and_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        cache = RedisCache(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        costs_only_speed(cache)
        wait_for(lambda: cache.away)


def test_a_port_that_does_not_speak_redis() -> None:
    with socket.create_server(("127.0.0.1", 0)) as web:

        def serve() -> None:
            try:
                while True:
                    link, _ = web.accept()
                    link.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    link.close()
            except OSError:
                return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        costs_only_speed(RedisCache(f"redis://127.0.0.1:{web.getsockname()[1]}/0"))
        web.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_server_that_is_killed_and_comes_back(own: RedisServer) -> None:
    cache = RedisCache(own.url)
    cache.put("a", b"x")
    assert cache.get("a") == b"x"
    own.kill()
    costs_only_speed(cache)
    assert cache.away
    own.start()
    wait_for(lambda: cache.get("a") is None and not cache.away, 10)
    cache.put("a", b"y")
    assert cache.get("a") == b"y"


def test_a_restart_between_two_questions_is_not_even_noticed(own: RedisServer) -> None:
    cache = RedisCache(own.url)
    cache.put("a", b"x")
    own.kill()
    own.start()
    assert cache.get("a") is None
    cache.put("a", b"y")
    assert cache.get("a") == b"y"


def test_a_server_that_is_stopped_and_goes_on(own: RedisServer) -> None:
    cache = RedisCache(own.url)
    cache.put("a", b"x")
    own.freeze()
    costs_only_speed(cache)
    assert cache.away
    own.thaw()
    wait_for(lambda: cache.get("a") == b"x", 10)


def test_fifty_threads_lose_one_deadline_each_at_most(own: RedisServer) -> None:
    cache = RedisCache(own.url)
    cache.put_many({str(n): b"%d" % n * 50 for n in range(100)})

    def work(seed: int) -> tuple[int, float]:
        wrong, longest = 0, 0.0
        for number in range(150):
            key = str((number * 7 + seed) % 100)
            began = time.monotonic()
            value = cache.get(key)
            longest = max(longest, time.monotonic() - began)
            wrong += value not in (None, key.encode() * 50)
            if seed == 0 and number == 30:
                own.freeze()
            if seed == 0 and number == 120:
                own.thaw()
        return wrong, longest

    with ThreadPoolExecutor(50) as pool:
        outcomes = list(pool.map(work, range(50)))
    assert sum(wrong for wrong, _ in outcomes) == 0
    assert max(longest for _, longest in outcomes) < 6 * DEADLINE_SECONDS


def test_a_full_server_is_still_read(tmp_path: Path) -> None:
    import random

    full = RedisServer(tmp_path, "--maxmemory", "3mb", "--maxmemory-policy", "noeviction")
    try:
        cache = RedisCache(full.url)
        cache.put("first", b"x")
        rng = random.Random(1)
        for number in range(60):
            cache.put(f"more {number}", rng.randbytes(100_000))
        assert cache.get("more 59") is None
        assert cache.get("first") == b"x"
        assert cache.away == ""
    finally:
        full.kill()


def test_a_password_that_is_refused_is_like_no_server(tmp_path: Path) -> None:
    locked = RedisServer(tmp_path, "--requirepass", "right")
    try:
        costs_only_speed(RedisCache(locked.url))
        good = RedisCache(locked.url.replace("redis://", "redis://:right@"))
        good.put("a", b"x")
        assert good.get("a") == b"x"
    finally:
        locked.kill()


def test_tls_and_sockets_of_the_machine(tmp_path: Path, needs: Callable[[str], str]) -> None:
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    key, cert, link = tmp_path / "key.pem", tmp_path / "cert.pem", tmp_path / "redis.sock"
    subprocess.run(
        [needs("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
         cert, "-days", "2", "-subj", "/CN=localhost", "-addext", names],
        check=True, capture_output=True,
    )  # fmt: skip
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = RedisServer(
        tmp_path, "--tls-port", str(port), "--tls-cert-file", str(cert), "--tls-key-file", str(key),
        "--tls-ca-cert-file", str(cert), "--tls-auth-clients", "no", "--unixsocket", str(link),
    )  # fmt: skip
    try:
        for url in (f"rediss://localhost:{port}/0?ssl_ca_certs={cert}", f"unix://{link}?db=0"):
            cache = RedisCache(url)
            cache.put("tls", b"x" * 3_000)
            assert cache.get("tls") == b"x" * 3_000, url
            cache.close()
        stranger = RedisCache(f"rediss://localhost:{port}/0")
        assert stranger.get("tls") is None  # nobody vouches for that certificate
        assert stranger.away
        patient = RedisCache(f"rediss://localhost:{port}/0?ssl_ca_certs={cert}")
        assert patient.get("tls") is not None
        server.freeze()
        costs_only_speed(patient)
    finally:
        server.thaw()
        server.kill()


@contextmanager
def slowly(port: int, pauses: list[float], piece: int = 65_536) -> Iterator[str]:
    """Stand before a server and pass its answers on in small pieces, `pauses[0]` before each."""
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(source: socket.socket, target: socket.socket, pauses: list[float], piece: int) -> None:
        try:
            while data := source.recv(piece):
                time.sleep(pauses[0])
                target.sendall(data)
        except OSError:
            pass
        for side in (source, target):
            side.close()

    def serve() -> None:
        try:
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", port))
                threading.Thread(target=pump, args=(near, far, [0.0], 65_536), daemon=True).start()
                threading.Thread(target=pump, args=(far, near, pauses, piece), daemon=True).start()
        except OSError:
            return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def test_an_answer_that_drips_is_left_at_the_deadline(own: RedisServer) -> None:
    """Each packet is in time; all of them together are not."""
    import random

    RedisCache(own.url).put("a", random.Random(1).randbytes(5_000))
    pauses = [0.0]
    with slowly(own.port, pauses, 64) as url:
        cache = RedisCache(url)
        assert cache.get("b") is None
        assert not cache.away
        pauses[0] = 0.02
        began = time.monotonic()
        assert cache.get("a") is None
        assert time.monotonic() - began < 3 * DEADLINE_SECONDS
        assert cache.away


def test_a_server_slower_than_the_source_is_not_asked(own: RedisServer) -> None:
    pauses = [0.0]
    with slowly(own.port, pauses) as url:
        cache = RedisCache(url)
        cache.put("a", b"x")
        assert cache.get("a") == b"x"
        pauses[0] = 0.12
        began = time.monotonic()
        for number in range(50):
            cache.get(str(number))
        assert time.monotonic() - began < 1.5
        assert cache.away == "slow"
        pauses[0] = 0.0
        wait_for(lambda: cache.get("a") == b"x", 10)


# -- the breaker, by the clock ---------------------------------------------------------------------


class Probed:
    def __init__(self) -> None:
        self.now = 0.0
        self.error: Exception | None = None
        self.probes = 0
        self.breaker = Breaker(self.probe, patience=5.0, clock=lambda: self.now)

    def probe(self) -> None:
        self.probes += 1
        if self.error is not None:
            raise self.error

    def settled(self) -> bool:
        """Return the answer after the probe that it may have started."""
        self.breaker.allows()
        for thread in threading.enumerate():
            if thread.name == "tadoru-probe":
                thread.join()
        return self.breaker.allows()


def test_one_failure_closes_it_until_a_probe_has_an_answer() -> None:
    probed = Probed()
    assert probed.settled()
    probed.error = OSError()
    probed.breaker.failed(ConnectionError())
    assert not probed.breaker.allows()
    assert probed.probes == 2
    probed.now += FIRST_PAUSE
    assert not probed.settled()
    assert probed.probes == 3
    probed.error = None
    probed.now += FIRST_PAUSE  # the pause has doubled
    assert not probed.settled()
    probed.now += FIRST_PAUSE
    assert probed.settled()
    assert probed.breaker.reason == ""


def test_only_slowness_in_a_row_closes_it() -> None:
    probed = Probed()
    assert probed.settled()
    for _ in range(5):
        for _ in range(SLOW_IN_A_ROW - 1):
            probed.breaker.took(1.0)
        probed.breaker.took(0.001)
    assert probed.breaker.allows()
    for _ in range(SLOW_IN_A_ROW):
        probed.breaker.took(1.0)
    assert not probed.breaker.allows()


def test_memory_answers_while_redis_is_away() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        far = RedisCache(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        cache = TieredCache(MemoryCache(1 << 20), far)
        cache.put("a", b"x")
        assert cache.get("a") == b"x"
