"""Vectors of a collection count when they are known to be of the very model that asks."""

from __future__ import annotations

import numpy as np
import pytest
from chroma_server import MARKS

from tadoru.config import Config
from tadoru.documents import ChromaSource
from tadoru.stores.chroma import ChromaStore
from tadoru.testing.models import HashEmbedder
from tadoru.testing.suites.store import access_of
from tadoru.types import Principal
from tadoru.workspace import Workspace

pytestmark = MARKS
MODEL = HashEmbedder(32)
TEXTS = {
    f"p{n}.md": [f"page {n} part {at} about {word}\n" for at in range(3)]
    for n, word in enumerate(("cookies", "tokens", "sessions", "invoices", "deployments", "queues"))
}
LABELS = {"p3.md": {"groups": ["ops"]}}


@pytest.fixture(params=["l2", "cosine", "ip"])
def site(request, chroma):
    def make(query, first=0, scale=1.0):
        rows, vectors = [], {}
        for path, parts in TEXTS.items():
            for at, text in enumerate(parts):
                name = f"{path}:{at}"
                rows.append((name, text, {"page": path, "chunk_index": at + first}))
                vectors[name] = (scale * MODEL.encode([text])[0]).tolist()
        vectors["__path_tree__"] = [1.0] + [0.0] * 31
        tree = {path: LABELS.get(path, {"isPublic": True}) for path in TEXTS}
        return chroma.docs(tree, rows, query=query, space=request.param, vectors=vectors)

    return make


def best(store, question, *groups, k=4, admit=None):
    vector = MODEL.encode([question], query=True)[0]
    return store.nearest(vector, fingerprint=MODEL.fingerprint, access=access_of(store, *groups),
                         k=k, admit=admit)  # fmt: skip


def oracle(question, visible, k):
    vector = MODEL.encode([question])[0]
    scored = [
        (-float(MODEL.encode([text])[0] @ vector), path, at)
        for path, parts in TEXTS.items()
        if path in visible
        for at, text in enumerate(parts)
    ]
    return [(path, at) for _, path, at in sorted(scored)[:k]]


def test_nearest_is_by_cosine_among_the_visible(site):
    store = ChromaStore.open(site(f"vectors={MODEL.fingerprint}"))
    outsider = set(TEXTS) - {"p3.md"}
    for question in ("invoices of page 3", "tokens part 1", "queues"):
        for groups, visible in (((), outsider), (("ops",), set(TEXTS))):
            for k in (1, 4, 18):
                found = best(store, question, *groups, k=k)
                assert [(ref.path, ref.index) for ref in found] == oracle(question, visible, k)
                assert all(-1.001 <= ref.score <= 1.001 for ref in found)


def test_a_filter_narrows_before_the_best_are_chosen(site):
    store = ChromaStore.open(site(f"vectors={MODEL.fingerprint}"))
    found = best(store, "tokens", k=2, admit=lambda entry: entry.path == "p5.md")
    assert {ref.path for ref in found} == {"p5.md"}
    assert len(found) == 2
    assert best(store, "tokens", admit=lambda entry: False) == []


def test_chunks_that_count_from_one_are_the_same_chunks(site):
    store = ChromaStore.open(site(f"vectors={MODEL.fingerprint}", first=1))
    assert [(r.path, r.index) for r in best(store, "tokens part 1", k=3)] == oracle(
        "tokens part 1", set(TEXTS) - {"p3.md"}, 3
    )


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("", "does not say which model"),
        ("vectors=another-model", "of another-model"),
        (f"vectors={HashEmbedder(64).fingerprint}", "not of"),
    ],
)
def test_vectors_of_another_model_are_not_asked(site, query, why):
    store = ChromaStore.open(site(query))
    assert best(store, "tokens") == []
    assert why in store.lacking(MODEL.fingerprint, MODEL.dimension)


def test_vectors_of_another_length_are_not_asked(site):
    big = HashEmbedder(64)
    store = ChromaStore.open(site(f"vectors={big.fingerprint}"))
    assert "32 numbers, not 64" in store.lacking(big.fingerprint, 64)
    vector = np.zeros(64, dtype=np.float32)
    assert store.nearest(vector, fingerprint=big.fingerprint, access=access_of(store), k=3) == []


def test_an_answer_says_whether_meaning_was_asked_too(site):
    def answer(query):
        address = site(query).text
        sources = {"docs": ChromaSource(address)}
        with Workspace(sources, Config(), Principal(), embedder=MODEL) as workspace:
            return workspace.search("where do the tokens go")

    known = answer(f"vectors={MODEL.fingerprint}")
    assert known.recall == "lexical, semantic"
    assert "dense" in {source for hit in known.hits for source in hit.sources}
    unknown = answer("")
    assert unknown.recall == "lexical"
    assert unknown.hits
    assert unknown.hits[0].path == "docs/p1.md"


def test_of_two_mounts_the_one_without_vectors_is_named(site):
    sources = {
        "known": ChromaSource(site(f"vectors={MODEL.fingerprint}").text),
        "unknown": ChromaSource(site("").text),
    }
    with Workspace(sources, Config(), Principal(), embedder=MODEL) as workspace:
        found = workspace.search("tokens part 1", top=10)
        assert found.recall == "lexical, semantic"
        assert any("/unknown is searched by words alone" in line for line in found.warnings)
        assert {hit.path.partition("/")[0] for hit in found.hits} == {"known", "unknown"}
        assert all("p3.md" not in hit.path for hit in found.hits)
