"""Addresses of mounts."""

from __future__ import annotations

import pytest

from tadoru.errors import BadInput, Unavailable
from tadoru.stores.chroma import parse_address


@pytest.mark.parametrize(
    ("text", "where", "collection"),
    [
        ("chroma://host:8123/docs", "http://host:8123", "docs"),
        ("chroma://host/docs", "http://host:8000", "docs"),
        ("chroma+https://host/docs", "https://host:443", "docs"),
        ("chroma://[::1]:8000/docs", "http://[::1]:8000", "docs"),
        ("chroma+file:/var/chroma#docs", "/var/chroma", "docs"),
        ("chroma+file:/var/a#b#docs", "/var/a#b", "docs"),
    ],
)
def test_where_a_collection_lies(text: str, where: str, collection: str) -> None:
    address = parse_address(text)
    assert (address.where, address.collection) == (where, collection)
    assert address.is_server is where.startswith("http")


def test_settings_stand_behind_a_question_mark() -> None:
    address = parse_address("chroma://host/docs?page=slug&joiner=%0A&tenant=acme&size=")
    assert address.names.page == "slug"
    assert address.names.joiner == "\n"
    assert address.names.size == ""
    assert address.tenant == "acme"
    assert parse_address("chroma+file:/x#docs?chunk_index=n").names.chunk_index == "n"


@pytest.mark.parametrize(
    "text",
    ["", "chroma://host", "chroma:host/docs", "http://host/docs", "chroma+file:/x",
     "chroma+file:#d",
     "chroma://host:port/docs", "chroma://host:99999/docs", "chroma:///docs", "chroma://host/docs#x",
     "chroma://host/a/b", "chroma://host/d", "chroma://host/docs?nonsense=1", "chroma://host/docs?page",
     "chroma://host/docs?page=", "chroma://host/-docs", "chroma://host/do%00cs", "chroma://host/../x"],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse_address(text)


def test_a_password_has_no_place_in_an_address() -> None:
    with pytest.raises(BadInput, match="token_env") as caught:
        parse_address("chroma://user:secret@host/docs")
    assert "secret" not in str(caught.value)


def test_a_token_comes_from_the_variable_that_the_address_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = parse_address("chroma://host/docs?token_env=DOCS_TOKEN")
    monkeypatch.delenv("DOCS_TOKEN", raising=False)
    with pytest.raises(Unavailable, match="DOCS_TOKEN"):
        address.token()
    monkeypatch.setenv("DOCS_TOKEN", "t0ken")
    assert address.token() == "t0ken"
    assert parse_address("chroma://host/docs").token() == ""
