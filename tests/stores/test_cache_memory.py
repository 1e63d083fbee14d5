"""Keys, the cache in memory and one fetch for many: what holds without any server."""

from __future__ import annotations

import gc
import random
import threading
import time
import tracemalloc
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadoru.config import CacheConfig
from tadoru.stores.cache import (
    Cache,
    MemoryCache,
    Scope,
    SingleFlight,
    TieredCache,
    open_cache,
)
from tadoru.stores.cache.envelope import seal, unseal
from tadoru.stores.cache.memory import LARGEST_SHARE
from tadoru.types import AccessRow

MIB = 1 << 20


def row(*groups: str, id: int = 5, public: bool = False) -> AccessRow:
    return AccessRow(id, public, frozenset(groups))


def test_a_key_names_labels_and_not_the_numbers_that_a_process_gave_them() -> None:
    one = Scope("s", 1, [row("a", "b", id=2), row("c", id=3)])
    two = Scope("s", 1, [row("c", id=9), row("b", "a", id=7), row("c", id=11)])
    assert one.key("page", "x") == two.key("page", "x")


def test_two_who_may_not_see_the_same_never_share_a_key() -> None:
    scopes = [
        Scope("s", 1, []),
        Scope("s", 1, [row()]),
        Scope("s", 1, [row(public=True)]),
        Scope("s", 1, [row("public")]),
        Scope("s", 1, [row("a")]),
        Scope("s", 1, [row("b")]),
        Scope("s", 1, [row("a", "b")]),
        Scope("s", 1, [row("a"), row("b")]),
        Scope("s", 1, [row("ab")]),
        Scope("s", 1, [row("1:a")]),
        Scope("s", 1, [row("a1:b")]),
        Scope("s", 2, [row("a")]),
        Scope("s2", 1, [row("a")]),
        Scope("s", 12, [row("a")]),
        Scope("s1", 2, [row("a")]),
    ]
    keys = [
        scope.key(kind, name) for scope in scopes for kind, name in [("page", ""), ("tree", "")]
    ]
    assert len(set(keys)) == len(keys)


def test_a_public_label_is_one_whatever_groups_stand_beside_it() -> None:
    assert Scope("s", 1, [row("a", public=True)]).key("p") == Scope("s", 1, [row(public=True)]).key(
        "p"
    )


def test_the_last_used_stay() -> None:
    cache = MemoryCache(8_000)
    for name in "abcd":
        cache.put(name, b"x" * 1_000)
    assert cache.get("a") == b"x" * 1_000
    for name in "efg":
        cache.put(name, b"x" * 1_000)
    assert cache.get("a") is not None
    assert cache.get("b") is None


def test_a_value_is_replaced_and_an_over_large_one_forgets_the_old() -> None:
    cache = MemoryCache(10_000)
    cache.put("a", b"old")
    cache.put("a", b"new")
    assert cache.get("a") == b"new"
    cache.put("a", b"x" * (10_000 // LARGEST_SHARE))
    assert cache.get("a") is None
    assert cache.held == 0


def test_no_room_keeps_nothing() -> None:
    cache = MemoryCache(0)
    cache.put("a", b"")
    assert cache.get("a") is None
    assert len(cache) == 0


def test_memory_is_bounded_under_ten_thousand_puts() -> None:
    limit = 2 * MIB
    cache = MemoryCache(limit)
    rng = random.Random(3)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number in range(10_000):
        cache.put(f"key {number}", rng.randbytes(rng.choice([0, 1, 100, 2_000, 9_000])))
        assert cache.held <= limit
    taken = tracemalloc.get_traced_memory()[0] - before
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert taken <= limit
    assert peak <= limit * 1.1
    assert cache.held > limit * 0.9


def test_what_is_counted_is_what_small_values_really_take() -> None:
    limit = MIB // 2
    cache = MemoryCache(limit)
    gc.collect()
    tracemalloc.start()
    for number in range(10_000):
        cache.put(f"a key of an ordinary length {number:08}", b"tiny %d" % number)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken <= limit


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 400), st.booleans()), max_size=60)
)
def test_it_behaves_like_a_list_of_the_last_used(steps: list[tuple[str, int, bool]]) -> None:
    from tadoru.stores.cache.memory import _size

    limit = 2_400
    cache, model = MemoryCache(limit), OrderedDict[str, bytes]()
    for key, size, puts in steps:
        if puts:
            value = b"v" * size
            model.pop(key, None)
            if _size(key, value) <= limit // LARGEST_SHARE:
                model[key] = value
            while sum(_size(k, v) for k, v in model.items()) > limit:
                model.popitem(last=False)
            cache.put(key, value)
        else:
            if key in model:
                model.move_to_end(key)
            assert cache.get(key) == model.get(key)
    assert cache.get_many("abcdef") == {k: model[k] for k in "abcdef" if k in model}
    assert cache.held == sum(_size(k, v) for k, v in model.items())


def test_fifty_threads_share_one() -> None:
    cache = MemoryCache(200_000)

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(400):
            key = str(rng.randrange(100))
            if rng.random() < 0.5:
                cache.put(key, key.encode() * rng.randrange(1, 300))
            else:
                value = cache.get(key)
                assert value is None or set(value.decode()) <= set(key)

    with ThreadPoolExecutor(50) as pool:
        list(pool.map(work, range(50)))
    assert 0 < cache.held <= 200_000


def test_the_far_cache_is_asked_for_what_the_near_one_lacks() -> None:
    near, far = MemoryCache(10_000), MemoryCache(10_000)
    cache = TieredCache(near, far)
    assert isinstance(cache, Cache)
    far.put("a", b"1")
    near.put("b", b"2")
    assert cache.get_many(["a", "b", "c"]) == {"a": b"1", "b": b"2"}
    assert near.get("a") == b"1"
    assert cache.get("c") is None
    cache.put("c", b"3")
    cache.put_many({"d": b"4"})
    assert near.get_many("cd") == far.get_many("cd") == {"c": b"3", "d": b"4"}


def test_without_an_address_the_configured_cache_is_memory() -> None:
    cache = open_cache(CacheConfig(megabytes=1))
    assert isinstance(cache, MemoryCache)
    cache.put("a", b"x" * 100_000)
    assert cache.get("a") == b"x" * 100_000


# -- values that others can reach ------------------------------------------------------------------

VALUES = [b"", b"x", b"page " * 500, bytes(range(256)) * 20]


@pytest.mark.parametrize("value", VALUES, ids=len)
def test_a_sealed_value_comes_back_under_its_own_key_alone(value: bytes) -> None:
    data = seal("key", value)
    assert unseal("key", data) == value
    assert unseal("kez", data) is None
    assert unseal("", data) is None


@pytest.mark.parametrize("value", VALUES, ids=len)
def test_every_changed_bit_and_every_cut_is_noticed(value: bytes) -> None:
    data = seal("key", value)
    for at in range(len(data)):
        for bit in (1, 128):
            assert unseal("key", data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]) is None
    for length in range(len(data)):
        assert unseal("key", data[:length]) is None
    assert unseal("key", data + b"x") is None


@given(st.binary(max_size=200))
def test_rubbish_is_not_a_value(data: bytes) -> None:
    assert unseal("key", data) is None


def test_a_value_that_unpacks_to_too_much_is_not_unpacked() -> None:
    import zstandard

    from tadoru.stores.cache import envelope

    bomb = zstandard.ZstdCompressor().compress(bytes(envelope.LARGEST_VALUE + 1))
    data = b"".join((envelope.FORM, b"z", envelope._digest("key", b"z", bomb), bomb))
    assert unseal("key", data) is None
    lying = zstandard.ZstdCompressor(write_content_size=False).compress(b"x" * 5_000)
    data = b"".join((envelope.FORM, b"z", envelope._digest("key", b"z", lying), lying))
    assert unseal("key", data) is None


# -- one fetch for many ----------------------------------------------------------------------------


def test_many_who_ask_at_once_share_one_fetch() -> None:
    flights: SingleFlight[int] = SingleFlight()
    calls: list[int] = []
    gate = threading.Barrier(50)

    def fetch() -> int:
        calls.append(1)
        time.sleep(0.2)
        return 7

    def ask(_: int) -> int:
        gate.wait()
        return flights.do("k", fetch)

    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(ask, range(50))) == [7] * 50
    assert len(calls) == 1
    assert flights.do("k", lambda: 8) == 8


def test_an_error_reaches_all_who_waited_and_nobody_later() -> None:
    flights: SingleFlight[int] = SingleFlight()
    entered = threading.Event()

    def fail() -> int:
        entered.set()
        time.sleep(0.1)
        raise ValueError("no")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(flights.do, "k", fail)
        entered.wait()
        second = pool.submit(flights.do, "k", lambda: 1)
        for waiting in (first, second):
            with pytest.raises(ValueError, match="no"):
                waiting.result()
    assert flights.do("k", lambda: 2) == 2
