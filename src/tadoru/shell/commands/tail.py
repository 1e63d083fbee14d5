"""`tail`: the last lines or bytes, read from the end of the file. `-f` shows what is there now."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial

from tadoru.shell.commands.context import STDIN, Context
from tadoru.shell.commands.operands import PIECE_BYTES, each_titled, file_entry, number, pieces
from tadoru.shell.commands.options import Option, Options

OPTIONS = Options(
    Option("lines", "n", "lines", "value"),
    Option("bytes", "c", "bytes", "value"),
    Option("quiet", "q", "quiet silent"),
    Option("verbose", "v", "verbose"),
    Option("zero", "z", "zero-terminated"),
    Option("follow", "f", "follow", "maybe"),
    Option("follow", "F", "retry"),
    Option("ignored", "s", "sleep-interval pid max-unchanged-stats", "value"),
)


@dataclass(slots=True)
class _Wish:
    count: int = 10
    of_bytes: bool = False
    from_start: bool = False
    """From the `count`-th on, rather than the last `count`."""
    end: bytes = b"\n"
    headers: str = ""


async def main(ctx: Context) -> int:
    argv = ctx.argv
    old = re.fullmatch(r"([-+])(\d+)([bcl]?)(f?)", argv[0]) if argv else None
    if old and (old[1] == "-" or len(argv) <= 2):
        sign = "+" if old[1] == "+" else ""
        argv = ["-c" if old[3] == "c" else "-n", sign + old[2], *argv[1:]]
    parsed, operands = OPTIONS.parse(ctx.name, argv, usage_code=1)
    wish = _Wish()
    for key, value in parsed:
        if key in ("lines", "bytes"):
            wish.of_bytes = key == "bytes"
            wish.from_start = value.startswith("+")
            wish.count = number(value.lstrip("+-"), f"number of {key}")
        elif key == "zero":
            wish.end = b"\0"
        elif key in ("quiet", "verbose"):
            wish.headers = key
    show = partial(_tail, ctx, wish)
    return await each_titled(ctx, operands or ["-"], wish.headers, show)


async def _tail(ctx: Context, wish: _Wish, operand: str) -> None:
    if wish.from_start:
        await _from(ctx, wish, pieces(ctx, operand))
    elif operand in STDIN:
        await ctx.write(_last(await _kept(ctx, wish), wish))
    else:
        await ctx.write(_end_of_file(ctx, wish, operand))


async def _from(ctx: Context, wish: _Wish, source: AsyncIterator[bytes]) -> None:
    """Write everything from the `count`-th line or byte on."""
    skip = max(0, wish.count - 1)
    async for piece in source:
        if skip <= 0:
            await ctx.write(piece)
        elif wish.of_bytes:
            await ctx.write(piece[skip:])
            skip -= len(piece)
        else:
            parts = piece.split(wish.end, skip)
            skip -= len(parts) - 1
            if skip <= 0:
                await ctx.write(parts[-1])


async def _kept(ctx: Context, wish: _Wish) -> bytes:
    """Read all of stdin, keeping not much more than the end that is wanted."""
    kept = b""
    async for piece in pieces(ctx, "-"):
        kept += piece
        if len(kept) > 4 * PIECE_BYTES:
            kept = _last(kept, wish)
    return kept


def _last(data: bytes, wish: _Wish) -> bytes:
    """Return the last lines or bytes of some data."""
    if not wish.count:
        return b""
    if wish.of_bytes:
        return data[-wish.count :]
    position = len(data) - data.endswith(wish.end)
    for _ in range(wish.count):
        position = data.rfind(wish.end, 0, position)
        if position < 0:
            return data
    return data[position + 1 :]


def _end_of_file(ctx: Context, wish: _Wish, operand: str) -> bytes:
    """Read a file from its end, in pieces, until there is enough."""
    entry = file_entry(ctx, operand)
    if ctx.is_pipe(entry.path):
        return _last(ctx.read_bytes(entry.path), wish)
    if wish.of_bytes:
        start = max(0, entry.size - wish.count)
        return _last(ctx.read_bytes(entry.path, start=start), wish)
    size = PIECE_BYTES
    while True:
        ctx.deadline.check()
        start = max(0, entry.size - size)
        data = ctx.read_bytes(entry.path, start=start)
        if not start or data.count(wish.end) > wish.count:
            return _last(data, wish)
        size *= 4
