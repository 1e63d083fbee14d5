"""Dense recall over quantised vectors: right, independent of what is hidden, bounded by need."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sqlite_build import Builder, record, write

from tadoru.errors import BadInput, CorruptStore
from tadoru.stores.sqlite.vecpack import pack_vectors, unpack_codes
from tadoru.testing.suites.store import access_of

FILES = {f"f{n:03}.py": f"word{n}" for n in range(60)}


def unit(rng, count, dimension=32):
    rows = rng.standard_normal((count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def make(tmp_path):
    builder = Builder(tmp_path)
    yield builder
    builder.close()


def many(rng, per_file=120):
    """More rows than are scored directly, so that signs choose first."""
    return {
        (path, index): vector for path in FILES for index, vector in enumerate(unit(rng, per_file))
    }


def test_signs_then_products_find_what_exact_cosine_finds(make):
    rng = np.random.default_rng(1)
    given = many(rng)
    store = make(FILES, vectors={"m": given})
    keys, matrix = list(given), np.array(list(given.values()))
    found = 0
    for question in unit(rng, 10):
        exact = {keys[row] for row in np.argsort(-(matrix @ question))[:10]}
        near = store.nearest(question, fingerprint="m", access=access_of(store), k=10)
        assert [ref.score for ref in near] == sorted((r.score for r in near), reverse=True)
        cosines = [float(given[ref.path, ref.index] @ question) for ref in near]
        assert np.allclose([ref.score for ref in near], cosines, atol=0.05)
        found += len(exact & {(ref.path, ref.index) for ref in near})
    assert found >= 80  # 32 numbers are few; with 256 it is nearly all


def test_hidden_vectors_leave_no_trace_in_scores(make):
    rng = np.random.default_rng(2)
    given = many(rng)
    labels = {path: "public" if n % 3 else {"ops"} for n, path in enumerate(FILES)}
    whole = make(FILES, labels=labels, vectors={"m": given})
    public = {path: text for path, text in FILES.items() if labels[path] == "public"}
    pruned = make(
        public,
        labels=dict.fromkeys(public, "public"),
        vectors={"m": {key: row for key, row in given.items() if key[0] in public}},
    )
    for question in unit(rng, 5):
        ask = {"fingerprint": "m", "k": 15}
        assert whole.nearest(question, access=access_of(whole), **ask) == pruned.nearest(
            question, access=access_of(pruned), **ask
        )


def test_a_question_of_another_dimension_is_refused(make):
    store = make(FILES, vectors={"m": {("f000.py", 0): unit(np.random.default_rng(3), 1)[0]}})
    with pytest.raises(BadInput, match="shape"):
        store.nearest(np.ones(8, np.float32), fingerprint="m", access=access_of(store), k=1)


def packed(vector, fingerprint="m"):
    return pack_vectors(fingerprint, vector[None])


def test_a_file_has_the_vectors_of_its_present_state_or_none(make, tmp_path):
    store = make({"a.py": "one", "b.py": "two", "c.bin": b"\0\0"})
    root = tmp_path / "root0"
    one, two = unit(np.random.default_rng(4), 2)

    def near(vector):
        return store.nearest(vector, fingerprint="m", access=access_of(store), k=9)

    with store.writer() as writer:
        assert writer.unembedded("m") == ["a.py", "b.py"]
        writer.put_vectors({"a.py": packed(one)})
        assert writer.unembedded("m") == ["b.py"]
        assert writer.unembedded("other") == ["a.py", "b.py"]
        writer.put_vectors({"b.py": packed(two), "gone.py": packed(two)})
    assert [ref.path for ref in near(two)] == ["b.py", "a.py"]
    with store.writer() as writer:
        stat = write(root, "b.py", "changed")
        writer.put([record(stat, b"changed")])
        assert writer.unembedded("m") == ["b.py"]
    assert [ref.path for ref in near(one)] == ["a.py"]
    with store.writer() as writer:
        writer.put([replace(record(stat, b"changed"), vectors=packed(two))])
        assert writer.unembedded("m") == []
    assert next((ref.path, round(ref.score, 2)) for ref in near(two)) == ("b.py", 1.0)
    assert store.dense.coverage("m", access_of(store)) == (2, 2)


def test_a_reader_sees_each_change_and_rereads_only_what_changed(make, tmp_path):
    rng = np.random.default_rng(5)
    store = make(FILES, vectors={"m": many(rng, 3)})
    question = unit(rng, 1)[0]
    access = access_of(store)
    store.nearest(question, fingerprint="m", access=access, k=3)
    before = dict(store.dense._matrices["m"].parts)
    with store.writer() as writer:
        stat = write(tmp_path / "root0", "f007.py", "changed")
        writer.put([replace(record(stat, b"changed"), vectors=packed(question))])
    (best, *_) = store.nearest(question, fingerprint="m", access=access, k=3)
    assert (best.path, best.index) == ("f007.py", 0)
    after = store.dense._matrices["m"].parts
    assert [file for file, part in before.items() if part is not after[file]] == [8]
    with store.writer() as writer:
        writer.delete(["f007.py"])
    found = store.nearest(question, fingerprint="m", access=access_of(store), k=500)
    assert "f007.py" not in {ref.path for ref in found} and len(found) == 59 * 3


def test_models_are_kept_apart_and_the_old_one_goes_at_a_word(make):
    store = make(FILES, vectors={"m": many(np.random.default_rng(6), 2)})
    other = unit(np.random.default_rng(7), 1, 8)
    with store.writer() as writer:
        writer.put_vectors({path: pack_vectors("n", other) for path in FILES})
    access = access_of(store)
    assert store.dense.coverage("m", access) == store.dense.coverage("n", access) == (60, 60)
    assert len(store.nearest(other[0], fingerprint="n", access=access, k=99)) == 60
    with store.writer() as writer:
        writer.drop_other_models("n")
    assert store.dense.coverage("m", access) == (60, 0)
    assert store.nearest(np.ones(32, np.float32), fingerprint="m", access=access, k=9) == []


@pytest.mark.parametrize("dimension", [8, 13, 256, 1_024])
def test_packed_vectors_point_where_they_pointed(dimension):
    given = unit(np.random.default_rng(8), 40, dimension)
    given[3] = 0
    kept = pack_vectors("m", given)
    codes, scales = unpack_codes(dimension, kept.signs, kept.codes)
    assert scales[3] == 0 and not codes[3].any()
    rows = np.delete(codes * scales[:, None], 3, axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert (np.einsum("ij,ij->i", rows, np.delete(given, 3, axis=0)) > 0.995).all()


def test_packed_vectors_take_three_quarters_of_a_byte_for_each_number():
    kept = pack_vectors("m", unit(np.random.default_rng(9), 20, 256))
    assert len(kept.signs) + len(kept.codes) < 20 * 192


def test_damaged_vectors_are_a_fault_of_the_store(make):
    store = make({"a.py": "x"}, vectors={"m": {("a.py", 0): unit(np.random.default_rng(1), 1)[0]}})
    with store.writer() as writer:
        writer._connection.execute("UPDATE vectors SET codes = x'0000803f00'")
    with pytest.raises(CorruptStore):
        store.nearest(np.ones(32, np.float32), fingerprint="m", access=access_of(store), k=1)


def test_zero_vectors_do_no_harm(make):
    zero = np.zeros(8, dtype=np.float32)
    store = make({"a.py": "x"}, vectors={"m": {("a.py", 0): zero}})
    access = access_of(store)
    found = store.nearest(zero, fingerprint="m", access=access, k=3)
    assert found == []  # zeros stand for a chunk without a vector
    assert not store.vectors([("a.py", 0)], fingerprint="m", access=access).any()
