"""`--tools contextweaver`: the names, parameters, defaults and answers of ContextWeaver."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client

import tadoru
from tadoru.mcp.server import build

SEED: dict[str, dict[str, str]] = {
    "codebase-retrieval": {
        "repo_path": "string", "information_request": "string!", "technical_terms": "string[]",
        "mode": "quick|balanced|deep", "include_globs": "string[]", "exclude_globs": "string[]",
        "language": "string[]", "max_total_chars": "integer", "max_files": "integer",
        "max_segments_per_file": "integer", "return_debug": "boolean",
        "low_confidence_behavior": "return_top1|return_empty|return_with_warning",
        "output_format": "markdown|json|both",
    },
    "list-files": {
        "repo_path": "string", "glob": "string", "language": "string", "max_results": "integer=200"
    },
    "find-references": {
        "repo_path": "string", "symbol": "string!", "exclude_definition": "boolean",
        "max_results": "integer=50",
    },
    "get-symbol-definition": {
        "repo_path": "string", "symbol": "string!", "hint_path": "string",
        "max_results": "integer=3",
    },
    "list-symbols": {
        "repo_path": "string", "path_filter": "string", "kind_filter": "string",
        "language": "string", "source": "string", "max_results": "integer=100",
    },
    "stats": {"repo_path": "string"},
}  # fmt: skip
"""The tables of ContextWeaver's README (`list-symbols`: its source). `!`: required. `repo_path` is
required there; here it may be left out."""


@pytest.fixture(scope="module")
def shop(shared_repository: Path) -> Iterator[tadoru.Workspace]:
    with tadoru.open(shared_repository) as workspace:
        workspace.index()
        yield workspace


def call(workspace: tadoru.Workspace, tool: str, **arguments: Any) -> tuple[list[str], bool]:
    async def session() -> tuple[list[str], bool]:
        async with Client(build(lambda: workspace, tools="contextweaver")) as client:
            result = await client.call_tool(tool, arguments)
            assert result.structured_content is None
            return [block.text for block in result.content], bool(result.is_error)

    return anyio.run(session)


def text(workspace: tadoru.Workspace, tool: str, **arguments: Any) -> str:
    (block,), failed = call(workspace, tool, **arguments)
    assert not failed, block
    return block


def _described(schema: dict[str, Any], required: bool) -> str:
    if schema["type"] == "array":
        return f"{schema['items']['type']}[]"
    kind = "|".join(schema["enum"]) if "enum" in schema else str(schema["type"])
    default = f"={schema['default']}" if schema["type"] == "integer" and "default" in schema else ""
    return kind + default + ("!" if required else "")


def test_names_parameters_and_defaults_are_the_seeds(shop: tadoru.Workspace) -> None:
    async def session() -> list[dict[str, Any]]:
        async with Client(build(lambda: shop, tools="contextweaver")) as client:
            tools = (await client.list_tools()).tools
            return [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]

    offered = {}
    for tool in anyio.run(session):
        required = tool["inputSchema"].get("required", ())
        properties = tool["inputSchema"]["properties"]
        offered[tool["name"]] = {k: _described(v, k in required) for k, v in properties.items()}
        assert tool["annotations"]["readOnlyHint"]
    assert offered == SEED


def test_retrieval_answers_in_the_seeds_form(shop: tadoru.Workspace) -> None:
    answer = text(
        shop, "codebase-retrieval", information_request="where is the session cookie signed",
        technical_terms=["sign"], repo_path=shop.roots["/"],
    )  # fmt: skip
    first = answer.splitlines()[0]
    assert re.fullmatch(
        r"Found \d+ relevant code blocks \| Files: \d+ \| Total segments: \d+", first
    )
    assert re.search(r"^## src/shop/sessions\.py \(L\d+-\d+\)$", answer, re.MULTILINE)
    assert re.search(r"^> sources: .+ \| score: [01]\.\d{3} \| seed$", answer, re.MULTILINE)
    assert "```python\n" in answer
    assert answer.splitlines()[-1] == "index: fresh"


def test_the_json_form_has_the_seeds_fields(shop: tadoru.Workspace) -> None:
    question = "where is the session cookie signed"
    data = json.loads(
        text(
            shop,
            "codebase-retrieval",
            information_request=question,
            output_format="json",
            return_debug=True,
        )
    )
    assert data["query"] == question
    assert {"seedCount", "expandedCount", "fileCount", "totalSegments"} <= set(data["summary"])
    segment = data["files"][0]["segments"][0]
    assert set(segment) == {
        "path", "startLine", "endLine", "score", "breadcrumb", "sources", "isSeed", "text",
    }  # fmt: skip
    assert data["debug"]
    assert data["index"] == "fresh"
    assert data["summary"]["fileCount"] == len(data["files"])


def test_both_forms_are_two_blocks(shop: tadoru.Workspace) -> None:
    blocks, failed = call(
        shop, "codebase-retrieval", information_request="session cookie", output_format="both"
    )
    assert not failed
    assert blocks[0].startswith("Found ")
    assert json.loads(blocks[1])["query"] == "session cookie"


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"include_globs": ["docs/**"]}, {"docs/guide.md"}),
    ({"exclude_globs": ["src/**", "tests/**", "README.md", "web/**"]}, {"docs/guide.md"}),
    ({"language": ["javascript"]}, {"web/app.js"}),
]


@pytest.mark.parametrize(("given", "expected"), FILTERS)
def test_filters_apply(shop: tadoru.Workspace, given: dict[str, Any], expected: set[str]) -> None:
    question = "payment by invoice, render the cart"
    arguments = {"information_request": question, "output_format": "json", **given}
    data = json.loads(text(shop, "codebase-retrieval", **arguments))
    assert {file["path"] for file in data["files"]} == expected


def test_limits_apply(shop: tadoru.Workspace) -> None:
    question = {"information_request": "session cookie cart total", "output_format": "json"}
    one = json.loads(text(shop, "codebase-retrieval", **question, max_files=1))
    assert len(one["files"]) == 1
    low = text(
        shop, "codebase-retrieval", information_request="zzzz qqqq wwww",
        low_confidence_behavior="return_empty",
    )  # fmt: skip
    assert low.startswith("Found 0 relevant code blocks | Files: 0 | Total segments: 0")


def test_files_references_definitions_symbols(shop: tadoru.Workspace) -> None:
    files = text(shop, "list-files", glob="src/**/*.py")
    assert files.splitlines()[0] == "Found 4 files"
    assert "- src/shop/config.py (python, 11B)" in files
    assert "(3 more; raise max_results)" in text(
        shop, "list-files", glob="src/**/*.py", max_results=1
    )
    assert text(shop, "list-files", language="cobol").startswith("No files matched the requested")

    uses = text(shop, "find-references", symbol="SessionInterface")
    assert re.match(r'Found \d+ text references for "SessionInterface"\n', uses)
    assert re.search(r"^- src/shop/cart\.py:3 \| (-|\".*\") \| \"from shop", uses, re.MULTILINE)
    everything = int(uses.split()[1])
    fewer = text(shop, "find-references", symbol="SessionInterface", exclude_definition=True)
    assert int(fewer.split()[1]) < everything
    assert text(shop, "find-references", symbol="NoSuchName").startswith("No exact text references")

    defined = text(shop, "get-symbol-definition", symbol="SessionInterface")
    assert defined.startswith('Found 1 symbol definitions for "SessionInterface"\n')
    assert "> kind: class | source: tree-sitter\n```python\nclass SessionInterface:" in defined
    missing = text(shop, "get-symbol-definition", symbol="NoSuchName")
    assert missing.startswith("No likely symbol definitions found.")

    symbols = text(shop, "list-symbols", path_filter="src/shop/cart.py", kind_filter="function")
    assert symbols.splitlines()[:2] == [
        "Found 2 symbols", '- src/shop/cart.py:L6-8 | function | "total"',
    ]  # fmt: skip
    assert "render" in text(shop, "list-symbols", language="javascript")
    assert "render" in text(shop, "list-symbols", path_filter="web/*.js")


def test_stats_has_the_seeds_three_groups(shop: tadoru.Workspace) -> None:
    text(shop, "codebase-retrieval", information_request="session cookie")
    groups = text(shop, "stats")
    assert re.findall(r"^## (.*)$", groups, re.MULTILINE) == ["Indexing", "Search", "Health"]
    assert re.search(r"search: \d+ calls, \d+ failed, p50 [\d.]+ ms, p95 [\d.]+ ms", groups)


def test_a_repository_within_the_roots_limits_every_tool(
    shop: tadoru.Workspace, tmp_path: Path
) -> None:
    root = shop.roots["/"]
    link = tmp_path / "link"
    link.symlink_to(root)
    for spelled in (root, root + "/", f"{root}/src/..", str(link), ".", ""):
        assert text(shop, "list-files", repo_path=spelled).startswith("Found 9 files")
    below = f"{root}/src"
    assert text(shop, "list-files", repo_path=below).startswith("Found 4 files")
    uses = text(shop, "find-references", symbol="total", repo_path=below)
    assert "tests/" not in uses and "src/shop/cart.py" in uses
    missing = text(shop, "get-symbol-definition", symbol="render", repo_path=below)
    assert missing.startswith("No likely")


@pytest.mark.parametrize("outside", ["/", "/etc", "~", "..", "{root}/..", "{root}-other", "a\0b"])
@pytest.mark.parametrize(
    ("tool", "more"),
    [("list-files", {}), ("stats", {}), ("codebase-retrieval", {"information_request": "x"})],
)
def test_whatever_lies_outside_is_refused(
    shop: tadoru.Workspace, tool: str, more: dict[str, str], outside: str
) -> None:
    blocks, failed = call(shop, tool, repo_path=outside.replace("{root}", shop.roots["/"]), **more)
    assert failed
    assert "outside all roots" in blocks[0] or "NUL" in blocks[0]
