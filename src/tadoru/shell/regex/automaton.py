"""An exact matcher for single lines: a deterministic automaton, built while it runs.

Decides the lines that RE2 can only propose: Unicode word boundaries, bytes that are not valid
UTF-8, very large repetitions. Time is linear in the line for `search`. Works on text decoded with
surrogateescape. Not for back-references. Thompson's construction with the look-ahead of one
character that word boundaries need; K. Thompson, "Regular Expression Search Algorithm", 1968.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tadoru.shell.regex.charset import DIGIT, Ranges, contains, union, word_context
from tadoru.shell.regex.nodes import (
    Alt,
    At,
    Cat,
    Chars,
    Group,
    Node,
    PatternError,
    Place,
    Repeat,
)

MAX_NODES = 60_000
"""Nodes of the automaton before it is deterministic."""
MAX_STATES = 2_000
"""Deterministic states kept; beyond, they are forgotten and made anew."""
CHECK_EVERY = 4_096
"""Characters between two looks at the clock."""

_CHARS, _SPLIT, _PLACE, _MATCH = range(4)
_EDGE = "\n"
"""Stands for what lies before the first and after the last character."""
_ASCII_WORD: Ranges = union(DIGIT, ((0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)))


@dataclass(slots=True)
class _State:
    """Nodes that are alive before one character, and what was read last."""

    nodes: frozenset[int]
    before: str
    moves: dict[str, tuple[bool, _State]] = field(default_factory=dict)
    """Next character -> whether a match ends before it, and the state after it."""


class Automaton:
    """Matches one tree against lines. `check` is called now and then, and may raise."""

    def __init__(self, node: Node, check: Callable[[], None]) -> None:
        self._check = check
        self._kinds: list[int] = []
        self._sets: list[Ranges] = []
        self._next: list[tuple[int, ...]] = []
        self._places: list[Place | None] = []
        final = self._node(_MATCH, ())
        self._start = self._build(node, final)
        self._classes: dict[str, str] = {}
        self._known: dict[tuple[frozenset[int], str, bool], _State] = {}

    # -- construction --------------------------------------------------------------------------

    def _node(
        self, kind: int, following: tuple[int, ...], ranges: Ranges = (), place: Place | None = None
    ) -> int:
        if len(self._kinds) >= MAX_NODES:
            raise PatternError("Regular expression too big")
        self._kinds.append(kind)
        self._next.append(following)
        self._sets.append(ranges)
        self._places.append(place)
        return len(self._kinds) - 1

    def _build(self, node: Node, following: int) -> int:
        """Return the first node of an automaton for `node` that goes on to `following`."""
        if isinstance(node, Chars):
            return self._node(_CHARS, (following,), node.ranges)
        if isinstance(node, Cat):
            for part in reversed(node.parts):
                following = self._build(part, following)
            return following
        if isinstance(node, Alt):
            firsts = tuple(self._build(branch, following) for branch in node.branches)
            return self._node(_SPLIT, firsts)
        if isinstance(node, Group):
            return self._build(node.node, following)
        if isinstance(node, Repeat):
            return self._build_repeat(node, following)
        if isinstance(node, Place):
            return self._node(_PLACE, (following,), place=node)
        raise PatternError("not a regular language")

    def _build_repeat(self, node: Repeat, following: int) -> int:
        if node.high is None:
            loop = self._node(_SPLIT, ())
            inner = self._build(node.node, loop)
            self._next[loop] = (inner, following)
            following = loop
        else:
            for _ in range(node.high - node.low):
                inner = self._build(node.node, following)
                following = self._node(_SPLIT, (inner, following))
        for _ in range(node.low):
            following = self._build(node.node, following)
        return following

    # -- running -------------------------------------------------------------------------------

    def search(self, line: str) -> bool:
        """Tell whether the line holds a match."""
        state = self._state(frozenset(), _EDGE, floating=True)
        for at, character in enumerate(line):
            move = state.moves.get(character)
            if move is None:
                move = self._move(state, character, floating=True)
            if move[0]:
                return True
            state = move[1]
            if not at % CHECK_EVERY:
                self._check()
        return self._ends(state, floating=True)

    def ends(self, line: str, start: int) -> list[int]:
        """Return where the matches that begin at `start` can end, in order."""
        before = line[start - 1] if start else _EDGE
        state = self._state(frozenset((self._start,)), self._kind(before), floating=False)
        found: list[int] = []
        for at in range(start, len(line)):
            move = state.moves.get(line[at])
            if move is None:
                move = self._move(state, line[at], floating=False)
            if move[0]:
                found.append(at)
            state = move[1]
            if not state.nodes:
                return found
            if not at % CHECK_EVERY:
                self._check()
        if self._ends(state, floating=False):
            found.append(len(line))
        return found

    def _state(self, nodes: frozenset[int], before: str, *, floating: bool) -> _State:
        key = (nodes, before, floating)
        state = self._known.get(key)
        if state is None:
            if len(self._known) >= MAX_STATES:
                self._known.clear()
            state = self._known[key] = _State(nodes, before)
        return state

    def _kind(self, character: str) -> str:
        """Reduce a character to what boundaries depend on: edge, ASCII word, word, other."""
        if character == _EDGE:
            return _EDGE
        kind = self._classes.get(character)
        if kind is None:
            code = ord(character)
            if contains(_ASCII_WORD, code):
                kind = "a"
            else:
                kind = "w" if contains(word_context(), code) else " "
            self._classes[character] = kind
        return kind

    def _move(self, state: _State, character: str, *, floating: bool) -> tuple[bool, _State]:
        kind = self._kind(character)
        alive, ended = self._closure(state, kind, floating=floating)
        code = ord(character)
        following: list[int] = []
        for node in alive:
            if contains(self._sets[node], code):
                following.extend(self._next[node])
        after = self._state(frozenset(following), kind, floating=floating)
        state.moves[character] = (ended, after)
        return ended, after

    def _ends(self, state: _State, *, floating: bool) -> bool:
        return self._closure(state, _EDGE, floating=floating)[1]

    def _closure(self, state: _State, after: str, *, floating: bool) -> tuple[list[int], bool]:
        """Return the nodes that read a character, and whether a match ends here."""
        stack = list(state.nodes)
        if floating:
            stack.append(self._start)
        seen = set(stack)
        reading: list[int] = []
        ended = False
        while stack:
            node = stack.pop()
            kind = self._kinds[node]
            if kind == _CHARS:
                reading.append(node)
                continue
            if kind == _MATCH:
                ended = True
                continue
            place = self._places[node]
            if place is not None and not holds(place, state.before, after):
                continue
            for following in self._next[node]:
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
        return reading, ended


def holds(place: Place, before: str, after: str) -> bool:
    """Tell whether a place is one, between two kinds of character."""
    at = place.at
    if at in (At.LINE_START, At.TEXT_START):
        return before == _EDGE
    if at in (At.LINE_END, At.TEXT_END):
        return after == _EDGE
    letters = "a" if place.ascii_only else "aw"
    left, right = before in letters, after in letters
    if at is At.WORD_START:
        return right and not left
    if at is At.WORD_END:
        return left and not right
    return (left != right) is (at is At.BOUNDARY)
