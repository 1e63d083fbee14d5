"""Bytes of the source itself: bounded, inside the root, and without following anything."""

from __future__ import annotations

import os

import pytest
from sqlite_build import stat_of, write

from tadoru.errors import LimitExceeded, Unavailable
from tadoru.stores.sqlite import SqliteStore, content
from tadoru.stores.sqlite.records import FileStat
from tadoru.types import Kind

ALL = frozenset({0, 1})


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def named(tmp_path, root):
    """A store that knows the names that it is given, and nothing of their content."""
    store = SqliteStore.open(tmp_path / "home", root=root, create=True)

    def name(*stats):
        with store.writer() as writer:
            writer.names(stats)
        return store

    yield name
    store.close()


def test_a_file_that_turned_into_a_link_is_not_followed(named, root, tmp_path):
    (tmp_path / "outside").write_text("secret")
    store = named(write(root, "a", "x"), write(root, "d/b", "y"))
    (root / "a").unlink()
    (root / "a").symlink_to(tmp_path / "outside")
    (root / "d" / "b").unlink()
    (root / "d").rmdir()
    (root / "d").symlink_to(tmp_path)
    (tmp_path / "b").write_text("secret too")
    assert store.read("a", access=ALL) is None
    assert store.read("d/b", access=ALL) is None
    assert list(store.read_many(["a", "d/b"], access=ALL)) == []


def test_names_that_climb_out_are_not_opened(named, root, tmp_path):
    (tmp_path / "outside").write_text("secret")
    stats = [
        FileStat(path, Kind.FILE, 6, 1, 1, 1, raw=raw)
        for path, raw in (
            ("../outside", b""), ("x/../../outside", b""), ("abs", b"/etc/passwd"),
            ("nul", b"a\0b"), ("raw", b"../outside"), ("dot", b"./a"),
        )
    ]  # fmt: skip
    store = named(*stats)
    assert [store.read(stat.path, access=ALL) for stat in stats] == [None] * len(stats)


def test_a_name_that_is_not_utf8_is_read_by_its_bytes(named, root):
    raw = b"caf\xe9.txt"
    with open(os.fsencode(root) + b"/" + raw, "wb") as file:  # noqa: PTH123
        file.write(b"latin")
    store = named(FileStat("caf\\xe9.txt", Kind.FILE, 5, 1, 1, 1, raw=raw))
    assert store.read("caf\\xe9.txt", access=ALL) == b"latin"


def test_a_fifo_that_took_the_place_of_a_file_holds_up_nobody(named, root):
    store = named(write(root, "a", "x"))
    (root / "a").unlink()
    os.mkfifo(root / "a")
    assert store.read("a", access=ALL) is None


def test_what_is_gone_reads_as_nothing(named, root):
    store = named(write(root, "a", "x"))
    (root / "a").unlink()
    assert store.read("a", access=ALL) is None
    assert store.text("a", access=ALL) is None


def test_ranges_are_read_without_the_rest_and_the_whole_has_a_limit(named, root, monkeypatch):
    monkeypatch.setattr(content, "MAX_READ_BYTES", 100)
    store = named(write(root, "big", b"0123456789" * 50))
    with pytest.raises(LimitExceeded):
        store.read("big", access=ALL)
    assert store.read("big", access=ALL, start=495, size=50) == b"56789"
    assert store.read("big", access=ALL, start=3, size=4) == b"3456"


def test_what_the_system_refuses_is_said(named, root, monkeypatch):
    store = named(write(root, "a", "x"), write(root, "b", "y"))

    def refuse(root, name, original=content._open_below):
        if name == b"a":
            raise PermissionError(13, "Permission denied")
        return original(root, name)

    monkeypatch.setattr(content, "_open_below", refuse)
    with pytest.raises(Unavailable, match="Permission denied"):
        store.read("a", access=ALL)
    assert list(store.read_many(["a", "b"], access=ALL)) == [("b", b"y")]


def test_a_root_with_odd_characters(tmp_path):
    root = tmp_path / "My Proj ünï? #%20 日本"
    root.mkdir()
    write(root, "ä b/日.py", "x")
    store = SqliteStore.open(tmp_path / "h ö?#%41", root=root, create=True)
    with store.writer() as writer:
        writer.names([stat_of(root, "ä b/日.py")])
    assert store.read("ä b/日.py", access=ALL) == b"x"
    assert store.host_root == str(root)
    store.close()


def test_hot_bytes_never_exceed_their_limit():
    hot = content.HotBytes(100)
    for number in range(50):
        hot.put((number, 1), b"x" * 20)
    assert hot._total == 100
    assert hot.get((49, 1)) == b"x" * 20
    assert hot.get((0, 1)) is None
    hot.put((99, 1), b"y" * 60)
    assert hot.get((99, 1)) is None, "one file must not push out all others"
    hot.put_if_room((98, 1), b"z")
    assert hot.get((98, 1)) is None
