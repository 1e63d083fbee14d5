"""Sets of characters as sorted ranges of code points, and the classes of the C.UTF-8 locale.

A byte that is not valid UTF-8 is the code point U+DC00 + byte (Python's surrogateescape), so that
a set can hold it or not; `ANY` does not. The named classes are those of glibc, which differ from
Unicode's own (a digit outside ASCII is alphabetic, marks can be); the table lies in `classes.txt`.
Case is glibc's `towupper`: two characters are equal without case when their upper cases are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

Ranges = tuple[tuple[int, int], ...]
"""Sorted, disjoint, not adjacent; both ends included."""

LAST = 0x10FFFF
ESCAPED_FIRST, ESCAPED_LAST = 0xDC80, 0xDCFF
INVALID: Ranges = ((ESCAPED_FIRST, ESCAPED_LAST),)
"""Bytes that are not part of a character."""
ANY: Ranges = ((0, 0xD7FF), (0xE000, LAST))
NEWLINE: Ranges = ((10, 10),)
ASCII: Ranges = ((0, 0x7F),)
DIGIT: Ranges = ((0x30, 0x39),)
_TABLED = frozenset({"alpha", "upper", "lower", "graph"})
_HISTORIC = range(0x1C80, 0x1C89)
"""Old forms of Cyrillic letters: they find the modern ones without case, but are not found."""
_CASE_PAIRS_BELOW = 0x1F000
"""No character above has a case partner in Unicode 15."""

CLASS_NAMES = frozenset(
    {"alpha", "upper", "lower", "digit", "xdigit", "space"}
    | {"blank", "cntrl", "punct", "graph", "print", "alnum"}
)
_FIXED: dict[str, Ranges] = {
    "digit": DIGIT,
    "xdigit": (*DIGIT, (0x41, 0x46), (0x61, 0x66)),
    "cntrl": ((0, 0x1F), (0x7F, 0x9F), (0x2028, 0x2029)),
    "blank": (
        (0x09, 0x09),
        (0x20, 0x20),
        (0x1680, 0x1680),
        (0x2000, 0x2006),
        (0x2008, 0x200A),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
    ),
    "space": (
        (0x09, 0x0D),
        (0x20, 0x20),
        (0x1680, 0x1680),
        (0x2000, 0x2006),
        (0x2008, 0x200A),
        (0x2028, 0x2029),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
    ),
}


def single(code: int) -> Ranges:
    return ((code, code),)


def union(*sets: Iterable[tuple[int, int]]) -> Ranges:
    """Merge ranges in any order into a set."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(pair for ranges in sets for pair in ranges):
        if merged and low <= merged[-1][1] + 1:
            if high > merged[-1][1]:
                merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return tuple(merged)


def negate(ranges: Ranges, within: Ranges = ANY) -> Ranges:
    """Return what lies in `within` and not in `ranges`."""
    gaps: list[tuple[int, int]] = []
    at = 0
    for low, high in ranges:
        if at < low:
            gaps.append((at, low - 1))
        at = high + 1
    if at <= LAST:
        gaps.append((at, LAST))
    return intersect(tuple(gaps), within)


def intersect(left: Ranges, right: Ranges) -> Ranges:
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        low, high = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if low <= high:
            found.append((low, high))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def contains(ranges: Ranges, code: int) -> bool:
    at = bisect_right(ranges, (code, LAST + 1)) - 1
    return at >= 0 and ranges[at][1] >= code


def size(ranges: Ranges) -> int:
    return sum(high - low + 1 for low, high in ranges)


def members(ranges: Ranges) -> Iterable[int]:
    for low, high in ranges:
        yield from range(low, high + 1)


@cache
def named(name: str) -> Ranges:
    """Return a class of the locale by its POSIX name. KeyError for any other name."""
    if name in _FIXED:
        return _FIXED[name]
    if name in _TABLED:
        return _table()[name]
    if name == "alnum":
        return union(named("alpha"), DIGIT)
    if name == "punct":
        return negate(named("alnum"), within=named("graph"))
    if name == "print":
        unprinted = union(((0x09, 0x0D),), ((0x2028, 0x2029),))
        return union(named("graph"), negate(unprinted, within=named("space")))
    raise KeyError(name)


@lru_cache(maxsize=1)
def _table() -> dict[str, Ranges]:
    text = files(__package__).joinpath("classes.txt").read_text("ascii")
    table: dict[str, Ranges] = {}
    for line in text.splitlines():
        name, *pairs = line.split()
        ends = (pair.partition("-") for pair in pairs)
        table[name] = tuple((int(low, 16), int(high or low, 16)) for low, _, high in ends)
    return table


@lru_cache(maxsize=1)
def word() -> Ranges:
    """Letters, digits and the underscore: `\\w`, and what `-w` means by a word."""
    return union(named("alnum"), single(0x5F))


@lru_cache(maxsize=1)
def word_context() -> Ranges:
    """What glibc's `\\<`, `\\>`, `\\b` and `\\B` see as part of a word.

    A byte that is not valid UTF-8 counts as the Latin-1 character with its number.
    """
    latin = intersect(word(), ((0x80, 0xFF),))
    return union(word(), ((low + 0xDC00, high + 0xDC00) for low, high in latin))


def upper(code: int) -> int:
    """Return the upper case as `towupper` has it: one character for one."""
    text = chr(code)
    for form in (text.upper(), text.title()):
        if len(form) == 1:
            return ord(form)
    return code


@lru_cache(maxsize=1)
def _lowered() -> dict[int, list[int]]:
    """Upper case -> the characters that have it and are not it."""
    partners: dict[int, list[int]] = {}
    for code in range(_CASE_PAIRS_BELOW):
        if 0xD800 <= code <= 0xDFFF or code in _HISTORIC:
            continue
        if (above := upper(code)) != code:
            partners.setdefault(above, []).append(code)
    return partners


def caseless(ranges: Ranges) -> Ranges:
    """Return every character whose upper case is the upper case of one in `ranges`."""
    partners = _lowered()
    added: list[tuple[int, int]] = []
    if size(ranges) <= len(partners):
        for code in members(ranges):
            above = upper(code)
            added.append((above, above))
            added.extend((low, low) for low in partners.get(above, ()))
    else:
        for above, lows in partners.items():
            if contains(ranges, above) or any(contains(ranges, low) for low in lows):
                added.append((above, above))
                added.extend((low, low) for low in lows)
    return union(ranges, added)
