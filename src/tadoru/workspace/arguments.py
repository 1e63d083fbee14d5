"""Checks of what callers give, before anything is opened for them."""

from __future__ import annotations

from collections.abc import Iterable

from tadoru.errors import BadInput, PathNotFound
from tadoru.reading import inside
from tadoru.views import View


def directory(view: View, under: str) -> str:
    """Return where a search or a list begins. Raises: `PathNotFound` when it is not there."""
    place = inside(view, under) if under else ""
    if place and view.entry(place) is None:
        raise PathNotFound(f"{under}: no such directory")
    return place


def existing(view: View, path: str) -> str:
    """Return a path of the tree that exists; `""` is the root. Raises: `PathNotFound`."""
    inner = inside(view, path) if path else ""
    if view.entry(inner) is None:
        raise PathNotFound(f"{path}: no such file or directory")
    return inner


def without_nul(**texts: str | Iterable[str]) -> None:
    """Refuse what no name and no text can hold. Raises: `BadInput`."""
    for name, value in texts.items():
        if any("\0" in text for text in ([value] if isinstance(value, str) else value)):
            raise BadInput(f"{name} holds a NUL byte", hint="leave it out")


def positive(**numbers: int | None) -> None:
    """Refuse numbers below zero. Raises: `BadInput`."""
    for name, number in numbers.items():
        if number is not None and number < 0:
            raise BadInput(f"{name} is negative: {number}", hint="give 0 or more")
