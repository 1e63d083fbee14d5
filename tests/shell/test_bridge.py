"""The filesystem ABI: alive while it is used, gone afterwards, and never an exception across it."""

from __future__ import annotations

import ctypes
import gc
import random
import threading

import pytest
from disk import FilesStore, view_of

from tadoru.shell import bridge
from tadoru.shell.scratch import Scratch
from tadoru.shell.space import Space

FILES = {f"d{i % 7}/f{i}": b"%d\n" % i * 50 for i in range(200)} | {"empty": b""}


def make() -> Space:
    return Space(view_of(FilesStore(FILES)), Scratch(100_000))


def test_it_reads_lists_and_describes():
    files = bridge.filesystem(make())
    assert files.read_file("/d1/f1") == b"1\n" * 50
    assert files.read_file("/empty") == b""
    assert files.exists("/d1") and not files.exists("/nope")
    assert files.stat("/d1/f1")["size"] == 100
    assert files.stat("/d1")["file_type"] == "directory"
    assert [e["name"] for e in files.read_dir("/")] == [*(f"d{i}" for i in range(7)), "empty"]
    with pytest.raises(Exception, match="No such file"):
        files.read_file("/nope")
    with pytest.raises(Exception, match="Read-only"):
        files.write_file("/new", b"x")


def test_nothing_is_copied_before_it_is_read():
    store = FilesStore(FILES)
    files = bridge.filesystem(Space(view_of(store), Scratch(1000)))
    files.read_dir("/d1")
    files.stat("/d1/f1")
    assert store.reads == []
    files.read_file("/d1/f1")
    assert store.reads == ["d1/f1"]


def test_instances_live_as_long_as_their_filesystem():
    gc.collect()
    before = len(bridge.instances)
    files = [bridge.filesystem(make()) for _ in range(20)]
    gc.collect()
    assert len(bridge.instances) == before + 20
    assert all(f.read_file("/d3/f3") == b"3\n" * 50 for f in files)
    del files
    gc.collect()
    assert len(bridge.instances) == before


def test_many_threads_while_garbage_is_collected():
    files = bridge.filesystem(make())
    wrong: list[object] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(150):
            number = chance.randrange(200)
            if files.read_file(f"/d{number % 7}/f{number}") != b"%d\n" % number * 50:
                wrong.append(number)
            files.read_dir(f"/d{number % 7}")
            if not chance.randrange(20):
                gc.collect(0)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_strange_paths_never_crash_it():
    files = bridge.filesystem(make())
    chance = random.Random(7)
    letters = "ab/.. \u00e9\u6f22\U0001f600\\*?[]\n\t'\"$"
    for _ in range(500):
        path = "/" + "".join(chance.choice(letters) for _ in range(chance.randrange(40)))
        for call in (files.exists, files.stat, files.read_file, files.read_dir, files.read_link):
            try:
                call(path)
            except Exception as error:
                assert "internal error" not in str(error)


def test_another_version_of_the_abi_is_refused():
    from bashkit import FileSystem

    number = bridge.instances.add(make())
    handle = bridge._Handle(
        bridge.ABI_VERSION + 1,
        0,
        number,
        bridge._RETAIN,
        bridge._RELEASE,
        ctypes.pointer(bridge._VTABLE),
    )
    capsule = bridge._new_capsule(ctypes.addressof(handle), bridge.CAPSULE_NAME, None)
    with pytest.raises(Exception, match="unsupported filesystem ABI version"):
        FileSystem.from_capsule(capsule)
    bridge.instances.release(number)


def test_a_failure_inside_becomes_an_error_outside(monkeypatch):
    space = make()
    files = bridge.filesystem(space)

    def broken(*arguments: object, **options: object) -> bytes:
        raise RuntimeError("boom")

    monkeypatch.setattr(Space, "read", broken)
    with pytest.raises(Exception, match="internal error: RuntimeError"):
        files.read_file("/d1/f1")
