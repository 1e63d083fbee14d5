"""What doctor and stats ask of a store."""

from __future__ import annotations

import pytest
from sqlite_build import Builder

from tadoru.testing.suites.corpus import FILES


@pytest.fixture
def store(tmp_path):
    builder = Builder(tmp_path)
    yield builder(FILES)
    builder.close()


def test_a_sound_index_has_no_findings(store):
    assert store.check() == store.broken_segments() == []


def test_a_changed_byte_in_a_segment_is_found(store):
    path = next(store.directory.glob("postings-*.seg"))
    data = bytearray(path.read_bytes())
    data[-100] ^= 0xFF
    path.write_bytes(data)
    assert store.broken_segments() == [path.name]
    assert store.check() == []
    store.drop_broken_segments()
    with store.writer() as writer:
        writer.flush()
    assert store.broken_segments() == []


def test_lost_text_is_found(store):
    with store.writer() as writer:
        writer._connection.execute("DELETE FROM texts")
    assert any("lost their text" in finding for finding in store.check())


def test_size_is_that_of_all_files(store):
    files = [path for path in store.directory.iterdir() if path.is_file()]
    assert store.index_bytes() == sum(path.stat().st_size for path in files)


def test_what_waited_in_the_database_takes_no_space_afterwards(store):
    with store._pool.read() as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)


def test_counters_add_up_and_change_no_generation(store):
    before = store.generation
    store.count({"searches": 2})
    store.count({"searches": 1, "resolves": 1})
    assert store.counters() == {"resolves": 1, "searches": 3}
    assert store.generation == before


def test_counting_gives_way_to_a_writer(store):
    with store.writer() as writer, writer._transaction():
        store.count({"searches": 1})
    assert store.counters() == {}


def test_rows_of_files_that_are_gone_are_a_fault(store):
    with store.writer() as writer:
        writer._connection.execute("DELETE FROM files WHERE path = 'README.md'")
    assert any("files that are gone" in fault for fault in store.check())
