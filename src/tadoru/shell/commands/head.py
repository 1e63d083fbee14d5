"""`head`: the first lines or bytes, reading no more of a file than they take."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from functools import partial

from tadoru.shell.commands.context import Context
from tadoru.shell.commands.operands import each_titled, number, pieces
from tadoru.shell.commands.options import Option, Options

OPTIONS = Options(
    Option("lines", "n", "lines", "value"),
    Option("bytes", "c", "bytes", "value"),
    Option("quiet", "q", "quiet silent"),
    Option("verbose", "v", "verbose"),
    Option("zero", "z", "zero-terminated"),
)


@dataclass(slots=True)
class _Wish:
    count: int = 10
    of_bytes: bool = False
    but_last: bool = False
    """All but the last `count`."""
    end: bytes = b"\n"
    headers: str = ""


async def main(ctx: Context) -> int:
    argv = ctx.argv
    old = re.fullmatch(r"-(\d+)([bckmqvz]*)", argv[0]) if argv else None
    if old:
        letters = old[2]
        kind = "-c" if "c" in letters else "-n"
        argv = [kind, old[1], *(f"-{c}" for c in letters if c in "qvz"), *argv[1:]]
    parsed, operands = OPTIONS.parse(ctx.name, argv, usage_code=1)
    wish = _Wish()
    for key, value in parsed:
        if key in ("lines", "bytes"):
            wish.of_bytes = key == "bytes"
            wish.but_last = value.startswith("-")
            wish.count = number(value.lstrip("-+"), f"number of {key}")
        elif key == "zero":
            wish.end = b"\0"
        else:
            wish.headers = key
    show = partial(_head, ctx, wish)
    return await each_titled(ctx, operands or ["-"], wish.headers, show)


async def _head(ctx: Context, wish: _Wish, operand: str) -> None:
    if wish.but_last:
        await _but_last(ctx, wish, operand)
        return
    left = wish.count
    if not left:
        return
    async for piece in pieces(ctx, operand):
        if wish.of_bytes:
            await ctx.write(piece[:left])
            left -= len(piece)
        else:
            found = piece.count(wish.end)
            if found >= left:
                await ctx.write(piece[: nth_end(piece, wish.end, left)])
            else:
                await ctx.write(piece)
            left -= found
        if left <= 0:
            return


def nth_end(data: bytes, end: bytes, count: int) -> int:
    """Return the position after the `count`-th `end` in data that has at least as many."""
    position = 0
    for _ in range(count):
        position = data.index(end, position) + 1
    return position


async def _but_last(ctx: Context, wish: _Wish, operand: str) -> None:
    """Write all but the last `count`, holding back no more than them."""
    if wish.of_bytes:
        held = b""
        async for piece in pieces(ctx, operand):
            held += piece
            if len(held) > wish.count:
                cut = len(held) - wish.count
                await ctx.write(held[:cut])
                held = held[cut:]
        return
    lines: deque[bytes] = deque()
    rest = b""
    async for piece in pieces(ctx, operand):
        parts = (rest + piece).split(wish.end)
        rest = parts.pop()
        lines.extend(parts)
        while len(lines) > wish.count - bool(rest) and len(lines) > wish.count:
            await ctx.write(lines.popleft() + wish.end)
    if rest:
        lines.append(rest)
    while len(lines) > wish.count:
        await ctx.write(lines.popleft() + wish.end)
