"""Edits of JSON text: what is not ours stays to the byte, and a removal undoes an insertion."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tadoru.errors import BadInput
from tadoru.install import json_edits
from tadoru.install.json_tree import loads, parse

ENTRY = {"command": "tadoru", "args": ["mcp"]}


def test_a_member_goes_to_the_end_with_the_indentation_of_its_neighbours() -> None:
    text = '{\n\t// first\n\t"a": 1, // one\n\t"b": [\n\t\t2\n\t] // last\n}\n'
    edited = json_edits.put(text, ("tadoru",), ENTRY)
    assert edited == (
        '{\n\t// first\n\t"a": 1, // one\n\t"b": [\n\t\t2\n\t], // last\n'
        '\t"tadoru": {\n\t\t"command": "tadoru",\n\t\t"args": ["mcp"]\n\t}\n}\n'
    )
    assert json_edits.remove(edited, ("tadoru",)) == text


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ('{"a": 1}', '{"a": 1, "t": 2}'),
        ('{ "a": 1 }', '{ "a": 1, "t": 2 }'),
        ('{"a": 1, }', '{"a": 1, "t": 2, }'),
        ('{"a": 1,}', '{"a": 1, "t": 2,}'),
        ('{"a": 1 /* c */}', '{"a": 1, /* c */ "t": 2}'),
        ("{}", '{\n  "t": 2\n}'),
        ('{\n  "a": 1,\n}', '{\n  "a": 1,\n  "t": 2,\n}'),
        ('{\r\n    "a": 1\r\n}\r\n', '{\r\n    "a": 1,\r\n    "t": 2\r\n}\r\n'),
        ('{\n  "a": 1 // c\n  // d\n}', '{\n  "a": 1, // c\n  // d\n  "t": 2\n}'),
        ("{ // c\n}", '{ // c\n  "t": 2\n}'),
    ],
)
def test_a_removal_undoes_an_insertion(text: str, edited: str) -> None:
    assert json_edits.put(text, ("t",), 2) == edited
    assert json_edits.remove(edited, ("t",)) == text


def test_text_without_a_value_gets_a_root_and_loses_it_again() -> None:
    for text in ("", "// only a comment\n", "// no newline"):
        edited = json_edits.put(text, ("t",), 2)
        assert loads(edited) == {"t": 2}
        assert edited.startswith(text)
        assert json_edits.without_root(edited).rstrip("\n") == text.rstrip("\n")


def test_a_member_before_others_leaves_their_comments() -> None:
    text = '{\n  "t": 1, // ours\n  // about b\n  "b": 2\n}'
    assert json_edits.remove(text, ("t",)) == '{ // ours\n  // about b\n  "b": 2\n}'
    text = '{\n  "a": 1, // about a\n  "t": 1, "b": 2\n}'
    assert json_edits.remove(text, ("t",)) == '{\n  "a": 1, // about a\n  "b": 2\n}'


def test_an_item_is_added_to_and_taken_from_a_list() -> None:
    text = '{"hooks": {"E": [\n  {"x": 1}\n]}}'
    edited = json_edits.append(text, ("hooks", "E"), {"y": 2})
    assert loads(edited) == {"hooks": {"E": [{"x": 1}, {"y": 2}]}}
    assert json_edits.remove(edited, ("hooks", "E"), item=1) == text


def test_an_equal_value_changes_nothing() -> None:
    text = '{"t":   {"command":"tadoru","args":["mcp"]}}'
    assert json_edits.put(text, ("t",), ENTRY) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1', "line 1, column 8"),
        ('{"a" 1}', "expecting ':' delimiter"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: expecting ',' delimiter"),
        ('{\n  // c "\n  /* d\n */ "a": 1\n  "b": 2\n}', "line 5, column 3"),
        ("{'a': 1}", "double quotes"),
        ('{"a": 01}', "line 1, column 8"),
        ('{"a": NaN}', "NaN is no value"),
        ('{"a": 1} x', "extra data"),
        ('{"a": 1 /* open', "line 1, column 9"),
        ('{"a": "x\ny"}', "control character"),
        ("[" * 100_000, "deep|line 1"),
        ("{,}", "line 1, column 2"),
        ("[1,,]", "line 1, column 4"),
        ("[,]", "line 1, column 2"),
    ],
)
def test_broken_text_is_named_with_its_place(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parse(text)


def test_twin_keys_on_the_way_are_refused_and_elsewhere_left() -> None:
    with pytest.raises(BadInput, match="twice"):
        json_edits.put('{"s": {}, "s": {}}', ("s", "t"), 1)
    text = '{"a": 1, "a": 2}'
    assert json_edits.put(text, ("t",), 3) == '{"a": 1, "a": 2, "t": 3}'


def test_what_is_no_object_is_refused() -> None:
    for text in ("[]", "1", '{"s": []}', '{"s": "x"}'):
        with pytest.raises(BadInput):
            json_edits.put(text, ("s", "t"), 1)


def test_a_text_of_megabytes_is_edited_at_once() -> None:
    table = {
        f"/p{n}": {"history": [{"display": 'x " {' * 20} for _ in range(40)]} for n in range(300)
    }
    text = json.dumps({"projects": table, "mcpServers": {}}, indent=2)
    began = time.process_time()
    edited = json_edits.put(text, ("mcpServers", "tadoru"), ENTRY)
    assert json_edits.remove(edited, ("mcpServers", "tadoru")) == text
    assert time.process_time() - began < 5 * len(text) / 1e6, "seconds of processor time a megabyte"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.floats(0, 9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def written(value: Any, chance: random.Random, depth: int = 0) -> str:
    """Write a value as people do: comments, odd space, now and then a trailing comma."""

    def gap() -> str:
        return chance.choice(["", " ", "\n" + "  " * depth, " // c\n", "/* x, } */", "\t", "\r\n"])

    if not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, ensure_ascii=chance.random() < 0.5)
    rows = [
        written(item, chance, depth + 1)
        for item in (value if isinstance(value, list) else value.values())
    ]
    if isinstance(value, dict):
        rows = [f"{json.dumps(k)}{gap()}:{gap()}{row}" for k, row in zip(value, rows, strict=True)]
    body = f"{gap()},{gap()}".join(rows) + chance.choice(["", gap() + ","])
    opening, closing = ("[", "]") if isinstance(value, list) else ("{", "}")
    return opening + gap() + body + gap() + closing


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text("abc", min_size=1, max_size=2), VALUES, min_size=1, max_size=4),
       st.integers(0, 2**32))  # fmt: skip
def test_any_document_is_restored(table: dict[str, Any], seed: int) -> None:
    text = written(table, random.Random(seed))
    assert loads(text) == table
    edited = json_edits.put(text, ("tadoru",), ENTRY)
    assert loads(edited) == {**table, "tadoru": ENTRY}
    assert list(loads(edited)) == [*table, "tadoru"]
    assert json_edits.remove(edited, ("tadoru",)) == text
