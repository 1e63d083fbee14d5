"""Newline and NUL exchanged, in data and in trees, so that `-z` is the same work as without."""

from __future__ import annotations

from tadoru.shell.regex.charset import INVALID, Ranges, contains, intersect, negate, union
from tadoru.shell.regex.nodes import Alt, Cat, Chars, Group, Node, Repeat

TABLE = bytes([10, *range(1, 10), 0, *range(11, 256)])
"""For `bytes.translate`."""


def swapped(node: Node) -> Node:
    """Return a tree with newline and NUL exchanged in all its sets."""
    if isinstance(node, Chars):
        return Chars(_swapped_ranges(node.ranges))
    if isinstance(node, Cat):
        return Cat(tuple(swapped(part) for part in node.parts))
    if isinstance(node, Alt):
        return Alt(tuple(swapped(branch) for branch in node.branches))
    if isinstance(node, Repeat):
        return Repeat(swapped(node.node), node.low, node.high, node.lazy)
    if isinstance(node, Group):
        return Group(swapped(node.node), node.number, node.name)
    return node


def _swapped_ranges(ranges: Ranges) -> Ranges:
    exchanged = tuple((10 - code, 10 - code) for code in (0, 10) if contains(ranges, code))
    rest = intersect(ranges, union(negate(((0, 0), (10, 10))), INVALID))
    return union(rest, exchanged)
