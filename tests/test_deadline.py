"""A call is stopped by its view once its time is over, wherever it is."""

from __future__ import annotations

import threading

import pytest

from tadoru import Principal, TimeUp
from tadoru.deadline import Deadline, current, within
from tadoru.testing import MemoryStore
from tadoru.views import View


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore({f"file{n}.py": f"def name{n}(): ...\n" for n in range(5)})


LOOKS = {
    "tree": lambda view: view.tree,
    "read": lambda view: view.read("file0.py"),
    "read_many": lambda view: list(view.read_many(["file0.py", "file1.py"])),
    "text": lambda view: view.text("file0.py"),
    "chunks": lambda view: view.chunks("file0.py"),
    "lexical": lambda view: view.lexical([("name0", 1.0)], k=5),
    "frequencies": lambda view: view.frequencies(["name0"]),
    "symbols": lambda view: view.symbols(name="name0"),
    "imports": lambda view: view.imports("file0.py"),
    "importers": lambda view: view.importers("file0.py"),
    "import_counts": lambda view: view.import_counts(),
    "candidates": lambda view: view.candidates([[b"name"]]),
}


@pytest.mark.parametrize("look", list(LOOKS))
def test_every_look_is_refused_after_the_deadline(store: MemoryStore, look: str) -> None:
    with within(Deadline(1_000)) as deadline:
        view = View({"": store}, Principal())
        LOOKS[look](view)
        deadline.until = 0.0
        fresh = View({"": store}, Principal())
        for late in (view, fresh):
            if look == "tree" and late is view:
                continue  # it is at hand already
            with pytest.raises(TimeUp, match="took too long"):
                LOOKS[look](late)


def test_a_view_is_held_to_the_deadline_of_the_call_that_made_it(store: MemoryStore) -> None:
    with within(Deadline(1_000)) as deadline:
        view = View({"": store}, Principal())
    assert current() is None
    assert view.read("file0.py")
    deadline.cancel()
    raised: list[BaseException] = []

    def elsewhere() -> None:
        try:
            view.read("file0.py")
        except TimeUp as error:
            raised.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert "nobody waits" in str(raised[0])


def test_reading_many_stops_in_the_middle(store: MemoryStore) -> None:
    with within(Deadline(1_000)) as deadline:
        rows = View({"": store}, Principal()).read_many([f"file{n}.py" for n in range(5)])
        next(rows)
        deadline.until = 0.0
        with pytest.raises(TimeUp):
            next(rows)


def test_without_a_deadline_nothing_is_late(store: MemoryStore) -> None:
    assert View({"": store}, Principal()).read("file0.py")
