"""`tadoru install` and `uninstall` as a person types them."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest

import tadoru
from tadoru.install import PLUGIN
from tadoru.install.launch import invocation

if TYPE_CHECKING:
    from conftest import Run

pytestmark = pytest.mark.slow  # each test starts processes


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A home with Codex and Cursor, and a PATH without any agent."""
    for name in (".codex", ".cursor"):
        (tmp_path / "me" / name).mkdir(parents=True)
    bare = dict.fromkeys(("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"), "")
    return {**bare, "HOME": str(tmp_path / "me"), "PATH": "/nowhere",
            "TADORU_HOME": str(tmp_path / "tadoru")}  # fmt: skip


def test_at_no_terminal_agents_are_listed_and_nothing_changes(
    cli: Run, env: dict[str, str], tmp_path: Path
) -> None:
    done = cli("install", env=env)
    assert done.returncode == 2
    assert done.stdout == f"codex\t{tmp_path}/me/.codex\ncursor\t{tmp_path}/me/.cursor\n"
    assert "name the agents" in done.stderr
    assert json.loads(cli("install", "--json", env=env).stdout) == {
        "detected": {"codex": f"{tmp_path}/me/.codex", "cursor": f"{tmp_path}/me/.cursor"}
    }
    assert [path for path in (tmp_path / "me").rglob("*") if path.is_file()] == []


def test_a_terminal_is_asked_for_each(
    tadoru_command: list[str], env: dict[str, str], tmp_path: Path
) -> None:
    child = pexpect.spawn(
        tadoru_command[0], [*tadoru_command[1:], "install"], env={**os.environ, **env},
        cwd=str(tmp_path), encoding="utf-8", timeout=20,
    )  # fmt: skip
    child.expect_exact(f"Codex ({tmp_path}/me/.codex)? [Y/n]")
    child.sendline("n")
    child.expect_exact(f"Cursor ({tmp_path}/me/.cursor)? [Y/n]")
    child.sendline("")
    child.expect_exact("created   ~/.cursor/mcp.json  MCP server (cursor)")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0
    assert not (tmp_path / "me/.codex/config.toml").exists()


def test_a_dry_run_prints_the_change_and_writes_nothing(
    cli: Run, env: dict[str, str], tmp_path: Path
) -> None:
    config = tmp_path / "me/.codex/config.toml"
    config.write_text('key = "secret"\n\n[other]\n')
    done = cli("install", "codex", "--dry-run", env=env)
    assert done.returncode == 0
    assert "+[mcp_servers.tadoru]\n" in done.stdout
    assert "--- /dev/null\n+++ " in done.stdout
    assert "secret" not in done.stdout
    assert config.read_text() == 'key = "secret"\n\n[other]\n'
    assert not (tmp_path / "tadoru").exists()


def test_install_twice_and_uninstall(cli: Run, env: dict[str, str], tmp_path: Path) -> None:
    done = cli("install", "--yes", env=env)
    assert done.returncode == 0
    assert done.stdout.startswith("created   ~/.codex/config.toml  MCP server (codex)\n")
    assert "trusted" in done.stderr
    record = tmp_path / "tadoru/installed.json"
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    rows = json.loads(cli("install", "--yes", "--json", env=env).stdout)["changes"]
    assert {row["action"] for row in rows} == {"unchanged"}
    rows = json.loads(cli("uninstall", "--json", env=env).stdout)["changes"]
    assert {row["action"] for row in rows if "codex" in row["agents"]} == {"deleted"}
    assert [path for path in (tmp_path / "me").rglob("*") if path.is_file()] == []
    done = cli("uninstall", env=env)
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing to remove" in done.stderr


def test_into_a_project(cli: Run, env: dict[str, str], repository: Path) -> None:
    done = cli("install", "claude", "--project", cwd=repository / "src", env=env)
    assert done.returncode == 0
    entry = json.loads((repository / ".mcp.json").read_text())["mcpServers"]["tadoru"]
    assert entry["command"] == "tadoru"
    assert cli("uninstall", "--project", cwd=repository, env=env).returncode == 0
    assert not (repository / ".mcp.json").exists()


def test_a_broken_file_exits_two_and_names_it(
    cli: Run, env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "me/.cursor/mcp.json").write_text("{")
    done = cli("install", "cursor", "codex", env=env)
    assert done.returncode == 2
    assert f"left alone: {tmp_path}/me/.cursor/mcp.json: line 1, column 2" in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert (tmp_path / "me/.codex/config.toml").exists()


def test_a_record_that_cannot_be_kept_is_told(
    cli: Run, env: dict[str, str], tmp_path: Path
) -> None:
    done = cli("install", "codex", env={**env, "TADORU_HOME": "/proc/tadoru"})
    assert done.returncode == 0
    assert "could not be noted" in done.stderr
    assert (tmp_path / "me/.codex/config.toml").exists()


def test_unknown_agents_and_no_agents(cli: Run, env: dict[str, str], tmp_path: Path) -> None:
    done = cli("install", "emacs", env=env)
    assert done.returncode == 2
    assert "one of claude-code, codex" in done.stderr
    done = cli("install", env={**env, "HOME": str(tmp_path / "empty")})
    assert done.returncode == 2
    assert "no agent was found" in done.stderr
    assert cli("install", "codex", "--via", "uvx", env=env).returncode == 2


def test_the_plugin_is_complete_and_names_this_version(cli: Run) -> None:
    folder = Path(cli("install", "--plugin").stdout.strip())
    assert folder == PLUGIN
    manifest = json.loads((folder / ".claude-plugin/plugin.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("tadoru", tadoru.__version__)
    market = json.loads((folder / ".claude-plugin/marketplace.json").read_text())
    assert market["plugins"][0]["name"] == "tadoru"
    server = json.loads((folder / ".mcp.json").read_text())["mcpServers"]["tadoru"]
    pinned = f"tadoru=={tadoru.__version__}"
    assert [server["command"], *server["args"]] == ["uvx", "--from", pinned, "tadoru", "mcp"]
    hooks = json.loads((folder / "hooks/hooks.json").read_text())["hooks"]
    assert set(hooks) == {"PostToolBatch", "PostToolUseFailure"}
    for (group,) in hooks.values():
        assert group["hooks"][0]["command"].startswith(f"uvx --from {pinned} tadoru hook ")
    skill = (folder / "skills/tadoru/SKILL.md").read_text()
    assert skill.startswith("---\nname: tadoru\ndescription: ")


def test_a_server_is_pinned_where_an_index_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "uvx").write_text("#!/bin/sh\n")
    (tmp_path / "uvx").chmod(0o755)
    monkeypatch.setattr("tadoru.install.launch.from_index", lambda: True)
    pinned = ("uvx", "--from", f"tadoru=={tadoru.__version__}", "tadoru")
    made = invocation("auto", shared=True, path=str(tmp_path))
    assert (made.server, made.hook) == (pinned, ("tadoru",))
    made = invocation("auto", shared=False, path=str(tmp_path))
    assert made.server == pinned
    assert Path(made.hook[0]).is_absolute()
    assert invocation("installed", shared=False, path=str(tmp_path)).server == made.hook
    monkeypatch.setattr("sys.prefix", "/home/me/.cache/uv/archive-v0/x1y2")
    assert invocation("auto", shared=False, path=str(tmp_path)).hook == pinned
