"""`wc`: counts over many files, read from the store in bulk."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from tadoru.errors import TadoruError
from tadoru.shell.commands.context import STDIN, Context, UsageError, encode
from tadoru.shell.commands.operands import file_entry, pieces, report
from tadoru.shell.commands.options import Option, Options

OPTIONS = Options(
    Option("lines", "l", "lines"),
    Option("words", "w", "words"),
    Option("chars", "m", "chars"),
    Option("bytes", "c", "bytes"),
    Option("width", "L", "max-line-length"),
    Option("files0-from", "", "files0-from", "value"),
    Option("total", "", "total", "value"),
)
_ORDER = ("lines", "words", "chars", "bytes", "width")
PIPE_WIDTH = 7
"""Columns of a number when something is counted whose size is not known before (GNU)."""
BULK = 256
"""Files that are read from the store in one go."""


@dataclass(slots=True)
class _Counts:
    lines: int = 0
    words: int = 0
    chars: int = 0
    bytes: int = 0
    width: int = 0

    def add(self, other: _Counts) -> None:
        self.lines += other.lines
        self.words += other.words
        self.chars += other.chars
        self.bytes += other.bytes
        self.width = max(self.width, other.width)


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    chosen = {key for key, _ in parsed}
    shown = [key for key in _ORDER if key in chosen] or ["lines", "words", "bytes"]
    total = "auto"
    for key, value in parsed:
        if key == "files0-from":
            if operands:
                message = f"extra operand ‘{operands[0]}’\nfile operands cannot be combined with"
                raise UsageError(f"{message} --files0-from", 1)
            operands = [n for n in _split0(await ctx.read_operand(value)) if n]
        elif key == "total":
            total = value
    return await _run(ctx, shown, operands, total)


def _split0(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogateescape").split("\0")


async def _run(ctx: Context, shown: list[str], operands: list[str], total: str) -> int:
    width = _number_width(ctx, operands, len(shown))
    sums, code = _Counts(), 0
    counted = 0
    async for operand, result in _counts(ctx, operands or ["-"], shown):
        counted += 1
        if isinstance(result, TadoruError):
            code = 1
            await report(ctx, operand, result)
            if result.errno_name != "EISDIR":
                continue
            result = _Counts()
        sums.add(result)
        if total != "only":
            await ctx.write(_line(result, shown, width, operand if operands else ""))
    if total == "always" or total == "only" or (total == "auto" and len(operands) > 1):
        await ctx.write(_line(sums, shown, width, "" if total == "only" else "total"))
    return code


def _line(counts: _Counts, shown: list[str], width: int, name: str) -> bytes:
    cells = " ".join(f"{getattr(counts, key):>{width}}" for key in shown)
    return encode(f"{cells} {name}\n" if name else f"{cells}\n")


def _number_width(ctx: Context, operands: list[str], columns: int) -> int:
    """Return the columns of one number: those of the sum of all sizes, as GNU does it."""
    if columns == 1 and len(operands) <= 1:
        return 1
    least, size = 1, 0
    for operand in operands or ["-"]:
        if operand in STDIN:
            least = PIPE_WIDTH
            continue
        try:
            entry = ctx.lookup(operand)
        except TadoruError:
            continue
        if entry.is_dir or ctx.is_pipe(entry.path):
            least = PIPE_WIDTH
        else:
            size += entry.size
    return max(least, len(str(size)))


async def _counts(
    ctx: Context, operands: list[str], shown: list[str]
) -> AsyncIterator[tuple[str, _Counts | TadoruError]]:
    """Yield the counts of each operand in order, or what is wrong with it."""
    for start in range(0, len(operands), BULK):
        ctx.deadline.check()
        part = operands[start : start + BULK]
        read = dict(_bulk(ctx, part))
        for operand in part:
            if operand in STDIN:
                yield operand, await _stream(ctx, shown)
                continue
            try:
                entry = file_entry(ctx, operand)
                data = read.get(entry.path)
                if data is None:
                    data = ctx.read_bytes(entry.path)
                yield operand, count(data, shown)
            except TadoruError as error:
                yield operand, error


def _bulk(ctx: Context, operands: list[str]) -> Iterator[tuple[str, bytes]]:
    wanted = []
    for operand in operands:
        entry = None if operand in STDIN else ctx.space.find(ctx.resolve_path(operand))
        if entry is not None and not entry.is_dir and entry.path in ctx.tree:
            wanted.append(entry.path)
    return ctx.view.read_many(dict.fromkeys(wanted))


async def _stream(ctx: Context, shown: list[str]) -> _Counts:
    """Count stdin; all of it is held only when words, characters or widths are asked for."""
    if set(shown) <= {"lines", "bytes"}:
        sums = _Counts()
        async for piece in pieces(ctx, "-"):
            sums.lines += piece.count(b"\n")
            sums.bytes += len(piece)
        return sums
    return count(await ctx.read_all(), shown)


def count(data: bytes, shown: list[str]) -> _Counts:
    """Return the counts that are to be shown."""
    counts = _Counts(lines=data.count(b"\n"), bytes=len(data))
    ascii_only = data.isascii()
    if "words" in shown:
        words = data.split() if ascii_only else data.decode("utf-8", "replace").split()
        counts.words = len(words)
    if "chars" in shown:
        counts.chars = len(data) if ascii_only else len(data.decode("utf-8", "ignore"))
    if "width" in shown:
        counts.width = max(map(_width, data.decode("utf-8", "ignore").split("\n")), default=0)
    return counts


def _width(line: str) -> int:
    """Return the columns of a line: tabs to the next stop, wide characters two."""
    if line.isascii() and line.isprintable():
        return len(line)
    best = position = 0
    for letter in line:
        if letter == "\t":
            position = (position // 8 + 1) * 8
        elif letter in "\r\f":
            position = 0
        elif letter.isprintable() and not unicodedata.combining(letter):
            position += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        best = max(best, position)
    return best
