"""The audit log: who, which tool, which files; no content, no question; opt-in."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tadoru
from tadoru import Principal
from tadoru.audit import MAX_PATHS, AuditLog
from tadoru.config import load


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.fixture
def workspace(repository: Path, log: Path, tmp_path: Path) -> Iterator[tadoru.Workspace]:
    config = replace(load(repository), audit=str(log), home=str(tmp_path / "home"))
    staff = Principal(frozenset({"staff", "admin"}))
    with tadoru.open(repository, config=config, principal=staff) as opened:
        opened.index()
        yield opened


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_each_call_is_a_line_with_what_was_read(workspace: tadoru.Workspace, log: Path) -> None:
    workspace.search("where is the session cookie signed")
    workspace.read("src/shop/config.py")
    workspace.run("cat src/shop/cart.py | grep -c total; ls docs")
    workspace.run("grep -rl Payment .")
    workspace.retry("src/shop/session.py")
    workspace.definition("SessionInterface")
    workspace.references("SessionInterface")
    workspace.resolve("src/shop/session.py")
    workspace.list_files()
    with pytest.raises(tadoru.PathNotFound):
        workspace.read("src/secret-plan.py")
    rows = lines(log)
    assert [row["tool"] for row in rows] == [
        "search", "read", "run", "run", "retry", "definition", "references", "resolve",
        "list_files", "read",
    ]  # fmt: skip
    assert all(row["principal"] == ["admin", "staff"] for row in rows)
    paths = [row["paths"] for row in rows]
    assert "src/shop/sessions.py" in paths[0]
    assert paths[1] == ["src/shop/config.py"]
    assert paths[2] == ["src/shop/cart.py"]
    assert "docs/guide.md" in paths[3]
    assert paths[4] == paths[5] == ["src/shop/sessions.py"]
    assert "src/shop/cart.py" in paths[6]
    assert paths[7] == paths[8] == paths[9] == []
    assert rows[9]["error"] == "not_found"


def test_no_content_and_no_question_is_in_it(workspace: tadoru.Workspace, log: Path) -> None:
    workspace.search("where is the session cookie signed", terms=["hmac"])
    workspace.run("cat src/shop/sessions.py # a remark")
    workspace.read("src/shop/sessions.py")
    text = log.read_text()
    for word in ("cookie", "hmac", "remark", "SessionInterface", "cat "):
        assert word not in text
    assert set(lines(log)[0]) == {"time", "principal", "tool", "paths"}


def test_the_log_is_for_its_owner_alone(workspace: tadoru.Workspace, log: Path) -> None:
    workspace.read("README.md")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    log.chmod(0o644)
    workspace.read("README.md")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert len(lines(log)) == 2


def test_a_call_that_cannot_be_logged_fails(workspace: tadoru.Workspace, log: Path) -> None:
    log.mkdir()
    with pytest.raises(tadoru.StoreError, match="audit log"):
        workspace.read("README.md")
    log.rmdir()
    log.symlink_to(log.parent / "elsewhere")
    with pytest.raises(tadoru.StoreError, match="audit log"):
        workspace.read("README.md")
    assert not (log.parent / "elsewhere").exists()
    log.unlink()
    os.mkfifo(log)
    with pytest.raises(tadoru.StoreError, match="audit log"):
        workspace.read("README.md")


def test_a_repository_cannot_ask_for_one(repository: Path, tmp_path: Path) -> None:
    (repository / ".tadoru.toml").write_text(f'audit = "{tmp_path}/theirs"\n')
    config = load(repository)
    assert config.audit == ""
    assert any("audit" in warning for warning in config.warnings)


def test_many_paths_are_counted(tmp_path: Path) -> None:
    log = tmp_path / "log"
    AuditLog(str(log)).write(Principal(), "run", [f"f{n}" for n in range(500)])
    (row,) = lines(log)
    assert len(row["paths"]) == MAX_PATHS
    assert row["more"] == 500 - MAX_PATHS


def test_odd_names_stay_on_one_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    AuditLog(str(log)).write(Principal(), "run", ["a\nb", "日本", "bad\udcff"])
    (row,) = lines(log)
    assert row["paths"] == ["a\nb", "日本", "bad\udcff"]
