"""Where hooks and servers meet: both find the same place, and strangers get no answer."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tadoru import wire
from tadoru.config import load
from tadoru.roots import home


@pytest.mark.parametrize(
    ("env", "file"),
    [
        ({"TADORU_HOME": "/some/where"}, ""),
        ({"XDG_CACHE_HOME": "/cache"}, ""),
        ({}, ""),
        ({}, 'home = "/configured"'),
        ({}, 'budget = 900\n# home = "/not/this"'),
        ({"TADORU_HOME": "/some/where"}, 'home = "/configured"'),
        ({}, 'groups = ["staff", "admin"]'),
        ({"TADORU_GROUPS": "a, b"}, 'groups = ["staff"]'),
    ],
)
def test_a_hook_finds_the_home_and_the_groups_that_everybody_else_finds(
    env: dict[str, str], file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TADORU_HOME")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    (tmp_path / "config.toml").write_text(file)
    env = {**env, "TADORU_CONFIG": str(tmp_path / "config.toml")}
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    config = load(env=env)
    assert wire.home_of(env) == str(home(config))
    assert wire.groups_of(env) == config.groups


def test_a_file_that_is_no_configuration_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"home = \xff\xfe [")
    env = {"TADORU_CONFIG": str(tmp_path / "config.toml"), "TADORU_HOME": "/h"}
    assert wire.home_of(env) == "/h"
    assert wire.groups_of(env) == frozenset()


class Stand:
    """A server that does with one connection what a test says."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with wire.Address(self.path) as address:
            self.listening.bind(address)
        self.listening.listen()
        self.got = b""

    def answer(self, data: bytes, *, after: float = 0.0) -> None:
        def serve() -> None:
            connection, _ = self.listening.accept()
            with connection:
                self.got = connection.recv(100_000)
                time.sleep(after)
                try:
                    connection.sendall(data)
                except OSError:
                    return  # the hook has left, as it should

        threading.Thread(target=serve, daemon=True).start()


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    made = Stand(tmp_path / "s")
    yield made
    made.listening.close()


def test_a_question_and_its_answer(stand: Stand) -> None:
    stand.answer(b'{"answers": []}\n')
    assert wire.ask(stand.path, {"ask": []}, answered=True) == {"answers": []}
    assert json.loads(stand.got) == {"ask": []}


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"null\n", b"[1]\n", b"{", b"\xff\n", b"[" * 60_000 + b"\n", b"[" * 70_000]
)
def test_what_is_no_answer_is_none(stand: Stand, data: bytes) -> None:
    stand.answer(data)
    assert wire.ask(stand.path, {}, answered=True) is None


def test_a_slow_server_is_not_waited_for(stand: Stand) -> None:
    stand.answer(b"{}\n", after=2.0)
    before = time.monotonic()
    assert wire.ask(stand.path, {}, answered=True) is None
    assert time.monotonic() - before < 1.0


def test_without_a_server_there_is_no_answer(tmp_path: Path, stand: Stand) -> None:
    assert wire.ask(str(tmp_path / "none"), {}, answered=True) is None
    (tmp_path / "file").write_text("")
    assert wire.ask(str(tmp_path / "file"), {}, answered=True) is None
    stand.listening.close()  # the file stays, as after a kill
    assert wire.ask(stand.path, {}, answered=True) is None


def test_a_socket_of_somebody_else_is_not_asked(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    assert wire.ask(stand.path, {}, answered=True) is None
    assert stand.got == b""


def test_a_message_that_is_too_long_is_not_sent(stand: Stand) -> None:
    assert wire.ask(stand.path, {"x": "y" * wire.MAX_MESSAGE}, answered=True) is None


def test_a_long_home_is_no_obstacle(tmp_path: Path) -> None:
    directory = tmp_path / ("d" * 120)
    directory.mkdir()
    made = Stand(directory / "0123456789abcdef.sock")
    made.answer(b"{}\n")
    assert wire.ask(made.path, {}, answered=True) == {}
    made.listening.close()
