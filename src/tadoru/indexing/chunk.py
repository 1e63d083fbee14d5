"""Cut a file into chunks that follow its structure and tile it without a gap.

Gets the places from the syntax tree, from headings or from lines, lets `cuts.choose` pick, and
labels each chunk with what encloses it. The only exception to the tiling are notebooks: their
chunks are the sources of the cells, and outputs belong to none.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from tadoru.indexing.cuts import BIG, MIDLINE, WHOLE, Cut, line_cuts
from tadoru.indexing.symbols import MAX_INDENT, Definition
from tadoru.text.positions import Positions
from tadoru.types import Chunk, Span

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MAX_BREADCRUMB = 250
MAX_SIGNATURES = 600
MAX_DOCS = 400
"""Characters of each field of a chunk."""
MAIN_SHARE = 0.6
"""A definition that fills so much of a chunk gives it its breadcrumb."""
_CLOSERS = (b"}", b")", b"]", b";", b",")
MAX_OPENED = 400_000
"""Nodes looked at in one file: a bound on time, about 0.5 s."""


def tree_cuts(tree: Tree, positions: Positions, start: int = 0, end: int = -1) -> list[Cut]:
    """Return the places where nodes begin, opening only what is bigger than a chunk."""
    end = len(positions.data) if end < 0 else end
    cuts: list[Cut] = []
    pending: list[tuple[Node, int]] = [(tree.root_node, 0)]
    opened = 0
    while pending:
        node, depth = pending.pop()
        at, stop = node.start_byte, node.end_byte
        if start <= at < end and stop > at and node.type != "end":
            _add(cuts, positions, at, depth)
        if stop - at <= WHOLE or positions.weight(at, min(stop, end)) <= WHOLE:
            continue
        children = node.children if opened < MAX_OPENED else []
        opened += len(children)
        if children:
            pending.extend((child, depth + 1) for child in reversed(children))
        else:
            cuts.extend(line_cuts(positions, max(at, start), min(stop, end), depth + 1))
    return cuts


def _add(cuts: list[Cut], positions: Positions, at: int, depth: int) -> None:
    """Add a cut, moved back to the start of its line where only blanks stand before it."""
    if positions.data[at : at + 1] in _CLOSERS:
        return  # what closes belongs to what it closes
    line_start = positions.line_start(at)
    if _blank(positions.data, line_start, at):
        cuts.append(Cut(line_start, depth))
    else:
        cuts.append(Cut(at, depth + MIDLINE))


def _blank(data: bytes, start: int, end: int) -> bool:
    """Tell whether nothing but blanks stands between; what is far apart counts as no indentation,
    or 400,000 nodes on one line would cost as many copies of it."""
    return end - start <= MAX_INDENT and not data[start:end].strip()


def prepare(cuts: list[Cut], definitions: list[Definition], positions: Positions) -> list[Cut]:
    """Sort cuts, keep definitions with their leads, and mark where big ones begin and end."""
    hard = _hard_places(definitions, positions)
    held = _held_ranges(definitions)
    best: dict[int, int] = {}
    for offset, depth, _ in cuts:
        if offset not in best or depth < best[offset]:
            best[offset] = depth
    for each in definitions:
        place = positions.line_start(each.lead)
        if place in best or _blank(positions.data, place, each.lead):
            best[place] = min(best.get(place, MIDLINE), len(each.container) + 1)
    result: list[Cut] = []
    at = 0
    for offset in sorted(best):
        while at < len(held) and held[at][1] < offset:
            at += 1
        inside = at < len(held) and held[at][0] < offset <= held[at][1]
        if not inside:
            result.append(Cut(offset, best[offset], offset in hard))
    return result


def _hard_places(definitions: list[Definition], positions: Positions) -> set[int]:
    places: set[int] = set()
    for each in definitions:
        if each.end - each.lead < BIG or positions.weight(each.lead, each.end) < BIG:
            continue
        lead_line = positions.line_start(each.lead)
        if _blank(positions.data, lead_line, each.lead):
            places.add(lead_line)
        after = positions.data.find(b"\n", each.end)
        closing = positions.data[each.end : min(after, each.end + MAX_INDENT)]
        if after > 0 and not closing.strip(b" \t\r;,)}"):
            following = bisect_right(positions.line_starts, after)
            places.update(_next_code_line(positions, following))
    return places


def _next_code_line(positions: Positions, index: int) -> list[int]:
    """Return the start of the first line from `index` on that is not blank."""
    starts, data = positions.line_starts, positions.data
    while index < len(starts):
        stop = starts[index + 1] if index + 1 < len(starts) else len(data)
        text = data[starts[index] : stop].strip()
        if text:
            closes = text[:1] in _CLOSERS or text == b"end"
            return [] if closes else [starts[index]]
        index += 1
    return []


def _held_ranges(definitions: list[Definition]) -> list[tuple[int, int]]:
    """Return, in order and without overlap, the ranges (lead, start] that no cut may fall into."""
    ranges: list[tuple[int, int]] = []
    for each in sorted(definitions, key=lambda d: d.lead):
        if each.lead < each.start and (not ranges or each.lead >= ranges[-1][1]):
            ranges.append((each.lead, each.start))
    return ranges


def label(
    path: str,
    pairs: list[tuple[int, int]],
    definitions: list[Definition],
    positions: Positions,
    plain: str = "lines",
) -> tuple[Chunk, ...]:
    """Make chunks of (start, end) pairs in order, each with what encloses and what begins in it.

    `plain`: the kind of a chunk that no definition encloses or begins in.
    """
    spans = positions.spans(pairs)
    ordered = sorted(definitions, key=lambda d: (d.lead, -d.end))
    chunks: list[Chunk] = []
    around: list[Definition] = []
    at = 0
    for index, ((start, end), span) in enumerate(zip(pairs, spans, strict=True)):
        first, last = _ink(positions.data, start, end)
        begun: list[Definition] = []
        while at < len(ordered) and ordered[at].lead < end:
            begun.append(ordered[at])
            at += 1
        around = [d for d in around if d.end > first]
        enclosing = [d for d in around if d.end >= last]
        enclosing += [d for d in begun if d.lead <= first and d.end >= last]
        inner = max(enclosing, key=lambda d: (len(d.container), d.lead), default=None)
        running = [d for d in around if d.end < last]
        chunks.append(_chunk(path, index, span, (start, end), inner, running, begun, plain))
        around += [d for d in begun if d.end > end]
    return tuple(chunks)


def _ink(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Return where the first and behind the last byte that is no blank."""
    text = data[start:end]
    return start + len(text) - len(text.lstrip()), start + len(text.rstrip(b" \t\r\n;,)}"))


def _chunk(
    path: str,
    index: int,
    span: Span,
    pair: tuple[int, int],
    inner: Definition | None,
    running: list[Definition],
    begun: list[Definition],
    plain: str,
) -> Chunk:
    """Label one chunk. `inner` encloses it, `running` end in it, `begun` begin in it."""
    start, end = pair
    named = [d for d in begun if d.kind != "scope"]

    def share(each: Definition) -> int:
        return min(each.end, end) - max(each.lead, start)

    inside = [d for d in (*running, *named) if d is not inner and d.kind != "scope"]
    filling = [d for d in inside if share(d) > MAIN_SHARE * (end - start)]
    biggest = max(
        filling or inside,
        key=lambda d: (len(d.container) if filling else 0, share(d)),
        default=None,
    )
    if filling and biggest:
        trail = (*biggest.container, biggest.name)
    else:
        trail = (*inner.container, inner.name) if inner else _common(named)
    main = inner if inner and (inner in begun or biggest is None) else biggest
    signatures = [inner.signature] if inner else []
    signatures += [d.signature for d in named if d is not inner and d.signature not in signatures]
    docs = [d.doc for d in named if d.doc]
    return Chunk(
        path=path,
        index=index,
        span=span,
        breadcrumb=_cut(" > ".join(trail), MAX_BREADCRUMB),
        kind=main.kind if main else plain,
        name=main.name if main else "",
        signature=_cut("\n".join(signatures), MAX_SIGNATURES),
        doc=_cut(" ".join(docs), MAX_DOCS),
    )


def _common(named: list[Definition]) -> tuple[str, ...]:
    """Return the containers that all these definitions share."""
    if not named:
        return ()
    shared = named[0].container
    for each in named[1:]:
        keep = 0
        for one, other in zip(shared, each.container, strict=False):
            if one != other:
                break
            keep += 1
        shared = shared[:keep]
    return shared


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def tile(starts: list[int], end: int) -> list[tuple[int, int]]:
    """Turn starts into (start, end) pairs that cover everything up to `end`."""
    return list(zip(starts, [*starts[1:], end], strict=True)) if end else []
