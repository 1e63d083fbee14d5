"""Scripts inside other files: Vue, Svelte, Astro and HTML blocks, and the cells of notebooks.

Regions are byte ranges of the file itself, so spans need no translation. A notebook's cells lie in
JSON strings: their lines are found by a scanner that knows where each string stands.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

COMPONENTS = frozenset({"vue", "svelte", "astro", "html"})

MAX_REGIONS = 100
"""Script blocks of one file: each is parsed on its own, with the whole file before it."""
_SCRIPT = re.compile(rb"<script\b([^>]{0,2000})>", re.IGNORECASE)
_SCRIPT_END = re.compile(rb"</script\s{0,100}>", re.IGNORECASE)
_FRONT = re.compile(rb"\A\s*---[ \t]*\r?\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_LANG = re.compile(rb"""\blang\s*=\s*["']?(\w+)""")
_TYPE = re.compile(rb"""\btype\s*=\s*["']?([\w/+.-]+)""")


@dataclass(frozen=True, slots=True)
class Region:
    """A byte range of a file that is in another language."""

    start: int
    end: int
    language: str


def regions(language: str, data: bytes) -> list[Region]:
    """Return the first script blocks of a component or page, in order, without empty ones."""
    found: list[Region] = []
    if language == "astro" and (match := _FRONT.match(data)):
        found.append(Region(match.start(1), match.end(1), "typescript"))
    at = 0
    while len(found) < MAX_REGIONS and (match := _SCRIPT.search(data, at)):
        end = _SCRIPT_END.search(data, match.end())
        if end is None:
            break
        script = _script_language(match.group(1), language)
        if script and data[match.end() : end.start()].strip():
            found.append(Region(match.end(), end.start(), script))
        at = end.end()
    return found


def _script_language(attributes: bytes, holder: str) -> str:
    kind = _TYPE.search(attributes)
    if kind and not re.search(rb"javascript|typescript|module|babel|jsx", kind.group(1)):
        return ""  # JSON, templates, import maps
    lang = _LANG.search(attributes)
    name = lang.group(1).decode("ascii", "replace").lower() if lang else ""
    if name in ("ts", "typescript") or (not name and holder == "astro"):
        return "typescript"
    return "tsx" if name in ("tsx", "jsx") else "javascript"


@dataclass(slots=True)
class Cell:
    """One cell of a notebook."""

    kind: str
    """`code`, `markdown` or `raw`."""
    start: int
    end: int
    """Byte range of the JSON value of `source`."""
    lines: list[str] = field(default_factory=list)
    """The source's lines, decoded, with their ends."""
    places: list[tuple[int, int]] = field(default_factory=list)
    """Byte range of the string that each line stands in."""

    @property
    def source(self) -> str:
        return "".join(self.lines)


_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


def notebook(data: bytes) -> tuple[list[Cell], str] | None:
    """Return the cells and the kernel's language; None when this is no notebook."""
    try:
        parsed = json.loads(data)
        cells = parsed["cells"]
        language = str(
            parsed.get("metadata", {}).get("kernelspec", {}).get("language")
            or parsed.get("metadata", {}).get("language_info", {}).get("name")
            or "python"
        ).lower()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    places = _sources(data)
    if not isinstance(cells, list) or len(places) != len(cells):
        return None
    found: list[Cell] = []
    for cell, (start, end, strings) in zip(cells, places, strict=True):
        if not isinstance(cell, dict) or not strings:
            continue
        made = Cell(str(cell.get("cell_type", "raw")), start, end)
        for at, stop in strings:
            for line in str(json.loads(data[at:stop])).splitlines(keepends=True):
                made.lines.append(line)
                made.places.append((at, stop))
        if made.source.strip():
            found.append(made)
    return found, language


def _sources(data: bytes) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Return, for each object in the list `cells` at the top, where its `source` stands."""
    found: list[tuple[int, int, list[tuple[int, int]]]] = []
    keys: list[bytes] = []
    """The key under which each open bracket stands."""
    key, before = b"", b""
    source = (0, 0, list[tuple[int, int]]())
    for match in _TOKEN.finditer(data):
        token = match.group()
        first = token[:1]
        if first in b"{[":
            keys.append(key)
            if len(keys) == 3 and keys[1] == b'"cells"':
                source = (0, 0, [])
            if len(keys) == 4 and keys[1] == b'"cells"' and key == b'"source"':
                source = (match.start(), match.end(), [])
            key = b""
        elif first in b"}]":
            closed = keys.pop() if keys else b""
            if len(keys) == 3 and keys[1] == b'"cells"' and closed == b'"source"':
                source = (source[0], match.end(), source[2])
            elif len(keys) == 2 and keys[1] == b'"cells"':
                found.append(source)
        elif first == b":":
            key = before
        elif first == b",":
            key = b"" if len(keys) != 4 else key
        elif first == b'"':
            if len(keys) == 4 and keys[1] == b'"cells"' and keys[3] == b'"source"':
                source[2].append(match.span())
            elif len(keys) == 3 and keys[1] == b'"cells"' and key == b'"source"':
                source = (*match.span(), [match.span()])
            before = token
    return found
