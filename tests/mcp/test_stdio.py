"""The server as an agent starts it: a process, a pipe, nothing on stdout but protocol."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

pytestmark = pytest.mark.slow
EXIT_SECONDS = 3.0

CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "search": ({"question": "where is the session cookie signed"}, "src/shop/sessions.py"),
    "bash": ({"command": "cat src/shop/config.py"}, "TAX = 0.19"),
    "resolve_path": ({"path": "src/shop/session.py"}, "path: src/shop/sessions.py"),
    "read_file": ({"path": "src/shop/session.py"}, "this is src/shop/sessions.py instead"),
    "find_definition": ({"name": "SessionInterface"}, "src/shop/sessions.py:6-"),
    "find_references": ({"name": "SessionInterface"}, "src/shop/cart.py:"),
    "list_files": ({"glob": "docs/*"}, "docs/guide.md ("),
    "map": ({"path": "src"}, "sessions.py"),
    "index_status": ({"details": True}, "languages: python 5"),
}


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONWARNINGS": "default", **more}


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
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Wire:
    """A process whose every stdout line is kept and parsed."""

    def __init__(self, command: list[str], cwd: Path, **more: str) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment(**more),
        )
        self._number = 1

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        assert isinstance(message, dict)
        return message

    def initialize(self) -> dict[str, Any]:
        self.send(INITIALIZE)
        answer = self.receive()
        self.send(INITIALIZED)
        return answer

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        parameters = {"name": tool, "arguments": arguments}
        self.send(
            {"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": parameters}
        )
        while True:
            message = self.receive()
            if message.get("id") == self._number:
                result: dict[str, Any] = message["result"]
                return result

    def close(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()
        self.process.kill()
        self.process.wait()


@pytest.fixture
def wire(tadoru_command: list[str], shared_repository: Path) -> Any:
    opened = Wire([sys.executable, "-m", "tadoru", "mcp"], shared_repository)
    yield opened
    opened.close()


def test_every_tool_answers_and_every_line_is_protocol(wire: Wire) -> None:
    assert wire.initialize()["result"]["serverInfo"]["name"] == "tadoru"
    for tool, (arguments, expected) in CALLS.items():
        result = wire.call(tool, arguments)
        assert not result.get("isError"), result
        assert expected in result["content"][0]["text"]
    assert wire.process.stdin is not None
    wire.process.stdin.close()
    assert wire.process.stdout is not None
    for line in wire.process.stdout:
        assert json.loads(line)["jsonrpc"] == "2.0"


def test_the_official_client_sees_the_tools(shared_repository: Path) -> None:
    async def session() -> tuple[list[str], str]:
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "tadoru", "mcp"],
            cwd=str(shared_repository),
            env=environment(),
        )
        async with (
            stdio_client(parameters) as (read, write),
            ClientSession(read, write) as client,
        ):
            await client.initialize()
            tools = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("bash", {"command": "cat src/shop/config.py"})
            return tools, result.content[0].text

    tools, text = anyio.run(session)
    assert tools == list(CALLS)
    assert "TAX = 0.19" in text


def test_nothing_heavy_is_loaded_before_initialize_is_answered(
    shared_repository: Path, tmp_path: Path
) -> None:
    """A stand-in for `anyio.run` reports what is loaded at the moment the protocol starts."""
    code = """
import sys, anyio
from tadoru.cli import main
def report(*_):
    heavy = {"numpy", "tree_sitter", "bashkit", "re2", "rapidfuzz", "zstandard"}
    loaded = {name.partition(".")[0] for name in sys.modules}
    sys.stderr.write("LOADED " + ",".join(sorted(heavy & loaded)) + ".\\n")
anyio.run = report
main(["mcp"])
"""
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=shared_repository,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        line = server.stderr.readline()  # its input stays open meanwhile: its end would end it
        stdout, _ = server.communicate(timeout=60)
    assert line == "LOADED .\n"
    assert stdout == ""


def test_what_libraries_print_while_loading_stays_off_the_wire(
    shared_repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import builtins\n")
    code = (
        "import builtins, sys, os\n"
        "real = builtins.__import__\n"
        "def loud(name, *rest):\n"
        "    if name.startswith('anyio'):\n"
        "        print('noise from a library'); os.write(1, b'more noise\\n')\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = loud\n"
        "from tadoru.cli import main\n"
        "main(['mcp'])\n"
    )
    opened = Wire([sys.executable, "-c", code], shared_repository)
    try:
        opened.initialize()
        assert not opened.call("index_status", {}).get("isError")
    finally:
        opened.close()


def test_the_process_leaves_with_its_client(wire: Wire) -> None:
    wire.initialize()
    assert wire.process.stdin is not None
    wire.process.stdin.close()
    assert wire.process.wait(EXIT_SECONDS) == 0


def test_the_process_leaves_while_a_call_is_under_way(wire: Wire) -> None:
    wire.initialize()
    parameters = {"name": "bash", "arguments": {"command": "while true; do :; done"}}
    wire.send({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": parameters})
    time.sleep(0.5)
    assert wire.process.stdin is not None
    wire.process.stdin.close()
    assert wire.process.wait(EXIT_SECONDS) == 0


def test_the_process_leaves_when_its_parent_is_killed(shared_repository: Path) -> None:
    """The pipe stays open in somebody else's hands; the parent alone is gone."""
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-m', 'tadoru', 'mcp'], stdin=0)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    reader, writer = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=shared_repository,
        stdin=reader,
        stdout=subprocess.PIPE,
        text=True,
    )
    os.close(reader)
    assert parent.stdout is not None
    server = int(parent.stdout.readline())
    time.sleep(0.5)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + EXIT_SECONDS
    while _alive(server) and time.monotonic() < deadline:
        time.sleep(0.05)
    gone = not _alive(server)
    os.close(writer)
    assert gone


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_root_that_cannot_be_served_is_told_on_stderr(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tadoru", "mcp", "--root", str(tmp_path / "gone")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such directory" in done.stderr


def test_initialize_is_answered_within_its_budget_of_cpu(shared_repository: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    opened = Wire([sys.executable, "-m", "tadoru", "mcp"], shared_repository)
    opened.send(INITIALIZE)
    opened.receive()
    opened.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < 0.9 * 2.5  # a slower, shared machine must not fail for being one


HOSTILE = [
    b"not json\n",
    b"\xff\xfe\x00\n",
    b"\n",
    b"{}\n",
    b"[1, 2]\n",
    b"[" * 100_000 + b"\n",
    b'{"jsonrpc": "2.0", "id": 1002, "method": "nope"}\n',
    b'{"jsonrpc": "2.0", "id": 1003, "method": "resources/read", "params": {"uri": "tadoru:///%ff"}}\n',
    b'{"jsonrpc": "2.0", "id": 1004, "method": "tools/call", "params": {"name": "read_file", '
    b'"arguments": {"path": "\\ud800"}}}\n',
    b'{"jsonrpc": "2.0", "id": 1005, "method": "tools/call", "params": {"name": "search", '
    b'"arguments": []}}\n',
    json.dumps({"jsonrpc": "2.0", "id": 1006, "method": "tools/call", "params": {
        "name": "search", "arguments": {"question": "x" * 2_000_000}}}).encode() + b"\n",
]  # fmt: skip


@pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
def test_no_line_ends_the_server(wire: Wire, line: bytes) -> None:
    wire.initialize()
    assert wire.process.stdin is not None
    wire.process.stdin.buffer.write(line)
    wire.process.stdin.buffer.flush()
    assert wire.call("index_status", {})["content"][0]["text"].endswith("index: fresh")


def test_file_names_that_are_no_text_pass_the_wire(repository: Path) -> None:
    (repository / os.fsdecode(b"bad\xff.txt")).write_text("here\n")
    opened = Wire([sys.executable, "-m", "tadoru", "mcp"], repository)
    try:
        opened.initialize()
        assert "bad" in opened.call("list_files", {"glob": "bad*"})["content"][0]["text"]
        for method, params in (
            ("resources/list", {}),
            ("completion/complete", {
                "ref": {"type": "ref/resource", "uri": "tadoru:///{+path}"},
                "argument": {"name": "path", "value": "ba"}}),
        ):  # fmt: skip
            opened.send({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
            assert "result" in opened.receive()
        listed = {"jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": {}}
        opened.send(listed)
        rows = opened.receive()["result"]["resources"]
        assert len(rows) == 10
        for uri in ("tadoru:///bad%FF.txt", *(row["uri"] for row in rows if "bad" in row["uri"])):
            opened.send({**listed, "method": "resources/read", "params": {"uri": uri}})
            assert "bad" in json.dumps(opened.receive())
    finally:
        opened.close()


def test_a_cancelled_call_makes_room_for_the_next(wire: Wire) -> None:
    wire.initialize()
    endless = {"name": "bash", "arguments": {"command": "while true; do :; done"}}
    for number in range(100, 120):
        wire.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": endless})
    for number in range(100, 120):
        cancelled = {"requestId": number}
        wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
    assert "TAX" in wire.call("bash", {"command": "cat src/shop/config.py"})["content"][0]["text"]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
def test_both_eras_of_the_protocol_over_one_kind_of_pipe(
    shared_repository: Path, mode: str
) -> None:
    async def session() -> tuple[str, str, int]:
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "tadoru", "mcp"], cwd=str(shared_repository),
            env=environment(),
        )  # fmt: skip
        async with Client(parameters, mode=mode) as client:
            answer = await client.call_tool("bash", {"command": "cat src/shop/config.py"})
            read = await client.read_resource("tadoru:///src/shop/config.py")
            listed = await client.list_tools()
            return answer.content[0].text, read.contents[0].text, len(listed.tools)

    told, read, tools = anyio.run(session)
    assert "TAX = 0.19" in told
    assert read == "TAX = 0.19\n"
    assert tools == 9
