"""The two stages, early stops, endless input, and what an outsider may learn from grep and rg."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import pytest
from disk import FilesStore, view_of

from tadoru.types import PUBLIC, Access, AccessRow, RunResult

Shell = Callable[..., RunResult]
STAFF = AccessRow(id=2, public=False, groups=frozenset({"staff"}))


class IndexedStore(FilesStore):
    """A store whose index is exact, and which remembers what it was asked."""

    asked: list[Sequence[Sequence[bytes]]]

    def candidates(self, literals: Sequence[Sequence[bytes]], *, access: Access) -> set[str] | None:
        self.asked.append(literals)
        return {
            path
            for path, data in self.files.items()
            if self.labels.get(path, PUBLIC.id) in access
            and all(any(text in data.lower() for text in clause) for clause in literals)
        }


def indexed(files: dict[str, bytes]) -> IndexedStore:
    store = IndexedStore(files)
    store.asked = []
    return store


FILES = {f"d{n % 7}/f{n}.txt": b"common %d\n" % n for n in range(300)} | {
    "d3/rare.txt": b"the needle\n"
}


@pytest.mark.parametrize("command", ["grep -rn needle", "grep -rnE 'need(le|ed)' .", "rg needle"])
def test_only_candidates_are_read(shell: Shell, command: str) -> None:
    store = indexed(FILES)
    result = shell(command, store)
    assert "needle" in result.stdout
    assert store.reads == ["d3/rare.txt"]
    assert len(store.asked) == 1


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("grep -rL needle", 300),
        ("grep -rv needle", 300),
        ("grep -rc needle", 301),
        ("rg --files-without-match needle", 300),
        ("rg -v needle", 300),
    ],
)
def test_what_selects_other_lines_reads_everything(shell: Shell, command: str, lines: int) -> None:
    result = shell(command, indexed(FILES))
    assert result.stdout.count("\n") == lines


def test_head_stops_a_recursive_grep_early(shell: Shell) -> None:
    files = {f"f{n:04}.txt": b"word\n" * 4_000 for n in range(400)}
    store = FilesStore(files)
    result = shell("grep -rn word | head -2", store)
    assert result.stdout == "f0000.txt:1:word\nf0000.txt:2:word\n"
    assert len(store.reads) < 100


def test_quiet_stops_at_the_first_match(shell: Shell) -> None:
    store = FilesStore(FILES)
    assert shell("grep -rq common", store).exit_code == 0
    assert len(store.reads) == 1


@pytest.mark.parametrize(
    ("command", "stdout"),
    [
        ("yes | grep -m2 y", "y\ny\n"),
        ("yes | grep -n y | head -2", "1:y\n2:y\n"),
        ("yes | grep -q y && echo found", "found\n"),
        ("yes | grep -A1 -m1 y", "y\ny\n"),
    ],
)
def test_endless_input_is_answered_at_once(shell: Shell, command: str, stdout: str) -> None:
    started = time.monotonic()
    assert shell(command, {}).stdout == stdout
    assert time.monotonic() - started < 5


def test_context_crosses_the_pieces_of_a_pipe(shell: Shell) -> None:
    data = b"".join(b"line %d\n" % n for n in range(5_000))
    files = {"n.txt": data}
    piped = shell("cat n.txt | grep -n -B2 -A2 'line [0-9]*77$'", files)
    direct = shell("grep -n -B2 -A2 'line [0-9]*77$' n.txt", files)
    assert piped.stdout == direct.stdout
    assert piped.stdout.count("--") == 49


@pytest.mark.parametrize(
    "command",
    [
        "grep -r secret",
        "grep -rc . .",
        "grep -rL zzz",
        "grep secret hidden/plan.txt",
        "grep -r . hidden",
        "grep -rn secret --include=plan.txt .",
        "grep --exclude-dir=hidden -r . .",
        "grep -f hidden/plan.txt open.txt",
        "rg secret",
        "rg --files",
        "rg -uuu secret hidden",
        "rg -g 'hidden/**' .",
        "rg -t md .",
        "rg --files-without-match zzz",
        "rg secret hidden/plan.txt",
    ],
)
def test_a_hidden_file_is_as_if_it_did_not_exist(shell: Shell, command: str) -> None:
    open_files = {"open.txt": b"nothing here\n", "b/c.py": b"x\n"}
    hidden = {"hidden/plan.txt": b"secret\n", "b/d.md": b"secret\n"}
    with_hidden = FilesStore(
        open_files | hidden, labels=dict.fromkeys(hidden, STAFF.id), rows=(PUBLIC, STAFF)
    )
    without = FilesStore(open_files, rows=(PUBLIC, STAFF))
    outsider = shell(command, view_of(with_hidden))
    nobody = shell(command, view_of(without))
    assert (outsider.stdout, outsider.stderr, outsider.exit_code) == (
        nobody.stdout,
        nobody.stderr,
        nobody.exit_code,
    )
    assert "secret" in shell("grep -r secret", view_of(with_hidden, "staff")).stdout
