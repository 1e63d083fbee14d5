"""What a text must contain to match: byte strings, as a conjunction of disjunctions.

A coarse filter for an index of literals: it may let through what does not match, and never drops
what does. For each part of the tree it knows either the exact set of strings that the part
matches, or sets of which every match begins and ends with one member, and clauses of which every
match contains one member. Method: R. Cox, "Regular Expression Matching with a Trigram Index",
2012, with whole strings instead of trigrams. ASCII letters are given in lower case, because the
index compares them without case; all other bytes are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

from tadoru.shell.regex.charset import ESCAPED_FIRST, ESCAPED_LAST, members, size
from tadoru.shell.regex.nodes import (
    Alt,
    Cat,
    Chars,
    Group,
    Node,
    Opaque,
    Place,
    Repeat,
)

Clause = frozenset[bytes]
Literals = tuple[tuple[bytes, ...], ...]

MAX_STRINGS = 24
"""Strings in one set; a larger one is cut into a clause and forgotten."""
MAX_BRANCHES = 64
"""Strings in the clause of an alternation: a list of words is worth asking for."""
MAX_CLAUSES = 12
MAX_LENGTH = 64
"""Bytes of one string: more makes no index more selective."""
MAX_COPIES = 4
"""Copies of a repeated part that are written out."""

_NONE: Clause = frozenset()
_NOTHING: Clause = frozenset((b"",))


@dataclass(slots=True)
class _Known:
    """What is known of every match of one part."""

    exact: Clause | None = None
    prefix: Clause = _NOTHING
    suffix: Clause = _NOTHING
    clauses: list[Clause] = field(default_factory=list)


def necessary(branches: list[Node]) -> Literals:
    """Return the clauses that every text contains in which one of `branches` matches.

    Empty when nothing is known: every text has to be read.
    """
    known = [_flushed(_of(branch)) for branch in branches]
    clauses = known[0] if len(known) == 1 else _either(known)
    kept = sorted(set(clauses), key=_worth, reverse=True)[:MAX_CLAUSES]
    return tuple(tuple(sorted(clause)) for clause in kept)


def _worth(clause: Clause) -> tuple[int, int]:
    """Longer strings select more, and fewer of them cost less."""
    return min(len(text) for text in clause), -len(clause)


def _add(clauses: list[Clause], strings: Clause) -> None:
    if strings and b"" not in strings:
        clauses.append(strings)


def _flushed(known: _Known) -> list[Clause]:
    """Return all clauses, with what the ends and the exact set add."""
    clauses = list(known.clauses)
    for strings in (known.exact,) if known.exact is not None else (known.prefix, known.suffix):
        if strings is not None:
            _add(clauses, strings)
    return clauses


def _either(alternatives: list[list[Clause]]) -> list[Clause]:
    """Return what holds when one of several conjunctions does: the union of their best clauses."""
    if any(not clauses for clauses in alternatives):
        return []
    strings = _NONE.union(*(max(clauses, key=_worth) for clauses in alternatives))
    if len(strings) <= MAX_BRANCHES:
        return [strings]
    return []


def _of(node: Node) -> _Known:
    if isinstance(node, Chars):
        return _of_chars(node)
    if isinstance(node, Place):
        return _Known(exact=_NOTHING)
    if isinstance(node, Group):
        return _of(node.node)
    if isinstance(node, Cat):
        result = _Known(exact=_NOTHING)
        for part in node.parts:
            result = _joined(result, _of(part))
        return result
    if isinstance(node, Alt):
        return _of_alternatives([_of(branch) for branch in node.branches])
    if isinstance(node, Repeat):
        return _of_repeat(node)
    if isinstance(node, Opaque):
        clauses = _flushed(_of(node.inner)) if node.inner is not None else []
        return _Known(exact=_NOTHING if node.empty else None, clauses=clauses)
    return _Known()


def _of_chars(node: Chars) -> _Known:
    if not node.ranges or size(node.ranges) > MAX_STRINGS:
        return _Known()
    strings: set[bytes] = set()
    for code in members(node.ranges):
        if ESCAPED_FIRST <= code <= ESCAPED_LAST:
            strings.add(bytes((code - 0xDC00,)))
        elif 0xD800 <= code <= 0xDFFF:
            return _Known()
        else:
            strings.add(chr(code).encode().lower())
    return _Known(exact=frozenset(strings))


def _of_repeat(node: Repeat) -> _Known:
    if node.high == 0:
        return _Known(exact=_NOTHING)
    inner = _of(node.node)
    if node.low == 0:
        if node.high == 1 and inner.exact is not None:
            return _bounded(_Known(exact=inner.exact | _NOTHING))
        return _Known()
    copies = min(node.low, MAX_COPIES)
    result = inner
    for _ in range(copies - 1):
        result = _joined(result, inner)
    if copies == node.low == node.high:
        return result
    # More may follow: what is known stays known of the beginning, and of the end alike.
    first = result.prefix if result.exact is None else result.exact
    last = result.suffix if result.exact is None else result.exact
    return _Known(prefix=first, suffix=last, clauses=result.clauses)


def _of_alternatives(parts: list[_Known]) -> _Known:
    if all(part.exact is not None for part in parts):
        exact = _NONE.union(*(part.exact or _NOTHING for part in parts))
        if len(exact) <= MAX_BRANCHES:
            return _Known(exact=exact)
    firsts = [part.prefix if part.exact is None else part.exact for part in parts]
    lasts = [part.suffix if part.exact is None else part.exact for part in parts]
    return _Known(
        prefix=_limited(_NONE.union(*firsts)),
        suffix=_limited(_NONE.union(*lasts)),
        clauses=_either([_flushed(part) for part in parts]),
    )


def _limited(strings: Clause) -> Clause:
    return strings if len(strings) <= MAX_BRANCHES else _NOTHING


def _joined(left: _Known, right: _Known) -> _Known:
    """Return what is known of a match of `left` followed by one of `right`."""
    clauses = left.clauses + right.clauses
    if len(clauses) > 4 * MAX_CLAUSES:
        clauses = sorted(clauses, key=_worth, reverse=True)[:MAX_CLAUSES]
    if left.exact is not None and right.exact is not None:
        exact = _product(left.exact, right.exact)
        if exact is not None:
            return _Known(exact=exact, clauses=clauses)
        _add(clauses, left.exact)
        return _Known(prefix=left.exact, suffix=right.exact, clauses=clauses)
    if left.exact is not None:
        prefix = _product(left.exact, right.prefix)
        if prefix is None:
            _add(clauses, right.prefix)
            prefix = left.exact
        return _Known(prefix=prefix, suffix=right.suffix, clauses=clauses)
    if right.exact is not None:
        suffix = _product(left.suffix, right.exact)
        if suffix is None:
            _add(clauses, left.suffix)
            suffix = right.exact
        return _Known(prefix=left.prefix, suffix=suffix, clauses=clauses)
    seam = _product(left.suffix, right.prefix)
    for strings in (seam,) if seam is not None else (left.suffix, right.prefix):
        _add(clauses, strings)
    return _Known(prefix=left.prefix, suffix=right.suffix, clauses=clauses)


def _product(left: Clause, right: Clause) -> Clause | None:
    """Return every join of two strings; None when they are too many or too long."""
    if left == _NOTHING:
        return right
    if right == _NOTHING:
        return left
    if len(left) * len(right) > MAX_STRINGS:
        return None
    joined = frozenset(a + b for a, b in product(left, right))
    return joined if max(map(len, joined)) <= MAX_LENGTH else None


def _bounded(known: _Known) -> _Known:
    """Keep an exact set within its size."""
    if known.exact is not None and len(known.exact) > MAX_STRINGS:
        return _Known()
    return known
