# ruff: noqa: E501 - samples and tables read better unwrapped
"""Chunks follow the structure, tile the file, and stay within their size, whatever the file is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tadoru.indexing.cuts import LIMIT, LONGEST
from tadoru.indexing.extract import Extract, extract
from tadoru.text.decode import decode
from tadoru.text.languages import CORE, known_languages

FLASK = '''"""Sessions."""

import hmac


class Base:
    """A base."""


class Sessions(Base):
    """Opens and saves sessions."""

    def open(self, request):
        """Read the cookie."""
        value = request.cookies.get("session")
''' + "".join(f"        value = value or request.header('x-{i}')\n" for i in range(20)) + '''
        return value

    # Signs it, too.
    def save(self, response):
''' + "".join(f"        response.set_cookie('c{i}', self.sign('{i}'))\n" for i in range(40)) + '''

def helper():
    return 1
'''  # fmt: skip


def check(found: Extract, text: str, data: bytes, encoding: str = "utf-8", mark: int = 0) -> None:
    """Assert that chunks tile the text in characters, bytes and lines."""
    at = 0
    place = mark
    for number, chunk in enumerate(found.chunks):
        span = chunk.span
        assert chunk.index == number
        assert (span.start_char, span.start_byte) == (at, place)
        assert span.end_char > at
        piece = text[span.start_char : span.end_char]
        assert data[span.start_byte : span.end_byte].decode(encoding) == piece
        assert span.start_line == text.count("\n", 0, span.start_char) + 1
        assert span.end_line == span.start_line + piece[:-1].count("\n")
        at, place = span.end_char, span.end_byte
    assert at == len(text) or not text.strip()


def ink(text: str) -> int:
    return len("".join(text.split()).encode())


@settings(max_examples=150, deadline=None)
@given(
    text=st.lists(
        st.sampled_from(
            ["def f():\n", "    return 1\n", "class A:\n", "\n", "x = (", ")", "{", "}", "# é\n", "# T\n",
             "```\n", "漢字", "😀", "\r\n", "\r", "'" * 3, '"', "function g() {\n", "}\n", " " * 50, "a" * 300,
             "fn h() {}\n", ";\n", "<div>", "- a: 1\n", "\t", "\u2028", "\x0c", "\x1c"]
        ),
        max_size=80,
    ).map("".join),
    language=st.sampled_from([*CORE, "markdown", "rst", "yaml", "text", "vue", "json", "", "notebook"]),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "utf-32-be"]),
)  # fmt: skip
def test_chunks_tile_any_file(text: str, language: str, encoding: str) -> None:
    data = text.encode(encoding)
    check(extract("f", language, text, encoding), text, data, encoding)


@pytest.mark.parametrize("encoding", ["shift_jis", "gb18030", "euc_kr", "latin-1", "iso2022_jp"])
def test_byte_offsets_are_those_of_the_file_on_disk(encoding: str) -> None:
    word = {"euc_kr": "한국어", "latin-1": "übermäßig", "gb18030": "搜索用户"}.get(
        encoding, "日本語検索"
    )
    text = "".join(f"# {word} {i}\ndef f{i}():\n    return '{word}'\n\n" for i in range(120))
    data = text.encode(encoding)
    found = extract("f.py", "python", text, encoding)
    assert len(found.chunks) > 3
    if encoding == "iso2022_jp":  # cutting a stateful encoding needs its state
        assert found.chunks[-1].span.end_byte == len(data)
    else:
        check(found, text, data, encoding)


def test_functions_stand_alone_and_know_what_encloses_them() -> None:
    found = extract("s.py", "python", FLASK)
    check(found, FLASK, FLASK.encode())
    by_name = {c.name: c for c in found.chunks}
    opened = by_name["open"]
    assert opened.breadcrumb == "Sessions > open"
    assert opened.signature == "def open(self, request)"
    assert opened.doc == "Read the cookie."
    assert opened.kind == "method"
    saves = [c for c in found.chunks if c.name == "save"]
    assert len(saves) > 1
    assert {c.breadcrumb for c in saves} == {"Sessions > save"}
    first = FLASK[saves[0].span.start_char :]
    assert first.lstrip().startswith("# Signs it, too.")
    assert "def helper" in found.chunks[-1].signature


def test_small_siblings_share_a_chunk() -> None:
    text = "".join(f"def f{i}():\n    return {i}\n\n" for i in range(30))
    found = extract("s.py", "python", text)
    assert len(found.chunks) < 5
    assert all("def f" in c.signature for c in found.chunks)


def test_markdown_is_cut_at_headings_and_fences_stay_whole() -> None:
    fence = "```python\n" + "# comment\nx = 1\n" * 20 + "```\n"
    text = (
        "# One\n\n"
        + "word " * 150
        + "\n\n## Two\n\n"
        + fence
        + "\n"
        + "word " * 150
        + "\n\n# Three\nend\n"
    )
    found = extract("r.md", "markdown", text)
    check(found, text, text.encode())
    for chunk in found.chunks:
        piece = text[chunk.span.start_char : chunk.span.end_char]
        assert piece.count("```") % 2 == 0
    assert found.chunks[0].breadcrumb.startswith("One")
    two = next(c for c in found.chunks if "## Two" in text[c.span.start_char : c.span.end_char])
    assert two.breadcrumb == "One > Two"
    assert two.kind == "section"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", "void foo(){" + "{" * 16_384 + "}" * 16_384 + "}"),
        ("python", "x=" + "(" * 5_000 + "1" + ")" * 5_000),
        ("python", "".join(f"def f{i}(): pass;" for i in range(20_000))),
        ("javascript", "".join(f"function f{i}(){{return {i}}}" for i in range(20_000))),
        ("java", "class A{void f(){x=a" + ".and(x)" * 3_000 + ";}}"),
        ("ruby", "def a\n" * 3_000 + "end\n" * 3_000),
        ("json", "[" * 100_000 + "]" * 100_000),
        ("text", "😀" * 700 + "漢字" * 700),
        ("python", "x = 1\n" + " " * 500_000 + "\n"),
        ("text", "a" * 500_000),
        ("cpp", "template<class T> " * 2_000 + "void f(){}"),
        ("html", "<div>" * 20_000),
        ("markdown", "".join(f"{'#' * (1 + i % 6)} t{i}\n\ntext\n" for i in range(3_000))),
    ],
    ids=lambda value: value if len(value) < 12 else f"{len(value)} characters",
)  # fmt: skip
def test_monstrous_files_cost_bounded_chunks(language: str, text: str) -> None:
    found = extract("f", language, text)
    check(found, text, text.encode())
    for chunk in found.chunks:
        piece = text[chunk.span.start_char : chunk.span.end_char]
        assert ink(piece) <= LIMIT + 200
        assert len(piece.encode()) <= LONGEST + 200


def test_line_ends_do_not_change_line_numbers() -> None:
    lf = extract("s.py", "python", FLASK)
    crlf = extract("s.py", "python", FLASK.replace("\n", "\r\n"))
    assert [(s.name, s.span.start_line, s.span.end_line) for s in lf.symbols] == [
        (s.name, s.span.start_line, s.span.end_line) for s in crlf.symbols
    ]
    assert [c.span.start_line for c in lf.chunks] == [c.span.start_line for c in crlf.chunks]


def test_a_byte_order_mark_shifts_bytes_only() -> None:
    data = b"\xef\xbb\xbfdef bom_first():\n  pass\n"
    decoded = decode(data)
    assert decoded is not None
    found = extract("bom.py", "python", decoded.text, decoded.encoding, decoded.mark)
    symbol = found.symbols[0]
    assert (symbol.name, symbol.span.start_line, symbol.span.start_char) == ("bom_first", 1, 0)
    assert symbol.span.start_byte == 3
    assert "\ufeff" not in decoded.text


@pytest.mark.parametrize("mark", [b"\xff\xfe", b""])
def test_utf16_sources_have_symbols(mark: bytes) -> None:
    data = mark + "class WideClass {}\n".encode("utf-16-le")
    decoded = decode(data)
    assert decoded is not None
    found = extract("w.cs", "csharp", decoded.text, decoded.encoding, decoded.mark)
    assert [s.name for s in found.symbols] == ["WideClass"]
    span = found.symbols[0].span
    assert data[span.start_byte : span.end_byte].decode("utf-16-le") == "class WideClass {}"


def notebook(cells: list[dict[str, object]], **dump: object) -> str:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, **dump)  # type: ignore[arg-type]


@pytest.mark.parametrize("indent", [1, None])
def test_notebooks_are_cut_by_cell_without_outputs(indent: int | None) -> None:
    image = "iVBORw0KGgo" * 500
    cells: list[dict[str, object]] = [
        {"cell_type": "markdown", "source": ["# Load\n", "Reads \"frames\"."], "metadata": {}},
        {"cell_type": "code", "source": ["%matplotlib inline\n"], "outputs": [], "metadata": {}},
        {
            "cell_type": "code",
            "metadata": {"source": ["no"]},
            "source": ["import os\n", "def load_frame(p):\n", "    return p\n"],
            "outputs": [{"data": {"image/png": image, "source": "no"}, "output_type": "display_data"}],
        },
        {"cell_type": "code", "source": "x = 1\ny = 2", "outputs": []},
    ]  # fmt: skip
    text = notebook(cells, indent=indent)
    found = extract("n.ipynb", "notebook", text)
    pieces = [text[c.span.start_char : c.span.end_char] for c in found.chunks]
    assert len(pieces) == 4
    assert not any("iVBOR" in piece for piece in pieces)
    assert json.loads(pieces[2]) == cells[2]["source"]
    symbol = found.symbols[0]
    assert symbol.name == "load_frame"
    assert "def load_frame" in text.split("\n")[symbol.span.start_line - 1]
    assert [(i.module, i.line) for i in found.imports] == [
        ("os", symbol.span.start_line - (indent or 0))
    ]
    assert found.chunks[2].name == "load_frame"


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"cells": 3}', '{"cells": [1, {"source": 3}]}', '{"cells": [{}]}', "null"]
)
def test_what_is_no_notebook_is_cut_like_text(text: str) -> None:
    found = extract("n.ipynb", "notebook", text)
    assert all(c.span.end_char <= len(text) for c in found.chunks)


@pytest.mark.parametrize("language", sorted(known_languages()))
def test_every_known_language_gives_a_chunk(language: str) -> None:
    text = "alpha beta\ngamma delta\nepsilon\n"
    found = extract("f", language, text)
    assert found.chunks
    assert "no grammar" not in found.note


def test_vendored_real_code_tiles() -> None:
    for path in Path(__file__).parents[2].glob("src/tadoru/*.py"):
        text = path.read_text()
        check(extract(path.name, "python", text), text, text.encode())


def test_blank_files_have_no_chunks() -> None:
    assert extract("f.py", "python", " \n\n\t\n") == Extract()
    assert extract("f.py", "python", "") == Extract()
