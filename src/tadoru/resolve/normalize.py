"""From the caller's words to a path of the tree: quotes, roots, `..`, line numbers, escapes.

Decides which spelling of the request is compared with the tree (`Request.parts`) and what else it
says: a line, a directory, a place outside. Works on strings and on the tree's names alone; refuses
what no path can be (`BadInput`) and leaves globs and URLs to the answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import unquote

from tadoru.errors import BadInput
from tadoru.resolve.words import word_set
from tadoru.tree import Tree

MAX_PATH = 4_096
"""Longer requests are no paths (Linux: PATH_MAX)."""
MAX_PARTS = 256

_QUOTES = {'"': '"', "'": "'", "`": "`", "<": ">", "(": ")", "[": "]", "“": "”", "「": "」"}
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DRIVE = re.compile(r"(?:[\\/]{2}[?.][\\/])?([A-Za-z]):(?=[\\/]|$)")
_VARIABLE = re.compile(r"\$\{?\w+\}?/|%\w+%/")
_HOME_VARIABLE = re.compile(r"(?:\$\{?HOME\}?|%USERPROFILE%|~[\w.-]*)(?=/|$)")
_LINE = re.compile(
    r"(?:#L(?P<hash>\d+)(?:C\d+)?(?:-L?\d+(?:C\d+)?)?"
    r"|:(?P<colon>\d+)(?:[:,-]\d+)*:?"
    r"|\((?P<paren>\d+)(?:,\s*\d+)?\)"
    r"|,?\s+lines?\s+(?P<word>\d+)(?:\s*-\s*\d+)?)$"
)
_NODE_ID = re.compile(r"(?<=\w)::[\w:.\[\]-]+$")
_CONTAINER_ROOTS = word_set(
    "app code repo src work workspace testbed project github/workspace usr/src/app"
)
_HOMES = ("home/", "users/", "workspaces/", "mnt/", "work/", "projects/", "tmp/", "private/tmp/")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")


class Place(Protocol):
    """What normalising needs of a View."""

    @property
    def tree(self) -> Tree: ...

    @property
    def roots(self) -> Mapping[str, str]: ...

    def from_host(self, host_path: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for, in the terms of the tree."""

    raw: str
    parts: tuple[str, ...] = ()
    """Components of the reading that the tree supports best; the name is the last one."""
    spelled: tuple[str, ...] = ()
    """Components as they were given, before a working directory or a root was applied."""
    base: str = ""
    """The working directory as a path of the tree."""
    line: int = 0
    wants_dir: bool = False
    """The request ends with a separator."""
    absolute: bool = False
    outside: bool = False
    """Absolute, and neither below a root nor below the working directory's root."""
    foreign: bool = False
    """Absolute, and below no root of this machine: which part of it counts is a guess."""
    at_root: int = 0
    """Whether the name lies at the top of a root of another machine: 0 no, 1 perhaps, 2 surely."""
    existing: str | None = None
    """The path of the tree that the request names, when it exists."""
    url: bool = False
    glob: bool = False

    @property
    def name(self) -> str:
        return self.parts[-1] if self.parts else ""

    @property
    def path(self) -> str:
        return "/".join(self.parts)

    @property
    def parent(self) -> str:
        return "/".join(self.parts[:-1])


@dataclass(frozen=True, slots=True)
class Base:
    """The working directory: where it lies in the tree, and which foreign root leads there."""

    path: str = ""
    foreign_root: str = ""


def find_base(place: Place, cwd: str) -> Base:
    """Locate a working directory: a host path, a path of the tree, or one on another machine."""
    cwd = _tidy(cwd.strip()).rstrip("/")
    if not cwd:
        return Base()
    if cwd.startswith("/"):
        inner = place.from_host(cwd)
        if inner is not None:
            return Base(inner if place.tree.is_dir(inner) else "")
    parts = _split(cwd)
    for start in range(len(parts)):
        path = "/".join(parts[start:])
        if place.tree.is_dir(path):
            return Base(path, "/" + "/".join(parts[:start]) if start else "")
    return Base("", cwd if cwd.startswith("/") else "")


def normalize(place: Place, path: str, cwd: str = "") -> Request:
    """Read a request.

    `path`: as the caller wrote it; `cwd`: working directory as host path, path of the tree, or
    path on another machine. Raises: `BadInput` for what cannot be a path.
    """
    if not isinstance(path, str):
        raise BadInput(
            f"the path is of type {type(path).__name__}", hint="name a file or directory in text"
        )
    text = path.strip()
    _refuse(text)
    literal = _literal(place, text)
    if literal is not None:
        return literal
    text = _unwrap(text)
    if _URL.match(text) and not text.lower().startswith("file://"):
        return Request(raw=path, url=True)
    text, line = _strip_line(_strip_scheme(text))
    text = _tidy(text)
    if not text.strip("./ "):
        return _only_dots(place, path, text, find_base(place, cwd))
    base = find_base(place, cwd)
    request = _locate(place, replace(Request(raw=path, line=line), base=base.path), text, base)
    glob = request.existing is None and any(c in text for c in "*?")
    return replace(request, glob=glob)


def _refuse(text: str) -> None:
    if not text:
        raise BadInput("the path is empty", hint="name a file or directory")
    if "\0" in text:
        raise BadInput("the path holds a NUL byte", hint="no file name can")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BadInput("the path holds half of a character", hint="a surrogate stands alone")
    if len(text) > MAX_PATH:
        raise BadInput(
            f"the path has {len(text)} characters", hint=f"paths have at most {MAX_PATH}"
        )
    if "\n" in text or "\r" in text:
        raise BadInput("the path spans several lines", hint="ask for one path at a time")
    if text.count("/") + text.count("\\") > MAX_PARTS:
        raise BadInput("the path has too many components", hint=f"at most {MAX_PARTS}")


def _literal(place: Place, text: str) -> Request | None:
    """Return the request for a text that is a path of the tree as it stands."""
    inner = place.from_host(text.rstrip("/")) if text.startswith("/") else None
    plain = text.strip("/") if inner is None else inner
    if plain and place.tree.resolve(plain) is not None and "//" not in plain:
        parts = tuple(plain.split("/"))
        return Request(raw=text, parts=parts, spelled=parts, existing=plain)
    return None


def _unwrap(text: str) -> str:
    while len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    return text


def _strip_scheme(text: str) -> str:
    if text.lower().startswith("file://"):
        text = text[7:]
        if text.startswith("localhost/"):
            text = text[9:]
    return text


def _strip_line(text: str) -> tuple[str, int]:
    """Cut `:12`, `#L3-9`, `(12)`, ` line 12` and a test's node id off the end."""
    match = _LINE.search(text)
    if match and match.start() > 0:
        number = next(group for group in match.groups() if group is not None)
        return text[: match.start()], int(number[:9])
    if node := _NODE_ID.search(text):
        text = text[: node.start()]
    return text, 0


def _tidy(text: str) -> str:
    """Return a path with `/`, without drive, in NFC, with escapes and variables undone."""
    if drive := _DRIVE.match(text):
        text = "/" + text[drive.end() :].lstrip("\\/")
    if "\\" in text:
        text = text.replace("\\ ", " ").replace("\\", "/")
    if _ESCAPE.search(text):
        text = unquote(text)
    text = _VARIABLE.sub("", _HOME_VARIABLE.sub("/~", text, count=1))
    if text.startswith("@") and text[1:2] in ("/", ".", "~"):
        text = text[1:].lstrip("/") if text[1] == "/" else text[1:]
    return unicodedata.normalize("NFC", text)


def _split(text: str) -> list[str]:
    return [part for part in text.split("/") if part and part != "."]


def _only_dots(place: Place, raw: str, text: str, base: Base) -> Request:
    """Answer `.`, `..`, `/`: the directory itself, as far as it lies in the tree."""
    parts = _split(base.path) if not text.startswith("/") else []
    for part in _split(text):
        if part.strip("."):
            continue
        if len(part) > 2:
            raise BadInput("the path is only dots", hint="name a file or directory")
        if not parts:
            return Request(raw=raw, base=base.path, absolute=True, outside=True)
        parts.pop()
    return Request(raw=raw, parts=tuple(parts), existing="/".join(parts), wants_dir=True)


def _locate(place: Place, request: Request, text: str, base: Base) -> Request:
    """Choose the reading of a path: below a root, below the working directory, or foreign."""
    absolute = text.startswith("/")
    wants_dir = text.endswith("/")
    request = replace(request, absolute=absolute, wants_dir=wants_dir)
    if absolute:
        readings, outside = _absolute_readings(place, text, base)
        sure = readings[:1]
    else:
        readings, outside = _relative_readings(text, base)
        sure = readings
    spelled = tuple(part for part in _split(text) if part != "..")
    for parts in sure:  # the end of a foreign path may exist here by chance: the model decides
        path = "/".join(parts)
        if path and place.tree.resolve(path) is not None:
            return replace(request, parts=tuple(parts), spelled=spelled, existing=path)
    best = max(readings, key=lambda parts: _worth(place.tree, parts, base.path))
    outside = outside and _support(place.tree, best, base.path) < min(2, max(1, len(best) - 1))
    foreign = absolute and len(readings) > 1
    return replace(
        request,
        parts=tuple(best) or spelled,
        spelled=spelled,
        outside=outside,
        foreign=foreign,
        at_root=_at_root(place, spelled) if foreign and not outside else 0,
    )


def _at_root(place: Place, spelled: Sequence[str]) -> int:
    """Tell how surely all but the last component is the root of a tree on another machine."""
    above = "/".join(spelled[:-1]).lower()
    names = {root.rstrip("/").rpartition("/")[2].lower() for root in place.roots.values() if root}
    if above in _CONTAINER_ROOTS or above.rpartition("/")[2] in names:
        return 2
    return int(above.startswith(_HOMES) and above.count("/") >= 2)


def _worth(tree: Tree, parts: Sequence[str], base: str) -> tuple[bool, int]:
    """Return what a reading has for it: it is there as a whole, and how much of it is there."""
    there = len(parts) > 1 and tree.resolve("/".join(parts)) is not None
    return there, _support(tree, parts, base)


def _absolute_readings(place: Place, text: str, base: Base) -> tuple[list[list[str]], bool]:
    inner = place.from_host(text.rstrip("/"))
    if inner is not None:
        return [_collapse(_split(inner))], False
    parts = _collapse(_split(text))
    root = _split(base.foreign_root)
    if root and parts[: len(root)] == root and len(parts) > len(root):
        return [parts[len(root) :]], False
    readings = [parts[start:] for start in range(len(parts))] or [parts]
    known_root = bool(root) or bool(parts and parts[0] == "~")
    return readings, known_root


def _relative_readings(text: str, base: Base) -> tuple[list[list[str]], bool]:
    given = _split(text)
    joined = _collapse(_split(base.path) + given)
    up = sum(1 for part in given if part == "..")
    outside = up > len(_split(base.path)) and given[:1] == [".."]
    plain = _collapse(given)
    return ([joined, plain] if base.path and joined != plain else [plain]), outside


def _collapse(parts: Sequence[str]) -> list[str]:
    """Apply `..`; one that leads above the root is dropped."""
    result: list[str] = []
    for part in parts:
        if part == "..":
            del result[-1:]
        else:
            result.append(part)
    return result


def _support(tree: Tree, parts: Sequence[str], base: str) -> int:
    """Count the leading components that exist, without those that the working directory gave."""
    given = _split(base)
    depth = 0
    while depth < len(parts) and tree.is_dir("/".join(parts[: depth + 1])):
        depth += 1
    return depth - len(given) if given and list(parts[: len(given)]) == given else depth
