"""Ends an indexer with SIGKILL again and again, while a reader and a second indexer go on.

Run by `test_kill.py` as a process of its own: `killed.py PHASE COUNT SEED DIRECTORY`. Everything is
loaded once and each indexer is a fork, so that a kill costs a quarter of a second. After each kill
the database is checked as a whole; after every few the next run is let finish, and what it leaves
is compared, row by row, with an index made from nothing.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from like_fresh import found, fresh, rows

from tadoru.config import Config, IndexConfig
from tadoru.errors import NotIndexed, StoreBusy
from tadoru.indexing import crew
from tadoru.indexing.labels import everything
from tadoru.indexing.sync import index
from tadoru.stores.sqlite import SqliteStore
from tadoru.stores.sqlite import writer as writer_module

FILES = 150
COMPARE_EVERY = 5
MOST_TURNS = 4
"""For each kill that meets a run alive, at most so many runs."""
FINISH_SECONDS = 0.12
"""A first guess of how long the last part of a run takes."""
CONFIG = Config(index=IndexConfig())
WORDS = ("shared", "number7", "turn3", "helper")


def write_tree(root: Path, turn: int, dice: random.Random) -> None:
    """Change a third of the files, delete one and add one; the first turn writes all."""
    for number in range(FILES):
        path = root / f"pkg{number % 7}/module{number}.py"
        if turn and dice.random() > 0.33:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"from pkg{(number + turn) % 7} import module{number // 2}\n\n\n"
            f"def helper{number}_{turn}(shared):\n    return shared + number{number} * turn{turn}\n"
        )
    if turn:
        (root / f"pkg{turn % 7}/module{dice.randrange(FILES)}.py").unlink(missing_ok=True)
        (root / f"pkg{turn % 7}/added{turn}.md").write_text(f"# Turn {turn}\n\n[x](module1.py)\n")


def forked(work: Callable[[], None]) -> int:
    """Run `work` in a process; the code of a failure is 3."""
    process = os.fork()
    if process:
        return process
    os.environ["PYTHONWARNINGS"] = ""
    try:
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(3)


def run(home: Path, root: Path, phase: str = "") -> None:
    if phase == "first":
        SqliteStore.remove(home)
    elif phase == "rebuild":
        SqliteStore.reset(home, root=root)
    store = SqliteStore.open(home, root=root, create=True)
    index(store, root, CONFIG)
    store.close()


def read_on(home: Path, root: Path) -> None:
    """Ask all the time: nothing but `NotIndexed` may come, and only while there is no index."""
    while True:
        try:
            store = SqliteStore.open(home, root=root, create=False)
            access = everything(store)
            known = {entry.path for entry in store.entries(access=access)}
            for ref in store.postings.search([("shared", 1.0)], access=access, k=20):
                store.chunks(ref.path, access=access)
            assert len(known) <= 3 * FILES
            store.literals.candidates([[b"helper"]], access=access)
            store.symbols(access=access, folded="helper7_0")
            store.close()
        except NotIndexed:
            time.sleep(0.01)


def index_on(home: Path, root: Path, seed: int) -> None:
    """Index now and then, as a second program would; the other one may be busy."""
    dice = random.Random(seed)
    while True:
        time.sleep(dice.random() * 0.6)
        try:
            run(home, root)
        except (StoreBusy, NotIndexed):  # removed under its hands
            continue


def check_whole(home: Path) -> None:
    """A database that is there is sound, at once and without any repair."""
    path = home / "index.db"
    if not path.exists():
        return
    connection = sqlite3.connect(path, timeout=10)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()


def compare(home: Path, root: Path, scratch: Path) -> None:
    """Let the next run finish; what it leaves is what a fresh index would be."""
    run(home, root)
    store = SqliteStore.open(home, root=root, create=False)
    assert store.check() == store.broken_segments() == []
    state = store.state(access=everything(store))
    assert str(state) == "fresh", state
    assert (rows(store), found(store, WORDS)) == fresh(scratch, root, CONFIG, WORDS)
    store.close()


def at_finish(pipe: int) -> None:
    """Say when the part begins that merges, vacuums and empties the log."""
    finish = writer_module.Writer.finish

    def told(self: writer_module.Writer) -> None:
        os.write(pipe, b".")
        finish(self)

    writer_module.Writer.finish = told  # type: ignore[method-assign]


def main(phase: str, count: int, seed: int, directory: Path) -> None:
    dice = random.Random(seed)
    crew.IN_PROCESS = 10_000
    home, root, scratch = directory / "home", directory / "root", directory / "scratch"
    root.mkdir()
    write_tree(root, 0, dice)
    began = time.monotonic()
    run(home, root)
    whole = time.monotonic() - began
    if phase == "first":
        SqliteStore.remove(home)
    beside = [forked(lambda: read_on(home, root)), forked(lambda: index_on(home, root, seed))]
    killed = turn = 0
    window = FINISH_SECONDS if phase == "finish" else whole
    try:
        while killed < count:
            turn += 1
            assert turn <= MOST_TURNS * count, f"only {killed} of {turn} runs were met alive"
            if phase in ("update", "finish"):
                write_tree(root, turn, dice)
            ready, tell = os.pipe()

            def work(tell: int = tell) -> None:
                if phase == "finish":
                    at_finish(tell)
                run(home, root, phase)

            process = forked(work)
            os.close(tell)
            if phase == "finish":
                os.read(ready, 1)
            time.sleep(dice.random() * window)
            os.close(ready)
            os.kill(process, signal.SIGKILL)
            _, status = os.waitpid(process, 0)
            assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) in (0, 3), status
            met = os.WIFSIGNALED(status)
            killed += met
            # How long a run takes depends on the machine: the window settles where most are met,
            # and some have just ended.
            window *= 1.04 if met else 0.85
            check_whole(home)
            if turn % COMPARE_EVERY == 0 or killed == count:
                compare(home, root, scratch)
            for other in beside:
                assert os.waitpid(other, os.WNOHANG) == (0, 0), "a process beside has failed"
    finally:
        for other in beside:
            with suppress(ProcessLookupError):
                os.kill(other, signal.SIGKILL)
                os.waitpid(other, 0)
    sys.stdout.write(f"{killed} of {turn} runs were killed, a whole one takes {whole:.2f} s\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
