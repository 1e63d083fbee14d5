"""From a function to what a client is told of its parameters, and from a client's arguments back.

Decides what a strict client accepts: one plain type for each parameter, no nullable lists, no
`anyOf`, nothing beside what is named. Takes what models write anyway (one string where a list is
meant, a number in quotes, null for "as usual"), and says in one line what is wrong with the rest.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tadoru.errors import BadInput
from tadoru.text.shown import shown

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_FAULTS = {
    "string": "input should be a string",
    "integer": "input should be a whole number",
    "number": "input should be a number",
    "boolean": "input should be true or false",
    "array": "input should be a list of strings",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool."""

    name: str
    kind: str
    """string, integer, number, boolean, or array (of strings)."""
    required: bool
    default: Any = None
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema; defaults that say nothing (0, "", false, empty) are left out."""
        schema: dict[str, Any] = {"type": self.kind}
        if self.kind == "array":
            schema["items"] = {"type": "string"}
        if self.choices:
            schema["enum"] = list(self.choices)
        if not self.required and self.default:
            schema["default"] = self.default
        return schema

    def value(self, given: Any) -> Any:
        """Return an argument in the type of the parameter. Raises: `ValueError` with the fault."""
        if given is None and not self.required:
            return self.default
        value = _CONVERSIONS[self.kind](given)
        if value is None:
            raise ValueError(_FAULTS[self.kind])
        if self.choices and value not in self.choices:
            raise ValueError(f"input should be one of {', '.join(self.choices)}")
        return value


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a tool's function. Raises: `TypeError` for another type."""
    hints = get_type_hints(function)
    return tuple(
        _parameter(name, hints[name], parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "self"
    )


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    required = default is inspect.Parameter.empty
    if get_origin(hint) is Literal:
        return Parameter(name, "string", required, default, get_args(hint))
    if hint in _TYPES:
        return Parameter(name, _TYPES[hint], required, default)
    if get_origin(hint) in (Sequence, list, tuple):
        return Parameter(name, "array", required, default)
    raise TypeError(f"no tool takes {hint}")


def schema_of(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the input schema of a tool."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
    }
    if not parameters:
        schema["additionalProperties"] = False  # as the protocol wants it of an empty object
    required = [parameter.name for parameter in parameters if parameter.required]
    return {**schema, "required": required} if required else schema


def arguments_of(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call. Raises: `BadInput` that names everything that is wrong."""
    known = {parameter.name: parameter for parameter in parameters}
    faults = [
        f"`{name}` is no parameter; there are {', '.join(known) or 'none'}"
        for name in given
        if name not in known
    ]
    values: dict[str, Any] = {}
    for name, parameter in known.items():
        if name not in given:
            if parameter.required:
                faults.append(f"`{name}` is missing")
            continue
        try:
            values[name] = parameter.value(given[name])
        except ValueError as fault:
            faults.append(f"`{name}`: {fault}, not {given[name]!r:.60}")
    if faults:
        raise BadInput(shown("; ".join(faults)))
    return values


def _string(given: Any) -> str | None:
    return given if isinstance(given, str) else None


def _integer(given: Any) -> int | None:
    number = _number(given)
    return int(number) if number is not None and number == int(number) else None


def _number(given: Any) -> float | None:
    if isinstance(given, bool) or not isinstance(given, (int, float, str)):
        return None
    with suppress(ValueError):
        number = float(given)
        return number if abs(number) < 2**53 else None
    return None


def _boolean(given: Any) -> bool | None:
    words = {"true": True, "false": False}
    return words.get(given.lower()) if isinstance(given, str) else _only(bool, given)


def _only(kind: type[bool], given: Any) -> bool | None:
    return given if isinstance(given, kind) else None


def _strings(given: Any) -> list[str] | None:
    if isinstance(given, str):
        if not given.lstrip().startswith("["):
            return [given]
        with suppress(ValueError, RecursionError):
            given = json.loads(given)
    is_list = isinstance(given, list) and all(isinstance(item, str) for item in given)
    return given if is_list else None


_CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": _strings,
}
