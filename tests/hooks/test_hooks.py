"""The hook as each agent runs it: payload on stdin, the agent's own JSON on stdout, or silence."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tadoru.hooks import suggest
from tadoru.hooks.calls import missing_in
from tadoru.hooks.main import main, respond
from tadoru.hooks.suggest import nearby, sentence

GOLDEN = Path(__file__).parent / "golden"


def answer(payload: dict[str, Any], agent: str = "") -> str:
    return respond(json.dumps(payload).encode(), agent)


@pytest.mark.parametrize("case", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_golden_payloads(case: Path, repository: Path) -> None:
    text = case.read_text().replace("{root}", str(repository))
    golden = json.loads(text)
    said = answer(golden["payload"], golden["agent"])
    assert (json.loads(said) if said else None) == golden["answer"]


def test_an_agent_is_known_by_its_event(repository: Path) -> None:
    payload = {
        "hook_event_name": "AfterTool",
        "cwd": str(repository),
        "tool_name": "read_file",
        "tool_input": {"absolute_path": f"{repository}/src/shop/session.py"},
    }
    assert json.loads(answer(payload))["hookSpecificOutput"]["hookEventName"] == "AfterTool"


def test_existing_files_are_not_worth_a_word(repository: Path) -> None:
    call = {"tool_name": "Read", "tool_input": {"file_path": f"{repository}/README.md"}}
    assert answer({"cwd": str(repository), "tool_calls": [call]}) == ""


def test_a_file_that_is_about_to_be_written_is_no_mistake(repository: Path) -> None:
    call = {"tool_name": "Write", "tool_input": {"file_path": f"{repository}/src/shop/carts.py"}}
    assert answer({"cwd": str(repository), "tool_calls": [call]}) == ""


def test_paths_outside_the_repository_get_no_suggestion(repository: Path) -> None:
    assert nearby("/etc/passwords", str(repository)) == []
    assert nearby("../../other/cart.py", str(repository)) == []


def test_secret_files_are_not_suggested(repository: Path) -> None:
    (repository / "src/.env.production").write_text("TOKEN=1\n")
    (repository / "src/server.pem").write_text("key\n")
    assert nearby("config/.env.production", str(repository)) == []
    assert nearby("src/servers.pem", str(repository)) == []


def test_a_name_with_escape_sequences_is_made_printable(repository: Path) -> None:
    (repository / "src/shop/cart\x1b[31m.py").write_text("")
    wanted = "src/shop/cart\x1b[32m.py"
    found = nearby(wanted, str(repository))
    assert found
    assert "\x1b" not in sentence(wanted, found, str(repository))


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("cat: src/a.py: No such file or directory", "src/a.py"),
        ("ls: cannot access 'src/a b': No such file or directory", "src/a b"),
        ("head: cannot open 'x.py' for reading: No such file or directory", "x.py"),
        ("sed: can't read x.py: No such file or directory", "x.py"),
        ("bash: line 1: cd: docs: No such file or directory", "docs"),
        ("grep: a: b: No such file or directory", "b"),
        ("ls: src/a.py: No such file or directory", "src/a.py"),
        ("find: ‘lib’: No such file or directory", "lib"),
        ("rg: src/x.rs: No such file or directory (os error 2)", "src/x.rs"),
        (
            "rg: a: IO error for operation on a: No such file or directory (os error 2)",
            "a",
        ),
        ("python: can't open file '/r/x.py': [Errno 2] No such file or directory", "/r/x.py"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'a/b.json'", "a/b.json"),
        ("Error: ENOENT: no such file or directory, open 'a/b.ts'", "a/b.ts"),
        (
            "Failed to read file to update src/x.py: No such file or directory (os error 2)",
            "src/x.py",
        ),
    ],
)
def test_paths_are_found_in_what_commands_say(said: str, path: str) -> None:
    assert [found for found, _ in missing_in(f"one\n{said}\nthree")] == [path]


@pytest.mark.parametrize(
    "said", ["", "no such file or directory", "No such file or directory: it was never there"]
)
def test_a_complaint_without_a_path_is_none(said: str) -> None:
    assert list(missing_in(said)) == []


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b'{"tool_calls": 3}', b'{"tool_input": {"path": 7}}', b"\xff\xfe"],
)
def test_any_failure_is_silent_and_exits_zero(
    data: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    monkeypatch.setattr("tadoru.hooks.main._silence", lambda: None)
    assert main(["--agent", "claude-code"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == ""


def test_the_command_answers_like_the_function(
    cli: Callable[..., subprocess.CompletedProcess[str]], repository: Path
) -> None:
    call = {"tool_name": "Read", "tool_input": {"file_path": "src/shop/session.py"}}
    payload = {"hook_event_name": "PostToolBatch", "cwd": str(repository), "tool_calls": [call]}
    done = cli("hook", "--agent", "claude-code", stdin=json.dumps(payload))
    assert done.returncode == 0
    said = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert said == "src/shop/session.py does not exist. Did you mean: src/shop/sessions.py?"
    assert done.stderr == ""


def test_a_closed_pipe_is_no_failure(tadoru_command: list[str], repository: Path) -> None:
    call = {"tool_name": "Read", "tool_input": {"file_path": "src/shop/session.py"}}
    payload = json.dumps({"cwd": str(repository), "tool_calls": [call]})
    process = subprocess.Popen(
        [*tadoru_command, "hook"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(payload)
    process.stdin.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(10) == 0


def test_a_look_around_is_bounded_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3 * suggest.LEAST_ENTRIES // 50):
        directory = tmp_path / f"d{number:03}"
        directory.mkdir()
        for name in range(49):
            (directory / f"x{name}.py").touch()
    (tmp_path / "d000" / "a").mkdir()
    (tmp_path / "d000" / "a" / "meant.py").touch()
    monkeypatch.setattr(suggest, "MAX_CPU_SECONDS", 1e9)
    assert suggest.nearby("lib/meant.py", str(tmp_path)) == [str(tmp_path / "d000/a/meant.py")]
    monkeypatch.setattr(suggest, "MAX_CPU_SECONDS", 0.0)
    assert suggest.nearby("lib/meant.py", str(tmp_path)) == []


def test_secret_names_are_never_offered(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".env.local").touch()
    (tmp_path / "a" / "server.pem").touch()
    for name in (".env.local", "server.pem", "a/.env.loca", "a/servr.pem"):
        assert suggest.nearby(name, str(tmp_path)) == []
