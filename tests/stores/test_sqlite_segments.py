"""Segments come back as they were written, packed or mapped; a changed byte makes one absent."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tadoru.stores.sqlite.segments import PACKED_BYTES, Arrays, Shelf

DTYPES = ("uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


@st.composite
def arrays(draw: st.DrawFn) -> Arrays:
    found: Arrays = {"ids": np.arange(3), "revs": np.array([5, -7, 1 << 61])}
    for number in range(draw(st.integers(0, 4))):
        dtype = np.dtype(draw(st.sampled_from(DTYPES)))
        limits = np.iinfo(dtype)
        numbers = st.integers(int(limits.min), int(limits.max))
        values = np.array(draw(st.lists(numbers, max_size=12)), dtype=dtype)
        wide = draw(st.booleans()) and len(values) % 2 == 0
        found[f"a{number}"] = values.reshape(2, -1) if wide else values
    return found


@given(arrays())
@settings(deadline=None, max_examples=60)
def test_arrays_come_back(written: Arrays) -> None:
    with TemporaryDirectory() as folder:
        Shelf(Path(folder), "kind", 1).publish("me", [], [(written, 7)])
        (segment,) = Shelf(Path(folder), "kind", 1).load("me")
    assert segment.weight == 7
    assert segment.arrays.keys() == written.keys()
    for name, array in written.items():
        assert segment.arrays[name].dtype == array.dtype
        assert np.array_equal(segment.arrays[name], array)


def test_what_is_large_is_mapped(tmp_path: Path) -> None:
    large = np.arange(PACKED_BYTES // 8 + 1, dtype=np.uint64)
    written = {"ids": np.arange(2), "revs": np.arange(2), "large": large}
    (segment,) = Shelf(tmp_path, "kind", 1).publish("me", [], [(written, 1)])
    assert (tmp_path / segment.name).stat().st_size > large.nbytes
    assert np.array_equal(segment.arrays["large"], large)


@pytest.mark.parametrize("seed", range(40))
def test_a_changed_byte_in_a_packed_segment_makes_it_absent(tmp_path: Path, seed: int) -> None:
    written = {"ids": np.arange(9), "revs": np.arange(9), "docs": np.arange(500) * 3 % 101}
    shelf = Shelf(tmp_path, "kind", 1)
    (segment,) = shelf.publish("me", [], [(written, 1)])
    path = tmp_path / segment.name
    data = bytearray(path.read_bytes())
    dice = random.Random(seed)
    if seed % 4 == 0:
        del data[dice.randrange(len(data)) :]
    else:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    path.write_bytes(data)
    assert Shelf(tmp_path, "kind", 1).load("me") == []
    assert shelf.broken("me") == [segment.name]
