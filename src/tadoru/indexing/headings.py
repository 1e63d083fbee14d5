"""Sections of documents by their headings: Markdown, reStructuredText, AsciiDoc, Org, LaTeX.

A line inside a code fence is never a heading. Sections nest by level and become definitions of
kind `section`, so that chunks of documents are labelled like chunks of code.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from tadoru.indexing.cuts import Cut, line_cuts
from tadoru.indexing.symbols import Definition
from tadoru.text.positions import Positions

LANGUAGES = frozenset({"markdown", "rst", "asciidoc", "org", "latex"})
IN_FENCE = 60
"""Added to the depth of lines in a fence: a code sample is cut only where it must be."""

MAX_LINE = 300
"""Bytes that are looked at of a line: no heading is longer."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?\n?\Z")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*\r?\n?\Z")
_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}[ \t]*\r?\n?\Z")
_ASCIIDOC = re.compile(r"(={1,6})[ \t]+(\S.*?)\s*\Z")
_ORG = re.compile(r"(\*{1,8})[ \t]+(\S.*?)\s*\Z")
_LATEX = re.compile(r"\s*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?\{([^}]*)")
_LATEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")


class Heading(NamedTuple):
    line: int
    """Index of its first line, from 0."""
    level: int
    title: str


def sections(language: str, positions: Positions) -> tuple[list[Definition], list[Cut]]:
    """Return the sections of a document and the places where it may be cut."""
    lines = _lines(positions)
    fenced = _fenced_lines(lines) if language in ("markdown", "asciidoc", "org") else set()
    headings = _headings(language, lines, fenced)
    found = _nested(headings, positions)
    cuts: list[Cut] = []
    levels = {positions.line_starts[h.line]: h.level for h in headings}
    for cut in line_cuts(positions, 0, len(positions.data), depth=10):
        line = positions.line_of(cut.offset) - 1
        if cut.offset in levels:
            cuts.append(Cut(cut.offset, levels[cut.offset]))
        else:
            cuts.append(Cut(cut.offset, cut.depth + (IN_FENCE if line in fenced else 0)))
    return found, cuts


def _lines(positions: Positions) -> list[str]:
    starts = [*positions.line_starts, len(positions.data)]
    return [
        positions.data[start : min(end, start + MAX_LINE)].decode("utf-8", "replace")
        for start, end in pairwise(starts)
    ]


def _fenced_lines(lines: list[str]) -> set[int]:
    """Return the lines of fences but the opening ones, which are places to cut before."""
    inside: set[int] = set()
    mark = ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if mark:
            inside.add(number)
            closes = match and match.group(1).startswith(mark)
            if closes and not line.strip().strip(mark[0]):
                mark = ""
        elif match:
            mark = match.group(1)
    return inside


def _headings(language: str, lines: list[str], fenced: set[int]) -> list[Heading]:
    if language == "rst":
        return _rst(lines)
    found: list[Heading] = []
    front = _front_matter(lines) if language == "markdown" else 0
    for number, line in enumerate(lines):
        if number in fenced or number < front or not line.strip():
            continue
        if language == "markdown":
            heading = _markdown(lines, number)
        elif language == "latex":
            match = _LATEX.match(line)
            heading = match and Heading(
                number, _LATEX_LEVELS.index(match.group(1)) + 1, match.group(2)
            )
        else:
            match = (_ASCIIDOC if language == "asciidoc" else _ORG).match(line)
            heading = match and Heading(number, len(match.group(1)), match.group(2))
        if heading:
            found.append(heading)
    return found


def _front_matter(lines: list[str]) -> int:
    if lines and lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:200], 2):
            if line.rstrip() in ("---", "..."):
                return number
    return 0


def _markdown(lines: list[str], number: int) -> Heading | None:
    match = _ATX.match(lines[number])
    if match:
        return Heading(number, len(match.group(1)), (match.group(2) or "").strip())
    if number + 1 < len(lines) and (under := _SETEXT.match(lines[number + 1])):
        text = lines[number].strip()
        starts_block = number == 0 or not lines[number - 1].strip()
        if starts_block and text[0] not in "#>-*+|`=" and not lines[number].startswith("    "):
            return Heading(number, 1 if under.group(1)[0] == "=" else 2, text)
    return None


def _rst(lines: list[str]) -> list[Heading]:
    """Levels follow the order in which adornments appear."""
    found: list[Heading] = []
    order: dict[tuple[str, bool], int] = {}
    for number in range(1, len(lines)):
        match = _ADORNMENT.match(lines[number])
        title = lines[number - 1].rstrip()
        if not match or not title or title[0].isspace() or _ADORNMENT.match(lines[number - 1]):
            continue
        if len(lines[number].rstrip()) < len(title):
            continue
        over = number >= 2 and lines[number - 2].rstrip() == lines[number].rstrip()
        level = order.setdefault((match.group(1), over), len(order) + 1)
        found.append(Heading(number - 2 if over else number - 1, level, title.strip()))
    return found


def _nested(headings: list[Heading], positions: Positions) -> list[Definition]:
    """Give each heading the lines up to the next one of its level or above."""
    result: list[Definition] = []
    open_ones: list[tuple[int, Definition]] = []
    for heading in headings:
        at = positions.line_starts[heading.line]
        while open_ones and open_ones[-1][0] >= heading.level:
            open_ones.pop()[1].end = at
        title = heading.title[:120]
        each = Definition(
            name=title, kind="section", start=at, end=len(positions.data), lead=at,
            signature=title, container=tuple(d.name for _, d in open_ones),
        )  # fmt: skip
        open_ones.append((heading.level, each))
        result.append(each)
    return [each for each in result if each.name]
