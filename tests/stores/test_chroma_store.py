"""A real Chroma, embedded and behind `chroma run`, as a store; needs the extra `tadoru[chroma]`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chroma_server import packed

from tadoru.errors import CorruptStore, NotIndexed, Unavailable
from tadoru.stores.chroma import ChromaStore, newest
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.table import Table
from tadoru.testing.memory import by_lines
from tadoru.testing.suites import LiteralIndexSuite, PostingsSuite, StoreSuite
from tadoru.testing.suites.corpus import FILES
from tadoru.testing.suites.store import access_of, paths
from tadoru.types import Kind

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

TEXTS = {path: text for path, text in FILES.items() if isinstance(text, str) and text}


def tree_of(files, labels, *, sizes=True):
    tree = {}
    for path in files:
        label = "public" if labels is None else labels.get(path)
        if label == "public":
            tree[path] = {"isPublic": True, "groups": []}
        elif label is not None:
            tree[path] = {"isPublic": False, "groups": sorted(label)}
        else:
            tree[path] = {}
        if sizes:
            tree[path]["size"] = len(files[path].encode())
    return tree


@pytest.fixture(scope="module")
def made():
    return {}


class _Made:
    files = TEXTS
    sizes = True

    @pytest.fixture
    def make(self, chroma, made):
        def store(files, *, labels=None, chunks=None, symbols=(), imports=()):
            key = repr((type(chroma).__name__, files, labels, self.sizes))
            if key not in made:
                rows = [
                    (f"{path}#{chunk.index}", text[chunk.span.start_char : chunk.span.end_char],
                     {"page": path, "chunk_index": chunk.index})
                    for path, text in files.items()
                    for chunk in reversed(by_lines(path, text, 3))
                ]  # fmt: skip
                tree = tree_of(files, labels, sizes=self.sizes)
                made[key] = ChromaStore.open(chroma.docs(tree, rows))
            return made[key]

        return store


class TestChromaStore(_Made, StoreSuite):
    structure = False
    dense = False
    live = False


class TestChromaWithoutSizes(TestChromaStore):
    """Sizes that a tree does not name are found when somebody asks."""

    sizes = False


class TestChromaPostings(_Made, PostingsSuite):
    pass


class TestChromaLiterals(_Made, LiteralIndexSuite):
    pass


def test_a_match_across_the_seam_of_two_chunks_is_found(chroma):
    rows = [
        ("b", "ssion cookie", {"page": "/guide/start.mdx", "chunk_index": 1.0}),
        ("a", "open the se", {"page": "/guide/start.mdx", "chunk_index": 0.0}),
    ]
    tree = {"/guide/start.mdx": {"isPublic": True}}
    store = ChromaStore.open(chroma.docs(tree, rows))
    access = access_of(store)
    assert store.read("guide/start.mdx", access=access) == b"open the session cookie"
    assert store.literals.candidates([[b"SESSION"]], access=access) == {"guide/start.mdx"}
    assert store.literals.candidates([[b"missing"]], access=access) == set()


@pytest.mark.parametrize(
    "label",
    [{}, None, "public", {"isPublic": "true"}, {"isPublic": 1}, {"groups": "admin"},
     {"groups": [["admin"]]}, {"groups": []}, {"groups": [""]}, {"isPublic": False}],
)  # fmt: skip
def test_a_label_that_makes_no_sense_hides_its_page(chroma, label):
    rows = [("a", "secret word", {"page": "a.md", "chunk_index": 0})]
    store = ChromaStore.open(chroma.docs({"a.md": label}, rows))
    for groups in ((), ("admin",), ("",)):
        access = access_of(store, *groups)
        assert paths(store, access) == set()
        assert store.read("a.md", access=access) is None
        assert store.postings.search([("secret", 1.0)], access=access, k=5) == []
        assert store.literals.candidates([[b"secret"]], access=access) == set()


def test_a_page_outside_the_tree_does_not_exist(chroma):
    rows = [("a", "stray", {"page": "stray.md", "chunk_index": 0})]
    store = ChromaStore.open(chroma.docs({"../up.md": {"isPublic": True}}, rows))
    access = access_of(store)
    assert paths(store, access) == set()
    assert store.read("stray.md", access=access) is None
    assert store.read("__path_tree__", access=access) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (1_700_000_000, 1_700_000_000),
        (1_700_000_000.9, 1_700_000_000),
        ("2023-11-14T22:13:20Z", 1_700_000_000),
        ("2023-11-14T23:13:20+01:00", 1_700_000_000),
        ("2023-11-14 22:13:20", 1_700_000_000),
        (-1, 0),
        ("yesterday", 0),
        (None, 0),
        ([1], 0),
        (float("nan"), 0),
        (10**30, 253_402_300_799),
    ],
)
def test_a_page_has_the_time_that_its_tree_gives(value, seconds):
    table = Table([{"a.md": {"isPublic": True, "changed": value}}], FieldNames(modified="changed"))
    assert table["a.md"].modified == table.modified("a.md") == seconds
    assert Table([{"a.md": {"changed": value}}], FieldNames(modified="")).modified("a.md") == 0


def test_an_entry_can_be_replaced_and_moved(chroma):
    store = ChromaStore.open(chroma.docs({"a.md": {"isPublic": True, "size": 7}}))
    entry = next(iter(store.entries(access=access_of(store))))
    other = replace(entry, path="docs/a.md")
    assert (other.path, other.size, other.kind, other.language) == (
        "docs/a.md", 7, Kind.FILE, "markdown",
    )  # fmt: skip
    assert entry.moved("docs/a.md").size == 7


def test_one_path_by_two_names_has_one_label_and_one_text():
    """Names with a leading slash are the same path: what counts is all of one of them."""
    hidden, public = {"groups": ["ops"]}, {"isPublic": True}
    for trees in ([{"/a.md": hidden, "a.md": public}], [{"/a.md": public}, {"a.md": hidden}]):
        table = Table(trees, FieldNames())
        assert table.slug("a.md") == "a.md"
        assert table["a.md"].label.public is (trees[-1]["a.md"] is public)


def test_names_of_fields_are_settings(chroma):
    query = "tree=toc&page=slug&chunk_index=n&title=h&public=open&joiner=%0A"
    rows = [
        ("toc", packed({"x": {"open": True}}), {"kind": "tree"}),
        ("1", "one", {"slug": "x", "n": 0, "h": "First"}),
        ("2", "two", {"slug": "x", "n": 1}),
    ]
    store = ChromaStore.open(chroma.docs(None, rows, query=query))
    access = access_of(store)
    assert store.text("x", access=access) == "one\ntwo"
    assert [chunk.breadcrumb for chunk in store.chunks("x", access=access)] == ["First", ""]
    assert store.postings.frequencies(["first", "two"], access=access) == [1, 1]


@pytest.mark.parametrize("tree", ["no base64!", "aGVsbG8=", packed([1, 2])[:-9], packed([1])])
def test_a_tree_that_cannot_be_read_is_said(chroma, tree):
    with pytest.raises(CorruptStore):
        _ = ChromaStore.open(chroma.docs(tree)).generation


def test_a_collection_without_a_tree_is_not_indexed(chroma):
    with pytest.raises(NotIndexed):
        list(ChromaStore.open(chroma.docs(None)).entries(access=frozenset({1})))


def test_a_new_tree_is_noticed(chroma, monkeypatch):
    monkeypatch.setattr(newest, "CHECK_SECONDS", -1.0)
    rows = [("a", "word", {"page": "a.md", "chunk_index": 0})]
    address = chroma.docs({"a.md": {"isPublic": True}}, rows)
    store = ChromaStore.open(address)
    before, access = store.generation, access_of(store)
    assert store.postings.frequencies(["word"], access=access) == [1]
    chroma.official(address).update(
        ids=["__path_tree__"], documents=[packed({"a.md": {"groups": ["ops"]}})],
        embeddings=[[1.0, 0.0]],
    )  # fmt: skip
    assert store.generation != before
    assert paths(store, access) == set()
    assert store.postings.frequencies(["word"], access=access) == [0]
    assert paths(store, access_of(store, "ops")) == {"a.md"}


def test_a_collection_that_is_not_there_is_said(chroma):
    store = ChromaStore.open(chroma.address_of("no-such-collection"))
    with pytest.raises(Unavailable, match="no-such-collection"):
        _ = store.generation
