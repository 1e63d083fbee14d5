"""The hook beside a server, and alone: who is asked, what is remembered, how long it takes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tadoru
from tadoru import wire
from tadoru.hooks.main import respond
from tadoru.mcp.hints import Hints
from tadoru.mcp.listen import Listener
from tadoru.touched import Touched, journal_path, who

NOBODY = who(())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TADORU_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def workspace(repository: Path, home: Path) -> Iterator[tadoru.Workspace]:
    with tadoru.open(repository) as opened:
        opened.index()
        yield opened


@pytest.fixture
def server(
    workspace: tadoru.Workspace, repository: Path, home: Path
) -> Iterator[Callable[..., None]]:
    opened: list[Listener] = []

    def start(answer: Callable[[Any], Any] | None = None) -> None:
        listener = Listener(home, [str(repository)], answer or Hints(lambda: workspace).answer)
        opened.append(listener)
        listener.start()
        path = Path(wire.socket_path(str(home), str(repository)))
        deadline = time.monotonic() + 5
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.01)

    yield start
    for listener in opened:
        listener.close()


def batch(cwd: Path, *calls: tuple[str, str]) -> bytes:
    rows = [{"tool_name": tool, "tool_input": {"file_path": path}} for tool, path in calls]
    payload = {"hook_event_name": "PostToolBatch", "cwd": str(cwd), "tool_calls": rows}
    return json.dumps(payload).encode()


def said(answer: str) -> str:
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""


def test_a_server_knows_better_than_a_look_at_the_directory(
    server: Callable[..., None], repository: Path
) -> None:
    """Neither the name nor the directory exists, so a look beside it finds nothing."""
    asked = batch(repository, ("Read", "source/shop/session.py"))
    alone = said(respond(asked))
    server()
    assert said(respond(asked)) == (
        "source/shop/session.py does not exist. Did you mean: src/shop/sessions.py?"
    )
    assert alone == ""


def test_a_server_is_found_from_a_directory_below_its_root(
    server: Callable[..., None], repository: Path
) -> None:
    server()
    asked = batch(repository / "src/shop", ("Read", "sesions.py"))
    assert "sessions.py?" in said(respond(asked))


def test_an_answer_names_nothing_that_does_not_exist(
    server: Callable[..., None], repository: Path
) -> None:
    answers = [{"paths": [f"{repository}/gone.py", f"{repository}/README.md", 7]}, "?", {}]
    server(lambda message: {"answers": answers})
    text = said(respond(batch(repository, ("Read", "a.py"), ("Read", "b.py"), ("Read", "c.py"))))
    assert text == "a.py does not exist. Did you mean: README.md?"


def test_a_server_that_does_not_answer_in_time_is_not_waited_for(
    server: Callable[..., None], repository: Path
) -> None:
    server(lambda message: time.sleep(0.6))
    before = time.monotonic()
    text = said(respond(batch(repository, ("Read", "src/shop/session.py"))))
    assert time.monotonic() - before < 0.5
    assert text == "src/shop/session.py does not exist. Did you mean: src/shop/sessions.py?"


@pytest.mark.parametrize("answer", [None, 7, {}, {"answers": 3}, {"answers": [[]]}])
def test_odd_answers_are_no_fault(
    server: Callable[..., None], repository: Path, answer: Any
) -> None:
    server(lambda message: answer)
    respond(batch(repository, ("Read", "src/shop/session.py")))


def test_a_directory_that_was_read_like_a_file_is_explained(
    server: Callable[..., None], repository: Path
) -> None:
    server()
    call = {
        "tool_name": "Read",
        "tool_input": {"file_path": f"{repository}/src/shop"},
        "tool_response": "EISDIR: illegal operation on a directory, read",
    }
    payload = {"hook_event_name": "PostToolBatch", "cwd": str(repository), "tool_calls": [call]}
    text = said(respond(json.dumps(payload).encode()))
    assert text.startswith(f"{repository}/src/shop is a directory. Did you mean: src/shop, src/sh")


def test_what_succeeded_feeds_the_history_of_the_server(
    server: Callable[..., None], repository: Path, workspace: tadoru.Workspace
) -> None:
    for place in ("one", "two", "three"):
        (repository / "pkg" / place).mkdir(parents=True)
        (repository / "pkg" / place / "client.py").write_text("")
        (repository / "pkg" / place / "other.py").write_text("")
    workspace.index()
    server()
    assert workspace.resolve("client.py").candidates[0].path != "pkg/three/client.py"
    respond(batch(repository, ("Read", "pkg/three/other.py")))
    deadline = time.monotonic() + 5
    while workspace.resolve("client.py").candidates[0].path != "pkg/three/client.py":
        assert time.monotonic() < deadline  # the hook does not wait for the server here
        time.sleep(0.02)


def test_without_a_server_the_journal_is_written_where_there_is_one(
    workspace: tadoru.Workspace, repository: Path, home: Path
) -> None:
    path = journal_path(str(home), str(repository))
    respond(batch(repository, ("Read", "README.md")))
    assert not Path(path).exists()  # tadoru has never remembered anything here
    workspace.read("docs/guide.md")
    respond(batch(repository / "src", ("Read", "shop/cart.py"), ("Edit", "shop/config.py")))
    respond(batch(repository, ("Read", "/etc/hostname")))
    assert set(Touched(path).weights(NOBODY)) == {
        "docs/guide.md",
        "src/shop/cart.py",
        "src/shop/config.py",
    }


def test_groups_of_the_environment_name_the_principal(
    workspace: tadoru.Workspace,
    repository: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workspace.read("docs/guide.md")
    monkeypatch.setenv("TADORU_GROUPS", "staff")
    respond(batch(repository, ("Read", "README.md")))
    journal = Touched(journal_path(str(home), str(repository)))
    assert set(journal.weights(who({"staff"}))) == {"README.md"}
    assert set(journal.weights(NOBODY)) == {"docs/guide.md"}


def test_a_shell_command_touches_the_files_that_it_names(
    workspace: tadoru.Workspace, repository: Path, home: Path
) -> None:
    workspace.read("docs/guide.md")
    command = "cd src/shop && head -3 cart.py ../../README.md missing.py | wc -l"
    payload = {
        "hook_event_name": "PostToolUse",
        "cwd": str(repository),
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": {"stdout": "3", "stderr": ""},
    }
    assert respond(json.dumps(payload).encode()) == ""
    weights = Touched(journal_path(str(home), str(repository))).weights(NOBODY)
    assert set(weights) == {"docs/guide.md", "src/shop/cart.py", "README.md"}


def test_a_home_that_cannot_be_used_is_no_fault(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TADORU_HOME", str(tmp_path / "file"))
    answer = respond(batch(repository, ("Read", "src/shop/session.py"), ("Read", "README.md")))
    assert "sessions.py" in said(answer)
