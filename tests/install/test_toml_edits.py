"""Edits of TOML text: comments and order stay, and the text means what was asked for."""

from __future__ import annotations

import tomllib

import pytest

from tadoru.errors import BadInput
from tadoru.install import toml_edits

CODEX = """\
# Codex
model = "gpt-5" # the good one
notify = [
  "bash", # a comment ]
  "-c",
]

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]

# about my profile
[profiles.deep]
model = '''o
[mcp_servers.tadoru]
3'''
"""
TABLE = {"command": "/bin/tadoru", "args": ["mcp"]}


@pytest.mark.parametrize(
    "text",
    ["", "# only a comment\n", "a = 1", "a = 1\n", CODEX, CODEX.rstrip("\n"), "[a]\r\nb = 1\r\n"],
)
def test_a_table_is_added_at_the_end_and_removed_to_the_byte(text: str) -> None:
    edited = toml_edits.put_table(text, ("mcp_servers", "tadoru"), TABLE)
    assert edited.startswith(text)
    assert tomllib.loads(edited)["mcp_servers"]["tadoru"] == TABLE
    assert toml_edits.remove_table(edited, ("mcp_servers", "tadoru")) == text


def test_a_table_is_found_however_it_is_written() -> None:
    for text in (
        '[mcp_servers."tadoru"]\ncommand = "x"\n',
        "mcp_servers.tadoru.command = 'x'\n",
        '[mcp_servers]\ntadoru = { command = "x" }\n',
        '[mcp_servers.tadoru]\ncommand = "x"\n[mcp_servers.tadoru.env]\nA = "1"\n',
    ):
        left = toml_edits.remove_table(f"a = 1\n{text}[z]\nb = 2\n", ("mcp_servers", "tadoru"))
        assert tomllib.loads(left).get("mcp_servers", {}) == {}
        assert "a = 1\n" in left
        assert left.endswith("[z]\nb = 2\n")


def test_values_are_replaced_where_they_stand() -> None:
    edited = toml_edits.put(CODEX, ("model",), "other")
    assert edited == CODEX.replace('"gpt-5"', '"other"')
    edited = toml_edits.put(CODEX, ("notify",), ["x"])
    assert edited.startswith('# Codex\nmodel = "gpt-5" # the good one\nnotify = ["x"]\n\n[mcp')
    edited = toml_edits.put(CODEX, ("profiles", "deep", "model"), "x")
    assert edited.endswith('[profiles.deep]\nmodel = "x"\n')


def test_a_new_value_goes_under_its_header_and_above_the_next_comment() -> None:
    edited = toml_edits.put(CODEX, ("mcp_servers", "docs", "cwd"), "/x")
    assert 'args = ["-y", "docs"]\ncwd = "/x"\n\n# about my profile\n' in edited
    edited = toml_edits.put("# mine\n\n[search]\n", ("budget",), 5)
    assert edited == "# mine\nbudget = 5\n\n[search]\n"
    edited = toml_edits.put("# about search\n[search]\n", ("budget",), 5)
    assert edited == "budget = 5\n# about search\n[search]\n"
    assert toml_edits.put("search.a = 1\n", ("search", "b"), True) == (
        "search.a = 1\nsearch.b = true\n"
    )
    assert toml_edits.put("", ("search", "b"), 0.5) == "[search]\nb = 0.5\n"


def test_what_cannot_be_edited_is_refused() -> None:
    with pytest.raises(BadInput, match="by hand"):
        toml_edits.put_table("mcp_servers = { a = {} }\n", ("mcp_servers", "tadoru"), TABLE)
    with pytest.raises(BadInput, match="no table"):
        toml_edits.put("search = 3\n", ("search", "b"), 1)
    with pytest.raises(BadInput, match="line 2"):
        toml_edits.put("a = 1\nb = \n", ("c",), 1)
    with pytest.raises(BadInput):
        toml_edits.put_table("a = 'x\n", ("mcp_servers", "tadoru"), TABLE)


def test_literals_are_read_back() -> None:
    for value in ('q"\\\n\t\x7f\x01é', 1, -2, 0.25, True, False, ["a", "b"], []):
        assert tomllib.loads(f"x = {toml_edits.literal(value)}")["x"] == value
