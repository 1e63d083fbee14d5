"""What a session was sent is named, not sent again; a hit can be followed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client

import tadoru
from tadoru.mcp.server import build

QUESTION = "where is the session cookie signed"


@pytest.fixture(scope="module")
def shop(shared_repository: Path) -> Iterator[tadoru.Workspace]:
    with tadoru.open(shared_repository) as workspace:
        workspace.index()
        yield workspace


def asked(workspace: tadoru.Workspace, *calls: dict[str, Any], mode: str = "auto") -> list[str]:
    """Return the answers to several searches of one client."""

    async def session() -> list[str]:
        async with Client(build(lambda: workspace), mode=mode) as client:
            return [(await client.call_tool("search", call)).content[0].text for call in calls]

    return anyio.run(session)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_the_second_answer_names_what_the_first_one_sent(shop: tadoru.Workspace, mode: str) -> None:
    first, second = asked(shop, {"question": QUESTION}, {"question": QUESTION}, mode=mode)
    assert "hmac.new(KEY" in first
    assert "hmac.new(KEY" not in second
    assert "Sent before in this session: " in second
    assert "src/shop/sessions.py (L" in second


def test_another_client_is_sent_everything(shop: tadoru.Workspace) -> None:
    assert "hmac.new(KEY" in asked(shop, {"question": QUESTION})[0]
    assert "hmac.new(KEY" in asked(shop, {"question": QUESTION})[0]


def test_a_server_of_several_clients_remembers_nothing(shop: tadoru.Workspace) -> None:
    async def session() -> list[str]:
        async with Client(build(lambda: shop, one_client=False)) as client:
            calls = [await client.call_tool("search", {"question": QUESTION}) for _ in range(2)]
            return [call.content[0].text for call in calls]

    first, second = anyio.run(session)
    assert first == second


def test_a_hit_is_followed(shop: tadoru.Workspace) -> None:
    more, absolute, related, missing, nothing = asked(
        shop,
        {"more": "src/shop/sessions.py:20"},
        {"more": f"{shop.roots['/']}/src/shop/sessions.py:20"},
        {"related": "src/shop/sessions.py:20", "budget": 3000},
        {"more": "src/shop/nothing.py:1"},
        {},
    )
    assert "def sign(value):" in more and "class SessionInterface" in more
    assert "def sign(value):" in absolute
    assert "src/shop/" in related and related.splitlines()[-1] == "index: fresh"
    assert "no such hit: src/shop/nothing.py:1" in missing
    assert "`question` is missing" in nothing


def test_what_was_followed_counts_as_sent(shop: tadoru.Workspace) -> None:
    _, second = asked(shop, {"more": "src/shop/sessions.py:20"}, {"question": QUESTION})
    assert "hmac.new(KEY" not in second
    assert "Sent before in this session" in second


def test_an_edited_chunk_is_sent_again(repository: Path) -> None:
    with tadoru.open(repository) as workspace:
        workspace.index()

        async def session() -> tuple[str, str]:
            async with Client(build(lambda: workspace)) as client:
                await client.call_tool("search", {"question": QUESTION})
                path = repository / "src/shop/sessions.py"
                path.write_text(path.read_text().replace("sha256", "sha512"))
                result = await client.call_tool("search", {"question": QUESTION})
                return result.content[0].text, str(workspace.status())

        text, state = anyio.run(session)
    assert state == "fresh"
    assert "sha512" in text


def test_pages_go_on_where_the_last_one_ended(shop: tadoru.Workspace) -> None:
    with tadoru.open(shop.roots["/"]) as workspace:
        first = workspace.search("cart", top=2)
        second = workspace.search("cart", top=2, offset=2)
    assert first.hits and second.hits
    assert not {h.id for h in first.hits} & {h.id for h in second.hits}
    (far,) = asked(shop, {"question": "cart", "offset": 500})
    assert "no further hits" in far
