"""`more`, `related` and sessions, through the library and the command line."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tadoru
from tadoru import SessionMemory
from tadoru.sessions import KEPT_SECONDS, named_session

Run = Callable[..., "subprocess.CompletedProcess[str]"]
QUESTION = "where is the session cookie signed"


@pytest.fixture(scope="module")
def shop(shared_repository: Path) -> Iterator[tadoru.Workspace]:
    with tadoru.open(shared_repository) as workspace:
        workspace.index()
        yield workspace


def test_more_gives_the_whole_and_its_surroundings(shop: tadoru.Workspace) -> None:
    hit = shop.search(QUESTION).hits[0]
    for name in (hit.id, f"{hit.path}:{hit.start_line}", f"/{hit.path}:{hit.start_line}"):
        answer = shop.more(name)
        assert "class SessionInterface" in answer.text and "def sign(value):" in answer.text
        assert answer.files[0].host_path.endswith(hit.path)
        assert answer.index.status is tadoru.Freshness.FRESH
    small = shop.more(hit.id, budget=60)
    assert 0 < small.tokens <= 60


def test_related_leaves_the_hit_out(shop: tadoru.Workspace) -> None:
    hit = shop.search(QUESTION).hits[0]
    answer = shop.related(hit.id, top=2)
    assert len(answer.hits) <= 2
    assert hit.id not in {other.id for other in answer.hits}
    assert all(other.host_path for other in answer.hits)


@pytest.mark.parametrize("name", ["", "x", "#", "a#1", "a#x.y", "a:x", "a\0:1", ":1"])
def test_what_is_no_hit_is_said(shop: tadoru.Workspace, name: str) -> None:
    for ask in (shop.more, shop.related):
        with pytest.raises(tadoru.BadInput):
            ask(name)


@pytest.mark.parametrize(
    "name", ["no.py:1", "a:0", "src/shop/cart.py:999", "src/shop/cart.py#0.00000000"]
)
def test_what_is_gone_is_said(shop: tadoru.Workspace, name: str) -> None:
    with pytest.raises(tadoru.PathNotFound, match="no such hit"):
        shop.more(name)


def test_a_session_names_what_it_was_sent(shop: tadoru.Workspace) -> None:
    session = shop.session()
    first = shop.search(QUESTION, session=session)
    again = shop.search(QUESTION, session=session)
    assert "hmac.new(KEY" in first.text and "hmac.new(KEY" not in again.text
    assert "Sent before in this session: " in again.text
    assert again.hits == first.hits
    assert "hmac.new(KEY" in shop.search(QUESTION).text


def test_a_memory_is_bounded() -> None:
    memory = SessionMemory(kept=3)
    memory.add("a", "b", "c")
    memory.add("a", "d")
    assert list(memory) == ["c", "a", "d"]
    assert "b" not in memory and len(memory) == 3


def test_a_named_session_lasts_beyond_its_process(cli: Run) -> None:
    first = cli("search", QUESTION, "--session", "one")
    again = cli("search", QUESTION, "--session", "one")
    other = cli("search", QUESTION, "--session", "two")
    assert "hmac.new(KEY" in first.stdout and "hmac.new(KEY" in other.stdout
    assert "hmac.new(KEY" not in again.stdout
    assert "Sent before in this session" in again.stdout
    assert again.returncode == 0
    bad = cli("search", QUESTION, "--session", "../x")
    assert bad.returncode == 2 and "not the name of a session" in bad.stderr


def test_the_command_line_follows_hits(cli: Run) -> None:
    hit = json.loads(cli("search", QUESTION, "--json").stdout)["hits"][0]
    assert "def sign(value):" in cli("more", hit["id"]).stdout
    assert "def sign(value):" in cli("more", f"{hit['path']}:{hit['start_line']}").stdout
    assert cli("related", hit["id"], "--top", "1").returncode == 0
    gone = cli("more", "no.py:1")
    assert gone.returncode == 1 and "no such hit" in gone.stderr


def test_old_sessions_are_forgotten(tmp_path: Path) -> None:
    old = named_session(tmp_path, "old")
    old.add("a#0.00000000")
    long_ago = time.time() - KEPT_SECONDS - 60
    os.utime(tmp_path / "old", (long_ago, long_ago))
    assert list(named_session(tmp_path, "old")) == []
    assert list(tmp_path.iterdir()) == []


def test_two_processes_add_to_one_session(tmp_path: Path) -> None:
    one, two = named_session(tmp_path, "s"), named_session(tmp_path, "s")
    one.add("a#0.00000000")
    two.add("b#0.00000000")
    assert set(named_session(tmp_path, "s")) == {"a#0.00000000", "b#0.00000000"}


def test_sessions_are_for_the_user_alone(tmp_path: Path) -> None:
    named_session(tmp_path / "sessions/root/who", "s").add("a#0.00000000")
    for path in (tmp_path / "sessions").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    assert stat.S_IMODE((tmp_path / "sessions").stat().st_mode) == 0o700
