"""`--tools pathfinder`: the names, parameters and answers of the tool that it stands in for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

import tadoru
from tadoru.errors import BadInput
from tadoru.mcp.server import build

SEED: dict[str, tuple[set[str], set[str]]] = {
    "path_resolve": ({"failed_path"}, {"op", "intent_text", "root_hint", "top_n"}),
    "tool_retry_with_resolve": (
        {"failed_path"},
        {"op", "intent_text", "root_hint", "strategy", "top_n"},
    ),
    "roots_list": (set(), set()),
    "reindex_paths": (set(), set()),
}
"""Name -> (required, optional parameters)."""


SERVER = ["-m", "tadoru", "mcp", "--tools", "pathfinder"]


@pytest.fixture
def shop(repository: Path) -> Iterator[tadoru.Workspace]:
    for place in ("reranker", "vllm", "openaihttp"):
        path = repository / "internal/infra" / place / "client.go"
        path.parent.mkdir(parents=True)
        path.write_text(f"package {place}\n")
    (repository / "ops").mkdir()
    (repository / "ops/settings.yml").write_text("a: 1\n")
    (repository / "ops/settings.json").write_text("{}\n")
    with tadoru.open(repository) as workspace:
        workspace.index()
        yield workspace


def call(workspace: tadoru.Workspace, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call one tool and return the JSON object that it answers with."""

    async def session() -> str:
        async with Client(build(lambda: workspace, tools="pathfinder")) as client:
            result = await client.call_tool(tool, arguments)
            (block,) = result.content
            assert not result.is_error, block.text
            return str(block.text)

    answer = json.loads(anyio.run(session))
    assert isinstance(answer, dict)
    return answer


def test_names_and_parameters_are_the_seeds(shop: tadoru.Workspace) -> None:
    async def session() -> list[dict[str, Any]]:
        async with Client(build(lambda: shop, tools="pathfinder")) as client:
            tools = (await client.list_tools()).tools
            return [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]

    tools = anyio.run(session)
    assert [tool["name"] for tool in tools] == list(SEED)
    for tool in tools:
        required, optional = SEED[tool["name"]]
        schema = tool["inputSchema"]
        assert set(schema.get("required", ())) == required
        assert set(schema["properties"]) == required | optional
        assert tool["annotations"] == {"readOnlyHint": True, "openWorldHint": False}
        for parameter in schema["properties"].values():
            assert parameter["type"] in ("string", "integer")
    strategies = tools[1]["inputSchema"]["properties"]["strategy"]["enum"]
    assert strategies == ["best_first", "score_desc"]
    assert "write" not in tools[1]["inputSchema"]["properties"]["op"]["enum"]


def test_one_match_is_a_path_and_nothing_else(shop: tadoru.Workspace, repository: Path) -> None:
    assert call(shop, "path_resolve", failed_path="src/shop/session.py") == {
        "path": f"{repository}/src/shop/sessions.py"
    }
    assert call(shop, "path_resolve", failed_path=f"{repository}/README.md") == {
        "path": f"{repository}/README.md"
    }


def test_several_matches_are_a_structured_error(shop: tadoru.Workspace, repository: Path) -> None:
    answer = call(shop, "path_resolve", failed_path="client.go")
    assert list(answer) == ["error_kind", "path", "candidates", "next_question"]
    assert (answer["error_kind"], answer["path"]) == ("Ambiguous", "client.go")
    assert len(answer["candidates"]) == 3
    for candidate in answer["candidates"]:
        assert set(candidate) == {"path", "score"}
        assert Path(candidate["path"]).is_file()
        assert 0 < candidate["score"] <= 100
    assert answer["next_question"].startswith("Which one is meant")


def test_extensions_are_named_when_they_are_the_matter(shop: tadoru.Workspace) -> None:
    answer = call(shop, "path_resolve", failed_path="ops/settings.toml")
    assert answer["error_kind"] == "Ambiguous"
    assert sorted(answer["maybe_exts"]) == [".json", ".yml"]


def test_the_directory_of_recent_work_decides(shop: tadoru.Workspace, repository: Path) -> None:
    answer = call(
        shop,
        "path_resolve",
        failed_path="client.go",
        intent_text="change the settings of the reranker client",
        root_hint="internal/infra/reranker",
    )
    expected = f"{repository}/internal/infra/reranker/client.go"
    best = answer.get("path") if "error_kind" not in answer else answer["candidates"][0]["path"]
    assert best == expected


def test_what_is_not_there_says_why(shop: tadoru.Workspace) -> None:
    answer = call(shop, "path_resolve", failed_path="ignored/secret.py")
    assert answer["error_kind"] == "NotFound"
    assert answer["reason"].startswith("ignored by a rule")
    assert "candidates" not in answer
    answer = call(shop, "path_resolve", failed_path="src/shop")
    assert answer["error_kind"] == "IsADirectory"


@pytest.mark.parametrize(
    ("op", "failed_path", "intent", "expected"),
    [
        ("read", "src/shop/session.py", "", "class SessionInterface"),
        ("list", "src/shops", "", "sessions.py"),
        ("stat", "src/shop/session.py", "", "sessions.py"),
        ("search", "src/shop/session.py", "hmac", "import hmac"),
    ],
)
def test_the_operation_is_repeated_on_the_match(
    shop: tadoru.Workspace, op: str, failed_path: str, intent: str, expected: str
) -> None:
    answer = call(
        shop, "tool_retry_with_resolve", failed_path=failed_path, op=op, intent_text=intent
    )
    assert answer["status"] == "ok"
    assert Path(answer["path"]).exists()
    assert expected in answer["result"]


def test_what_cannot_be_decided_is_not_tried(shop: tadoru.Workspace) -> None:
    for strategy in ("best_first", "score_desc"):
        answer = call(
            shop, "tool_retry_with_resolve", failed_path="client.go", strategy=strategy, top_n=99
        )
        assert answer["status"] == "all_failed"
        assert answer["error_kind"] == "Ambiguous"
        assert len(answer["candidates"]) >= 3
    absent = call(shop, "tool_retry_with_resolve", failed_path="lib/quantum/flux.zig")
    assert (absent["status"], absent["error_kind"]) == ("all_failed", "NotFound")


def test_a_match_that_cannot_be_read_is_named_as_tried(
    shop: tadoru.Workspace, repository: Path
) -> None:
    (repository / "src/shop/logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    shop.index()
    answer = call(shop, "tool_retry_with_resolve", failed_path="src/shop/lgoo.png")
    assert answer["status"] == "all_failed"
    assert answer["tried"] == [f"{repository}/src/shop/logo.png"]


def test_a_long_result_is_cut_and_says_so(shop: tadoru.Workspace, repository: Path) -> None:
    (repository / "src/shop/history.txt").write_text("a line of text\n" * 20_000)
    shop.index()
    for op, intent in (("read", ""), ("search", "line")):
        answer = call(
            shop,
            "tool_retry_with_resolve",
            failed_path="src/shop/hsitory.txt",
            op=op,
            intent_text=intent,
        )
        assert answer["truncated"] is True
        assert len(answer["result"]) < 60_000
    assert shop.retry("src/shop/hsitory.txt").truncated
    assert not shop.retry("src/shop/confg.py").truncated


def test_nothing_is_written_by_a_retry(shop: tadoru.Workspace) -> None:
    async def session() -> bool:
        async with Client(build(lambda: shop, tools="pathfinder")) as client:
            result = await client.call_tool(
                "tool_retry_with_resolve", {"failed_path": "README.md", "op": "write"}
            )
            return bool(result.is_error)

    assert anyio.run(session)


def test_roots_and_rebuilding(shop: tadoru.Workspace, repository: Path) -> None:
    assert call(shop, "roots_list") == {"roots": [str(repository)]}
    answer = call(shop, "reindex_paths")
    assert (answer["status"], answer["files"]) == ("ok", 14)


def test_an_unknown_set_of_tools_is_refused() -> None:
    with pytest.raises(BadInput):
        build(lambda: None, tools="other")  # type: ignore[arg-type, return-value]


@pytest.mark.slow
def test_the_official_client_over_stdio_with_two_roots_and_metrics(
    tmp_path: Path, new_repository: Callable[[Path], Path]
) -> None:
    one, two = new_repository(tmp_path / "one"), new_repository(tmp_path / "two")
    (one / "build/kept").mkdir(parents=True)
    (one / ".gitignore").write_text("build/\n")
    (one / "build/kept/made.txt").write_text("made\n")
    (two / "only.txt").write_text("here\n")
    with tadoru.open(one) as first, tadoru.open(two) as second:
        first.index()
        second.index()
    errors = tmp_path / "stderr"

    async def session() -> list[str]:
        parameters = StdioServerParameters(
            command=sys.executable,
            args=[*SERVER, "--root", str(one), "--root", str(two)],
            env={**os.environ, "INCLUDE_DIRS": "build", "RESOLVE_TOPK": "4"},
        )
        with errors.open("w") as log:
            async with (
                stdio_client(parameters, errlog=log) as (read, write),
                ClientSession(read, write) as client,
            ):
                await client.initialize()
                tools = [tool.name for tool in (await client.list_tools()).tools]
                assert tools == list(SEED)
                calls: list[tuple[str, dict[str, Any]]] = [
                    ("reindex_paths", {}),
                    ("roots_list", {}),
                    ("path_resolve", {"failed_path": "two/onyl.txt"}),
                    ("path_resolve", {"failed_path": "kept/made.txt"}),
                    ("path_resolve", {"failed_path": "cart.py", "top_n": 50}),
                    ("tool_retry_with_resolve", {"failed_path": "two/onyl.txt"}),
                ]
                results = [await client.call_tool(name, given) for name, given in calls]
                return [result.content[0].text for result in results]

    answers = [json.loads(text) for text in anyio.run(session)]
    assert answers[1] == {"roots": [str(one), str(two)]}
    assert answers[2]["path"] == f"{two}/only.txt"
    assert answers[3]["path"] == f"{one}/build/kept/made.txt"
    assert len(answers[4]["candidates"]) == 4
    assert answers[5]["result"] == "here\n"
    records = [json.loads(line) for line in errors.read_text().splitlines() if line[:1] == "{"]
    assert [record["event"] for record in records] == ["resolve"] * 3 + ["retry"]
    for record in records:
        assert record["candidates"] > 0
        assert {"catch_up", "normalize", "candidates", "rank", "verify", "total"} <= set(
            record["ms"]
        )
    assert "only" not in json.dumps(records)


@pytest.mark.slow
def test_metrics_of_the_command_line_are_one_line(
    cli: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = cli("resolve", "src/shop/session.py", "--metrics")
    assert done.stdout == "src/shop/sessions.py\n"
    (record,) = [json.loads(line) for line in done.stderr.splitlines() if line[:1] == "{"]
    assert (record["event"], record["answer"], record["op"]) == ("resolve", "resolved", "read")
    done = cli("retry", "src/shop/confg.py", "--metrics")
    assert done.stdout == "TAX = 0.19\n"
    (record,) = [json.loads(line) for line in done.stderr.splitlines() if line[:1] == "{"]
    assert (record["event"], record["outcome"], record["tried"]) == ("retry", "ok", 1)
    assert "TAX" not in done.stderr
