"""What a panel is: a name, parameters with their bounds, and a function from both to plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tadoru.errors import BadInput
from tadoru.types import to_json

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

MOST_CHARACTERS = 20_000
"""Of a text parameter: more than any address holds that a browser sends."""
_PRIVATE = frozenset({"host_path"})
"""Says where the server keeps a file; of no use to who reads a page of it."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: a text, one of `choices`, or a number from `least` to `most`."""

    name: str
    about: str
    default: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    """Above 0: the parameter is a number."""

    def checked(self, value: str) -> str:
        """Return a value that is in bounds. Raises: `BadInput`."""
        if self.required and not value.strip():
            raise BadInput(f"{self.name} is empty", hint=self.about)
        if "\0" in value or len(value) > MOST_CHARACTERS:
            raise BadInput(f"{self.name} is too long or holds a NUL byte", hint=self.about)
        if self.choices and value not in self.choices:
            raise BadInput(f"unknown {self.name}: {value!r}", hint=" or ".join(self.choices))
        if self.most and value and not self._in_bounds(value):
            raise BadInput(
                f"{self.name} is no number from {self.least} to {self.most}", hint=self.about
            )
        return value

    def _in_bounds(self, value: str) -> bool:
        digits = value.isascii() and value.isdecimal() and len(value) < 12
        return digits and self.least <= int(value) <= self.most


@dataclass(frozen=True, slots=True)
class Panel:
    """One view of the page."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    _ask: Callable[[Workspace, Mapping[str, str]], dict[str, Any]]

    def answer(self, workspace: Workspace, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Return what the view shows, ready for JSON.

        Parameters that are not given have their defaults. Raises: `BadInput` for one that is
        unknown or out of bounds, and what the workspace raises.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in parameters:
            if name not in known:
                hint = f"known: {', '.join(known)}" if known else "there are none"
                raise BadInput(f"{self.name} has no parameter {name[:40]!r}", hint=hint)
        given = {
            name: parameter.checked(parameters.get(name, parameter.default))
            for name, parameter in known.items()
        }
        return self._ask(workspace, given)


def plain(value: Any) -> Any:
    """Return a value as JSON has it, without what is private to the server."""
    return _public(to_json(value))


def _public(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _public(item) for key, item in value.items() if key not in _PRIVATE}
    return [_public(item) for item in value] if isinstance(value, list) else value


def in_tree(path: str) -> str:
    """Return a path without the slash that stands for the root of the tree."""
    return path.strip().strip("/")
