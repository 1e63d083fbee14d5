"""What commands that take files have in common: opening operands, and numbers with suffixes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from tadoru.errors import IsADirectoryHere, TadoruError
from tadoru.shell.commands.context import STDIN, Context, UsageError, encode
from tadoru.shell.commands.facts import is_device, quoted
from tadoru.shell.space import strerror
from tadoru.types import Entry

PIECE_BYTES = 256 << 10
"""How much of a file is read at a time."""
_SUFFIXES = {"b": 512, "kB": 1000, "K": 1 << 10, "KiB": 1 << 10, "MB": 1000**2, "M": 1 << 20}
_SUFFIXES |= {"MiB": 1 << 20, "GB": 1000**3, "G": 1 << 30, "GiB": 1 << 30, "k": 1 << 10}
_SUFFIXES |= {"m": 1 << 20, "T": 1 << 40}


def number(text: str, what: str) -> int:
    """Return a number with an optional suffix (`10`, `2K`, `1MB`). Raises UsageError."""
    digits = text
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if text.endswith(suffix):
            digits = text[: -len(suffix)] or "1"
            if digits.isdigit():
                return int(digits) * _SUFFIXES[suffix]
    if not digits.isdigit():
        raise UsageError(f"invalid {what}: ‘{text}’", 1)
    return int(digits)


def file_entry(ctx: Context, operand: str) -> Entry:
    """Return the entry of a file to read. Raises PathNotFound, IsADirectoryHere and the like."""
    entry = ctx.lookup(operand)
    if entry.is_dir:
        raise IsADirectoryHere(f"{operand}: is a directory")
    return entry


async def pieces(ctx: Context, operand: str) -> AsyncIterator[bytes]:
    """Yield the bytes of a file or of stdin, piece by piece. Raises what `file_entry` does."""
    if operand in STDIN:
        while piece := await ctx.read():
            yield piece
        return
    entry = file_entry(ctx, operand)
    if ctx.is_pipe(entry.path):
        yield ctx.read_bytes(entry.path)
        return
    start = 0
    # an endless device gives as much as its reader takes, until the time is over
    while True:
        ctx.deadline.check()
        piece = ctx.read_bytes(entry.path, start=start, size=PIECE_BYTES)
        if piece:
            yield piece
        start += len(piece)
        endless = is_device(entry, ctx.space) and piece
        if not endless and (len(piece) < PIECE_BYTES or start >= entry.size):
            return


async def each_titled(
    ctx: Context, operands: list[str], headers: str, show: Callable[[str], Awaitable[None]]
) -> int:
    """Show operands one after the other as `head` and `tail` do, under their names when there are
    several. `headers`: `verbose`, `quiet` or empty. Return the exit code."""
    code, first = 0, True
    titled = headers == "verbose" or (len(operands) > 1 and headers != "quiet")
    for operand in operands:
        try:
            if operand not in STDIN:
                ctx.lookup(operand)
            if titled:
                name = "standard input" if operand in STDIN else operand
                await ctx.write(encode(f"{'' if first else chr(10)}==> {name} <==\n"))
                first = False
            await show(operand)
        except TadoruError as error:
            if error.code == "limit":
                raise
            await report(ctx, operand, error, opening="reading")
            code = 1
    return code


async def report(ctx: Context, operand: str, error: TadoruError, *, opening: str = "") -> None:
    """Complain about an operand: `cat: x: No such file or directory`, or with `opening` as
    `head: cannot open 'x' for reading: ...`."""
    words = strerror(error)
    if not opening:
        await ctx.error(f"{operand}: {words}")
    elif isinstance(error, IsADirectoryHere):
        await ctx.error(f"error reading {quoted(operand)}: {words}")
    else:
        await ctx.error(f"cannot open {quoted(operand)} for reading: {words}")
