"""Full disks, clocks that go back, dead owners, crowds: a clear error or none, and no harm done."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from like_fresh import fresh, rows

import tadoru
from tadoru.config import AccessRule, Config
from tadoru.errors import BadInput, NotIndexed
from tadoru.indexing.labels import everything
from tadoru.indexing.sync import index, scan
from tadoru.sources import LocalSource
from tadoru.stores.sqlite import SqliteStore


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    for number in range(30):
        path = made / f"pkg{number % 3}/m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def helper{number}(shared):\n    return shared + {number}\n")
    return made


@pytest.fixture
def store(tmp_path: Path, root: Path) -> Iterator[SqliteStore]:
    made = SqliteStore.open(tmp_path / "store", root=root, create=True)
    yield made
    made.close()


def contents(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


UPDATE = """
import resource, sys
from pathlib import Path
from tadoru.config import AccessRule, Config
from tadoru.errors import StoreError
from tadoru.indexing.sync import index
from tadoru.stores.sqlite import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]), root=Path(sys.argv[2]), create=False)
limit = int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    index(store, sys.argv[2], Config())
except StoreError as error:
    print(type(error).__name__, error.message)
else:
    print("written")
"""


@pytest.mark.slow
@pytest.mark.parametrize("room", [0, 40_000, 200_000])
def test_a_disk_that_fills_up_during_an_update_costs_nothing_that_was_there(
    tmp_path: Path, store: SqliteStore, root: Path, room: int
) -> None:
    index(store, root, Config())
    before = rows(store)
    dice = random.Random(3)
    for number in range(25):
        text = "".join(f"value_{dice.randrange(10**12)} = {n}\n" for n in range(900))
        (root / f"pkg1/m{number}.py").write_text(text)
    source = contents(root)
    limit = (store.directory / "index.db").stat().st_size + room
    done = subprocess.run(
        [sys.executable, "-c", UPDATE, str(store.directory), str(root), str(limit)],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(("StoreFull", "StoreError")), done.stdout
    assert contents(root) == source
    assert store.check() == store.broken_segments() == []
    now = rows(store)
    for path in before.keys() & now.keys():
        old, new = before[path], now[path]
        assert new[2] in (old[2], (root / path).read_text()), "a file is old or new, never half"
    index(store, root, Config())
    assert rows(store) == fresh(tmp_path / "fresh", root, Config())


def test_a_clock_that_goes_back_hides_no_edit(
    tmp_path: Path, store: SqliteStore, root: Path
) -> None:
    index(store, root, Config())
    past = time.time_ns() - 10 * 365 * 86_400 * 10**9
    for number in range(3):
        path = root / f"pkg{number}/m{number}.py"
        path.write_text(path.read_text().replace("return", "yield "))
        os.utime(path, ns=(past, past))
    with store.writer() as writer:
        writer.set_last_scan(time.time_ns() + 3_600 * 10**9)  # the last run was in the future
    assert len(scan(store, root, Config()).changed) == 3
    index(store, root, Config())
    assert rows(store) == fresh(tmp_path / "fresh", root, Config())
    assert not scan(store, root, Config())


def test_a_root_that_is_deleted_while_it_is_open_is_said_and_comes_back(
    tmp_path: Path, root: Path
) -> None:
    config = Config(home=str(tmp_path / "home"))
    with tadoru.open(root, config=config) as workspace:
        workspace.index()
        root.rename(tmp_path / "elsewhere")
        with pytest.raises(BadInput, match="no directory any more"):
            workspace.search("helper")
        (tmp_path / "elsewhere").rename(root)
        assert workspace.search("helper3").hits


HOLDER = """
import sys, time
from pathlib import Path
from tadoru.stores.sqlite.lock import writer_lock
with writer_lock(Path(sys.argv[1]), 5):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_lock_of_a_dead_writer_is_taken_over_at_once(store: SqliteStore, root: Path) -> None:
    index(store, root, Config())
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(store.directory)], stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    with (
        pytest.raises(tadoru.TadoruError, match=f"process {holder.pid}"),
        store.writer(deadline_seconds=0.1),
    ):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    began = time.monotonic()
    with store.writer(deadline_seconds=5):
        assert time.monotonic() - began < 0.5


def test_a_lock_that_names_a_living_process_of_the_same_number_holds_nobody_up(
    store: SqliteStore,
) -> None:
    """After a restart of the machine the number of a dead owner belongs to another process."""
    (store.directory / "writer.lock").write_text(f"{os.getppid()} 1\n")
    with store.writer(deadline_seconds=0.2) as writer:
        assert writer.known() == {}


READER = """
import sys, time
from pathlib import Path
from tadoru.stores.sqlite import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]), root=Path(sys.argv[2]), create=False)
everybody = frozenset({0, 1})
end = time.monotonic() + float(sys.argv[3])
asked = 0
while time.monotonic() < end:
    assert len(list(store.entries(access=everybody))) == 30
    assert len(store.postings.search([("shared", 1.0)], access=everybody, k=50)) == 30
    assert len(store.symbols(access=everybody, limit=100)[0]) == 30
    for entry in store.entries(access=everybody):
        store.text(entry.path, access=everybody)
    asked += 1
print(asked)
"""


@pytest.mark.slow
def test_a_crowd_of_readers_and_one_writer(store: SqliteStore, root: Path) -> None:
    index(store, root, Config())
    arguments = [sys.executable, "-c", READER, str(store.directory), str(root), "6"]
    readers = [
        subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    largest = 0
    turn = 0
    while any(reader.poll() is None for reader in readers):
        turn += 1
        for number in range(30):
            path = root / f"pkg{number % 3}/m{number}.py"
            path.write_text(f"def helper{number}(shared):\n    return shared * {turn}\n")
        index(store, root, Config())
        largest = max(largest, (store.directory / "index.db-wal").stat().st_size)
    for reader in readers:
        output, errors = reader.communicate()
        assert reader.returncode == 0, errors
        assert int(output) > 0
    assert turn > 5
    assert largest < 16 * 1024 * 1024


@pytest.mark.slow
def test_many_threads_of_one_workspace_ask_while_the_tree_changes(
    tmp_path: Path, root: Path
) -> None:
    failures: list[BaseException] = []
    stop = threading.Event()
    with tadoru.open(root, config=Config(home=str(tmp_path / "home"))) as workspace:
        workspace.index()

        def ask() -> None:
            try:
                while not stop.is_set():
                    assert workspace.search("helper").hits
                    assert workspace.run("grep -rl shared . | wc -l").stdout.strip() == "30"
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for turn in range(25):
            (root / "pkg0/m0.py").write_text(f"def helper0(shared):\n    return {turn}\n")
            time.sleep(0.1)
        stop.set()
        for thread in threads:
            thread.join(30)
    assert not failures


def test_a_dry_run_says_what_an_index_would_hold_and_makes_none(tmp_path: Path, root: Path) -> None:
    (root / "logo.png").write_bytes(b"\x89PNG" + bytes(100))
    source = LocalSource(root, Config(home=str(tmp_path / "home")))
    report = source.index(dry_run=True)
    assert report.languages["python"] == 30
    assert report.index_bytes > 0
    assert report.seconds > 0
    assert not (tmp_path / "home").exists()


def test_locks_of_other_programs_do_not_matter(store: SqliteStore, root: Path) -> None:
    """An editor or a backup may lock files of the source: reading goes on."""
    with (root / "pkg0/m0.py").open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert index(store, root, Config()).complete
    access = everything(store)
    assert store.text("pkg0/m0.py", access=access)


def test_statistics_tell_size_and_age_unless_somebody_may_not_see_everything(
    tmp_path: Path, root: Path
) -> None:
    config = Config(home=str(tmp_path / "home"))
    with tadoru.open(root, config=config) as workspace:
        workspace.index()
        health = workspace.stats()["health"]["/"]
        assert health["index_bytes"] > 10_000
        assert 0 <= health["seconds_since_scan"] < 600
    rules = (AccessRule("pkg0/", public=True),)
    with tadoru.open(root, config=replace(config, access=rules)) as workspace:
        assert "health" not in workspace.stats()


def test_an_index_of_an_earlier_version_is_made_anew_by_the_next_question(
    tmp_path: Path, root: Path
) -> None:
    config = Config(home=str(tmp_path / "home"))
    with tadoru.open(root, config=config) as workspace:
        workspace.index()
    (database,) = (tmp_path / "home").rglob("index.db")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA user_version = 1")
    with (
        tadoru.open(root, config=config, index=False) as workspace,
        pytest.raises(NotIndexed, match="not indexed"),
    ):
        workspace.search("helper3")
    with tadoru.open(root, config=config) as workspace:
        assert workspace.search("helper3").hits
