"""`tadoru doctor` finds what is wrong, and says what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Run

pytestmark = pytest.mark.slow  # each test starts processes


def checks(done: object) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}  # type: ignore[attr-defined]


def test_a_sound_index_passes(cli: Run) -> None:
    assert cli("index").returncode == 0
    done = cli("doctor", "--json")
    assert done.returncode == 0, done.stdout
    found = checks(done)
    assert {check["status"] for check in found.values()} == {"ok"}
    assert {"python", "packages", "grammars", "index", "permissions", "lock"} <= set(found)


def test_a_missing_index_is_a_warning_and_is_not_made(cli: Run, repository: Path) -> None:
    done = cli("doctor", "--json", cwd=repository)
    assert done.returncode == 0
    assert checks(done)["index"]["status"] == "warn"
    assert cli("status", "--no-index", cwd=repository).returncode == 3


def test_an_index_that_others_may_read_is_a_fault(cli: Run, repository: Path) -> None:
    import os

    assert cli("index", cwd=repository).returncode == 0
    for path in Path(os.environ["TADORU_HOME"]).glob("stores/shop-*/index.db"):
        if str(repository).encode() in path.read_bytes():
            path.chmod(0o644)
    done = cli("doctor", "--json", cwd=repository)
    assert done.returncode == 1
    assert checks(done)["permissions"]["status"] == "fail"


def test_a_damaged_segment_is_a_fault_that_an_index_run_mends(
    cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "a.py").write_text("def alpha(): ...\n")
    monkeypatch.setenv("TADORU_HOME", str(tmp_path / "home"))
    assert cli("index", cwd=tmp_path / "r").returncode == 0
    (segment,) = tmp_path.glob("home/stores/*/postings-*.seg")
    data = bytearray(segment.read_bytes())
    data[-70] ^= 0xFF
    segment.write_bytes(data)
    done = cli("doctor", "--json", cwd=tmp_path / "r")
    assert done.returncode == 1
    assert checks(done)["segments"]["fix"] == "tadoru index"
    assert cli("index", cwd=tmp_path / "r").returncode == 0
    done = cli("doctor", "--json", cwd=tmp_path / "r")
    assert (done.returncode, checks(done)["segments"]["status"]) == (0, "ok")


def test_changes_since_the_last_index_are_told(cli: Run, repository: Path) -> None:
    assert cli("index", cwd=repository).returncode == 0
    (repository / "new.py").write_text("x = 1\n")
    assert checks(cli("doctor", "--json", cwd=repository))["freshness"]["status"] == "warn"


def test_a_root_that_is_none_is_a_fault(cli: Run, tmp_path: Path) -> None:
    done = cli("doctor", "--root", str(tmp_path / "gone"), "--json")
    assert done.returncode == 1
    assert checks(done)["root"]["status"] == "fail"


def test_the_packages_that_are_looked_for_are_those_that_are_required_today(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tadoru.cli import checks

    assert {"click", "numpy", "zstandard"} <= set(checks.required())
    lines = ["click>=8", "no-such-package<2,>=1", "also-absent>=1; extra == 'chroma'"]
    monkeypatch.setattr(checks, "requires", lambda name: lines)
    found = checks._packages()
    assert (found.status, found.detail) == ("fail", "missing: no-such-package")
