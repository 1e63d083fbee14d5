"""The journal of touched paths: shared by processes, bounded, decayed, and never in the way."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tadoru.touched import (
    HALF_LIFE_SECONDS,
    KEPT_EACH,
    MAX_BYTES,
    MAX_PATH,
    SETTLED_SECONDS,
    Touched,
    who,
)

NOW = 1_000_000_000.0
ANN, BOB = who({"a"}), who({"b"})


@pytest.fixture
def journal(tmp_path: Path) -> Touched:
    return Touched(str(tmp_path / "home" / "touched" / "key"))


def test_touches_add_up_and_fade(journal: Touched) -> None:
    for hours in (0, 1, 2):
        journal.add(ANN, ["often.py"], NOW + 3_600 * hours)
    journal.add(ANN, ["once.py"], NOW)
    weights = journal.weights(ANN, NOW)
    assert weights["often.py"] > 2.9 > weights["once.py"] == 1.0
    later = Touched(journal.path).weights(ANN, NOW + HALF_LIFE_SECONDS)
    assert later["once.py"] == pytest.approx(0.5)


def test_principals_share_nothing(journal: Touched) -> None:
    journal.add(ANN, ["secret.md"], NOW)
    assert journal.weights(BOB) == {}
    assert who(["x", "y"]) == who({"y", "x"}) != who({"x"})


def test_a_burst_counts_once(journal: Touched) -> None:
    for second in range(int(SETTLED_SECONDS)):
        journal.add(ANN, ["a.py"], NOW + second)
    assert journal.weights(ANN, NOW) == {"a.py": 1.0}


def test_the_file_is_for_its_owner_alone(journal: Touched) -> None:
    journal.add(ANN, ["a.py"])
    path = Path(journal.path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_odd_names_come_back_as_they_were(journal: Touched) -> None:
    names = ["a\tb\nc.py", "ŝ.md", os.fsdecode(b"\xff.txt"), "trailing "]
    journal.add(ANN, [*names, "", "x" * (MAX_PATH + 1)], NOW)
    assert sorted(journal.weights(ANN, NOW)) == sorted(names)


def test_lines_that_cannot_be_read_are_left_out(journal: Touched) -> None:
    journal.add(ANN, ["a.py"], NOW)
    good = Path(journal.path).read_bytes()
    bad = b'\xff\n1\t2\n1\tx\ty\t"p"\n1\t1\t%s\t7\nnan\t1\t%s\t"n"\n1e999\t1\t%s\t"e"\n"' % (
        (ANN.encode(),) * 3
    )
    Path(journal.path).write_bytes(bad + b"\n" + good)
    assert journal.weights(ANN, NOW) == {"a.py": 1.0}


def test_the_journal_stays_small_and_keeps_the_heaviest(journal: Touched) -> None:
    for hour in range(40):
        journal.add(ANN, ["favourite.py"], NOW + 3_600 * hour)
    for start in range(0, 6_000, 500):
        journal.add(ANN, [f"directory/file{n}.py" for n in range(start, start + 500)], NOW)
    assert Path(journal.path).stat().st_size <= MAX_BYTES + 40_000
    weights = Touched(journal.path).weights(ANN, NOW)
    assert weights["favourite.py"] > 10
    assert len(list(Path(journal.path).parent.iterdir())) == 1
    journal.add(ANN, [f"more{n}.py" for n in range(2_000)], NOW)
    assert len(Touched(journal.path).weights(ANN, NOW)) <= 2_000 + KEPT_EACH


def test_a_place_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = Touched(str(tmp_path / "file" / "touched"))
    journal.add(ANN, ["a.py"])
    assert journal.weights(ANN) == {}
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    Touched(str(link)).add(ANN, ["a.py"])
    assert not (tmp_path / "elsewhere").exists()


def test_processes_write_one_journal_without_losing_it(journal: Touched) -> None:
    """Lines of several writers, while the file is made short under them, stay whole."""
    code = (
        "import sys; from tadoru.touched import Touched\n"
        "journal = Touched(sys.argv[1])\n"
        "for n in range(300):\n"
        "    journal.add(sys.argv[2], [f'{sys.argv[2]}/some/directory/file{n}.py'] * 2, 1e9 + n)\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, journal.path, name]) for name in ("p", "q")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    for name in ("p", "q"):
        weights = journal.weights(name, 1e9)
        assert len(weights) > 250  # a writer that had to wait too long may lose a touch
        assert all(path.startswith(f"{name}/some/") for path in weights)
