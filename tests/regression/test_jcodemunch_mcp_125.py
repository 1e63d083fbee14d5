"""jcodemunch-mcp #125, codebase-memory-mcp #331: a call with `.` or a bad path walked the whole
disk."""

from __future__ import annotations

import os
import subprocess

import pytest

import tadoru
from tadoru.errors import BadInput, BroadRoot


@pytest.mark.parametrize("place", [".", "/", ""])
def test_the_whole_disk_is_refused(place, monkeypatch):
    monkeypatch.chdir("/")
    with pytest.raises(BroadRoot, match="would index everything"):
        tadoru.open(place)


def test_the_home_directory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(BroadRoot):
        tadoru.open("~")


def test_a_server_started_at_the_top_of_the_disk_indexes_nothing(tadoru_command, tmp_path):
    done = subprocess.run(
        [*tadoru_command, "search", "x"], cwd="/", capture_output=True, text=True, timeout=60,
        env={**os.environ, "TADORU_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    assert done.returncode != 0
    assert "would index everything below it" in done.stderr
    assert not (tmp_path / "home").exists()


def test_no_path_leads_out_of_the_root(new_tree):
    workspace = new_tree({"a.py": "x = 1\n"}).ask()
    for path in ("../../etc/passwd", "/etc/passwd", "~/x"):
        with pytest.raises(tadoru.TadoruError):
            workspace.read(path)
    with pytest.raises(BadInput):
        tadoru.open("/nowhere/at/all")
