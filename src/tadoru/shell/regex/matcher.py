"""Finds the lines of a buffer in which an expression matches, and where it matches in a line.

RE2 runs over the whole buffer and proposes lines; where it cannot say exactly what the expression
means (see `emit`), each proposed line is decided by the automaton, or by the backtracking engine
under its time limit. A line is what lies between two newlines; with `zero`, between two NULs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tadoru.shell.regex import backtrack
from tadoru.shell.regex.automaton import Automaton
from tadoru.shell.regex.charset import (
    ASCII,
    intersect,
    negate,
    word,
)
from tadoru.shell.regex.emit import Emitter
from tadoru.shell.regex.engine import Engine, Span, compiled
from tadoru.shell.regex.literals import Literals, necessary
from tadoru.shell.regex.needle import Needle, needle
from tadoru.shell.regex.nodes import (
    Alt,
    At,
    Backref,
    Cat,
    Chars,
    Node,
    Opaque,
    PatternError,
    Place,
    group_names,
    needs_backtracking,
    nullable,
    walk,
)
from tadoru.shell.regex.swap import TABLE, swapped
from tadoru.shell.regex.words import in_bytes, word_spans

MAX_NODES = 100_000
"""Characters and operators of an expression that is more than a literal."""


@dataclass(frozen=True, slots=True)
class Clock:
    """How a matcher learns the time: `check` raises when it is over, `left` gives seconds."""

    check: Callable[[], None] = lambda: None
    left: Callable[[], float] = lambda: 30.0


@dataclass(frozen=True, slots=True)
class Rules:
    """How an expression is applied to lines."""

    word: bool = False
    """A match must have no word character on either side (`-w`)."""
    line: bool = False
    """A match must be the whole line (`-x`)."""
    zero: bool = False
    """Lines end in NUL instead of newline (`-z`)."""
    ascii_words: bool = False
    """For `-w`, only ASCII letters, digits and the underscore make words (`grep -P`)."""
    multiline: bool = False
    """A match may hold newlines (`rg -U`); see `Matcher.regions`."""
    longest: bool = True
    """POSIX: the longest of the leftmost matches; else the first, as Perl has it."""


class Matcher:
    """One compiled expression. `literals` is what `View.candidates` takes.

    `backtracker`: decides lines for trees with parts that only it understands.
    """

    def __init__(
        self,
        tree: Node,
        rules: Rules,
        clock: Clock,
        *,
        branches: list[Node] | None = None,
        backtracker: backtrack.Backtracker | None = None,
    ) -> None:
        if sum(1 for _ in walk(tree)) > MAX_NODES and needle(tree, whole_word=False) is None:
            raise PatternError("Regular expression too big")
        self.rules = rules
        self.literals: Literals = necessary(branches if branches is not None else [tree])
        self._clock = clock
        self._core = swapped(tree) if rules.zero else tree
        self._backtracker = backtracker
        self._hard = needs_backtracking(tree)
        self._plans: dict[str, _Plan] = {}
        # -w on what can match nothing follows GNU's own search, which no expression describes.
        self._word_by_hand = rules.word and rules.longest and not rules.line and nullable(tree)

    # -- lines ---------------------------------------------------------------------------------

    def lines(self, data: bytes) -> Iterator[Span]:
        """Yield (start, end) of the matching lines of a buffer, without their terminators."""
        if not data:
            return
        if self.rules.zero:
            data = data.translate(TABLE)
        kind = _kind(data)
        literal = self._needle
        if self._everything:
            yield from _all_lines(data)
        elif literal is not None and (literal.simple or kind == "ascii"):
            yield from literal.lines(data)
        else:
            plan = self._plan(kind)
            for begin, end in plan.scan.lines(data):
                if plan.decides or self._decide(data[begin:end], kind):
                    yield begin, end

    def search(self, line: bytes) -> bool:
        """Tell whether one line (without its terminator) matches."""
        if self.rules.zero:
            line = line.translate(TABLE)
        return self._decide(line, _kind(line))

    def _decide(self, line: bytes, kind: str) -> bool:
        """Decide one line. `kind` is that of the buffer; a line can be simpler than it."""
        if kind != "ascii" and line.isascii():
            kind = "ascii"
        literal = self._needle
        if literal is not None and (literal.simple or kind == "ascii"):
            return next(literal.lines(line), None) is not None
        plan = self._plan(kind)
        if plan.decides:
            return plan.scan.search(line) is not None
        if plan.proposes and plan.scan.search(line) is None:
            return False
        text = line.decode("utf-8", "surrogateescape")
        if self._hard:
            return self._ask_backtracker(text)
        if self._word_by_hand:
            return next(self._word_spans(text), None) is not None
        return self._select.search(text)

    def _ask_backtracker(self, text: str) -> bool:
        return self._wrapped_backtracker.find(text) is not None

    # -- places in a line ----------------------------------------------------------------------

    def spans(self, line: bytes) -> list[Span]:
        """Return the byte spans of the matches in a line that has one, without empty ones."""
        if self.rules.multiline:
            return list(self._across.spans(line))
        if self.rules.line:
            return [(0, len(line))] if line else []
        if self.rules.zero:
            line = line.translate(TABLE)
        kind = _kind(line)
        plan = self._plan(kind)
        if plan.core is not None and not self.rules.word:
            return list(plan.core.spans(line))
        text = line.decode("utf-8", "surrogateescape")
        if self._hard or not self.rules.longest:
            found = self._backtracked_spans(text)
        elif self.rules.word:
            found = self._word_spans(text)
        else:
            found = self._automaton_spans(text)
        spans = [span for span in found if span[0] < span[1]]
        return spans if kind == "ascii" else in_bytes(text, spans)

    def _backtracked_spans(self, text: str) -> Iterator[Span]:
        at = 0
        while at <= len(text):
            match = self._wrapped_backtracker.find(text, at)
            if match is None:
                return
            start, end = match.span()
            yield start, end
            at = end if end > start else end + 1

    def _automaton_spans(self, text: str) -> Iterator[Span]:
        at = 0
        while at <= len(text):
            ends = self._automaton.ends(text, at)
            if ends and ends[-1] > at:
                yield at, ends[-1]
                at = ends[-1]
            else:
                at += 1

    def _word_spans(self, text: str) -> Iterator[Span]:
        return word_spans(text, self._automaton.ends, self._clock.check)

    def groups(self, line: bytes, start: int) -> dict[int | str, Span]:
        """Return the byte spans of the groups of the match that begins at `start`."""
        text = line.decode("utf-8", "surrogateescape")
        at = len(line[:start].decode("utf-8", "surrogateescape"))
        match = self._wrapped_backtracker.find(text, at)
        if match is None:
            return {}
        names = {name: number for number, name in group_names(self._core).items() if name}
        numbered = {
            n: match.span(n) for n in range(1, match.re.groups + 1) if match.span(n)[0] >= 0
        }
        found: dict[int | str, Span] = {n: in_bytes(text, [s])[0] for n, s in numbered.items()}
        return found | {name: found[n] for name, n in names.items() if n in found}

    # -- whole buffers -------------------------------------------------------------------------

    def regions(self, data: bytes) -> Iterator[Span]:
        """Yield the runs of lines that matches across newlines touch (`rg -U`)."""
        begin = end = -1
        for start, stop in self._across.spans(data):
            first = data.rfind(b"\n", 0, start) + 1
            last = data.find(b"\n", max(start, stop - 1))
            last = len(data) if last < 0 else last
            if begin >= 0 and first <= end:
                end = max(end, last)
                continue
            if begin >= 0:
                yield begin, end
            begin, end = first, last
        if begin >= 0:
            yield begin, end

    @cached_property
    def _across(self) -> Engine:
        emitter = Emitter(ascii_only=False, groups_of=self._core)
        expression = emitter.write(wrapped(self._core, self.rules))
        engine = compiled(expression, longest=False, newlines=True)
        if engine is None or not emitter.exact:
            raise PatternError("regex parse error: not supported with --multiline")
        return engine

    # -- engines -------------------------------------------------------------------------------

    @cached_property
    def _needle(self) -> Needle | None:
        return None if self.rules.line else needle(self._core, whole_word=self.rules.word)

    @cached_property
    def _everything(self) -> bool:
        """Whether every line matches: the empty string does, wherever it is."""
        wherever = not any(isinstance(n, (Place, Backref, Opaque)) for n in walk(self._core))
        return wherever and nullable(self._core) and not (self.rules.word or self.rules.line)

    @cached_property
    def _automaton(self) -> Automaton:
        return Automaton(self._core, self._clock.check)

    @cached_property
    def _select(self) -> Automaton:
        if not (self.rules.word or self.rules.line):
            return self._automaton
        return Automaton(wrapped(self._core, self.rules), self._clock.check)

    @cached_property
    def _wrapped_backtracker(self) -> backtrack.Backtracker:
        if self._backtracker is not None:
            return self._backtracker
        expression = backtrack.write(self._core)
        if self.rules.line:
            expression = rf"\A(?:{expression})\Z"
        elif self.rules.word:
            letters = intersect(word(), ASCII) if self.rules.ascii_words else word()
            letter = backtrack.write(Chars(letters))
            expression = f"(?<!{letter})(?:{expression})(?!{letter})"
        flags = "p" if self.rules.longest else ""
        return backtrack.Backtracker(expression, self._clock.left, flags=flags)

    def _plan(self, kind: str) -> _Plan:
        plan = self._plans.get(kind)
        if plan is None:
            plan = self._plans[kind] = self._make_plan(kind)
        return plan

    def _make_plan(self, kind: str) -> _Plan:
        ascii_only = kind == "ascii"
        core_emitter = Emitter(ascii_only=ascii_only, groups_of=self._core)
        core = core_emitter.write(self._core)
        exact = core_emitter.exact and kind != "broken"
        core_regex = compiled(core, longest=self.rules.longest) if exact else None
        tree: Node | None = wrapped(self._core, self.rules)
        if self._word_by_hand or (kind == "broken" and self.rules.word):
            tree = self._core
            exact = False
        emitter = Emitter(ascii_only=ascii_only, groups_of=self._core)
        expression = core if tree is self._core else emitter.write(tree or self._core)
        scan = compiled(expression, longest=False)
        if scan is None:
            exact = False
            scan = compiled("", longest=False)
            assert scan is not None
        return _Plan(scan, core_regex, decides=exact, proposes=not nullable(self._core))


@dataclass(frozen=True, slots=True)
class _Plan:
    """How buffers of one kind are searched."""

    scan: Engine
    """Matches in every line that matches."""
    core: Engine | None
    """Matches what the expression does, when it can be exact."""
    decides: bool
    """Whether `scan` is exact about lines."""
    proposes: bool
    """Whether `scan` is worth asking about a single line."""


def _all_lines(data: bytes) -> Iterator[Span]:
    at, size = 0, len(data)
    while at < size:
        end = data.find(b"\n", at)
        if end < 0:
            end = size
        yield at, end
        at = end + 1


def wrapped(tree: Node, rules: Rules) -> Node:
    """Return a tree that matches in the lines which `-w` or `-x` select."""
    if rules.line:
        return Cat((Place(At.LINE_START), tree, Place(At.LINE_END)))
    if rules.word:
        letters = intersect(word(), ASCII) if rules.ascii_words else word()
        other = Chars(negate(letters, within=((0, 0xD7FF), (0xDC80, 0xDCFF), (0xE000, 0x10FFFF))))
        before = Alt((Place(At.LINE_START), other))
        after = Alt((other, Place(At.LINE_END)))
        return Cat((before, tree, after))
    return tree


def _kind(data: bytes) -> str:
    if data.isascii():
        return "ascii"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "broken"
    return "utf8"
