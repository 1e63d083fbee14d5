"""Consent on the command line, the lines about vectors, and what doctor says of models."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from tadoru.testing.provider import Provider

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture
def env(provider: Provider, tmp_path: Path) -> dict[str, str]:
    """A provider on another host, reached through a proxy, which is the local one."""
    return {
        "TADORU_HOME": str(tmp_path / "home"),
        "EMBEDDINGS_BASE_URL": "http://models.example/v1",
        "EMBEDDINGS_API_KEY": "sk-very-secret",
        "EMBEDDINGS_MODEL": "m",
        "EMBEDDINGS_DIMENSIONS": "16",
        "http_proxy": provider.base,
        "no_proxy": "",
    }


def test_where_nobody_can_be_asked_nothing_is_sent(
    cli: Cli, repository: Path, env: dict[str, str], provider: Provider
) -> None:
    done = cli("index", cwd=repository, env=env)
    assert done.returncode == 0
    assert "nothing was sent to models.example: `tadoru index --yes` agrees" in done.stderr
    assert "chunks of 9 files wait (models.example)" in done.stdout
    assert provider.bodies == []


def test_yes_agrees(cli: Cli, repository: Path, env: dict[str, str], provider: Provider) -> None:
    done = cli("index", "--yes", cwd=repository, env=env)
    assert done.returncode == 0, done.stderr
    assert f"vectors   {len(provider.embedded)} made" in done.stdout
    assert "sk-very-secret" not in done.stdout + done.stderr
    again = json.loads(cli("index", "--json", cwd=repository, env=env).stdout)
    assert again["embedding"]["hosts"] == ["models.example"]
    assert "needs_consent" not in again["embedding"]


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_is_asked_and_told_how_much_and_where(
    repository: Path,
    env: dict[str, str],
    provider: Provider,
    tadoru_command: list[str],
    answer: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    program, *arguments = [*tadoru_command, "index"]
    child = pexpect.spawn(program, arguments, cwd=repository, encoding="utf-8", timeout=30)
    child.expect("to models.example")
    child.expect(r"\d+ chunks of 9 files, \S+ \S+, about \d+ tokens")
    child.expect("Send it")
    assert provider.bodies == []
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert bool(provider.embedded) is (answer == "y")
    assert ("made" in child.before) is True


def checks_of(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def test_doctor_tells_of_models_vectors_and_cache(
    cli: Cli, repository: Path, env: dict[str, str], tmp_path: Path
) -> None:
    cli("index", cwd=repository, env=env)
    found = checks_of(cli("doctor", "--json", cwd=repository, env=env))
    assert found["embedder"]["detail"].startswith("api:models.example:m:16")
    assert found["encryption"]["status"] == "warn"
    assert "nobody has agreed" in found["vectors"]["detail"]
    cli("index", "--yes", cwd=repository, env=env)
    found = checks_of(cli("doctor", "--json", cwd=repository, env=env))
    assert found["vectors"]["status"] == found["vector cache"]["status"] == "ok"
    for path in (tmp_path / "home").glob("embeddings.db*"):
        path.write_bytes(b"broken")
    done = cli("doctor", "--json", cwd=repository, env=env)
    assert done.returncode == 1
    assert checks_of(done)["vector cache"]["status"] == "fail"


@pytest.mark.parametrize(
    ("change", "name", "status"),
    [
        ({"EMBEDDINGS_BASE_URL": "nowhere"}, "embedder", "fail"),
        ({"EMBEDDINGS_API_KEY": "your-api-key-here"}, "embedder", "warn"),
        ({"RERANK_BASE_URL": "https://r.example/v1", "RERANK_MODEL": "r"}, "reranker", "warn"),
    ],
)
def test_doctor_names_what_is_configured_wrongly(
    cli: Cli, repository: Path, env: dict[str, str], change: dict[str, str], name: str, status: str
) -> None:
    found = checks_of(cli("doctor", "--json", cwd=repository, env={**env, **change}))
    assert found[name]["status"] == status
