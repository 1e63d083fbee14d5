"""From functions to schemas that strict clients accept, and from what models write to arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import pytest

from tadoru.errors import BadInput
from tadoru.mcp.contextweaver import ContextWeaverTools
from tadoru.mcp.pathfinder import PathfinderTools
from tadoru.mcp.tools import Tools
from tadoru.parameters import arguments_of, parameters_of, schema_of


def tool(
    name: str,
    terms: Sequence[str] = (),
    mode: Literal["quick", "deep"] = "deep",
    count: int = 3,
    share: float = 0.0,
    deep: bool = False,
) -> str:
    return name


PARAMETERS = parameters_of(tool)


def test_the_schema_of_a_function() -> None:
    assert schema_of(PARAMETERS) == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "terms": {"type": "array", "items": {"type": "string"}},
            "mode": {"type": "string", "enum": ["quick", "deep"], "default": "deep"},
            "count": {"type": "integer", "default": 3},
            "share": {"type": "number"},
            "deep": {"type": "boolean"},
        },
        "required": ["name"],
    }


@pytest.mark.parametrize("tools", [Tools, ContextWeaverTools, PathfinderTools])
def test_no_schema_has_what_strict_clients_refuse(tools: Any) -> None:
    """codebase-memory and others: `anyOf` at the top, nullable lists, objects without a word."""
    for function in tools(lambda: None).all():
        schema = schema_of(parameters_of(function))
        assert schema["type"] == "object"
        assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs"} & set(schema)
        if not schema["properties"]:
            assert schema["additionalProperties"] is False
        for part in schema["properties"].values():
            assert part["type"] in {"string", "integer", "number", "boolean", "array"}
            assert part.get("items", {"type": "string"}) == {"type": "string"}
            assert set(part) <= {"type", "items", "enum", "default"}
            assert part.get("default", 1) is not None


GIVEN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"name": "a"}, {}),
    ({"name": "a", "terms": ["x", "y"]}, {"terms": ["x", "y"]}),
    ({"name": "a", "terms": "x"}, {"terms": ["x"]}),
    ({"name": "a", "terms": '["x", "y"]'}, {"terms": ["x", "y"]}),
    ({"name": "a", "terms": None}, {"terms": ()}),
    ({"name": "a", "count": "7"}, {"count": 7}),
    ({"name": "a", "count": 7.0}, {"count": 7}),
    ({"name": "a", "share": 1}, {"share": 1.0}),
    ({"name": "a", "deep": "true"}, {"deep": True}),
    ({"name": "a", "mode": "quick"}, {"mode": "quick"}),
]


@pytest.mark.parametrize(("given", "expected"), GIVEN)
def test_what_models_write_is_understood(given: Any, expected: Any) -> None:
    assert arguments_of(PARAMETERS, given) == {"name": "a", **expected}


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "`name` is missing"),
    ({"name": None}, "`name`: input should be a string, not None"),
    ({"name": 5}, "`name`: input should be a string, not 5"),
    ({"name": "a", "terms": [1]}, "`terms`: input should be a list of strings, not [1]"),
    ({"name": "a", "terms": "[1"}, "`terms`: input should be a list of strings"),
    ({"name": "a", "terms": "[" * 5_000}, "`terms`: input should be a list of strings"),
    ({"name": "a", "mode": "slow"}, "`mode`: input should be one of quick, deep, not 'slow'"),
    ({"name": "a", "count": "many"}, "`count`: input should be a whole number, not 'many'"),
    ({"name": "a", "count": 1.5}, "`count`: input should be a whole number"),
    ({"name": "a", "count": True}, "`count`: input should be a whole number"),
    ({"name": "a", "count": "1e999"}, "`count`: input should be a whole number"),
    ({"name": "a", "count": "nan"}, "`count`: input should be a whole number"),
    ({"name": "a", "deep": 1}, "`deep`: input should be true or false"),
    ({"name": "a", "limit": 3}, "`limit` is no parameter; there are name, terms, mode"),
    ({"name": "a", "x\n## y": 3}, "`x\\n## y` is no parameter"),
]


@pytest.mark.parametrize(("given", "expected"), WRONG)
def test_what_is_wrong_is_said_in_one_line(given: Any, expected: str) -> None:
    with pytest.raises(BadInput) as caught:
        arguments_of(PARAMETERS, given)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
