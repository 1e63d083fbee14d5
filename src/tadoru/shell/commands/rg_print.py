"""Prints the matches of one file as ripgrep 13 does into a pipe.

Knows no files: takes the bytes, the name to show, and what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tadoru.shell.commands.rg_options import RgOptions
from tadoru.shell.regex.engine import Span
from tadoru.shell.regex.matcher import Matcher
from tadoru.shell.regex.replace import Replacer

SNIFFED_BYTES = 64 << 10
"""A NUL this early makes a file binary, so that a walk skips it."""
_RESET = b"\x1b[0m"
_NAME, _NUMBER, _MATCH = b"\x1b[35m", b"\x1b[32m", b"\x1b[1m\x1b[31m"


@dataclass(slots=True)
class Shared:
    """What the files of one call have in common."""

    printed: bool = False


@dataclass(slots=True)
class Result:
    """What was found in one file."""

    out: list[bytes]
    lines: int = 0
    matches: int = 0
    skipped: bool = False
    """Whether it was left out because it is binary."""


class RgPrinter:
    """Searches one file. `name`: what precedes its lines, or None; `explicit`: it was named."""

    def __init__(
        self,
        options: RgOptions,
        matcher: Matcher,
        replacer: Replacer | None,
        shared: Shared,
        name: bytes | None,
        *,
        explicit: bool,
    ) -> None:
        self._options = options
        self._matcher = matcher
        self._replacer = replacer
        self._shared = shared
        self._name = name
        self._explicit = explicit
        self._eol = b"\0" if options.zero else b"\n"
        self._contexts = options.before > 0 or options.after > 0
        self._numbers = bool(options.numbers)
        if options.numbers is None:
            self._numbers = options.vimgrep or bool(options.column)
        self._column = options.column if options.column is not None else options.vimgrep
        self._number = 1
        self._numbered = 0

    # -- searching -----------------------------------------------------------------------------

    def run(self, data: bytes) -> Result:
        """Search the whole of a file."""
        result = Result([])
        options = self._options
        nul = -1 if options.text or options.zero else data.find(b"\0")
        if nul >= 0:
            if not self._explicit and (nul < SNIFFED_BYTES or options.mode.startswith("count")):
                result.skipped = True
                return result
            if self._silent or not self._explicit or nul >= SNIFFED_BYTES:
                self._binary(data, nul, result)
            elif next(self._selected(data), None) is not None:
                result.lines = 1
                self._tell_binary(nul, result, stopped=False)
            return result
        if self._silent:
            self._count(data, result)
        else:
            self._print(data, result)
        return result

    @property
    def _silent(self) -> bool:
        return self._options.quiet or bool(self._options.mode)

    def _binary(self, data: bytes, nul: int, result: Result) -> None:
        """Search what comes before a late NUL, or all of it when nothing is shown."""
        if self._silent:
            self._count(data, result)
            return
        before = data[: data.rfind(self._eol, 0, nul // SNIFFED_BYTES * SNIFFED_BYTES) + 1]
        self._print(before, result)
        if result.lines or next(self._selected(data), None) is not None:
            self._tell_binary(nul, result, stopped=not self._explicit)
            result.lines = result.lines or 1

    def _tell_binary(self, nul: int, result: Result, *, stopped: bool) -> None:
        head = b"" if self._name is None else self._name + b": "
        where = b'(found "\\0" byte around offset %d)\n' % nul
        words = b"WARNING: stopped searching binary file after match " if stopped else b""
        result.out.append(head + (words or b"binary file matches ") + where)

    def _selected(self, data: bytes) -> Iterator[Span]:
        options = self._options
        if options.multiline:
            return self._matcher.regions(data)
        found = self._matcher.lines(data)
        return _others(data, found, self._eol) if options.invert else found

    def _count(self, data: bytes, result: Result) -> None:
        options = self._options
        first_only = options.quiet or options.mode in ("with", "without")
        for begin, end in self._selected(data):
            result.lines += 1
            if options.mode == "count-matches" and not options.invert:
                result.matches += len(self._spans(data[begin:end]))
            if first_only or result.lines >= options.max_count:
                return

    def _spans(self, text: bytes) -> list[Span]:
        return self._matcher.spans(text)

    # -- printing ------------------------------------------------------------------------------

    def _print(self, data: bytes, result: Result) -> None:
        options = self._options
        out = result.out
        fresh = trailing = 0
        printed = False
        for begin, end in self._selected(data):
            if result.lines >= options.max_count:
                break
            fresh, trailing = self._print_rest(data, fresh, begin, trailing, out)
            start = self._leading(data, fresh, begin)
            if not printed:
                self._open(out)
            if self._contexts and (start > fresh or not printed) and (printed or self._continues()):
                self._print_separator(out)
            fresh, _ = self._print_rest(data, start, begin, HUGE_CONTEXT, out)
            printed = self._shared.printed = True
            result.lines += 1
            self._print_selected(data, begin, end, out)
            fresh, trailing = end + 1, options.after
        if options.passthru:
            if not printed:
                self._open(out)
            self._print_rest(data, fresh, len(data), HUGE_CONTEXT, out)
        elif trailing:
            self._print_rest(data, fresh, len(data), trailing, out)

    def _continues(self) -> bool:
        """Whether a separator belongs before the first lines of this file."""
        return self._shared.printed and not self._options.heading

    def _open(self, out: list[bytes]) -> None:
        """Print the heading of a file."""
        if not self._options.heading or self._name is None:
            return
        if self._shared.printed:
            out.append(b"\n")
        end = b"\0" if self._options.null else b"\n"
        out.append(self.shown_name(self._name) + end)

    def _leading(self, data: bytes, fresh: int, begin: int) -> int:
        if self._options.passthru:
            return fresh
        start = begin
        for _ in range(self._options.before):
            if start <= fresh:
                break
            start = data.rfind(self._eol, 0, start - 1) + 1
        return max(start, fresh)

    def _print_separator(self, out: list[bytes]) -> None:
        if self._options.separator is not None:
            out.append(self._options.separator.encode() + b"\n")

    def _print_rest(
        self, data: bytes, fresh: int, limit: int, count: int, out: list[bytes]
    ) -> tuple[int, int]:
        """Print up to `count` lines of context before `limit`."""
        if self._options.passthru:
            count = HUGE_CONTEXT
        while count and fresh < limit:
            end = data.find(self._eol, fresh)
            end = len(data) if end < 0 else end
            head = self._head(data, fresh, fresh, 0, selected=False)
            out.append(head + self._shortened(data[fresh:end], ()) + self._eol)
            fresh = end + 1
            count -= 1
        return fresh, count

    def _print_selected(self, data: bytes, begin: int, end: int, out: list[bytes]) -> None:
        options = self._options
        text = data[begin:end]
        if options.invert:
            out.append(self._head(data, begin, begin, 0, selected=True))
            out.append(self._shortened(text, ()) + self._eol)
            return
        needs = options.only_matching or options.vimgrep or self._column or options.color
        spans = self._spans(text) if needs else []
        if options.only_matching:
            self._print_pieces(data, begin, text, spans, out)
        elif options.vimgrep:
            for span in spans or [(0, 0)]:
                out.append(self._head(data, begin, begin, span[0] + 1, selected=True))
                out.append(self._shortened(self._replaced(text), (span,)) + self._eol)
        else:
            column = spans[0][0] + 1 if spans else 1
            for at, line in _split(text, self._eol):
                head = self._head(data, begin + at, begin + at, column, selected=True)
                inside = [(s - at, e - at) for s, e in spans if s >= at and e <= at + len(line)]
                out.append(head + self._shortened(self._replaced(line), inside) + self._eol)

    def _print_pieces(
        self, data: bytes, begin: int, text: bytes, spans: list[Span], out: list[bytes]
    ) -> None:
        for start, end in spans:
            shown = text[start:end]
            if self._replacer is not None:
                shown = self._replacer.one(text, start, end)
            for at, line in _split(shown, self._eol):
                place = begin + start + at
                first = data.rfind(self._eol, 0, place) + 1
                out.append(self._head(data, first, place, place - first + 1, selected=True))
                out.append(self._shortened(line, ((0, len(line)),)) + self._eol)

    def _replaced(self, line: bytes) -> bytes:
        return line if self._replacer is None else self._replacer.line(line)

    def _shortened(self, line: bytes, spans: tuple[Span, ...] | list[Span]) -> bytes:
        options = self._options
        if options.trim:
            line = line.lstrip(b" \t")
        if options.max_columns and len(line) > options.max_columns:
            if not options.preview:
                return b"[Omitted long %s line]" % (b"matching" if self._matching else b"context")
            return line[: options.max_columns] + b" [... omitted end of long line]"
        return self._colored(line, spans) if options.color and not options.trim else line

    def _colored(self, line: bytes, spans: tuple[Span, ...] | list[Span]) -> bytes:
        pieces: list[bytes] = []
        at = 0
        for start, end in spans:
            pieces += [line[at:start], _RESET, _MATCH, line[start:end], _RESET]
            at = end
        return b"".join([*pieces, line[at:]])

    def shown_name(self, name: bytes) -> bytes:
        return _RESET + _NAME + name + _RESET if self._options.color else name

    def _head(self, data: bytes, begin: int, offset: int, column: int, *, selected: bool) -> bytes:
        options = self._options
        self._matching = selected
        mark = (options.match_separator if selected else options.context_separator).encode()
        head = b""
        if self._name is not None and not options.heading:
            head = self.shown_name(self._name) + (b"\0" if options.null else mark)
        if self._numbers:
            self._number += data.count(self._eol, self._numbered, begin)
            self._numbered = begin
            figure = b"%d" % self._number
            head += (_RESET + _NUMBER + figure + _RESET if options.color else figure) + mark
        if self._column and column:
            head += b"%d" % column + mark
        if options.offsets:
            head += b"%d" % offset + mark
        return head

    _matching = True


HUGE_CONTEXT = 1 << 62


def _others(data: bytes, found: Iterator[Span], eol: bytes) -> Iterator[Span]:
    """Yield the lines between those found."""
    at = 0
    for begin, end in [*found, (len(data), len(data))]:
        while at < begin:
            stop = data.find(eol, at, begin)
            stop = begin if stop < 0 else stop
            yield at, stop
            at = stop + 1
        at = max(at, end + 1)


def _split(text: bytes, eol: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    for line in text.split(eol):
        yield at, line
        at += len(line) + 1
