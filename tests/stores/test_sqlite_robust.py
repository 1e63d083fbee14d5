"""A store survives anything, says what is wrong, and never leaves a half-made one behind."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from sqlite_build import Builder, record, write

from tadoru.errors import CorruptStore, NewerStore, NotIndexed, StoreError, StoreFull
from tadoru.stores.sqlite import SqliteStore
from tadoru.stores.sqlite import schema as schema_module
from tadoru.testing.suites.corpus import FILES

ALL = frozenset({0, 1})
HERE = Path(__file__).parent


@pytest.fixture
def built(tmp_path):
    builder = Builder(tmp_path)
    store = builder(FILES)
    yield store
    builder.close()


def reopened(store):
    return SqliteStore.open(store.directory, root=Path(store.host_root), create=False)


def answers(store):
    return (
        store.postings.search([("cookie", 1.0), ("session", 1.0)], access=ALL, k=9),
        store.literals.candidates([[b"cookie"]], access=ALL),
    )


LEAVING = """
import fcntl, os, sys, time
database = os.open(sys.argv[1], os.O_RDWR)
fcntl.lockf(database, fcntl.LOCK_EX, 510, 0x40000002)
print(flush=True)
time.sleep(0.5)
print(os.path.exists(sys.argv[1]))
"""
"""SQLite's exclusive lock, as the last reader holds it while it deletes the log by its name.
Source: https://www.sqlite.org/src/file/src/os.h, SHARED_FIRST and SHARED_SIZE"""


# -- opening -----------------------------------------------------------------------------------


def test_no_index_is_said_and_none_is_made(tmp_path):
    with pytest.raises(NotIndexed):
        SqliteStore.open(tmp_path / "home" / "key", root=tmp_path, create=False)
    assert not (tmp_path / "home").exists()


def test_everything_is_readable_by_its_owner_alone(built):
    assert stat.S_IMODE(built.directory.stat().st_mode) == 0o700
    with built.writer() as writer:
        writer.delete(["README.md"])
        for path in built.directory.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_two_openings_are_one_catalogue_and_a_rebuilt_one_is_another(built):
    second = reopened(built)
    assert second.id == built.id
    second.close()
    before = built.id
    SqliteStore.remove(built.directory)
    with pytest.raises(NotIndexed):
        built.read("README.md", access=ALL)
    with pytest.raises(NotIndexed):
        _ = built.id
    rebuilt = SqliteStore.open(built.directory, root=Path(built.host_root), create=True)
    assert rebuilt.id != before
    assert built.id == rebuilt.id, "a store that was open sees the new one"
    assert list(built.entries(access=ALL)) == []
    rebuilt.close()


def test_a_reset_store_is_empty_and_another_one_and_nobody_finds_none(built):
    other = reopened(built)
    before = built.id
    SqliteStore.reset(built.directory, root=Path(built.host_root))
    assert built.id == other.id != before
    assert list(other.entries(access=ALL)) == []
    assert answers(other) == ([], set())
    assert other.last_scan_ns == 0
    assert other.check() == other.broken_segments() == []
    other.close()


@pytest.mark.parametrize("damage", ["a page", "all of it", "a later version"])
def test_a_store_that_cannot_be_emptied_is_deleted(built, damage):
    path = built.directory / "index.db"
    if damage == "a later version":
        with built.writer() as writer:
            writer._connection.execute("PRAGMA user_version = 99")
    built.close()
    data = path.read_bytes()
    if damage == "a page":
        path.write_bytes(data[:20_480] + b"\xff" * 4096 + data[24_576:])
    elif damage == "all of it":
        path.write_bytes(b"\xff" * len(data))
    SqliteStore.reset(built.directory, root=Path(built.host_root))
    with pytest.raises(NotIndexed):
        reopened(built)
    assert Path(built.host_root, "README.md").exists()


def test_nothing_is_deleted_before_the_last_reader_has_left(built):
    path = built.directory / "index.db"
    built.close()
    with subprocess.Popen(
        [sys.executable, "-c", LEAVING, str(path)], stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        SqliteStore.remove(built.directory)
        assert reader.stdout.read() == "True\n"
    assert not built.directory.exists()


def test_a_writer_whose_store_was_half_removed_finds_none(built):
    store = reopened(built)
    built.close()
    (built.directory / "index.db").unlink()
    with pytest.raises(NotIndexed, match="removed"), store.writer():
        pass


def test_remove_of_nothing_is_nothing(tmp_path):
    SqliteStore.remove(tmp_path / "no")
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    "damage", [b"", b"no database at all" * 200, b"SQLite format 3\0" + b"\xff" * 5_000]
)
def test_a_damaged_database_is_named_with_its_remedy(built, damage):
    built.close()
    for path in built.directory.glob("index.db*"):
        path.unlink()
    (built.directory / "index.db").write_bytes(damage)
    with pytest.raises(CorruptStore) as caught:
        reopened(built)
    assert "--rebuild" in caught.value.hint
    SqliteStore.remove(built.directory)
    assert Path(built.host_root, "README.md").exists()


def test_a_truncated_database_gives_its_error_when_it_is_read(built):
    built.close()
    path = built.directory / "index.db"
    path.write_bytes(path.read_bytes()[: 4096 * 5])
    with pytest.raises(StoreError) as caught:
        store = reopened(built)
        list(store.entries(access=ALL))
        store.read("README.md", access=ALL)
        store.symbols(access=ALL)
        store.import_counts(access=ALL)
    assert isinstance(caught.value, CorruptStore)


def test_a_foreign_database_is_not_touched(tmp_path):
    path = tmp_path / "index.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(CorruptStore):
        SqliteStore.open(tmp_path, root=tmp_path, create=True)
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused(built):
    with built.writer() as writer:
        writer._connection.execute(f"PRAGMA user_version = {schema_module.SCHEMA_VERSION + 1}")
    with pytest.raises(NewerStore) as caught:
        reopened(built)
    assert "upgrade" in caught.value.hint
    with pytest.raises(NewerStore), built.writer():
        pass


def test_an_index_of_an_earlier_version_is_made_anew(built):
    before = built.id
    with built.writer() as writer:
        writer._connection.execute("PRAGMA user_version = 1")
        # as a kill leaves it: with a log that must not be taken for that of the next database
        shutil.copy(built.directory / "index.db-wal", built.directory / "kept")
    built.close()
    shutil.move(built.directory / "kept", built.directory / "index.db-wal")
    with pytest.raises(NotIndexed) as caught:
        reopened(built)
    assert "earlier version" in caught.value.message
    with SqliteStore.open(
        built.directory, root=Path(built.host_root), create=True
    ).writer() as writer:
        assert writer.known() == {}
    anew = reopened(built)
    assert anew.id != before
    assert anew.check() == anew.broken_segments() == []
    anew.close()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_store_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(schema_module, "_fill", fail)
    expected = StoreFull if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        SqliteStore.open(tmp_path / "home" / "deep" / "key", root=tmp_path, create=True)
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_a_killed_creation_are_cleared(tmp_path):
    (tmp_path / "index.db.4711.new").write_bytes(b"half")
    (tmp_path / "index.db.4711.new-journal").write_bytes(b"half")
    SqliteStore.open(tmp_path, root=tmp_path, create=True).close()
    assert not list(tmp_path.glob("*.new*"))


AS_NOBODY = """
import fcntl, mmap, os, sys, urllib.parse
from pathlib import Path
import numpy, zstandard
import tadoru.stores.sqlite.literals, tadoru.stores.sqlite.postings, tadoru.stores.sqlite.upkeep
from tadoru.errors import StoreError
from tadoru.stores.sqlite import SqliteStore
if os.geteuid() == 0:  # root may write anywhere, and another user may not read its Python
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
home, root = Path(sys.argv[1]), Path(sys.argv[2])
try:
    SqliteStore.open(home.parent / "new", root=root, create=True)
    sys.exit("made an index in a read-only directory")
except StoreError as error:
    assert "TADORU_HOME" in error.hint, error
store = SqliteStore.open(home, root=root, create=False)
print(len(list(store.entries(access=frozenset({1})))))
print(len(store.postings.search([("cookie", 1.0)], access=frozenset({1}), k=9)))
try:
    with store.writer(deadline_seconds=0.1) as writer:
        writer.delete(["README.md"])
    sys.exit("wrote to a read-only directory")
except StoreError as error:
    assert "TADORU_HOME" in error.hint, error
"""


def test_a_read_only_directory_is_read_and_not_written(built, tmp_path):
    built.close()
    shared = Path("/tmp") / f"tadoru-read-only-{os.getpid()}"
    try:
        shutil.copytree(built.directory, shared / "key")
        for path in [shared, *shared.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(shared / "key"), "/usr"],
            capture_output=True, text=True, timeout=60, check=False, cwd="/",
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == ["8", "5"]
    finally:
        for path in [shared, *shared.rglob("*")]:
            path.chmod(0o755)
        shutil.rmtree(shared)


# -- segments ----------------------------------------------------------------------------------


def segments(store):
    return sorted([*store.directory.glob("*.seg"), *store.directory.glob("*.json")])


@pytest.mark.parametrize("damage", ["gone", "cut", "garbage", "empty", "foreign", "directory"])
def test_segments_are_disposable(built, tmp_path, damage):
    right = answers(built)
    built.close()
    other = Builder(tmp_path / "other")({"README.md": "cookie session"})
    for path in segments(built):
        if damage == "gone":
            path.unlink()
        elif damage == "cut":
            path.write_bytes(path.read_bytes()[:-70])
        elif damage == "garbage":
            path.write_bytes(random.Random(5).randbytes(path.stat().st_size))
        elif damage == "empty":
            path.write_bytes(b"")
        elif damage == "directory":
            path.unlink()
            path.mkdir()
    if damage == "foreign":
        for path in segments(built):
            path.unlink()
        for path in segments(other):
            shutil.copy(path, built.directory)
    store = reopened(built)
    assert answers(store) == right
    if damage != "directory":
        with store.writer() as writer:
            writer.finish()
        assert len(segments(store)) == 4
        assert answers(store) == right
    store.close()
    other.close()


def test_a_manifest_cannot_point_outside(built):
    right = answers(built)
    built.close()
    for path in built.directory.glob("*.json"):
        manifest = json.loads(path.read_bytes())
        manifest["segments"] = ["../../etc/passwd", "/etc/passwd", 5, None]
        path.write_text(json.dumps(manifest))
    store = reopened(built)
    assert answers(store) == right
    store.close()


def test_a_reader_writes_down_what_it_had_to_make_again(tmp_path):
    builder = Builder(tmp_path)
    store = builder({f"f{n}.py": f"session cookie {n}" for n in range(80)})
    right = answers(store)
    store.close()
    for path in segments(store):
        path.unlink()
    store = reopened(store)
    assert answers(store) == right
    assert len(segments(store)) == 4
    assert answers(store) == right
    store.close()


def test_wal_does_not_outlive_a_run(built):
    wal = built.directory / "index.db-wal"
    assert not wal.exists() or wal.stat().st_size == 0


# -- kill --------------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from sqlite_build import record, write
from tadoru.stores.sqlite import SqliteStore
from tadoru.stores.sqlite import writer as module
module.FLUSH_CHUNKS = 20
home, root = Path(sys.argv[1]), Path(sys.argv[2])
store = SqliteStore.open(home, root=root, create=True)
turn = 0
while True:
    turn += 1
    with store.writer() as writer:
        stats = [write(root, f"f{n}.py", f"session turn{turn} file{n}\\n" * 9) for n in range(12)]
        writer.names(stats)
        for at in range(0, 12, 4):
            writer.put([record(s, (root / s.path).read_bytes()) for s in stats[at : at + 4]])
        writer.delete([f"f{turn % 12}.py"])
        writer.finish()
    print(turn, flush=True)
"""


@pytest.mark.slow
def test_kill_at_any_moment_leaves_the_old_or_the_new_state(tmp_path):
    home, root = tmp_path / "home", tmp_path / "root"
    root.mkdir()
    rng = random.Random(11)
    for _ in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(home), str(root), str(HERE)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(rng.random() * 0.25)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        check_whole(home, root)


def check_whole(home: Path, root: Path) -> None:
    store = SqliteStore.open(home, root=root, create=False)
    with store._pool.read() as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    # the text of a name that was never read comes from the source, which may be a turn ahead
    names = sorted(entry.path for entry in store.entries(access=ALL) if entry.indexed)
    turns = {path: str(store.text(path, access=ALL)).split()[1] for path in names}
    for start in range(0, 12, 4):
        batch = {turns[f"f{n}.py"] for n in range(start, start + 4) if f"f{n}.py" in turns}
        assert len(batch) <= 1, "a batch of files is one transaction"
    for turn in set(turns.values()):
        found = store.postings.search([(turn, 1.0)], access=ALL, k=50)
        of_turn = [path for path in names if turns[path] == turn]
        assert sorted(ref.path for ref in found) == of_turn
        assert store.literals.candidates([[f"{turn} file".encode()]], access=ALL) >= set(of_turn)
    with store.writer(deadline_seconds=2) as writer:
        writer.finish()
    store.close()


@pytest.mark.slow
def test_many_readers_and_one_writer_at_once(tmp_path):
    builder = Builder(tmp_path)
    store = builder({f"f{n}.py": "session start" for n in range(20)})
    root = Path(store.host_root)
    failures: list[BaseException] = []
    done = threading.Event()

    def read():
        try:
            while not done.is_set():
                found = store.postings.search([("session", 1.0)], access=ALL, k=50)
                assert len(found) == 20
                assert len(list(store.read_many([f"f{n}.py" for n in range(20)], access=ALL))) == 20
                assert len(store.literals.candidates([[b"session"]], access=ALL)) == 20
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for turn in range(8):
        with store.writer() as writer:
            stats = [write(root, f"f{n}.py", f"session {turn}") for n in range(20)]
            writer.put([record(stat, f"session {turn}".encode()) for stat in stats])
            writer.finish()
    done.set()
    for thread in threads:
        thread.join()
    assert not failures
    builder.close()


def test_a_forked_child_reads_without_harm_to_its_parent(built):
    list(built.entries(access=ALL))
    process = os.fork()
    if process == 0:
        right = len(list(built.entries(access=ALL))) == 8 and built.text("README.md", access=ALL)
        os._exit(0 if right else 1)
    assert os.waitpid(process, 0)[1] == 0
    assert built.text("README.md", access=ALL) == FILES["README.md"]


def test_a_fault_of_a_file_that_was_replaced_meanwhile_is_no_damage(tmp_path: Path) -> None:
    from tadoru.stores.sqlite.pool import Pool

    home = tmp_path / "home"
    SqliteStore.open(home, root=tmp_path, create=True).close()
    pool = Pool(home)
    for replaced, expected in ((False, CorruptStore), (True, NotIndexed)):
        fault = sqlite3.DatabaseError("database disk image is malformed")
        fault.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        with pytest.raises(expected), pool.read():
            if replaced:
                copy = home / "copy"
                copy.write_bytes((home / "index.db").read_bytes())
                copy.replace(home / "index.db")
            raise fault
    pool.close()
