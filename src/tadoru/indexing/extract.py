"""Chunks, symbols and imports of one decoded file. Chooses by language how its structure is found.

A parse error, a missing grammar or a parser that ran out of time costs precision, never the file:
lines remain, and `note` says why.
"""

from __future__ import annotations

from dataclasses import dataclass

from tadoru.indexing import grammars
from tadoru.indexing.chunk import label, prepare, tile, tree_cuts
from tadoru.indexing.cuts import Cut, choose, line_cuts
from tadoru.indexing.embedded import COMPONENTS, Cell, notebook, regions
from tadoru.indexing.headings import LANGUAGES as DOCUMENTS
from tadoru.indexing.headings import sections
from tadoru.indexing.imports import RawImport, document_links, raw_imports
from tadoru.indexing.symbols import Definition, definitions, nest
from tadoru.text.languages import CORE
from tadoru.text.positions import Positions
from tadoru.types import Chunk, Import, Symbol

MAX_SYMBOLS = 20_000
"""Of one file; generated tables have more, and nobody asks for them by name."""


@dataclass(frozen=True, slots=True)
class Extract:
    """What was found in one file. Import targets are not resolved yet."""

    chunks: tuple[Chunk, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    note: str = ""


@dataclass(slots=True)
class _Structure:
    definitions: list[Definition]
    cuts: list[Cut]
    imports: list[RawImport]
    note: str = ""
    plain: str = "lines"


def extract(path: str, language: str, text: str, encoding: str = "utf-8", mark: int = 0) -> Extract:
    """Extract from decoded text; `encoding` and `mark` are what `text.decode` found."""
    if not text.strip():
        return Extract()
    positions = Positions(text, encoding, mark)
    if language == "notebook" and (parsed := notebook(positions.data)) is not None:
        return _notebook(path, parsed[0], parsed[1], positions)
    found = _structure(language, positions)
    cuts = prepare(found.cuts, found.definitions, positions)
    pairs = tile(choose(cuts, positions), len(positions.data))
    return Extract(
        chunks=label(path, pairs, found.definitions, positions, found.plain),
        symbols=_symbols(path, found.definitions, positions),
        imports=_imports(path, found.imports, positions),
        note=found.note,
    )


def _structure(language: str, positions: Positions) -> _Structure:
    data = positions.data
    if language in DOCUMENTS:
        found, cuts = sections(language, positions)
        links = document_links(data) if language == "markdown" else []
        return _Structure(found, cuts, links, plain="section")
    if language in COMPONENTS:
        return _component(language, positions)
    tree = grammars.parse(language, data)
    if tree is None:
        return _Structure([], line_cuts(positions, 0, len(data)), [], note=_why(language))
    imports = raw_imports(language, tree, data) if language in CORE else []
    return _Structure(
        definitions(language, tree, data), tree_cuts(tree, positions), imports, plain="module"
    )


def _why(language: str) -> str:
    if language in grammars.failures:
        return f"cut into lines: no grammar for {language} ({grammars.failures[language]})"
    return "cut into lines: parsing took too long" if grammars.language(language) else ""


def _component(language: str, positions: Positions) -> _Structure:
    """A file of markup with scripts: each script by its own grammar, the rest by lines."""
    data = positions.data
    found = _Structure([], [], [])
    before = 0
    for region in regions(language, data):
        tree = grammars.parse(region.language, data, ranges=((region.start, region.end),))
        if tree is None:
            continue
        found.definitions += definitions(region.language, tree, data)
        found.imports += raw_imports(region.language, tree, data)
        found.cuts += line_cuts(positions, before, region.start)
        found.cuts += tree_cuts(tree, positions, region.start, region.end)
        before = region.end
    found.cuts += line_cuts(positions, before, len(data))
    found.definitions = nest(found.definitions)
    return found


def _symbols(path: str, found: list[Definition], positions: Positions) -> tuple[Symbol, ...]:
    kept = [d for d in found if d.kind != "scope"][:MAX_SYMBOLS]
    spans = positions.spans((d.start, d.end) for d in kept)
    return tuple(
        Symbol(
            name=d.name, kind=d.kind, path=path, span=span, container=".".join(d.container),
            signature=d.signature, doc=d.doc,
        )
        for d, span in zip(kept, spans, strict=True)
    )  # fmt: skip


def _imports(path: str, found: list[RawImport], positions: Positions) -> tuple[Import, ...]:
    return tuple(
        Import(path=path, module=each.module, line=positions.line_of(each.offset), names=each.names)
        for each in found
    )


def _notebook(path: str, cells: list[Cell], language: str, positions: Positions) -> Extract:
    """One chunk per cell; definitions of code cells on the lines where they stand in the file."""
    found: list[Definition] = []
    imports: list[RawImport] = []
    for cell in cells:
        if cell.kind != "code":
            continue
        data = _without_magics(cell)
        tree = grammars.parse(language, data)
        if tree is None:
            continue
        inside = Positions(data.decode("utf-8"))
        for each in definitions(language, tree, data):
            _move(each, cell, inside)
            found.append(each)
        for edge in raw_imports(language, tree, data):
            place = cell.places[min(inside.line_of(edge.offset), len(cell.places)) - 1]
            imports.append(RawImport(edge.module, place[0], edge.names))
    pairs = [(cell.start, cell.end) for cell in cells]
    return Extract(
        chunks=label(path, pairs, found, positions, "cell"),
        symbols=_symbols(path, found, positions),
        imports=_imports(path, imports, positions),
    )


def _without_magics(cell: Cell) -> bytes:
    """Return the source with IPython's `%magic` and `!command` lines blanked."""
    lines = ["\n" if line.lstrip()[:1] in ("%", "!", "?") else line for line in cell.lines]
    return "".join(lines).encode("utf-8", "surrogatepass")


def _move(each: Definition, cell: Cell, inside: Positions) -> None:
    """Replace offsets in the cell's source by those of the strings that hold its lines."""
    last = len(cell.places)
    first_line = min(inside.line_of(each.start), last) - 1
    last_line = min(inside.line_of(max(each.start, each.end - 1)), last) - 1
    lead_line = min(inside.line_of(each.lead), last) - 1
    each.lead = cell.places[lead_line][0]
    each.start, each.end = cell.places[first_line][0], cell.places[last_line][1]
