"""Into every agent's files as its documentation has them, and out of them again to the byte."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tadoru.install import AGENTS, Invocation, Places, Plan, Record, detected, named
from tadoru.install.json_tree import loads

GOLDEN = Path(__file__).parent / "golden"
HERE = Invocation(("/opt/tadoru/bin/tadoru",), ("/opt/tadoru/bin/tadoru",))
PINNED = Invocation(("uvx", "--from", "tadoru==9.9.9", "tadoru"), ("/opt/tadoru/bin/tadoru",))
SHARED = Invocation(PINNED.server, ("tadoru",))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def snapshot(directory: Path) -> dict[str, Any]:
    """Return every path below a directory with kind, mode and bytes."""
    return {
        str(path.relative_to(directory)): (
            stat.S_IMODE(path.lstat().st_mode),
            path.read_bytes() if path.is_file() else str(path.is_symlink() and path.readlink()),
        )
        for path in sorted(directory.rglob("*"))
    }


def install(home: Path, *names: str, project: Path | None = None, via: Invocation = HERE) -> Plan:
    plan = Plan(Places(home, project), Record(home.parent / "record.json"))
    plan.install([named(name) for name in names], via)
    plan.apply()
    return plan


def uninstall(home: Path, *names: str, project: Path | None = None) -> Plan:
    plan = Plan(Places(home, project), Record(home.parent / "record.json"))
    plan.uninstall([named(name) for name in names or AGENTS])
    plan.apply()
    return plan


def errors(plan: Plan) -> list[str]:
    return [change.error for change in plan.changes if change.error]


def lay_out(source: Path, target: Path) -> None:
    """Copy golden files; `dot-` in a name stands for a leading dot."""
    for path in sorted(source.rglob("*")):
        if path.is_file():
            relative = Path(*(p.replace("dot-", ".") for p in path.relative_to(source).parts))
            (target / relative).parent.mkdir(parents=True, exist_ok=True)
            (target / relative).write_bytes(path.read_bytes())


@pytest.mark.parametrize("agent", sorted(AGENTS))
@pytest.mark.parametrize("scope", ["user", "project"])
def test_files_as_documented_become_the_golden_ones_and_back(
    home: Path, tmp_path: Path, agent: str, scope: str
) -> None:
    project = tmp_path / "project" if scope == "project" else None
    place = project or home
    place.mkdir(exist_ok=True)
    lay_out(GOLDEN / agent / scope / "before", place)
    before = snapshot(place)
    assert before, "there is a golden file to begin with"
    via = SHARED if project else PINNED
    plan = install(home, agent, project=project, via=via)
    assert errors(plan) == []
    wanted = tmp_path / "wanted"
    lay_out(GOLDEN / agent / scope / "after", wanted)
    files = {name: data for name, (_, data) in snapshot(place).items() if isinstance(data, bytes)}
    golden = {name: data for name, (_, data) in snapshot(wanted).items() if isinstance(data, bytes)}
    if os.environ.get("WRITE_GOLDEN"):
        for name, data in files.items():
            parts = [p.replace(".", "dot-", 1) if p[0] == "." else p for p in Path(name).parts]
            path = GOLDEN.joinpath(agent, scope, "after", *parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        pytest.fail("golden files were written: read them, and run again")
    assert files == golden
    again = install(home, agent, project=project, via=via)
    assert {change.action for change in again.changes} == {"unchanged"}
    uninstall(home, agent, project=project)
    assert snapshot(place) == before


@pytest.mark.parametrize("scope", ["user", "project"])
def test_where_nothing_was_nothing_is_left(home: Path, tmp_path: Path, scope: str) -> None:
    project = tmp_path / "project" if scope == "project" else None
    if project:
        project.mkdir()
    assert errors(install(home, *AGENTS, project=project)) == []
    assert len(snapshot(project or home)) > len(AGENTS)
    assert errors(uninstall(home, project=project)) == []
    assert snapshot(project or home) == {}


def test_new_files_of_a_user_are_private_and_those_of_a_project_are_not(
    home: Path, tmp_path: Path
) -> None:
    install(home, "claude-code")
    assert stat.S_IMODE((home / ".claude.json").stat().st_mode) == 0o600
    (tmp_path / "project").mkdir()
    install(home, "claude-code", project=tmp_path / "project")
    assert stat.S_IMODE((tmp_path / "project/.mcp.json").stat().st_mode) == 0o644


def test_mode_and_owner_of_a_file_stay(home: Path) -> None:
    path = home / ".claude.json"
    path.write_text("{}")
    path.chmod(0o640)
    install(home, "claude-code")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.stat().st_uid == os.getuid()


def test_a_symbolic_link_is_followed_and_stays(home: Path, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "mcp.json").write_text('{"mcpServers": {}}\n')
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").symlink_to(dotfiles / "mcp.json")
    (home / ".cursor/hooks.json").symlink_to(dotfiles / "hooks.json")  # leads nowhere yet
    before = snapshot(tmp_path)
    assert errors(install(home, "cursor")) == []
    assert (home / ".cursor/mcp.json").is_symlink()
    assert "tadoru" in loads((dotfiles / "mcp.json").read_text())["mcpServers"]
    assert (dotfiles / "hooks.json").is_file()
    uninstall(home, "cursor")
    after = snapshot(tmp_path)
    after.pop("record.json")
    assert after == before


HOSTILE: dict[str, bytes] = {
    "byte order mark": b'\xef\xbb\xbf{\n  "a": 1\n}\n',
    "CRLF": b'{\r\n  "mcpServers": {\r\n    "x": {}\r\n  }\r\n}\r\n',
    "trailing commas": b'{"mcpServers": {"x": {"args": [1,],},},}',
    "comments": b'// a\n{ /* b { */ "mcpServers": /* c */ { // d }\n} // e\n}// f',
    "empty file": b"",
    "only space": b" \n\t\n",
    "only a byte order mark": b"\xef\xbb\xbf",
    "empty object": b"{}",
    "spacious object": b"{ \n\n }",
    "spacious servers": b'{"mcpServers": {   }}',
    "minified": b'{"a":1,"mcpServers":{"x":{"command":"y"}},"z":[{}]}',
    "twin keys elsewhere": b'{"a": 1, "a": 2}',
    "no final newline": b'{\n\t"a": 1\n}',
    "not ASCII": '{"辿る": "\\ud83d\\ude00 é"}'.encode(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_an_odd_file_is_edited_and_restored(home: Path, name: str) -> None:
    path = home / ".claude.json"
    path.write_bytes(HOSTILE[name])
    before = path.read_bytes()
    assert errors(install(home, "claude-code")) == []
    text = path.read_bytes()
    assert text.startswith(before[:3]) or not before.startswith(b"\xef\xbb\xbf")
    assert b"\r\n" not in before or text.count(b"\n") == text.count(b"\r\n")
    entry = loads(text.decode("utf-8-sig"))["mcpServers"]["tadoru"]
    assert entry == {"type": "stdio", "command": "/opt/tadoru/bin/tadoru", "args": ["mcp"]}
    uninstall(home, "claude-code")
    assert path.read_bytes() == before


BROKEN: dict[str, tuple[bytes, str]] = {
    "cut off": (b'{"mcpServers": {', "line 1, column 17"),
    "no UTF-8": (b'{"a": "\xff\xfe"}', "UTF-8"),
    "a list": (b"[]", "no object"),
    "servers are a list": (b'{"mcpServers": []}', "no object"),
    "twin servers": (b'{"mcpServers": {}, "mcpServers": {}}', "twice"),
    "a merge conflict": (b'{\n<<<<<<< HEAD\n"a": 1\n}', "line 2, column 1"),
    "a control character": (b'{"a": "\x01"}', "line 1"),
    "NUL": (b"\0" * 40, "line 1, column 1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_left_alone_and_the_others_go_on(home: Path, name: str) -> None:
    data, said = BROKEN[name]
    path = home / ".claude.json"
    path.write_bytes(data)
    plan = install(home, "claude-code")
    (error,) = errors(plan)
    assert str(path) in error
    assert said in error
    assert path.read_bytes() == data
    assert (home / ".claude/settings.json").exists()
    uninstall(home, "claude-code")
    assert path.read_bytes() == data


def test_broken_toml_is_left_alone(home: Path) -> None:
    path = home / ".codex/config.toml"
    path.parent.mkdir()
    path.write_text("model = \n[mcp_servers.x]\n")
    (error,) = errors(install(home, "codex"))
    assert "line 1" in error
    assert path.read_text() == "model = \n[mcp_servers.x]\n"


def test_what_is_no_file_or_may_not_be_written_is_left_alone(home: Path) -> None:
    (home / ".claude.json").mkdir()
    os.mkfifo(home / "pipe")
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").symlink_to(home / "pipe")
    (home / ".claude/CLAUDE.md").write_text("# mine\n")
    (home / ".claude/CLAUDE.md").chmod(0o444)
    said = errors(install(home, "claude-code"))
    assert len(said) == 3
    assert ["no regular file" in line for line in said] == [True, True, False]
    assert "read-only" in said[2]
    assert (home / ".claude/CLAUDE.md").read_text() == "# mine\n"


def test_a_file_that_changed_meanwhile_is_left_alone(home: Path) -> None:
    path = home / ".claude.json"
    path.write_text("{}")
    plan = Plan(Places(home), Record(home.parent / "record.json"))
    plan.install([named("claude-code")], HERE)
    path.write_text('{"numStartups": 5}')
    plan.apply()
    assert ["changed meanwhile" in line for line in errors(plan)] == [True]
    assert path.read_text() == '{"numStartups": 5}'
    assert not list(home.glob("..claude*"))


def test_an_older_entry_is_brought_up_to_date_and_keeps_what_is_the_users(home: Path) -> None:
    path = home / ".claude.json"
    path.write_text(
        '{"mcpServers": {"tadoru": {"command": "uvx", // mine\n'
        '"args": ["--from", "tadoru==0.0.1", "tadoru", "mcp", "--tools", "pathfinder"],\n'
        '"env": {"TADORU_GROUPS": "staff"}}}}'
    )
    install(home, "claude-code", via=PINNED)
    text = path.read_text()
    assert "// mine" in text
    assert loads(text)["mcpServers"]["tadoru"] == {
        "command": "uvx",
        "args": ["--from", "tadoru==9.9.9", "tadoru", "mcp", "--tools", "pathfinder"],
        "env": {"TADORU_GROUPS": "staff"},
        "type": "stdio",
    }


def test_an_older_hook_is_replaced_and_not_doubled(home: Path) -> None:
    install(home, "claude-code", "codex", "cursor")
    other = Invocation(("/new/tadoru",), ("/new/tadoru",))
    install(home, "claude-code", "codex", "cursor", via=other)
    for name in (".claude/settings.json", ".codex/hooks.json", ".cursor/hooks.json"):
        text = (home / name).read_text()
        assert "/opt/tadoru" not in text
        events = loads(text)["hooks"]
        assert [len(event) for event in events.values()] == [1] * len(events)
    assert tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"] == {
        "tadoru": {"command": "/new/tadoru", "args": ["mcp"]}
    }


def test_hooks_of_others_stay_also_beside_ours_in_one_group(home: Path) -> None:
    install(home, "claude-code")
    path = home / ".claude/settings.json"
    settings = loads(path.read_text())
    theirs = {"type": "command", "command": "echo hook --agent claude-code"}
    settings["hooks"]["PostToolBatch"][0]["hooks"].insert(0, theirs)
    settings["hooks"]["Stop"] = [{"hooks": [theirs]}]
    path.write_text(json.dumps(settings))
    uninstall(home, "claude-code")
    assert loads(path.read_text()) == {
        "hooks": {"PostToolBatch": [{"hooks": [theirs]}], "Stop": [{"hooks": [theirs]}]}
    }


def test_what_the_user_added_since_stays(home: Path) -> None:
    install(home, *AGENTS)
    (home / ".cursor/mcp.json").write_text(
        (home / ".cursor/mcp.json").read_text().replace('"tadoru": {', '"mine": {}, "tadoru": {')
    )
    with (home / ".codex/AGENTS.md").open("a") as file:
        file.write("\nMy own line.\n")
    uninstall(home)
    assert loads((home / ".cursor/mcp.json").read_text()) == {"mcpServers": {"mine": {}}}
    assert (home / ".codex/AGENTS.md").read_text() == "\nMy own line.\n"


def test_lines_that_another_agent_needs_stay(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    install(home, "codex", "cursor", "zed", project=project)
    uninstall(home, "codex", "zed", project=project)
    assert (project / "AGENTS.md").exists()
    uninstall(home, "cursor", project=project)
    assert snapshot(project) == {}


def test_without_the_record_nothing_of_the_users_is_lost(home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text('{"mcpServers": {}, "x": 1}')
    install(home, "cursor", "codex")
    (home.parent / "record.json").write_text("{broken")
    assert errors(uninstall(home)) == []
    assert loads((home / ".cursor/mcp.json").read_text()) == {"mcpServers": {}, "x": 1}
    assert "tadoru" not in (home / ".codex/config.toml").read_text()


def test_marks_that_are_no_pair_are_left_alone(home: Path) -> None:
    path = home / ".gemini/GEMINI.md"
    path.parent.mkdir()
    path.write_text("<!-- tadoru -->\nhalf\n")
    (error,) = errors(install(home, "gemini"))
    assert "no pair" in error
    assert path.read_text() == "<!-- tadoru -->\nhalf\n"


@pytest.mark.parametrize("text", ["", "# x", "# x\n", "\n", "# x\r\ny\r\n", "# x\n\n\n"])
def test_instructions_are_restored(home: Path, text: str) -> None:
    path = home / ".claude/CLAUDE.md"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    install(home, "claude-code")
    lines = path.read_bytes().decode().split("<!-- tadoru -->")[1].split("<!-- /tadoru -->")[0]
    assert len(lines.strip().splitlines()) == 2
    uninstall(home, "claude-code")
    assert path.read_bytes().decode() == text


def test_agents_are_detected_by_program_or_configuration(home: Path, tmp_path: Path) -> None:
    assert detected(Places(home, env={"PATH": str(tmp_path / "bin")})) == {}
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/gemini").write_text("#!/bin/sh\n")
    (tmp_path / "bin/gemini").chmod(0o755)
    (home / ".codex").mkdir()
    (home / "Library/Application Support/Code/User").mkdir(parents=True)
    env = {"PATH": str(tmp_path / "bin")}
    assert set(detected(Places(home, env=env))) == {"codex", "gemini"}
    assert set(detected(Places(home, env=env, mac=True))) == {"codex", "gemini", "vscode"}


def test_variables_move_the_files_of_an_agent(home: Path, tmp_path: Path) -> None:
    env = {name: str(tmp_path / name) for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME",
                                                   "XDG_CONFIG_HOME")}  # fmt: skip
    plan = Plan(Places(home, env=env), Record(tmp_path / "record.json"))
    plan.install([named(name) for name in ("claude", "codex", "zed", "code")], HERE)
    paths = {str(change.path.relative_to(tmp_path)) for change in plan.changes}
    assert paths >= {
        "CLAUDE_CONFIG_DIR/.claude.json",
        "CLAUDE_CONFIG_DIR/settings.json",
        "CODEX_HOME/config.toml",
        "XDG_CONFIG_HOME/zed/settings.json",
        "XDG_CONFIG_HOME/Code/User/mcp.json",
    }


def hook_commands(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value[k] for k in ("command", "bash") if isinstance(value.get(k), str)]
        return own + [c for inner in value.values() for c in hook_commands(inner)]
    return [c for inner in value for c in hook_commands(inner)] if isinstance(value, list) else []


@pytest.mark.parametrize("agent", [name for name in AGENTS if name != "zed"])
def test_a_written_hook_answers_and_never_fails(
    home: Path, repository: Path, tadoru_command: list[str], agent: str
) -> None:
    works = Invocation(tuple(tadoru_command), tuple(tadoru_command))
    install(home, agent, via=works)
    hooks = AGENTS[agent].hooks(Places(home))
    assert hooks is not None
    lines = hook_commands(loads(hooks.path.read_text())["hooks"])
    assert lines
    wrong = str(repository / "src/shop/session.py")
    payload = {
        "claude-code": {"hook_event_name": "PostToolBatch", "tool_calls": [
            {"tool_name": "Read", "tool_input": {"file_path": wrong}}]},
        "codex": {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {
            "command": f"cat {wrong}"},
            "tool_response": f"cat: {wrong}: No such file or directory"},
        "gemini": {"hook_event_name": "AfterTool", "tool_name": "read_file",
                   "tool_input": {"file_path": wrong}, "tool_response": {"error": "no file"}},
        "cursor": {"conversation_id": "1", "workspace_roots": [str(repository)],
                   "hook_event_name": "postToolUse", "tool_name": "Read",
                   "tool_input": {"file_path": wrong}},
        "vscode": {"toolName": "view", "toolArgs": json.dumps({"path": wrong}),
                   "cwd": str(repository)},
    }[agent]  # fmt: skip
    for line in set(lines):
        done = subprocess.run(
            ["sh", "-c", line], input=json.dumps({"cwd": str(repository), **payload}),
            text=True, capture_output=True, cwd=repository,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert "src/shop/sessions.py" in json.dumps(json.loads(done.stdout))
        gone = line.replace(tadoru_command[0], "/gone/tadoru")
        done = subprocess.run(["sh", "-c", gone], input="{}", text=True, capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
