"""What the writer changes, and what it says about it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlite_build import record, write

from tadoru.errors import StoreBusy
from tadoru.stores.sqlite import FileStat, SqliteStore
from tadoru.testing.suites.store import access_of, paths
from tadoru.types import HIDDEN, PUBLIC, AccessRow, Freshness, Import, Kind, Role

ALL = frozenset({0, 1})


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path, root):
    store = SqliteStore.open(tmp_path / "home" / "key", root=root, create=True)
    yield store
    store.close()


def generations(store, change):
    before = store.generation
    change()
    return store.generation - before


def test_names_make_the_tree_complete_at_once_and_readable(store, root):
    stats = [write(root, path, path) for path in ("a.py", "b/c.md", "b/d.bin")]
    with store.writer() as writer:
        delta = writer.names(stats)
        assert set(delta.new) == {"a.py", "b/c.md", "b/d.bin"}
        assert (delta.changed, delta.gone, delta.same) == ((), (), 0)
    assert paths(store, ALL) == {"a.py", "b/c.md", "b/d.bin"}
    assert store.read("b/c.md", access=ALL) == b"b/c.md"
    assert not any(entry.indexed for entry in store.entries(access=ALL))
    assert str(store.state(access=ALL)) == "updating 3 files"


def test_second_walk_reports_what_is_new_changed_gone_and_same(store, root):
    stats = [write(root, path, path) for path in ("same", "changed", "gone", "never-read")]
    with store.writer() as writer:
        writer.names(stats)
        writer.put([record(s, s.path.encode()) for s in stats if s.path != "never-read"])
        changed = replace(stats[1], mtime_ns=stats[1].mtime_ns + 1)
        new = write(root, "new", "n")
        delta = writer.names([stats[0], changed, stats[3], new])
    assert delta.new == ("new",)
    assert delta.changed == ("changed", "never-read")
    assert delta.gone == ("gone",)
    assert delta.same == 1
    assert "gone" in paths(store, ALL)
    assert store.read("changed", access=ALL) == b"changed"
    assert store.state(access=ALL).pending == 3


def test_a_walk_that_finds_nothing_new_changes_nothing(store, root):
    stats = [write(root, "a", "x")]
    with store.writer() as writer:
        writer.names(stats)
        writer.put([record(stats[0], b"x")])
        assert generations(store, lambda: writer.names(stats)) == 0


def test_touch_takes_over_a_new_stat(store, root):
    stat = write(root, "a", "x")
    with store.writer() as writer:
        writer.put([record(stat, b"x")])
        younger = replace(stat, mtime_ns=stat.mtime_ns + 5)
        writer.names([younger])
        assert not store.known()["a"].indexed
        writer.touch([younger])
        known = store.known()["a"]
    assert known.indexed
    assert known.mtime_ns == younger.mtime_ns
    assert store.read("a", access=ALL) == b"x"


def test_known_gives_back_what_the_walk_said(store, root):
    stat = FileStat("x", Kind.FILE, 3, -5, 1 << 62, (1 << 64) - 3, executable=True)
    with store.writer() as writer:
        writer.put([record(stat, b"abc")])
    known = store.known()["x"]
    assert known[:4] == (3, -5, 1 << 62, (1 << 64) - 3)
    assert known.digest == record(stat, b"abc").digest
    assert next(store.entries(access=ALL)).executable


def test_times_beyond_what_sqlite_can_hold_do_not_count_as_a_change(store):
    stat = FileStat("x", Kind.FILE, 3, 1 << 65, -(1 << 65), 1)
    with store.writer() as writer:
        writer.put([record(stat, b"abc")])
        assert writer.names([stat]).same == 1


def test_every_change_raises_the_generation_once(store, root):
    stat = write(root, "a", "x")
    with store.writer() as writer:
        changes = [
            lambda: writer.names([stat]),
            lambda: writer.put([record(stat, b"x"), record(replace(stat, path="b"), b"y")]),
            lambda: writer.touch([replace(stat, mtime_ns=1)]),
            lambda: writer.label(lambda path: PUBLIC),
            lambda: writer.set_state(Freshness.PARTIAL, "interrupted"),
            lambda: writer.delete(["a"]),
            lambda: writer.unlabel(),
        ]
        assert [generations(store, change) for change in changes] == [1] * len(changes)
        nothing = [
            lambda: writer.set_state(Freshness.PARTIAL, "interrupted"),
            lambda: writer.set_last_scan(17),
            lambda: writer.put([]),
            lambda: writer.delete([]),
            writer.flush,
            writer.finish,
        ]
        assert [generations(store, change) for change in nothing] == [0] * len(nothing)
    assert store.last_scan_ns == 17


def test_a_failing_put_changes_nothing(store, root):
    good, bad = write(root, "a", "x"), write(root, "b", "y")
    broken = replace(record(bad, b"y"), imports=(Import("b", "m", "no number", ""),))
    broken = replace(broken, digest=object())
    with store.writer() as writer:
        before = store.generation
        with pytest.raises(Exception, match=r"."):
            writer.put([record(good, b"x"), broken])
        assert store.generation == before
        assert paths(store, ALL) == set()
        writer.put([record(good, b"x")])
    assert paths(store, ALL) == {"a"}


def test_put_replaces_all_that_was_known(store, root):
    stat = write(root, "a.py", "old session")
    edge = Import("a.py", "os", 1)
    with store.writer() as writer:
        writer.put([record(stat, b"old session", imports=[edge])])
        writer.finish()
        writer.put([record(stat, b"new cookie")])
    assert store.text("a.py", access=ALL) == "new cookie"
    assert store.imports("a.py", access=ALL) == []
    assert store.postings.frequencies(["old", "new"], access=ALL) == [0, 1]
    assert store.literals.candidates([[b"old session"]], access=ALL) == set()


def test_a_file_that_becomes_a_link_keeps_no_content(store, root):
    stat = write(root, "a", "some session")
    with store.writer() as writer:
        writer.put([replace(record(stat, b"some session"), role=Role.TEST)])
        link = FileStat("a", Kind.LINK, 1, 2, 3, 4, target="b")
        assert writer.names([link]).changed == ("a",)
        assert writer.names([link]).same == 1
    entry = next(store.entries(access=ALL))
    assert (entry.kind, entry.target, entry.role) == (Kind.LINK, "b", Role.SOURCE)
    assert store.read("a", access=ALL) is None
    assert store.chunks("a", access=ALL) == ()
    assert store.postings.frequencies(["session"], access=ALL) == [0]
    assert store.state(access=ALL).status is Freshness.FRESH


def test_delete_leaves_nothing_behind(store, root):
    stat = write(root, "a.py", "session")
    with store.writer() as writer:
        writer.put([record(stat, b"session", imports=[Import("a.py", "os", 1)])])
        writer.delete(["a.py", "never-there"])
        writer.finish()
    assert paths(store, ALL) == set()
    with store._pool.read() as connection:
        for table in ("files", "texts", "symbols", "imports", "pending", "vectors"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


# -- labels ------------------------------------------------------------------------------------


def test_labels_hide_what_has_none_and_keep_their_ids(store, root):
    stats = [write(root, path, "x") for path in ("open", "dev", "none")]
    dev = AccessRow(0, False, frozenset({"dev"}))
    with store.writer() as writer:
        writer.put([record(stat, b"x") for stat in stats])
        assert paths(store, access_of(store)) == {"open", "dev", "none"}
        writer.label({"open": PUBLIC, "dev": dev}.get)
        assert paths(store, access_of(store)) == {"open"}
        assert paths(store, access_of(store, "dev")) == {"open", "dev"}
        old = access_of(store, "dev")
        writer.label({"dev": AccessRow(0, False, frozenset({"ops"})), "open": PUBLIC}.get)
    assert paths(store, old) == {"open"}
    assert paths(store, access_of(store, "ops")) == {"open", "dev"}
    ids = [row.id for row in store.access_rows()]
    assert len(set(ids)) == len(ids) == 4


def test_a_new_file_in_a_labelled_store_is_hidden_until_it_has_a_label(store, root):
    with store.writer() as writer:
        writer.label(lambda path: PUBLIC)
    with store.writer() as writer:
        writer.names([write(root, "late", "x")])
        writer.put([record(write(root, "later", "x"), b"x")])
    assert paths(store, access_of(store)) == set()
    assert {entry.access_id for entry in store.entries(access=ALL)} == {HIDDEN.id}
    with store.writer(labels=lambda path: PUBLIC) as writer:
        writer.names([write(root, "latest", "x")])
    assert paths(store, access_of(store)) == {"latest"}
    with store.writer() as writer:
        writer.unlabel()
    assert paths(store, access_of(store)) == {"late", "later", "latest"}


def test_a_label_without_groups_is_nobody(store, root):
    with store.writer() as writer:
        writer.label(lambda path: AccessRow(77, False, frozenset()))
        writer.names([write(root, "a", "x")])
    assert paths(store, access_of(store, "", "dev")) == set()


def test_generation_and_ignore_rules_stay_unsaid_in_a_labelled_store(store, root):
    store.ignored_rule = lambda path: f"rule for {path}"
    assert store.ignored("build/x", access=ALL) == "rule for build/x"
    with store.writer() as writer:
        writer.label(lambda path: PUBLIC)
    assert store.ignored("build/x", access=ALL) == ""
    assert store.state(access=ALL).generation == 0


# -- one writer --------------------------------------------------------------------------------


def test_a_second_writer_is_told_who_is_first(store, tmp_path, root):
    import os

    other = SqliteStore.open(tmp_path / "home" / "key", root=root, create=False)
    with store.writer() as writer:
        with pytest.raises(StoreBusy) as caught, other.writer(deadline_seconds=0.05):
            pass
        assert str(os.getpid()) in caught.value.message
        writer.put([record(write(root, "a", "x"), b"x")])
    with other.writer(deadline_seconds=0.05) as writer:
        writer.delete(["a"])
    assert paths(store, ALL) == set()
    other.close()


def test_readers_go_on_while_somebody_writes(store, root):
    stat = write(root, "a", "session one")
    with store.writer() as writer:
        writer.put([record(stat, b"session one")])
        with writer._transaction() as connection:
            connection.execute("DELETE FROM files")
            assert store.read("a", access=ALL) == b"session one"
            assert store.postings.frequencies(["session"], access=ALL) == [1]
            connection.execute("ROLLBACK")
            connection.execute("BEGIN IMMEDIATE")
    assert store.state(access=ALL).files == 1


def test_state_set_by_the_indexer_is_what_everybody_reads(store, root):
    with store.writer() as writer:
        writer.put([record(write(root, "a", "x"), b"x")])
        writer.set_state(Freshness.UPDATING)
        assert str(store.state(access=ALL)) == "fresh"
        writer.set_state(Freshness.STALE, "the disk is full")
    assert str(store.state(access=ALL)) == "stale: the disk is full"
    assert store.state(access=ALL).files == 1
