"""Trigrams: codes that round-trip, merges that keep everything, and what is and is not excluded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlite_build import Builder

from tadoru.stores.sqlite import runs
from tadoru.stores.sqlite.inverted import Lists, merge, narrow
from tadoru.stores.sqlite.literals import pack_trigrams, trigrams

ALL = frozenset({0, 1})


def lists_of(mapping: dict[int, set[int]], size: int) -> Lists:
    keys = sorted(key for key, docs in mapping.items() if docs)
    runs_ = [sorted(mapping[key]) for key in keys]
    offsets = np.cumsum([0, *map(len, runs_)])
    docs = np.array([doc for run in runs_ for doc in run], dtype=narrow(size))
    return Lists(np.array(keys, dtype=np.uint32), offsets, docs)


sizes = st.sampled_from([1, 7, 8, 9, 300, 5_000, 70_000])


@settings(deadline=None, max_examples=60)
@given(data=st.data(), size=sizes)
def test_codes_round_trip(data, size):
    docs = st.sets(st.integers(0, size - 1), max_size=40)
    dense = st.builds(lambda step: set(range(0, size, step)), st.integers(1, 9))
    mapping = data.draw(
        st.dictionaries(st.integers(0, 2**24 - 1), st.one_of(docs, dense), max_size=6)
    )
    lists = lists_of(mapping, size)
    arrays = runs.encode(lists, size)
    again = runs.decode_all(arrays, size)
    assert again.keys.tolist() == lists.keys.tolist()
    assert again.offsets.tolist() == lists.offsets.tolist()
    assert again.docs.tolist() == lists.docs.tolist()
    for place, key in enumerate(lists.keys.tolist()):
        assert set(np.flatnonzero(runs.read_run(arrays, place, size)).tolist()) == mapping[key]


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_merging_renumbers_and_drops_as_told(data):
    parts, expected, base = [], {}, 0
    for _ in range(data.draw(st.integers(1, 4))):
        size = data.draw(st.integers(1, 12))
        mapping = data.draw(
            st.dictionaries(
                st.integers(0, 5), st.sets(st.integers(0, size - 1), min_size=1), min_size=1
            )
        )
        alive = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
        numbers = np.where(alive, np.cumsum(alive) - 1 + base, -1).astype(np.int32)
        base += int(alive.sum())
        parts.append((lists_of(mapping, size), numbers))
        for key, docs in mapping.items():
            kept = {int(numbers[doc]) for doc in docs if numbers[doc] >= 0}
            if kept:
                expected.setdefault(key, set()).update(kept)
    merged = merge(parts, docs_dtype=np.uint32)
    got = {int(key): merged.docs[merged.find(int(key))].tolist() for key in merged.keys.tolist()}
    assert got == {key: sorted(docs) for key, docs in expected.items()}
    assert merged.find(999) == slice(0, 0)


def test_trigrams_fold_ascii_alone_and_stay_within_a_line():
    assert trigrams(b"ABC").tolist() == trigrams(b"abc").tolist()
    assert trigrams("ÄBC".encode()).tolist() != trigrams("äbc".encode()).tolist()
    assert trigrams(b"ab\ncd").tolist() == []
    assert trigrams(b"ab").tolist() == []


def test_sorting_and_marking_give_the_same_trigrams():
    rng = np.random.default_rng(3)
    small = rng.integers(32, 127, 5_000, dtype=np.uint8).tobytes()
    large = small * 80
    extra = trigrams(small[-2:] + small[:2])
    assert set(trigrams(large).tolist()) == set(trigrams(small).tolist()) | set(extra.tolist())
    assert trigrams(large).tolist() == sorted(trigrams(large).tolist())


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    builder = Builder(tmp_path_factory.mktemp("literals"))
    yield builder(
        {
            "a.py": "def OpenSession(): pass\n",
            "b.py": "def close(): return session\n",
            "c.txt": "nothing of that kind\n",
            "d.bin": b"\0\1\2" * 9,
        }
    )
    builder.close()


@pytest.mark.parametrize(
    ("literals", "expected"),
    [
        ([[b"opensession"]], {"a.py", "d.bin"}),
        ([[b"session"]], {"a.py", "b.py", "d.bin"}),
        ([[b"session"], [b"close"]], {"b.py", "d.bin"}),
        ([[b"OPENS", b"nothing"]], {"a.py", "c.txt", "d.bin"}),
        ([[b"absent"]], {"d.bin"}),
        ([[b"absent"], [b"x"]], {"d.bin"}),
        ([[b"de"]], None),
        ([[b"opensession", b"x"]], None),
    ],
)
def test_excludes_what_cannot_match(store, literals, expected):
    assert store.literals.candidates(literals, access=ALL) == expected


def test_a_pack_of_another_format_is_refused():
    from tadoru.stores.sqlite.coverage import Packed
    from tadoru.stores.sqlite.literals import LiteralsKind

    assert pack_trigrams(b"").startswith(b"3gm1")
    with pytest.raises(ValueError, match="not a pack"):
        LiteralsKind().build([Packed(1, 1, b"something else")])
