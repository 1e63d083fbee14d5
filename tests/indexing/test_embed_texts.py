"""What is embedded of a chunk, which files are left out, and how consent is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tadoru.indexing import consent
from tadoru.indexing.prepare import (
    MAX_PLACE,
    MAX_SIGNATURE,
    MAX_TEXT,
    embedded_text,
    key_of,
    left_out,
    size_of,
)
from tadoru.types import Chunk, Entry, Kind, Role, Span


def chunk(text: str, path: str = "src/a.py", **fields: str) -> Chunk:
    size = len(text.encode())
    return Chunk(path, 0, Span(1, text.count("\n") + 1, 0, len(text), 0, size), **fields)


def test_place_signature_and_doc_stand_before_the_text() -> None:
    text = "    return sign(value)\n"
    made = embedded_text(
        chunk(text, breadcrumb="Signer > save", signature="def save(self):", doc="Saves."), text
    )
    assert made == "src/a.py > Signer > save\ndef save(self):\nSaves.\n    return sign(value)"


def test_nothing_is_said_twice() -> None:
    text = 'def save(self):\n    """Saves."""\n'
    made = embedded_text(chunk(text, signature="def save(self):", doc="Saves."), text)
    assert made.count("def save") == made.count("Saves.") == 1


def test_everything_is_bounded() -> None:
    text = "x" * 100_000
    path = "d/" * 2_000 + "a.py"
    made = embedded_text(chunk(text, path, signature="s" * 9_000, doc="d" * 9_000), text)
    assert len(made) <= MAX_PLACE + 2 * MAX_SIGNATURE + MAX_TEXT + 4
    assert made.startswith("d/d/") and "a.py\n" in made
    assert size_of(chunk(text, path)) <= MAX_PLACE + MAX_TEXT


def test_text_that_is_no_utf8_has_a_key() -> None:
    assert len(key_of("\udcff")) == 16 and key_of("\udcff") != key_of("\udcfe")


@pytest.mark.parametrize(
    ("name", "role", "out"),
    [("a.py", Role.SOURCE, False), ("a.md", Role.DOCS, False), ("a.toml", Role.CONFIG, False),
     ("a_pb2.py", Role.GENERATED, True), ("a.min.js", Role.MINIFIED, True),
     ("a.json", Role.DATA, True), (".env", Role.CONFIG, True), ("id_rsa", Role.SOURCE, True),
     ("server.pem", Role.SOURCE, True), (".env.example", Role.CONFIG, False)],
)  # fmt: skip
def test_files_that_are_left_out(name: str, role: Role, out: bool) -> None:
    assert left_out(Entry(f"dir/{name}", Kind.FILE, role=role)) is out


def test_consent_is_kept_by_place_and_host(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert consent.missing(home, "/r", ["a", "b"]) == ["a", "b"]
    consent.grant(home, "/r", ["a"])
    assert consent.missing(home, "/r", ["a", "b"]) == ["b"]
    consent.grant(home, "/r", ["b"])
    assert consent.missing(home, "/r", ["a", "b"]) == []
    assert consent.missing(home, "/other", ["a"]) == ["a"]
    assert [p.name for p in home.iterdir()] == [consent.NAME]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"/r": "a"}', '{"/r": null}', "\0"])
def test_a_broken_consent_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / consent.NAME).write_text(text)
    assert consent.missing(tmp_path, "/r", ["a"]) == ["a"]
    consent.grant(tmp_path, "/r", ["a"])
    assert consent.missing(tmp_path, "/r", ["a"]) == []
