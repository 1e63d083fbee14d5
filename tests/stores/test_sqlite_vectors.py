"""Dense recall over quantised vectors: right, independent of what is hidden, bounded by need."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest
from sqlite_build import Builder, record, write

from tadoru.errors import BadInput
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
        assert np.allclose([ref.score for ref in near], cosines, atol=0.01)
        found += len(exact & {(ref.path, ref.index) for ref in near})
    assert found >= 90


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


def test_text_that_was_embedded_before_keeps_its_vector(make, tmp_path):
    store = make({"a.py": "one", "b.py": "two", "c.bin": b"\0\0"})
    root = tmp_path / "root0"
    hashes = {name: blake2b(name, digest_size=16).digest() for name in (b"one", b"two")}
    rows = dict(zip(hashes.values(), unit(np.random.default_rng(4), 2), strict=True))
    with store.writer() as writer:
        assert writer.unembedded("m") == ["a.py", "b.py"]
        writer.put_vectors("m", dimension=32, chunks={"a.py": [hashes[b"one"]]}, vectors=rows)
        assert writer.unembedded("m") == ["b.py"]
        assert writer.unembedded("other") == ["a.py", "b.py"]
        assert writer.known_vectors("m", hashes.values()) == set(hashes.values())
        assert writer.known_vectors("other", hashes.values()) == set()
        writer.put_vectors("m", dimension=32, chunks={"b.py": [hashes[b"two"]]}, vectors={})
    assert (
        len(store.nearest(rows[hashes[b"two"]], fingerprint="m", access=access_of(store), k=9)) == 2
    )
    with store.writer() as writer:
        writer.put([record(write(root, "b.py", "changed"), b"changed")])
        assert writer.unembedded("m") == ["b.py"]
        writer.finish()
        assert writer.known_vectors("m", hashes.values()) == {hashes[b"one"]}
    found = store.nearest(rows[hashes[b"one"]], fingerprint="m", access=access_of(store), k=9)
    assert [ref.path for ref in found] == ["a.py"]


def test_zero_vectors_do_no_harm(make):
    zero = np.zeros(8, dtype=np.float32)
    store = make({"a.py": "x"}, vectors={"m": {("a.py", 0): zero}})
    access = access_of(store)
    found = store.nearest(zero, fingerprint="m", access=access, k=3)
    assert [ref.score for ref in found] == [0.0]
    assert not store.vectors([("a.py", 0)], fingerprint="m", access=access).any()
