"""SQLite against the plain implementation, on random corpora with random labels and updates."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlite_build import label_of, record, write

from tadoru.stores.sqlite import SqliteStore
from tadoru.testing import MemoryStore
from tadoru.testing.memory import by_lines
from tadoru.testing.suites.store import access_of, paths
from tadoru.types import Chunk

WORDS = ["session", "openSession", "cookie", "key", "用户数据", "x1", "sign", "db", "é", "SIGN"]
text = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=12).map(
    "\n".join
)
path = st.sampled_from(
    ["a.py", "b.py", "src/session.py", "src/key.md", "src/x/cookie.js", "日本.md"]
)
label = st.sampled_from(["public", ("dev",), ("ops",), ("dev", "ops"), None])
step = st.one_of(
    st.tuples(st.just("put"), path, text),
    st.tuples(st.just("delete"), path, st.just("")),
    st.tuples(st.just("flush"), st.just(""), st.just("")),
    st.tuples(st.just("reopen"), st.just(""), st.just("")),
)
GROUPS = [(), ("dev",), ("ops",), ("dev", "ops")]
QUESTION = [("session", 1.0), ("cookie", 0.5), ("opensession", 2.0), ("用户", 1.0), ("py", 1.0)]
LITERALS = [[[b"session"]], [[b"Cookie key"]], [[b"sign", b"db"], [b"x1"]], [["é".encode()]]]


def chunked(name: str, content: str) -> tuple[Chunk, ...]:
    """Blocks of three lines with something in every field."""
    return tuple(
        Chunk(
            name,
            chunk.index,
            chunk.span,
            breadcrumb=f"Outer{chunk.index} > sign",
            name=content[:7].strip(),
            signature=content[3:20],
            doc=content[-9:],
        )
        for chunk in by_lines(name, content, 3)
    )


class Pair:
    """The same changes made to both stores."""

    def __init__(self, base: Path, labels: dict[str, object]) -> None:
        self.root = base / "root"
        self.root.mkdir()
        self.home = base / "home"
        self.labels = {name: value for name, value in labels.items() if value is not None}
        self.content: dict[str, str] = {}
        self.sqlite = SqliteStore.open(self.home, root=self.root, create=True)
        with self.sqlite.writer() as writer:
            writer.label(lambda name: label_of(self.labels, name))

    def apply(self, steps: list[tuple[str, str, str]]) -> None:
        for kind, name, content in steps:
            if kind == "reopen":
                self.sqlite.close()
                self.sqlite = SqliteStore.open(self.home, root=self.root, create=False)
                continue
            with self.sqlite.writer(labels=lambda n: label_of(self.labels, n)) as writer:
                if kind == "put":
                    stat = write(self.root, name, content)
                    writer.put([record(stat, content.encode(), chunks=chunked(name, content))])
                    self.content[name] = content
                elif kind == "delete":
                    writer.delete([name])
                    self.content.pop(name, None)
                else:
                    writer.finish()
            self.sqlite.postings.frequencies(["session"], access=access_of(self.sqlite))

    def memory(self) -> MemoryStore:
        return MemoryStore(
            self.content,
            labels=self.labels,
            chunks={name: chunked(name, content) for name, content in self.content.items()},
        )


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(step, min_size=1, max_size=10),
    labels=st.dictionaries(path, label),
    k=st.integers(1, 6),
)
def test_scores_equal_the_reference_after_any_updates(steps, labels, k):
    base = Path(tempfile.mkdtemp())
    try:
        pair = Pair(base, labels)
        pair.apply(steps)
        plain = pair.memory()
        for groups in GROUPS:
            mine, theirs = access_of(pair.sqlite, *groups), access_of(plain, *groups)
            assert pair.sqlite.postings.search(QUESTION, access=mine, k=k) == plain.postings.search(
                QUESTION, access=theirs, k=k
            )
            names = [term for term, _ in QUESTION]
            assert pair.sqlite.postings.frequencies(
                names, access=mine
            ) == plain.postings.frequencies(names, access=theirs)
            assert paths(pair.sqlite, mine) == paths(plain, theirs)
            for literals in LITERALS:
                found = pair.sqlite.literals.candidates(literals, access=mine)
                wanted = plain.literals.candidates(literals, access=theirs)
                assert wanted is not None
                if found is not None:  # literals of two bytes exclude nothing
                    assert wanted <= found <= paths(plain, theirs)
        pair.sqlite.close()
    finally:
        shutil.rmtree(base)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    files=st.dictionaries(path, text, min_size=1),
    labels=st.dictionaries(path, label),
    groups=st.sampled_from(GROUPS),
)
def test_hidden_files_leave_no_trace_in_scores(files, labels, groups):
    """Promise 2: to the last bit what a store answers in which the hidden files never were."""
    base = Path(tempfile.mkdtemp())
    try:
        (base / "a").mkdir()
        (base / "b").mkdir()
        whole = Pair(base / "a", labels)
        whole.apply([("put", name, content) for name, content in files.items()])
        visible = paths(whole.sqlite, access_of(whole.sqlite, *groups))
        pruned = Pair(base / "b", {name: labels.get(name) for name in visible})
        pruned.apply([("put", n, c) for n, c in files.items() if n in visible])
        mine = access_of(whole.sqlite, *groups)
        theirs = access_of(pruned.sqlite, *groups)
        assert whole.sqlite.postings.search(
            QUESTION, access=mine, k=9
        ) == pruned.sqlite.postings.search(QUESTION, access=theirs, k=9)
        for literals in LITERALS:
            assert whole.sqlite.literals.candidates(
                literals, access=mine
            ) == pruned.sqlite.literals.candidates(literals, access=theirs)
        assert whole.sqlite.state(access=mine) == pruned.sqlite.state(access=theirs)
        whole.sqlite.close()
        pruned.sqlite.close()
    finally:
        shutil.rmtree(base)


@pytest.mark.slow
def test_many_small_updates_keep_segments_few_and_right(tmp_path):
    pair = Pair(tmp_path, {f"f{n}.py": "public" for n in range(30)})
    for turn in range(60):
        name = f"f{turn % 30}.py"
        content = f"session cookie{turn} {' key' * (turn % 7)}\n" * 5
        pair.apply([("put", name, content), ("flush", "", "")])
    plain = pair.memory()
    mine, theirs = access_of(pair.sqlite), access_of(plain)
    assert pair.sqlite.postings.search(QUESTION, access=mine, k=50) == plain.postings.search(
        QUESTION, access=theirs, k=50
    )
    assert len(list(pair.home.glob("postings-*.seg"))) <= 6
    assert len(list(pair.home.glob("literals-*.seg"))) <= 6
    assert not list(pair.home.glob("*.tmp"))
