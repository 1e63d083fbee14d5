"""The socket for hooks: private, bounded, taken over, and removed at the end."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import tadoru
from tadoru import wire
from tadoru.mcp.hints import Hints
from tadoru.mcp.listen import Listener

ROOT = "/some/root"


def echo(message: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"answers": [message.get("n")]}


def until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Callable[..., Listener]]:
    opened: list[Listener] = []

    def start(answer: Callable[..., Any] = echo) -> Listener:
        listener = Listener(tmp_path, [ROOT], answer)
        opened.append(listener)
        listener.start()
        assert until(Path(wire.socket_path(str(tmp_path), ROOT)).exists)
        return listener

    yield start
    for listener in opened:
        listener.close()


def asked(home: Path, number: int = 1) -> Any:
    return wire.ask(wire.socket_path(str(home), ROOT), {"n": number}, answered=True)


def test_a_question_is_answered_over_a_private_socket(
    tmp_path: Path, listening: Callable[..., Listener]
) -> None:
    listener = listening()
    path = Path(wire.socket_path(str(tmp_path), ROOT))
    assert asked(tmp_path, 7) == {"answers": [7]}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    listener.close()
    assert not path.exists()
    assert asked(tmp_path) is None


def test_one_listens_and_another_takes_over(
    tmp_path: Path, listening: Callable[..., Listener]
) -> None:
    first = listening(lambda message: {"answers": ["first"]})
    listening(lambda message: {"answers": ["second"]})
    for _ in range(3):
        assert asked(tmp_path) == {"answers": ["first"]}
    first.close()
    assert until(lambda: asked(tmp_path) == {"answers": ["second"]})


def test_what_a_killed_server_left_behind_is_replaced(
    tmp_path: Path, listening: Callable[..., Listener]
) -> None:
    path = Path(wire.socket_path(str(tmp_path), ROOT))
    path.parent.mkdir(parents=True, mode=0o755)
    left = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with wire.Address(str(path)) as address:
        left.bind(address)
    left.close()
    listening()
    assert until(lambda: asked(tmp_path) == {"answers": [1]})


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"not json\n", b"[1]\n", b"null\n", b"x" * 100_000, b"[" * 60_000 + b"\n"]
)
def test_nonsense_gets_no_answer_and_ends_nothing(
    tmp_path: Path, listening: Callable[..., Listener], data: bytes
) -> None:
    listening()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(5)
        with wire.Address(wire.socket_path(str(tmp_path), ROOT)) as address:
            client.connect(address)
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            assert client.recv(100) == b""
        except (BrokenPipeError, ConnectionResetError):
            assert len(data) > wire.MAX_MESSAGE
    assert asked(tmp_path) == {"answers": [1]}


def test_a_silent_client_does_not_keep_others_waiting(
    tmp_path: Path, listening: Callable[..., Listener]
) -> None:
    listening()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        with wire.Address(wire.socket_path(str(tmp_path), ROOT)) as address:
            client.connect(address)
        assert until(lambda: asked(tmp_path) == {"answers": [1]}, 3)


def test_a_fault_in_the_answer_is_no_answer(
    tmp_path: Path, listening: Callable[..., Listener]
) -> None:
    def broken(_: Mapping[str, Any]) -> Mapping[str, Any]:
        raise ZeroDivisionError

    listening(broken)
    assert asked(tmp_path) is None


def test_other_users_are_not_served(
    tmp_path: Path, listening: Callable[..., Listener], monkeypatch: pytest.MonkeyPatch
) -> None:
    listening()
    monkeypatch.setattr("tadoru.mcp.listen.same_user", lambda connection: False)
    assert asked(tmp_path) is None


def test_a_home_that_cannot_be_written_disturbs_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    listener = Listener(tmp_path / "file", [ROOT], echo)
    listener.start()
    time.sleep(0.1)
    listener.close()


# -- what is answered --------------------------------------------------------------------------


def test_hints_are_places_of_this_machine(repository: Path) -> None:
    with tadoru.open(repository) as workspace:
        workspace.index()
        hints = Hints(lambda: workspace)
        ask = [
            {"path": f"{repository}/src/shop/session.py", "op": "read"},
            {"path": "shop/cart.py"},
            {"path": "lib/quantum/flux.zig", "op": "nonsense"},
            {"path": 7},
            {"path": "README.md"},
        ]
        answer = hints.answer({"ask": ask, "cwd": str(repository), "touched": "no list"})
        assert [row["paths"] for row in answer["answers"]] == [
            [f"{repository}/src/shop/sessions.py"],
            [f"{repository}/src/shop/cart.py"],
            [],
            [],
        ]


def test_hints_begin_where_the_agent_stands(repository: Path) -> None:
    with tadoru.open(repository) as workspace:
        workspace.index()
        ask = [{"path": "sesions.py", "op": "read"}]
        answer = Hints(lambda: workspace).answer({"ask": ask, "cwd": f"{repository}/src/shop"})
        assert answer["answers"][0]["paths"][0] == f"{repository}/src/shop/sessions.py"


def test_hints_show_nothing_that_the_asker_may_not_see(repository: Path, tmp_path: Path) -> None:
    config = tadoru.Config(
        home=str(tmp_path / "home"),
        access=(
            tadoru.config.AccessRule("**", public=True),
            tadoru.config.AccessRule("src/**", groups=frozenset({"staff"})),
        ),
    )
    with tadoru.open(repository, config=config) as workspace:
        workspace.index()
        ask = [{"path": "src/shop/session.py", "op": "read"}, {"path": "src/none/nothing.py"}]
        touched = [f"{repository}/src/shop/cart.py", f"{repository}/README.md"]
        answer = Hints(lambda: workspace).answer({"ask": ask, "cwd": "", "touched": touched})
        assert answer["answers"][0] == answer["answers"][1]
        assert "cart.py" not in "".join(
            p.read_text() for p in (tmp_path / "home/touched").iterdir()
        )


# -- the server as a process -------------------------------------------------------------------

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


class Server:
    def __init__(self, root: Path, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tadoru", "mcp", "--root", str(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TADORU_HOME": str(home)},
            text=True,
        )
        self.socket = wire.socket_path(str(home), str(root))
        assert self.process.stdin is not None
        for message in (INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}):
            self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout is not None
        self.process.stdout.readline()

    def ask(self, path: str) -> list[str] | None:
        message = {"ask": [{"path": path, "op": "read"}], "cwd": ""}
        answer = wire.ask(self.socket, message, answered=True)
        paths: list[str] | None = answer["answers"][0]["paths"] if answer else None
        return paths

    def close(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        self.process.kill()
        self.process.wait()


@pytest.fixture
def served(repository: Path, tmp_path: Path) -> Iterator[Callable[[], Server]]:
    home = tmp_path / "home"
    config = tadoru.Config(home=str(home))
    with tadoru.open(repository, config=config) as workspace:
        workspace.index()
    servers: list[Server] = []

    def start() -> Server:
        servers.append(Server(repository, home))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.mark.slow
def test_servers_of_one_root_take_turns(served: Callable[[], Server], repository: Path) -> None:
    expected = [f"{repository}/src/shop/sessions.py"]
    first = served()
    assert until(lambda: first.ask("src/shop/session.py") == expected)
    second = served()
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    assert until(lambda: second.ask("src/shop/session.py") == expected)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["client", "SIGTERM"])
def test_the_socket_is_gone_with_the_server(served: Callable[[], Server], end: str) -> None:
    server = served()
    assert until(Path(server.socket).exists)
    if end == "client":
        assert server.process.stdin is not None
        server.process.stdin.close()
    else:
        server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(5) == (0 if end == "client" else 128 + signal.SIGTERM)
    assert not Path(server.socket).exists()
