"""`sed -n 'FIRST,LASTp' FILE`, which is how agents look at a part of a file, reading no more of it.

bashkit's own `sed` reads whole files. `mend` calls this one for exactly that form; when its words
turn out to be another one (no file, several, standard input), bashkit's `sed` runs after all.
"""

from __future__ import annotations

from tadoru.errors import TadoruError
from tadoru.shell.commands.context import STDIN, Context, UsageError, encode
from tadoru.shell.commands.native import boxed
from tadoru.shell.commands.operands import pieces
from tadoru.shell.space import strerror


async def main(ctx: Context) -> int:
    """Print lines of one file; arguments: first line, last line (or `$`), file."""
    if len(ctx.argv) < 2:
        raise UsageError("arguments: first line, last line, file", 1)
    first, last, *files = ctx.argv
    if len(files) != 1 or files[0] in STDIN or files[0].startswith("-"):
        return await boxed(ctx, [f"{first},{last}p", *files], await ctx.read_all())
    stop = None if last == "$" else max(int(first), int(last))
    try:
        await _lines(ctx, files[0], int(first), stop)
    except TadoruError as error:
        if error.code == "limit" and ctx.deadline.passed:
            raise
        await ctx.flush()
        await ctx.push_error(encode(f"sed: can't read {files[0]}: {strerror(error)}\n"))
        return 2
    return 0


async def _lines(ctx: Context, operand: str, first: int, last: int | None) -> None:
    seen = 0
    """Ends of lines in what was read so far."""
    async for piece in pieces(ctx, operand):
        count = piece.count(b"\n")
        begin = _after(piece, first - 1 - seen)
        end = len(piece) if last is None else _after(piece, last - seen)
        if begin < end:
            await ctx.write(piece[begin:end])
        seen += count
        if last is not None and seen >= last:
            return


def _after(piece: bytes, ends: int) -> int:
    """Return the position after so many ends of lines, or the end of the piece."""
    position = 0
    for _ in range(ends):
        position = piece.find(b"\n", position) + 1
        if not position:
            return len(piece)
    return position
