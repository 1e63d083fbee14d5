"""`tadoru serve` as a command: what it refuses to begin, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from served_process import Served
from token_issuer import AUDIENCE, ISSUER

pytestmark = pytest.mark.slow


def begin(root: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tadoru", "serve", "--root", str(root), "--port", "0", *arguments],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])
def test_it_listens_beyond_this_machine_only_with_authentication(root: Path, host: str) -> None:
    done = begin(root, "--host", host)
    assert done.returncode == 2
    assert "without authentication" in done.stderr
    assert "serve.issuer" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--issuer", ISSUER], "serve.audience"),
        (["--issuer", ISSUER, "--audience", AUDIENCE], "serve.keys"),
        (["--issuer", ISSUER, "--audience", AUDIENCE, "--keys", "http://x.example/jwks"], "TLS"),
        (["--issuer", ISSUER, "--audience", AUDIENCE, "--keys", "k", "--host", "0.0.0.0"], "--url"),
    ],
)
def test_half_an_authentication_is_none(root: Path, arguments: list[str], words: str) -> None:
    done = begin(root, *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_repository_cannot_configure_who_is_let_in(root: Path, tmp_path: Path) -> None:
    project = root / ".tadoru.toml"
    project.write_text('[serve]\nissuer = "https://evil.example"\nhosts = ["evil.example"]\n')
    try:
        done = begin(root, "--host", "0.0.0.0")
        assert done.returncode == 2
        assert "without authentication" in done.stderr
        served = Served(root, home=tmp_path)
        with served.client(headers={"Host": "evil.example"}) as client:
            assert client.get("/api/me").status_code == 421
        assert served.stop() == 0
    finally:
        project.unlink()


def test_a_port_that_is_taken_is_an_error(root: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = begin(root, "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "cannot listen" in done.stderr


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_told(root: Path, tmp_path: Path, how: signal.Signals) -> None:
    served = Served(root, home=tmp_path)
    served.ask("status")
    assert served.stop(how) in (0, 130)
    assert "Traceback" not in "".join(served.lines)
