"""Files as resources, through the official client in both eras of the protocol."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

import tadoru
from tadoru.mcp.resources import MAX_BYTES, mime_type_of, path_of, uri_of
from tadoru.mcp.server import build

T = TypeVar("T")
ERAS = ["legacy", "2026-07-28"]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, new_repository: Any) -> Iterator[Any]:
    root = new_repository(tmp_path_factory.mktemp("resources") / "shop")
    (root / "ünï code").mkdir()
    (root / "ünï code/日本 #?%.txt").write_text("こんにちは\n")
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0binary")
    (root / "huge.txt").write_text("x" * (MAX_BYTES + 1))
    for number in range(210):
        (root / f"many-{number:03}.txt").write_text("a\n")
    with tadoru.open(root) as opened:
        opened.index()
        yield opened


def ask(workspace: Any, question: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    async def session() -> T:
        async with Client(build(lambda: workspace), mode=mode) as client:
            return await question(client)

    return anyio.run(session)


def refused(workspace: Any, question: Callable[[Client], Awaitable[object]]) -> MCPError:
    """Return the error that a question ends with."""

    async def caught(client: Client) -> MCPError:
        with pytest.raises(MCPError) as error:
            await question(client)
        return error.value

    return ask(workspace, caught)


@pytest.mark.parametrize("mode", ERAS)
def test_every_file_is_listed_once_page_by_page(workspace: Any, mode: str) -> None:
    async def question(client: Client) -> list[Any]:
        rows, cursor, pages = [], None, 0
        while True:
            page = await client.list_resources(cursor=cursor)
            rows += page.resources
            pages += 1
            cursor = page.next_cursor
            if cursor is None:
                assert pages == 2
                return rows

    rows = ask(workspace, question, mode)
    expected = [row.path for row in workspace.list_files(limit=1_000).files]
    assert [path_of(str(row.uri)) for row in rows] == expected
    by_path = {row.title: row for row in rows}
    assert by_path["src/shop/config.py"].name == "config.py"
    assert by_path["src/shop/config.py"].size == 11


@pytest.mark.parametrize("mode", ERAS)
def test_text_comes_as_text_and_the_rest_as_bytes(workspace: Any, mode: str) -> None:
    async def question(client: Client) -> tuple[Any, Any, Any]:
        text = await client.read_resource("tadoru:///src/shop/config.py")
        named = await client.read_resource(uri_of("ünï code/日本 #?%.txt"))
        image = await client.read_resource("tadoru:///logo.png")
        return text.contents[0], named.contents[0], image.contents[0]

    text, named, image = ask(workspace, question, mode)
    assert text.text == "TAX = 0.19\n"
    assert text.mime_type.startswith("text/")
    assert named.text == "こんにちは\n"
    assert base64.b64decode(image.blob).startswith(b"\x89PNG")
    assert image.mime_type == "image/png"


WRONG = [
    ("tadoru:///no/such.py", "no such file"),
    ("tadoru:///src", "is a directory"),
    ("tadoru:///../../etc/passwd", "outside"),
    ("tadoru:///%2e%2e/%2e%2e/etc/passwd", "outside"),
    ("tadoru:////etc/passwd", "etc/passwd"),
    ("tadoru:///a%00b", "NUL"),
    ("tadoru:///huge.txt", "more than 400,000 bytes"),
    ("tadoru:///", "Unknown resource"),
    ("file:///etc/passwd", "Unknown resource"),
]


@pytest.mark.parametrize(("uri", "expected"), WRONG)
def test_what_cannot_be_given_is_an_error_that_says_why(
    workspace: Any, uri: str, expected: str
) -> None:
    error = refused(workspace, lambda client: client.read_resource(uri)).error
    assert expected in error.message
    assert error.code == -32602
    assert "root:" not in error.message


def test_a_cursor_that_is_none_is_refused(workspace: Any) -> None:
    for cursor in ("x", "-1", "1" * 40, "0x1"):
        error = refused(workspace, lambda client, c=cursor: client.list_resources(cursor=c))
        assert "not a cursor" in error.error.message


COMPLETIONS = [
    ("src/sh", ["src/shop/"]),
    ("src/shop/c", ["src/shop/cart.py", "src/shop/config.py"]),
    ("docs/", ["docs/guide.md"]),
    ("nope/", []),
    ("../", []),
]


@pytest.mark.parametrize(("start", "expected"), COMPLETIONS)
def test_a_path_is_completed_name_by_name(workspace: Any, start: str, expected: list[str]) -> None:
    async def question(client: Client) -> Any:
        (template,) = (await client.list_resource_templates()).resource_templates
        ref = ResourceTemplateReference(type="ref/resource", uri=template.uri_template)
        return await client.complete(ref=ref, argument={"name": "path", "value": start})

    assert ask(workspace, question).completion.values == expected


def test_completions_are_bounded_and_counted(workspace: Any) -> None:
    ref = ResourceTemplateReference(type="ref/resource", uri="tadoru:///{+path}")

    async def question(client: Client) -> Any:
        return await client.complete(ref=ref, argument={"name": "path", "value": "many-"})

    completion = ask(workspace, question).completion
    assert (len(completion.values), completion.total, completion.has_more) == (100, 210, True)


def test_a_hidden_file_is_an_unknown_one(repository: Path, tmp_path: Path) -> None:
    config = tadoru.Config(
        home=str(tmp_path / "home"),
        access=(
            tadoru.config.AccessRule("**", public=True),
            tadoru.config.AccessRule("src/**", groups=frozenset({"staff"})),
        ),
    )
    ref = ResourceTemplateReference(type="ref/resource", uri="tadoru:///{+path}")

    async def question(client: Client) -> tuple[list[str], list[str], list[str]]:
        rows = [str(row.uri) for row in (await client.list_resources()).resources]
        offered = await client.complete(ref=ref, argument={"name": "path", "value": "s"})
        errors = []
        for path in ("src/shop/cart.py", "src/shop/curt.py", "src", "srx"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(f"tadoru:///{path}")
            errors.append(caught.value.error.message)
        return rows, offered.completion.values, errors

    with tadoru.open(repository, config=config) as opened:
        opened.index()
        rows, offered, errors = ask(opened, question)
    assert not [uri for uri in rows if "/src/" in uri]
    assert offered == []
    assert errors[0].replace("cart", "curt") == errors[1]
    assert errors[2].replace("src", "srx") == errors[3]


def test_addresses_hold_every_name() -> None:
    for path in ("a b/c#d?e%f.py", "日本/ü.md", "bad\udcff.bin", "x\ny"):
        assert path_of(uri_of(path)) == path
        assert uri_of(path).isascii()
    assert mime_type_of("x.rs") == mime_type_of("Makefile") == "text/plain"
    assert mime_type_of("x.json") == "application/json"
    assert mime_type_of("x.tar.gz") == "application/octet-stream"
