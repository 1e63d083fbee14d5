"""A real embedded Chroma, mounted as a store; needs the extra `tadoru[chroma]`."""

from __future__ import annotations

import base64
import gzip
import json
import warnings

import pytest

from tadoru.errors import CorruptStore, NotIndexed, Unavailable
from tadoru.stores.chroma import ChromaStore, FieldNames
from tadoru.stores.chroma import store as module
from tadoru.testing.memory import by_lines
from tadoru.testing.suites import LiteralIndexSuite, PostingsSuite, StoreSuite
from tadoru.testing.suites.corpus import FILES
from tadoru.testing.suites.store import access_of, paths

chromadb = pytest.importorskip("chromadb")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

TEXTS = {path: text for path, text in FILES.items() if isinstance(text, str) and text}


def packed(tree: object) -> str:
    return base64.b64encode(gzip.compress(json.dumps(tree).encode())).decode()


def tree_of(files, labels):
    tree = {}
    for path in files:
        label = "public" if labels is None else labels.get(path)
        if label == "public":
            tree[path] = {"isPublic": True, "groups": []}
        elif label is not None:
            tree[path] = {"isPublic": False, "groups": sorted(label)}
        else:
            tree[path] = {}
        tree[path]["size"] = len(files[path].encode())
    return tree


class Server:
    """One embedded Chroma with a collection for each store."""

    def __init__(self, folder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.folder = str(folder)
            settings = chromadb.config.Settings(anonymized_telemetry=False)
            self.client = chromadb.PersistentClient(path=self.folder, settings=settings)
        self.count = 0
        self.made = {}

    def collection(self, tree: str | None, rows=()):
        self.count += 1
        collection = self.client.create_collection(f"docs-{self.count}", embedding_function=None)
        rows = list(rows)
        if tree is not None:
            rows.append(("__path_tree__", tree, {"kind": "tree"}))
        if rows:
            ids, documents, metadatas = zip(*rows, strict=True)
            collection.add(
                ids=list(ids), documents=list(documents), metadatas=list(metadatas),
                embeddings=[[1.0, 0.0]] * len(rows),
            )  # fmt: skip
        return collection

    def store(self, files, *, labels=None, chunks=None, symbols=(), imports=()):
        key = repr((files, labels))
        if key not in self.made:
            rows = [
                (f"{path}#{chunk.index}", text[chunk.span.start_char : chunk.span.end_char],
                 {"page": path, "chunk_index": chunk.index})
                for path, text in files.items()
                for chunk in reversed(by_lines(path, text, 3))
            ]  # fmt: skip
            self.made[key] = ChromaStore(self.collection(packed(tree_of(files, labels)), rows))
        return self.made[key]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    return Server(tmp_path_factory.mktemp("chroma"))


class _Made:
    files = TEXTS

    @pytest.fixture
    def make(self, server):
        return server.store


class TestChromaStore(_Made, StoreSuite):
    structure = False
    dense = False
    live = False


class TestChromaPostings(_Made, PostingsSuite):
    pass


class TestChromaLiterals(_Made, LiteralIndexSuite):
    pass


def test_a_match_across_the_seam_of_two_chunks_is_found(server):
    rows = [
        ("b", "ssion cookie", {"page": "/guide/start.mdx", "chunk_index": 1.0}),
        ("a", "open the se", {"page": "/guide/start.mdx", "chunk_index": 0.0}),
    ]
    tree = {"/guide/start.mdx": {"isPublic": True}}
    store = ChromaStore(server.collection(packed(tree), rows))
    access = access_of(store)
    assert store.read("guide/start.mdx", access=access) == b"open the session cookie"
    assert store.literals.candidates([[b"SESSION"]], access=access) == {"guide/start.mdx"}
    assert store.literals.candidates([[b"missing"]], access=access) == set()


@pytest.mark.parametrize(
    "label",
    [{}, None, "public", {"isPublic": "true"}, {"isPublic": 1}, {"groups": "admin"},
     {"groups": [["admin"]]}, {"groups": []}, {"groups": [""]}, {"isPublic": False}],
)  # fmt: skip
def test_a_label_that_makes_no_sense_hides_its_page(server, label):
    rows = [("a", "secret word", {"page": "a.md", "chunk_index": 0})]
    store = ChromaStore(server.collection(packed({"a.md": label}), rows))
    for groups in ((), ("admin",), ("",)):
        access = access_of(store, *groups)
        assert paths(store, access) == set()
        assert store.read("a.md", access=access) is None
        assert store.postings.search([("secret", 1.0)], access=access, k=5) == []
        assert store.literals.candidates([[b"secret"]], access=access) == set()


def test_a_page_outside_the_tree_does_not_exist(server):
    rows = [("a", "stray", {"page": "stray.md", "chunk_index": 0})]
    store = ChromaStore(server.collection(packed({"../up.md": {"isPublic": True}}), rows))
    access = access_of(store)
    assert paths(store, access) == set()
    assert store.read("stray.md", access=access) is None
    assert store.read("__path_tree__", access=access) is None


def test_names_of_fields_are_settings(server):
    names = FieldNames(tree="toc", page="slug", index="n", title="h", public="open", joiner="\n")
    rows = [
        ("toc", packed({"x": {"open": True}}), {"kind": "tree"}),
        ("1", "one", {"slug": "x", "n": 0, "h": "First"}),
        ("2", "two", {"slug": "x", "n": 1}),
    ]
    store = ChromaStore(server.collection(None, rows), names)
    access = access_of(store)
    assert store.text("x", access=access) == "one\ntwo"
    assert [chunk.breadcrumb for chunk in store.chunks("x", access=access)] == ["First", ""]
    assert store.postings.frequencies(["first", "two"], access=access) == [1, 1]


@pytest.mark.parametrize("tree", ["no base64!", "aGVsbG8=", packed([1, 2])[:-9], packed([1])])
def test_a_tree_that_cannot_be_read_is_said(server, tree):
    with pytest.raises(CorruptStore):
        _ = ChromaStore(server.collection(tree)).generation


def test_a_collection_without_a_tree_is_not_indexed(server):
    with pytest.raises(NotIndexed):
        list(ChromaStore(server.collection(None)).entries(access=frozenset({1})))


def test_a_new_tree_is_noticed(server, monkeypatch):
    monkeypatch.setattr(module, "CHECK_SECONDS", -1.0)
    rows = [("a", "word", {"page": "a.md", "chunk_index": 0})]
    collection = server.collection(packed({"a.md": {"isPublic": True}}), rows)
    store = ChromaStore(collection)
    before, access = store.generation, access_of(store)
    assert store.postings.frequencies(["word"], access=access) == [1]
    collection.update(
        ids=["__path_tree__"], documents=[packed({"a.md": {"groups": ["ops"]}})],
        embeddings=[[1.0, 0.0]],
    )  # fmt: skip
    assert store.generation != before
    assert paths(store, access) == set()
    assert store.postings.frequencies(["word"], access=access) == [0]
    assert paths(store, access_of(store, "ops")) == {"a.md"}


def test_open_finds_the_collection_in_its_directory(server):
    rows = [("a", "word", {"page": "a.md", "chunk_index": 0})]
    collection = server.collection(packed({"a.md": {"isPublic": True}}), rows)
    store = ChromaStore.open(server.folder, collection.name)
    assert store.text("a.md", access=access_of(store)) == "word"
    with pytest.raises(Unavailable):
        ChromaStore.open(server.folder, "no-such-collection")
