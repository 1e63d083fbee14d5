"""The formats of `find -printf`, compiled once to a function from an item to text."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from tadoru.shell.commands import facts
from tadoru.shell.commands.find_item import Item
from tadoru.shell.space import link_text
from tadoru.types import Kind

Piece = Callable[[Item], str]

_TOKEN = re.compile(
    r"\\(?P<octal>[0-7]{1,3})|\\(?P<escape>.)"
    r"|%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d+))?"
    r"(?P<letter>[ACTB].|[^ACTB])",
    re.DOTALL,
)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_TYPES = {Kind.FILE: "f", Kind.DIRECTORY: "d", Kind.LINK: "l"}
MAX_WIDTH = 1_000


def _below_start(item: Item) -> str:
    rest = item.shown[len(item.start) :]
    return rest.lstrip("/")


def _directory(item: Item) -> str:
    head, slash, _ = item.shown.rstrip("/").rpartition("/")
    return head if slash and head else "/" if slash else "."


def _followed_type(item: Item) -> str:
    return _TYPES[item.space.lookup(item.path).kind]


_FIELDS: dict[str, Piece] = {
    "p": lambda item: item.shown,
    "f": lambda item: item.name,
    "h": _directory,
    "H": lambda item: item.start,
    "P": _below_start,
    "s": lambda item: str(facts.size_of(item.entry)),
    "b": lambda item: str(facts.blocks(item.entry)),
    "k": lambda item: str((facts.blocks(item.entry) + 1) // 2),
    "d": lambda item: str(item.depth),
    "y": lambda item: _TYPES[item.entry.kind],
    "Y": _followed_type,
    "m": lambda item: f"{facts.permissions(item.entry, item.space):o}",
    "M": lambda item: facts.mode_text(item.entry, item.space),
    "u": lambda item: facts.OWNER,
    "g": lambda item: facts.OWNER,
    "U": lambda item: "0",
    "G": lambda item: "0",
    "i": lambda item: str(facts.inode(item.entry)),
    "n": lambda item: str(facts.link_count(item.entry, item.space)),
    "l": lambda item: link_text(item.entry) if item.entry.kind is Kind.LINK else "",
    "D": lambda item: "0",
    "F": lambda item: "tadoru",
    "S": lambda item: "1",
    "t": lambda item: _time(item, " "),
    "a": lambda item: _time(item, " "),
    "c": lambda item: _time(item, " "),
}


def _time(item: Item, letter: str) -> str:
    """Return the time in the form that the letter after `%T` asks for."""
    ns = item.entry.mtime_ns
    when: datetime = facts.moment(ns)
    fraction = f"{ns % 1_000_000_000:09d}0"
    if letter == " ":
        return f"{when:%a %b} {when.day:2d} {when:%H:%M:%S}.{fraction} {when.year}"
    forms: dict[str, Callable[[], str]] = {
        "@": lambda: f"{ns // 1_000_000_000}.{fraction}",
        "+": lambda: f"{when:%Y-%m-%d+%H:%M:%S}.{fraction}",
        "S": lambda: f"{when:%S}.{fraction}",
        "T": lambda: f"{when:%H:%M:%S}.{fraction}",
        "X": lambda: f"{when:%H:%M:%S}.{fraction}",
        "k": lambda: f"{when.hour:2d}",
        "l": lambda: f"{when.hour % 12 or 12:2d}",
        "e": lambda: f"{when.day:2d}",
        "D": lambda: f"{when:%m/%d/%y}",
        "F": lambda: f"{when:%Y-%m-%d}",
        "Z": lambda: "UTC",
    }
    return forms[letter]() if letter in forms else when.strftime(f"%{letter}")


def compile_format(text: str) -> Callable[[Item], str]:
    """Return the function that renders an item. `\\c` ends the output of an item."""
    pieces: list[Piece] = []
    position = 0
    for token in _TOKEN.finditer(text):
        if token.start() > position:
            pieces.append(_literal(text[position : token.start()]))
        position = token.end()
        if token["escape"] == "c":
            return lambda item: "".join(piece(item) for piece in pieces)
        pieces.append(_piece(token))
    if position < len(text):
        pieces.append(_literal(text[position:]))
    return lambda item: "".join(piece(item) for piece in pieces)


def _literal(text: str) -> Piece:
    return lambda item: text


def _piece(token: re.Match[str]) -> Piece:
    if token["octal"]:
        return _literal(chr(int(token["octal"], 8) & 0xFF))
    if token["escape"]:
        return _literal(_ESCAPES.get(token["escape"], token["escape"].replace("\\", "\\")))
    letter = token["letter"]
    if letter == "%":
        return _literal("%")
    if letter[0] in "ACTB" and len(letter) == 2:
        kind = letter[1]
        field: Piece = lambda item: _time(item, kind)  # noqa: E731 - a name for either branch
    elif letter in _FIELDS:
        field = _FIELDS[letter]
    else:
        return _literal(token[0])
    return _padded(field, token["flags"], token["width"], token["precision"])


def _padded(field: Piece, flags: str, width: str, precision: str | None) -> Piece:
    if not width and precision is None:
        return field
    size = min(int(width or 0), MAX_WIDTH)
    cut = int(precision) if precision is not None else None
    fill = "0" if "0" in flags and "-" not in flags else " "
    if "-" in flags:
        return lambda item: field(item)[:cut].ljust(size)
    return lambda item: field(item)[:cut].rjust(size, fill)
