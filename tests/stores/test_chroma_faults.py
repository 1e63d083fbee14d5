"""What goes wrong with a server: clear errors, a deadline, never wrong content, fail closed."""

from __future__ import annotations

import signal
import threading
import time

import pytest
from chroma_server import MARKS, ChromaServer, packed

from tadoru.errors import CorruptStore, NewerStore, NotIndexed, Unavailable
from tadoru.stores.chroma import ChromaStore, collection, newest, server
from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.collection import Away, Gone
from tadoru.stores.chroma.form import FORM, Manifest, documents_of, unpack
from tadoru.stores.chroma.pages import Torn
from tadoru.stores.chroma.table import Table
from tadoru.testing.suites.store import access_of, paths
from tadoru.types import Freshness

pytestmark = MARKS
PUBLIC = {"isPublic": True, "groups": []}


def rows(**texts):
    return [(f"{name}", text, {"page": f"{name}.md", "chunk_index": 0})
            for name, text in texts.items()]  # fmt: skip


def tree(*names, **labels):
    return {f"{name}.md": labels.get(name, PUBLIC) for name in names}


@pytest.fixture
def own(tmp_path):
    """A server that a test may kill."""
    made = ChromaServer(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def looks(monkeypatch):
    """Every question looks at the collection anew."""
    monkeypatch.setattr(newest, "CHECK_SECONDS", -1.0)
    monkeypatch.setattr(newest, "PAUSE_SECONDS", 0.0)


@pytest.fixture
def hurried(monkeypatch):
    """A server that is away is given up after half a second."""
    monkeypatch.setattr(server.Server.__init__, "__kwdefaults__",
                        {"away_seconds": 0.5, "answer_seconds": 1.0})  # fmt: skip


# -- the server ----------------------------------------------------------------------------------


def test_no_server_is_said_within_the_deadline(own, hurried):
    address = own.docs(tree("a"), rows(a="text"))
    own.stop()
    store = ChromaStore.open(address)
    started = time.monotonic()
    with pytest.raises(Away, match="does not answer"):
        _ = store.generation
    assert time.monotonic() - started < 3
    started = time.monotonic()
    with pytest.raises(Away):
        list(store.entries(access=frozenset({1})))
    assert time.monotonic() - started < 0.2, "the second question does not wait again"


def test_a_server_that_is_slow_is_given_up(own, hurried):
    address = own.docs(tree("a"), rows(a="text"))
    store = ChromaStore.open(address)
    access = access_of(store)
    own.stop(signal.SIGSTOP)
    try:
        started = time.monotonic()
        with pytest.raises(Away, match="took longer"):
            store.read("a.md", access=access)
        assert time.monotonic() - started < 4
    finally:
        own.go_on()
    assert store.read("a.md", access=access) == b"text"


def test_a_server_that_is_started_again_is_found_again(own, monkeypatch):
    patient = {"away_seconds": 60.0, "answer_seconds": 60.0}  # on a busy machine it comes up late
    monkeypatch.setattr(server.Server.__init__, "__kwdefaults__", patient)
    address = own.docs(tree("a", "b"), rows(a="text", b="more"))
    store = ChromaStore.open(address)
    access = access_of(store)
    assert store.read("a.md", access=access) == b"text"
    own.stop()
    timer = threading.Timer(0.7, own.start)
    timer.start()
    assert store.read("b.md", access=access) == b"more"
    timer.join()


def test_the_tree_counts_for_a_while_without_its_server_and_every_answer_says_so(
    own, hurried, looks, monkeypatch
):
    address = own.docs(tree("a", "b"), rows(a="text", b="more"))
    store = ChromaStore.open(address)
    access = access_of(store)
    store.read("a.md", access=access)
    own.stop()
    assert paths(store, access) == {"a.md", "b.md"}
    assert store.read("a.md", access=access) == b"text", "what is cached is served"
    state = store.state(access=access)
    assert state.status is Freshness.STALE
    assert "does not answer" in str(state)
    with pytest.raises(Unavailable):
        store.read("b.md", access=access)
    monkeypatch.setattr(newest, "GRACE_SECONDS", 0.0)
    with pytest.raises(Away):
        list(store.entries(access=access))
    with pytest.raises(Away):
        store.read("a.md", access=access)


def test_somebody_who_waits_for_a_look_does_not_hold_up_the_others(own, looks, monkeypatch):
    address = own.docs(tree("a"), rows(a="text"))
    store = ChromaStore.open(address)
    access = access_of(store)
    store.read("a.md", access=access)
    own.stop(signal.SIGSTOP)
    try:
        first = threading.Thread(target=lambda: store.generation)
        first.start()
        time.sleep(0.2)
        started = time.monotonic()
        assert store.read("a.md", access=access) == b"text"
        assert time.monotonic() - started < 0.5
    finally:
        own.go_on()
        first.join()


# -- the collection ------------------------------------------------------------------------------


def test_a_collection_that_is_deleted_takes_its_pages_with_it(chroma, looks):
    address = chroma.docs(tree("a"), rows(a="text"))
    store = ChromaStore.open(address)
    access = access_of(store)
    assert store.read("a.md", access=access) == b"text"
    chroma.client.delete_collection(address.collection)
    for ask in (lambda: store.read("a.md", access=access), lambda: store.generation,
                lambda: list(store.entries(access=access)),
                lambda: store.literals.candidates([[b"text"]], access=access)):  # fmt: skip
        with pytest.raises(Gone):
            ask()


def test_a_collection_that_is_replaced_is_another_store(chroma, looks):
    address = chroma.docs(tree("a"), rows(a="old text"))
    store = ChromaStore.open(address)
    before, access = store.id, access_of(store)
    assert store.read("a.md", access=access) == b"old text"
    chroma.client.delete_collection(address.collection)
    chroma.docs(tree("a", "b", a={"groups": ["ops"]}), rows(a="secret", b="new"),
                name=address.collection)  # fmt: skip
    assert store.read("a.md", access=access) is None
    assert store.read("b.md", access=access) == b"new"
    assert store.id != before
    assert store.postings.frequencies(["secret", "new"], access=access) == [0, 1]


def test_a_collection_that_is_replaced_within_the_two_seconds_never_mixes(chroma):
    address = chroma.docs(tree("a"), rows(a="old"))
    store = ChromaStore.open(address)
    access = access_of(store)
    chroma.client.delete_collection(address.collection)
    chroma.docs(tree("a", a={"groups": ["ops"]}), rows(a="secret"), name=address.collection)
    assert store.read("a.md", access=access) is None
    assert store.read("a.md", access=access_of(store, "ops")) == b"secret"


def test_chunks_that_are_gone_are_an_error_and_no_shorter_page(chroma):
    facts = {**PUBLIC, "chunks": 3}
    made = [(f"a.md#{at}", f"part {at}\n", {"page": "a.md", "chunk_index": at}) for at in range(3)]
    other = [("b", "whole\n", {"page": "b.md", "chunk_index": 0})]
    address = chroma.docs(
        {"a.md": facts, "b.md": PUBLIC}, made + other, query="ids={page}%23{index}"
    )
    chroma.official(address).delete(ids=["a.md#2"])
    store = ChromaStore.open(address)
    access = access_of(store)
    with pytest.raises(Torn, match="2 of 3 chunks"):
        store.read("a.md", access=access)
    assert list(store.read_many(["a.md", "b.md"], access=access)) == [("b.md", b"whole\n")]
    state = store.state(access=access)
    assert state.status is Freshness.PARTIAL
    assert "a.md" in str(state)


def test_what_is_incomplete_is_told_to_those_who_see_it_only(chroma):
    facts = {"groups": ["ops"], "chunks": 2}
    address = chroma.docs({"a.md": facts, "b.md": PUBLIC}, rows(b="x"))
    store = ChromaStore.open(address)
    outsider, ops = access_of(store), access_of(store, "ops")
    assert list(store.read_many(["a.md", "b.md"], access=ops)) == [("b.md", b"x")]
    assert "a.md" in str(store.state(access=ops))
    assert str(store.state(access=outsider)) == "fresh"


# -- the tree ------------------------------------------------------------------------------------


def published(pages, generation=1, *, part=None, **facts):
    """Return head and parts of a tree of ours."""
    listed = list(Table([pages], FieldNames()).values())
    import tadoru.stores.chroma.form as form

    with pytest.MonkeyPatch.context() as patch:
        if part is not None:
            patch.setattr(form, "PART_PAGES", part)
        return documents_of(listed, Manifest(generation, **facts), FieldNames())


def test_a_tree_of_a_newer_form_is_refused(chroma):
    head, _ = published(tree("a"))
    newer = unpack(head, "tree")
    newer[""]["form"] = FORM + 1
    with pytest.raises(NewerStore, match="update"):
        _ = ChromaStore.open(chroma.docs(packed(newer), rows(a="x"))).generation


def test_a_tree_that_becomes_unreadable_hides_everything(chroma, looks):
    address = chroma.docs(tree("a"), rows(a="text"))
    store = ChromaStore.open(address)
    access = access_of(store)
    assert store.read("a.md", access=access) == b"text"
    official = chroma.official(address)
    official.update(ids=["__path_tree__"], documents=["garbage"], embeddings=[[1.0, 0.0]])
    with pytest.raises(CorruptStore):
        store.read("a.md", access=access)
    official.delete(ids=["__path_tree__"])
    with pytest.raises(NotIndexed):
        store.read("a.md", access=access)


@pytest.mark.parametrize("fault", ["missing", "another"])
def test_a_tree_with_a_part_missing_is_no_tree(chroma, fault):
    pages = tree(*(f"p{n}" for n in range(10)))
    head, parts = published(pages, part=4)
    assert len(parts) == 3
    extra = [(name, text, {"page": "__path_tree__"}) for name, text in parts.items()]
    whole = ChromaStore.open(chroma.docs(head, [*extra, *rows(p1="x")]))
    assert paths(whole, access_of(whole)) == set(pages)
    if fault == "missing":
        broken = extra[:-1]
    else:
        broken = [*extra[:-1], (extra[-1][0], packed(tree("evil")), {"page": "x"})]
    store = ChromaStore.open(chroma.docs(head, broken))
    with pytest.raises(CorruptStore, match="part of the tree"):
        _ = store.generation


def test_a_page_below_another_page_is_left_out_and_said(chroma):
    labels = {"auth": PUBLIC, "auth/oauth": PUBLIC, "ops": {"groups": ["ops"]}, "ops/x": PUBLIC}
    made = [(name, name, {"page": name, "chunk_index": 0}) for name in labels]
    store = ChromaStore.open(chroma.docs(labels, made))
    access = access_of(store)
    assert paths(store, access) == {"auth"}
    assert str(store.state(access=access)).startswith("partial: auth/oauth lies below")
    assert "ops" not in str(store.state(access=access))


def test_a_name_in_the_tree_cannot_leave_it(chroma):
    names = ["../up", "a/../b", "/abs/x.md", "a//b.md", "./c", "", "n\0ul", ".", "d/."]
    store = ChromaStore.open(chroma.docs(dict.fromkeys(names, PUBLIC)))
    assert paths(store, access_of(store)) == {"abs/x.md", "a/b.md"}


def test_errors_never_hold_the_token(own, hurried, monkeypatch):
    monkeypatch.setenv("DOCS_TOKEN", "s3cret")
    address = own.address_of("no-such", "token_env=DOCS_TOKEN")
    with pytest.raises(Unavailable) as caught:
        _ = ChromaStore.open(address).generation
    assert "s3cret" not in repr(caught.value)
    own.stop()
    with pytest.raises(Unavailable) as caught:
        _ = ChromaStore.open(address).generation
    assert "s3cret" not in repr(caught.value)


def test_a_pause_between_tries_grows_and_the_deadline_holds(monkeypatch):
    slept = []
    now = [0.0]
    monkeypatch.setattr(collection.time, "monotonic", lambda: now[0])

    def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(collection.time, "sleep", sleep)

    def ask(left):
        assert left > 0
        raise Away("no")

    with pytest.raises(Away):
        collection.patiently(ask, away=5.0, answer=30.0)
    assert sum(slept) < 5.0
    assert slept == sorted(slept)
    assert max(slept) == collection.LONGEST_PAUSE
