# ruff: noqa: E501 - samples and tables read better unwrapped
"""After every run the store is what a fresh index would be, and the report accounts for everything."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from like_fresh import rows

from tadoru.config import AccessRule, Config, IndexConfig
from tadoru.errors import BadInput
from tadoru.indexing import crew, read
from tadoru.indexing.labels import everything, labels
from tadoru.indexing.sync import dry_run, index, scan
from tadoru.stores.sqlite import SqliteStore
from tadoru.types import IndexReport, Principal, Role
from tadoru.views import View

FILES = {
    "README.md": "# Shop\n\nSee [the guide](docs/guide.md).\n",
    "docs/guide.md": "# Guide\n\nText.\n",
    "src/shop/__init__.py": "from . import cart\n",
    "src/shop/cart.py": "from shop.db import save\n\n\nclass Cart:\n    def add(self): ...\n",
    "src/shop/db.py": "def save(): ...\n",
    ".gitignore": "*.log\n",
    "x.log": "no\n",
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    path.mkdir()
    write(path, FILES)
    return path


@pytest.fixture
def store(tmp_path: Path, root: Path) -> Iterator[SqliteStore]:
    made = SqliteStore.open(tmp_path / "store", root=root, create=True)
    yield made
    made.close()


def fresh(tmp_path: Path, root: Path, config: Config, number: int = 0) -> dict[str, Any]:
    made = SqliteStore.open(tmp_path / f"fresh{number}", root=root, create=True)
    try:
        index(made, root, config)
        return rows(made)
    finally:
        made.close()


def test_a_first_run_indexes_and_a_second_finds_nothing_to_do(
    store: SqliteStore, root: Path
) -> None:
    report = index(store, root, Config())
    assert (report.added, report.changed, report.deleted) == (6, 0, 0)
    assert report.complete
    assert str(report.index) == "fresh"
    assert report.languages["python"] == 3
    access = everything(store)
    assert [s.name for s in store.symbols(access=access, name="Cart")[0]] == ["Cart"]
    assert [e.target for e in store.imports("README.md", access=access)] == ["docs/guide.md"]
    assert {e.path for e in store.importers("src/shop/db.py", access=access)} == {
        "src/shop/cart.py"
    }
    assert not scan(store, root, Config())
    again = index(store, root, Config())
    assert (again.added, again.changed, again.deleted, again.unchanged) == (0, 0, 0, 6)
    assert again.complete


def test_scan_names_what_changed(store: SqliteStore, root: Path) -> None:
    index(store, root, Config())
    write(root, {"src/shop/cart.py": "class Cart: ...\n", "new.py": "x = 1\n"})
    (root / "docs/guide.md").unlink()
    found = scan(store, root, Config())
    assert (found.added, found.changed, found.deleted) == (
        ("new.py",), ("src/shop/cart.py",), ("docs/guide.md",),
    )  # fmt: skip
    assert found.unchanged == 4


def test_a_new_file_gives_untouched_imports_their_target(store: SqliteStore, root: Path) -> None:
    (root / "src/shop/db.py").unlink()
    index(store, root, Config())
    access = everything(store)
    assert store.imports("src/shop/cart.py", access=access)[0].target == ""
    write(root, {"src/shop/db.py": "def save(): ...\n"})
    index(store, root, Config())
    assert store.imports("src/shop/cart.py", access=access)[0].target == "src/shop/db.py"
    (root / "src/shop/db.py").unlink()
    index(store, root, Config())
    assert store.imports("src/shop/cart.py", access=access)[0].target == ""


def test_a_changed_manifest_moves_targets(store: SqliteStore, root: Path) -> None:
    write(root, {"a.ts": "import '@/b'\n", "one/b.ts": "", "two/b.ts": ""})
    config = '{"compilerOptions": {"paths": {"@/*": ["%s/*"]}}}'
    write(root, {"tsconfig.json": config % "one"})
    index(store, root, Config())
    assert store.imports("a.ts", access=everything(store))[0].target == "one/b.ts"
    write(root, {"tsconfig.json": config % "two"})
    index(store, root, Config())
    assert store.imports("a.ts", access=everything(store))[0].target == "two/b.ts"


def test_a_same_size_edit_with_the_same_mtime_is_seen(store: SqliteStore, root: Path) -> None:
    path = root / "m.py"
    path.write_text("x=1\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    index(store, root, Config())
    path.write_text("y=2\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    index(store, root, Config())
    assert store.text("m.py", access=everything(store)) == "y=2\n"


def test_an_edit_within_the_tick_of_the_clock_is_seen(store: SqliteStore, root: Path) -> None:
    path = root / "m.py"
    for number in range(20):
        path.write_text(f"x={number:03}\n")
        index(store, root, Config())
        path.write_text(f"y={number:03}\n")  # as a rule within the same tick
        index(store, root, Config())
        assert store.text("m.py", access=everything(store)) == f"y={number:03}\n"


def test_touched_files_are_not_read_into_the_store_again(
    store: SqliteStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(store, root, Config())
    for name in FILES:
        os.utime(root / name)
    monkeypatch.setattr(read, "make_record", lambda *_: pytest.fail("parsed again"))
    report = index(store, root, Config())
    assert report.changed == 6
    assert not scan(store, root, Config())


def test_a_scan_hands_its_walk_to_the_run_that_follows(
    store: SqliteStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(store, root, Config())
    write(root, {"new.py": "x = 1\n"})
    changes = scan(store, root, Config())
    monkeypatch.setattr("tadoru.indexing.sync.listed", lambda *_: pytest.fail("walked again"))
    assert index(store, root, Config(), seen=changes).added == 1
    assert store.text("new.py", access=everything(store)) == "x = 1\n"


def test_force_reads_everything_again(store: SqliteStore, root: Path) -> None:
    index(store, root, Config())
    assert index(store, root, Config(), force=True).changed == 6


def test_a_repository_that_switches_branches_back_and_forth(
    tmp_path: Path, store: SqliteStore, root: Path
) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "one")
    git("checkout", "-q", "-b", "other")
    write(root, {f"src/shop/f{i}.py": f"def f{i}(): return 'other'\n" for i in range(20)})
    (root / "docs/guide.md").rename(root / "docs/manual.md")
    git("add", "-A")
    git("commit", "-qm", "two")
    for number, branch in enumerate(["main", "other", "main"]):
        git("checkout", "-q", branch)
        index(store, root, Config())
        assert rows(store) == fresh(tmp_path, root, Config(), number)


def test_random_changes_lead_to_what_a_fresh_index_holds(
    tmp_path: Path, store: SqliteStore, root: Path
) -> None:
    dice = random.Random(20)
    names = [
        f"{d}{n}"
        for d in ("", "a/", "a/b/", "pkg/")
        for n in ("m.py", "n.ts", "o.md", "__init__.py")
    ]
    texts = [
        "", "import a.m\nfrom pkg import m\n", "import './o'\nexport const x = 1\n", "[l](o.md)\n# H\n",
        "\0\1binary", "def f(): ...\n" * 5, "x" * 3_000,
    ]  # fmt: skip
    config = Config(index=IndexConfig(max_file_bytes=2_000))
    for number in range(12):
        for _ in range(dice.randrange(1, 5)):
            path = root / dice.choice(names)
            action = dice.random()
            path.parent.mkdir(parents=True, exist_ok=True)
            if action < 0.6 or not path.exists():
                path.unlink(missing_ok=True)
                path.write_text(dice.choice(texts))
            elif action < 0.75:
                path.unlink()
            elif action < 0.85:
                path.rename(path.with_name("renamed.py"))
            elif action < 0.95:
                path.unlink()
                path.symlink_to("README.md" if path.parent == root else "m.py")
            else:
                (root / ".gitignore").write_text(dice.choice(["*.log\n", "a/b/\n", "*.ts\n"]))
        index(store, root, config)
        assert rows(store) == fresh(tmp_path, root, config, number)


# -- what is left out is accounted for -------------------------------------------------------------


def test_everything_that_has_no_chunks_is_named(store: SqliteStore, root: Path) -> None:
    (root / "b.bin").write_bytes(b"\0" * 100)
    (root / "big.txt").write_text("x" * 5_000)
    write(root, {"a.min.js": "var a=1;" * 20, "id_rsa": "x", "gen.pb.go": "package a\n"})
    (root / "out").symlink_to("/etc/passwd")
    os.mkfifo(root / "fifo")
    report = index(store, root, Config(index=IndexConfig(max_file_bytes=4_096)))
    assert {reason: list(paths) for reason, paths in report.skipped.items()} == {
        "binary": ["b.bin"],
        "larger than 4 KiB": ["big.txt"],
        "minified": ["a.min.js"],
        "secret-like": ["id_rsa"],
        "a link that leads out of the root": ["out"],
        "a FIFO": ["fifo"],
        "ignored by .gitignore: *.log": ["x.log"],
    }
    assert report.complete
    roles = {e.path: e.role for e in store.entries(access=everything(store))}
    assert roles["big.txt"] is Role.HUGE
    assert roles["gen.pb.go"] is Role.GENERATED
    assert "out" not in roles


def test_a_file_that_grows_past_the_limit_loses_its_chunks(store: SqliteStore, root: Path) -> None:
    config = Config(index=IndexConfig(max_file_bytes=4_096))
    access = everything(store)
    write(root, {"log.txt": "line\n" * 10})
    index(store, root, config)
    assert store.chunks("log.txt", access=access)
    write(root, {"log.txt": "line\n" * 10_000})
    index(store, root, config)
    assert store.chunks("log.txt", access=access) == ()


def test_hard_links_and_names_that_differ_in_case_are_noted(store: SqliteStore, root: Path) -> None:
    write(root, {"Readme.MD": "x"})
    (root / "twin.py").hardlink_to(root / "src/shop/db.py")
    (root / "link").symlink_to("docs")
    notes = "\n".join(index(store, root, Config()).notes)
    assert "README.md = Readme.MD" in notes
    assert "hard links" in notes
    assert "symbolic links, listed and not followed: 1" in notes


def test_a_root_that_is_gone_is_bad_input_and_keeps_the_index(
    store: SqliteStore, root: Path
) -> None:
    index(store, root, Config())
    root.rename(root.with_name("moved"))
    with pytest.raises(BadInput):
        index(store, root, Config())
    with pytest.raises(BadInput):
        scan(store, root, Config())
    assert len(list(store.entries(access=everything(store)))) == 6


def test_a_dry_run_counts_and_makes_nothing(tmp_path: Path, root: Path) -> None:
    report = dry_run(root, Config())
    assert report.dry_run
    assert report.added == 6
    assert report.languages == {"python": 3, "markdown": 2, "ini": 1}
    assert report.source_bytes > 0
    assert {path.name for path in tmp_path.iterdir()} == {"source"}


def test_progress_is_told(store: SqliteStore, root: Path) -> None:
    steps: list[tuple[int, int, str]] = []
    index(store, root, Config(), progress=lambda *step: steps.append(step))
    assert [step[0] for step in steps] == [1, 2, 3, 4, 5, 6]
    assert {step[1] for step in steps} == {6}


def test_an_interrupted_run_keeps_what_it_finished_and_goes_on(
    store: SqliteStore, root: Path
) -> None:
    def stop(done: int, *_: object) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index(store, root, Config(), progress=stop)
    state = store.state(access=everything(store))
    assert state.files == 6
    assert state.pending > 0
    index(store, root, Config())
    assert store.state(access=everything(store)).pending == 0


def test_imports_that_an_interrupted_run_did_not_come_to_are_made_up_for(
    store: SqliteStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "src/shop/db.py").unlink()
    index(store, root, Config())
    write(root, {"src/shop/db.py": "def save(): ...\n"})

    def ended(*_: object) -> list[str]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("tadoru.indexing.sync.moved", ended)
        with pytest.raises(KeyboardInterrupt):
            index(store, root, Config())
    access = everything(store)
    assert store.imports("src/shop/cart.py", access=access)[0].target == ""
    found = scan(store, root, Config())
    assert (found.added, found.changed, found.deleted) == ((), (), ())
    assert found, "though no file is known to be missing"
    index(store, root, Config(), seen=found)
    assert store.imports("src/shop/cart.py", access=access)[0].target == "src/shop/db.py"
    assert not scan(store, root, Config())


# -- processes -------------------------------------------------------------------------------------


def many(root: Path, count: int) -> None:
    write(root, {f"m/f{i}.py": f"def f{i}(): return {i}\n" for i in range(count)})


@pytest.mark.slow
def test_many_files_are_read_by_several_processes(
    tmp_path: Path, store: SqliteStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(root, 100)
    report = index(store, root, Config(index=IndexConfig(workers=2)))
    assert report.added == 106
    assert report.complete
    monkeypatch.setattr(crew, "IN_PROCESS", 1_000)
    assert rows(store) == fresh(tmp_path, root, Config())


@pytest.mark.slow
def test_a_worker_that_dies_costs_its_file_only(
    store: SqliteStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(root, 60)
    (root / "m/killer.py").write_text("x")
    monkeypatch.setattr(crew, "WORKER", ("-c", DYING))
    report = index(store, root, Config(index=IndexConfig(workers=2)))
    assert report.errors == ("m/killer.py: the process that read it died",)
    assert not report.complete
    access = everything(store)
    assert all(store.chunks(f"m/f{i}.py", access=access) for i in range(60))


DYING = """
import os, sys
from multiprocessing.connection import Connection
from tadoru.indexing import crew
look = crew.look
def deadly(root, task, *rest):
    if task.stat.path.endswith("killer.py"):
        os._exit(9)
    if task.stat.path.endswith("sleeper.py"):
        __import__("time").sleep(60)
    return look(root, task, *rest)
crew.look = deadly
crew.serve(Connection(int(sys.argv[1])))
"""


@pytest.mark.slow
def test_a_file_that_hangs_is_given_up(
    store: SqliteStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(root, 50)
    (root / "m/sleeper.py").write_text("x")
    monkeypatch.setattr(crew, "WORKER", ("-c", DYING))
    monkeypatch.setattr(crew, "FILE_SECONDS", 3.0)
    report = index(store, root, Config(index=IndexConfig(workers=2)))
    assert report.errors == ("m/sleeper.py: took longer than 3 s",)


@pytest.mark.parametrize("worker", [("-c", "raise SystemExit(1)"), ("--no-such-option",)])
def test_without_workers_the_work_is_done_here(
    store: SqliteStore, root: Path, monkeypatch: pytest.MonkeyPatch, worker: tuple[str, ...]
) -> None:
    many(root, 60)
    monkeypatch.setattr(crew, "WORKER", worker)
    report = index(store, root, Config(index=IndexConfig(workers=2)))
    assert report.complete
    assert store.chunks("m/f59.py", access=everything(store))


def test_a_program_without_a_main_guard_can_index(tmp_path: Path, root: Path) -> None:
    many(root, 60)
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nfrom pathlib import Path\nfrom tadoru.config import Config\n"
        "from tadoru.indexing.sync import index\nfrom tadoru.stores.sqlite import SqliteStore\n"
        "store = SqliteStore.open(Path(sys.argv[1]), root=Path(sys.argv[2]), create=True)\n"
        "print(index(store, sys.argv[2], Config()).added)\n"
    )
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path / "s"), str(root)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "66\n"


# -- access ----------------------------------------------------------------------------------------


def visible(store: SqliteStore, *groups: str) -> set[str]:
    return set(View({"": store}, Principal(frozenset(groups))).tree.files)


def test_labels_follow_the_rules_and_fail_closed(store: SqliteStore, root: Path) -> None:
    config = Config(
        access=(
            AccessRule("*.md", public=True),
            AccessRule("src/", groups=frozenset({"dev"})),
            AccessRule("src/shop/db.py", groups=frozenset({"ops"})),
        )
    )
    index(store, root, config)
    assert visible(store) == {"README.md", "docs/guide.md"}
    assert visible(store, "dev") == {
        "README.md", "docs/guide.md", "src/shop/__init__.py", "src/shop/cart.py",
    }  # fmt: skip
    assert "src/shop/db.py" in visible(store, "ops")
    assert ".gitignore" not in visible(store, "dev", "ops")


def test_changed_rules_count_before_the_next_answer(store: SqliteStore, root: Path) -> None:
    index(store, root, Config())
    assert "src/shop/db.py" in visible(store)
    closed = Config(
        access=(AccessRule("*", public=True), AccessRule("src/", groups=frozenset({"d"})))
    )
    assert not scan(store, root, closed)
    assert "src/shop/db.py" not in visible(store)
    assert "src/shop/db.py" in visible(store, "d")
    write(root, {"src/new.py": "x = 1\n", "open.py": "x = 1\n"})
    index(store, root, closed)
    assert "src/new.py" not in visible(store)
    assert "open.py" in visible(store)
    scan(store, root, Config())
    assert "src/new.py" in visible(store)


def test_a_project_can_restrict_and_not_widen() -> None:
    label = labels(
        Config(
            access=(AccessRule("*", public=True), AccessRule("a/", groups=frozenset({"x", "y"}))),
            restrict=(
                AccessRule("a/", groups=frozenset({"y", "z"})),
                AccessRule("b/", groups=frozenset({"z"})),
                AccessRule("c/", groups=frozenset()),
                AccessRule("a/w", groups=frozenset({"z"})),
                AccessRule("d", public=True),
            ),
        )
    )
    assert label is not None
    said = {p: label(p) for p in ("a/1", "b/1", "c/1", "a/w", "d", "e")}
    shown = {p: (row.public, row.groups) if row else None for p, row in said.items()}
    assert shown == {
        "a/1": (False, frozenset({"y"})),
        "b/1": (False, frozenset({"z"})),
        "c/1": None,
        "a/w": None,
        "d": (True, frozenset()),
        "e": (True, frozenset()),
    }
    assert labels(Config()) is None


def test_a_report_is_plain_values(store: SqliteStore, root: Path) -> None:
    import pickle

    report = index(store, root, Config())
    assert pickle.loads(pickle.dumps(report)) == report
    assert isinstance(report, IndexReport)
