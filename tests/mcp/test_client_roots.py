"""The directories that a client offers are served, and followed when they change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ListRootsResult, Root

from tadoru import wire
from tadoru.mcp import shared
from tadoru.mcp.roots import directories, offers_roots

pytestmark = pytest.mark.slow


class Agent:
    """A client that offers roots, over a real pipe."""

    def __init__(self, cwd: Path, *more: str, roots: list[Path] | None) -> None:
        self.roots = roots
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tadoru", "mcp", *more],
            cwd=cwd, env=dict(os.environ), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._number = 0
        capabilities = {} if roots is None else {"roots": {"listChanged": True}}
        self.ask(
            "initialize", protocolVersion="2025-06-18", capabilities=capabilities,
            clientInfo={"name": "t", "version": "1"},
        )  # fmt: skip
        self.tell("notifications/initialized")

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def tell(self, method: str) -> None:
        self.send({"method": method})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("method") == "roots/list":
                rows = [{"uri": root.as_uri()} for root in self.roots or ()]
                self.send({"id": message["id"], "result": {"roots": rows}})
            elif message.get("id") == self._number:
                result: dict[str, Any] = message["result"]
                return result

    def call(self, tool: str, **arguments: Any) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        text: str = result["content"][0]["text"]
        return text

    def close(self) -> str:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        with self.process.stderr as stderr:
            return stderr.read()


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    made = {}
    for name in ("one", "two", "three"):
        made[name] = tmp_path / name
        made[name].mkdir()
        (made[name] / f"{name}.py").write_text(f"def only_in_{name}():\n    return 1\n")
    return made


Start = Callable[..., Agent]


@pytest.fixture
def start() -> Iterator[Start]:
    agents: list[Agent] = []

    def begin(*arguments: Any, **named: Any) -> Agent:
        agents.append(Agent(*arguments, **named))
        return agents[-1]

    yield begin
    for agent in agents:
        agent.close()


def test_what_a_client_offers_is_served_instead_of_its_working_directory(
    places: dict[str, Path], start: Start
) -> None:
    agent = start(places["one"], roots=[places["two"]])
    assert "two.py" in agent.call("list_files")
    assert "one.py" not in agent.call("list_files")


def test_several_lie_side_by_side_and_a_change_refreshes_them(
    places: dict[str, Path], start: Start
) -> None:
    agent = start(places["one"], roots=[places["two"], places["three"]])
    listed = agent.call("list_files")
    assert "two/two.py" in listed and "three/three.py" in listed
    agent.roots = [places["three"]]
    agent.tell("notifications/roots/list_changed")
    for _ in range(50):
        listed = agent.call("list_files")
        if "two.py" not in listed:
            break
    assert "three.py" in listed and "two.py" not in listed
    assert str(places["three"]) in agent.call("index_status")
    assert "three.py" in agent.call("search", question="only in three")


def test_hooks_are_answered_where_the_client_works_now(
    places: dict[str, Path], start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("TADORU_HOME", str(home))
    for place in places.values():
        (place / "pkg").mkdir()
        (place / "pkg/settings.py").write_text("x = 1\n")

    def offered(place: Path) -> list[str] | None:
        """Return what a hook is told about a wrong path; None when nobody listens."""
        message = {"cwd": str(place), "ask": [{"path": "lib/settings.py", "op": "read"}]}
        answer = wire.ask(wire.socket_path(str(home), str(place)), message, answered=True)
        return list(answer["answers"][0]["paths"]) if answer else None

    def until(place: Path, wanted: list[str] | None) -> bool:
        deadline = time.monotonic() + 10
        while offered(place) != wanted and time.monotonic() < deadline:
            time.sleep(0.05)
        return offered(place) == wanted

    agent = start(places["one"], roots=[places["two"]])
    agent.call("list_files")
    assert until(places["two"], [str(places["two"] / "pkg/settings.py")])
    assert offered(places["one"]) is None
    for now, before in (("three", "two"), ("two", "three")):
        agent.roots = [places[now]]
        agent.tell("notifications/roots/list_changed")
        agent.call("index_status")
        assert until(places[now], [str(places[now] / "pkg/settings.py")])
        assert until(places[before], None)
    assert agent.process.stdin is not None
    agent.process.stdin.close()
    agent.process.wait(10)
    assert list((home / "run").glob("*.sock")) == []


def test_a_client_that_offers_none_gets_the_roots_that_were_given(
    places: dict[str, Path], start: Start
) -> None:
    given = ["--root", str(places["one"])]
    assert "one.py" in start(places["two"], *given, roots=None).call("list_files")
    assert "one.py" in start(places["two"], *given, roots=[]).call("list_files")


def test_broad_and_missing_directories_are_not_taken(places: dict[str, Path], start: Start) -> None:
    agent = start(places["one"], roots=[Path("/"), Path("~").expanduser(), places["one"] / "no"])
    assert "one.py" in agent.call("list_files")


def test_the_user_can_forbid_it(places: dict[str, Path], start: Start) -> None:
    agent = start(places["one"], "--no-client-roots", roots=[places["two"]])
    assert "one.py" in agent.call("list_files")


def test_without_roots_the_environment_counts_before_the_working_directory(
    places: dict[str, Path], start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TADORU_ROOT", str(places["three"]))
    assert "three.py" in start(places["one"], roots=None).call("list_files")


def test_a_client_that_announces_roots_and_tells_none_is_served(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shared, "ROOTS_SECONDS", 0.05)
    own = shared.Shared([str(places["one"])], (), index=True, yes=False, metrics=False)
    own.expect_roots()
    assert [row.path for row in own.workspace().list_files().files] == ["one.py"]
    own.workspace().close()


def test_only_directories_of_this_machine_count(tmp_path: Path) -> None:
    odd = tmp_path / "a b%"
    odd.mkdir()
    uris = [
        odd.as_uri(), odd.as_uri(), "file:///no/such", "https://example.com/", "file://far/tmp",
        "file:///a%00b",
    ]  # fmt: skip
    offered = ListRootsResult(roots=[Root.model_construct(uri=uri) for uri in uris])
    assert directories(offered) == [str(odd)]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        (None, False),
        ({}, False),
        ({"capabilities": {}}, False),
        ({"capabilities": {"roots": {}}}, True),
        ({"capabilities": {"roots": None}}, False),
    ],
)
def test_who_offers_roots(params: dict[str, Any] | None, expected: bool) -> None:
    assert offers_roots(params) is expected
