"""The command `resolve`: what is printed for the root, and how it leaves outside of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tadoru.cli import main


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("x = 1\n")
    monkeypatch.setenv("TADORU_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(root)


def _leaves(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        raise SystemExit(main(list(words)))
    return int(left.value.code or 0)


def test_the_root_is_printed_as_a_dot(capsys: pytest.CaptureFixture[str]) -> None:
    assert _leaves("resolve", ".", "--op", "list") == 0
    assert capsys.readouterr().out == ".\n"
    assert _leaves("resolve", ".") == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0] == ".\t1.00\tis a directory"
    assert "is a directory" in shown.err


def test_outside_the_roots_is_told_by_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert _leaves("resolve", "../elsewhere.py") == 4
    assert capsys.readouterr().out == "absent: outside the roots\n"
    assert _leaves("resolve", "lib/quantum/flux.zig") == 1
