"""Prints the selected lines of one input as GNU grep 3.8 does, byte for byte.

Takes data piece by piece, so that an endless pipe is answered at once and `-m`, `-q` and `-l` stop
early; keeps only what context still needs. Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tadoru.shell.commands.grep_options import GrepOptions
from tadoru.shell.regex.engine import Span
from tadoru.shell.regex.matcher import Matcher

BUFFER_BYTES = 96 << 10
"""What GNU grep reads at a time: a NUL makes binary what follows the start of its buffer."""
_MATCH, _NAME, _NUMBER, _SEPARATOR = b"01;31", b"35", b"32", b"36"


def _sgr(code: bytes, text: bytes) -> bytes:
    return b"\x1b[" + code + b"m\x1b[K" + text + b"\x1b[m\x1b[K"


@dataclass(slots=True)
class Shared:
    """What all inputs of one call have in common: a separator comes only after some output."""

    printed: bool = False


class Printer:
    """Searches one input. `name`: what precedes each line, or None.

    `feed` returns output; afterwards `count` is the number of selected lines, `binary` tells that
    output was withheld because the input is binary, and `done` that no more data is needed.
    """

    def __init__(
        self, options: GrepOptions, matcher: Matcher, name: bytes | None, shared: Shared
    ) -> None:
        self._options = options
        self._matcher = matcher
        self._shared = shared
        self._name = name
        self._eol = b"\0" if options.zero else b"\n"
        self._silent = options.quiet or bool(options.list_files) or options.count
        self._stop_at_first = options.quiet or bool(options.list_files)
        self._before = max(options.before, 0)
        self._after = max(options.after, 0)
        self._separates = options.before >= 0 or options.after >= 0
        self._plain = not (
            self._separates or options.only_matching or options.color or options.tabs
        )
        self._prefix = b"" if name is None else name + (b"\0" if options.null_after_name else b":")
        self.count = 0
        self.binary = False
        self.done = options.max_count == 0
        self._held = b""
        self._base = 0
        """Offset in the input of the first held byte."""
        self._number = 1
        self._numbered = 0
        """`_number` is the number of the line at the held offset `_numbered`."""
        self._fresh = 0
        """Held offset of the first line that was neither printed nor passed over."""
        self._scanned = 0
        self._trailing = 0
        """Lines of context still to print after the last match."""
        self._gap = True
        """Whether lines were passed over since the last output."""
        self._full = False
        """Whether `-m` has been reached, and only trailing context remains."""
        self._zapped = False

    # -- feeding -------------------------------------------------------------------------------

    def feed(self, data: bytes, *, last: bool) -> list[bytes]:
        """Search more of the input; `last`: nothing comes after it. Returns pieces of output."""
        out: list[bytes] = []
        data = self._held + data if self._held else data
        end = len(data) if last else data.rfind(self._eol) + 1
        if self._zapped:
            data = data.replace(b"\0", b"\n")
        elif not self._options.zero and self._options.binary != "text":
            nul = data.find(b"\0", self._scanned)
            if nul >= 0:
                data, end = self._meet_nul(data, nul, end, out)
        if not self.done:
            self._search(data, end, out)
        if not last:
            self._keep(data, end)
        return out

    def _meet_nul(self, data: bytes, nul: int, end: int, out: list[bytes]) -> tuple[bytes, int]:
        """Print what lies in buffers before the one with the NUL; the rest is binary."""
        buffer = (self._base + nul) // BUFFER_BYTES * BUFFER_BYTES - self._base
        text = data.rfind(b"\n", 0, max(buffer, 0)) + 1
        if text > self._scanned:
            self._search(data, text, out)
            self._scanned = text
        if self._options.binary == "without-match":
            self.done = True
            self.count = 0
            return data, end
        self._zapped = True
        if not self._options.count:
            self._silent = self._stop_at_first = True
        rest = data[self._scanned :].replace(b"\0", b"\n")
        return data[: self._scanned] + rest, end

    def _keep(self, data: bytes, end: int) -> None:
        """Hold back the unfinished line, and what leading context may still need."""
        start = end
        for _ in range(self._before if not self._silent else 0):
            if start <= self._fresh:
                break
            start = data.rfind(self._eol, 0, start - 1) + 1
        self._gap = self._gap or start > self._fresh
        if self._options.numbers:
            self._line_number(data, start)
        self._held = data[start:]
        self._base += start
        self._numbered = 0
        self._scanned = end - start
        self._fresh = max(0, self._fresh - start)

    def colored_name(self, name: bytes) -> bytes:
        return _sgr(_NAME, name) if self._options.color else name

    def count_line(self) -> bytes:
        """Return what `-c` prints for this input."""
        head = b""
        if self._name is not None:
            head = self.colored_name(self._name)
            mark = _sgr(_SEPARATOR, b":") if self._options.color else b":"
            head += b"\0" if self._options.null_after_name else mark
        return head + b"%d\n" % self.count

    # -- selecting -----------------------------------------------------------------------------

    def _search(self, data: bytes, end: int, out: list[bytes]) -> None:
        part = data[self._scanned : end]
        offset = self._scanned
        if self._silent:
            self._count(part)
            return
        if self._plain and self._options.max_count > len(part):
            self._copy(data, part, out)
            return
        selected = iter(()) if self._full else self._selected(part)
        for begin, stop in selected:
            self._select(data, begin + offset, stop + offset, out)
            if self.done or self._full:
                break
        self._print_trailing(data, end, out)
        self.done = self.done or (self._full and not self._trailing)

    def _selected(self, part: bytes) -> Iterator[Span]:
        found = self._matcher.lines(part)
        return self._unmatched_lines(part, found) if self._options.invert else found

    def _unmatched_lines(self, part: bytes, found: Iterator[Span]) -> Iterator[Span]:
        for start, stop in self._gaps(part, found):
            at = start
            while at < stop:
                end = part.find(self._eol, at, stop)
                end = stop if end < 0 else end
                yield at, end
                at = end + 1

    def _gaps(self, part: bytes, found: Iterator[Span]) -> Iterator[Span]:
        """Yield runs of lines between those found, terminators included."""
        at = 0
        for begin, end in found:
            if begin > at:
                yield at, begin
            at = end + 1
        if at < len(part):
            yield at, len(part)

    def _count(self, part: bytes) -> None:
        room = self._options.max_count - self.count
        if self._stop_at_first:
            if next(self._selected(part), None) is not None:
                self.count += 1
                self.done = True
                self.binary = self._zapped
            return
        if self._options.invert:
            gaps = self._gaps(part, self._matcher.lines(part))
            found = sum(
                part.count(self._eol, start, stop) + (part[stop - 1 : stop] != self._eol)
                for start, stop in gaps
            )
        else:
            found = sum(1 for _ in self._matcher.lines(part))
        self.count += min(found, room)
        self.done = found >= room

    def _copy(self, data: bytes, part: bytes, out: list[bytes]) -> None:
        """Print selected lines without context or colour: the path where speed counts."""
        options, eol, prefix = self._options, self._eol, self._prefix
        check = self._needs_check(part)
        headed = options.numbers or options.offsets
        if options.invert and not (check or headed or prefix):
            self._copy_gaps(part, out)
            return
        before = len(out)
        withheld = 0
        number = self._line_number(data, self._scanned) if options.numbers else 0
        base = self._base + self._scanned
        last = 0
        count = part.count
        append = out.append
        for start, stop in self._selected(part):
            line = part[start:stop]
            if check and self._withhold(line):
                withheld += 1
            elif not headed:
                append(prefix + line + eol)
            elif options.offsets:
                head = b"%d:" % (number + count(eol, 0, start)) if options.numbers else b""
                append(b"%b%b%d:%b%b" % (prefix, head, base + start, line, eol))
            else:
                number += count(eol, last, start)
                last = start
                append(b"%b%d:%b%b" % (prefix, number, line, eol))
        self.count += len(out) - before + withheld

    def _copy_gaps(self, part: bytes, out: list[bytes]) -> None:
        eol = self._eol
        for start, stop in self._gaps(part, self._matcher.lines(part)):
            block = part[start:stop]
            block = block if block.endswith(eol) else block + eol
            self.count += block.count(eol)
            out.append(block)

    def _needs_check(self, part: bytes) -> bool:
        """Tell whether lines may hold bytes that are no characters."""
        if self._options.binary == "text" or part.isascii():
            return False
        return _broken(part)

    def _withhold(self, line: bytes) -> bool:
        """Tell whether a line must not be printed, because it is no text."""
        if self._options.binary == "text" or not _broken(line):
            return False
        self.binary = True
        return True

    # -- printing ------------------------------------------------------------------------------

    def _select(self, data: bytes, begin: int, stop: int, out: list[bytes]) -> None:
        self._print_trailing(data, begin, out)
        start = begin
        for _ in range(self._before):
            if start <= self._fresh:
                break
            start = data.rfind(self._eol, 0, start - 1) + 1
        start = max(start, self._fresh)
        separate = self._separates and self._options.separator is not None
        if separate and self._shared.printed and (start > self._fresh or self._gap):
            mark = (self._options.separator or "").encode("utf-8", "surrogateescape")
            out.append((_sgr(_SEPARATOR, mark) if self._options.color else mark) + b"\n")
        self._fresh = start
        while self._fresh < begin:
            self._print_context_line(data, out)
        self._gap = False
        self._shared.printed = True
        self._print_line(data, begin, stop, True, out)
        self.count += 1
        self._fresh = stop + 1
        self._trailing = self._after
        self._full = self.count >= self._options.max_count

    def _print_trailing(self, data: bytes, limit: int, out: list[bytes]) -> None:
        while self._trailing and self._fresh < limit:
            self._trailing -= 1
            self._print_context_line(data, out)

    def _print_context_line(self, data: bytes, out: list[bytes]) -> None:
        stop = data.find(self._eol, self._fresh)
        stop = len(data) if stop < 0 else stop
        self._print_line(data, self._fresh, stop, False, out)
        self._fresh = stop + 1

    def _print_line(
        self, data: bytes, begin: int, stop: int, selected: bool, out: list[bytes]
    ) -> None:
        """Print one line, selected or context, unless it is no text."""
        options = self._options
        line = data[begin:stop]
        matching = selected is not options.invert
        if options.only_matching:
            if matching:
                self._print_matches(data, begin, line, out, selected)
            return
        if not line.isascii() and self._withhold(line):
            return
        out.append(self._head(data, begin, begin, selected))
        if options.color and matching:
            line = self._colored(line)
        out.append(line + self._eol)

    def _print_matches(
        self, data: bytes, begin: int, line: bytes, out: list[bytes], selected: bool
    ) -> None:
        for start, stop in self._matcher.spans(line):
            text = line[start:stop]
            if not text.isascii() and self._withhold(text):
                return
            out.append(self._head(data, begin, begin + start, selected))
            out.append((_sgr(_MATCH, text) if self._options.color else text) + self._eol)

    def _colored(self, line: bytes) -> bytes:
        pieces: list[bytes] = []
        at = 0
        for start, stop in self._matcher.spans(line):
            pieces += [line[at:start], _sgr(_MATCH, line[start:stop])]
            at = stop
        return b"".join([*pieces, line[at:]])

    def _head(self, data: bytes, begin: int, offset: int, selected: bool) -> bytes:
        options = self._options
        mark = b":" if selected else b"-"
        if options.color:
            mark = _sgr(_SEPARATOR, mark)
        head = b""
        if self._name is not None:
            head = _sgr(_NAME, self._name) if options.color else self._name
            head += b"\0" if options.null_after_name else mark
        if options.numbers:
            head += self._figure(self._line_number(data, begin)) + mark
        if options.offsets:
            head += self._figure(self._base + offset) + mark
        return head + b"\t" if options.tabs and head else head

    def _figure(self, value: int) -> bytes:
        text = b"%2d" % value if self._options.tabs else b"%d" % value
        return _sgr(_NUMBER, text) if self._options.color else text

    def _line_number(self, data: bytes, begin: int) -> int:
        self._number += data.count(self._eol, self._numbered, begin)
        self._numbered = begin
        return self._number


def _broken(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
