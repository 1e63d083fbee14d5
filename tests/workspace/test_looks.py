"""Looks: they show, count, and change no later answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tadoru
from tadoru import BadInput, IsADirectoryHere, PathNotFound, Principal
from tadoru.config import load


def test_a_look_leaves_nothing_in_the_history(repository: Path) -> None:
    with tadoru.open(repository) as workspace:
        workspace.index()
        before = workspace.explain("src/shop/nothing.py")[1]["normalize"]["touched lately"]
        assert workspace.explain_search("signed cookie").hits
        assert workspace.look("src/shop/cart.py").text is not None
        after = workspace.explain("src/shop/nothing.py")[1]["normalize"]["touched lately"]
    assert before == after == []


def test_a_look_is_counted_and_audited(repository: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    log = tmp_path / "audit.jsonl"
    config = replace(load(repository), audit=str(log))
    with tadoru.open(repository, config=config) as workspace:
        workspace.index()
        workspace.look("src/shop/cart.py")
        tools = workspace.stats()["search"]["tools"]
    assert tools["look"]["calls"] == 1
    assert json.loads(log.read_text().splitlines()[-1])["paths"] == ["src/shop/cart.py"]


def test_a_file_has_its_company(repository: Path) -> None:
    with tadoru.open(repository) as workspace:
        workspace.index()
        look = workspace.look("src/shop/sessions.py", start=2, end=4)
        cart = workspace.look("src/shop/cart.py")
    assert look.text is not None and look.text.start_line == 2 and look.text.end_line == 4
    assert {edge.path for edge in look.importers} == {"src/shop/cart.py"}
    assert [edge.target for edge in cart.imports] == ["src/shop/sessions.py"]
    assert "SessionInterface" in {symbol.name for symbol in look.symbols}
    assert look.tokens > 50


def test_what_is_no_file_is_no_look(repository: Path) -> None:
    with tadoru.open(repository) as workspace:
        with pytest.raises(PathNotFound):
            workspace.look("nothing.py")
        with pytest.raises(IsADirectoryHere):
            workspace.look("src")
        with pytest.raises(BadInput):
            workspace.look("src\0")


def test_a_file_without_text_has_a_name_only(repository: Path) -> None:
    (repository / "image.bin").write_bytes(b"\0\1\2" * 50)
    with tadoru.open(repository) as workspace:
        workspace.index()
        look = workspace.look("image.bin")
    assert look.text is None and look.tokens == 0 and look.entry.size == 150


def test_a_survey_counts_files_once(repository: Path) -> None:
    (repository / "link.py").symlink_to("src/shop/cart.py")
    with tadoru.open(repository) as workspace:
        workspace.index()
        everything = workspace.survey()
        below = workspace.survey("src")
        nobody = workspace.seen_by(Principal()).survey("src")
    assert "link.py" not in {entry.path for entry in everything.entries}
    assert {e.path for e in below.entries} < {e.path for e in everything.entries}
    assert all(entry.path.startswith("src/") for entry in below.entries)
    assert nobody.entries == below.entries
