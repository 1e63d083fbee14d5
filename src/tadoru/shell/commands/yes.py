"""`yes`: one line again and again, until nobody reads any more or it has been said enough.

Commands of bashkit take all of their input before they look at the first line, so that an endless
one would end them (`yes | sed 3q`); after `MAX_BYTES` it stops, and says so.
"""

from __future__ import annotations

from tadoru.shell.commands.context import BATCH_BYTES, Context, encode

MAX_BYTES = 8 << 20


async def main(ctx: Context) -> int:
    words = ctx.argv[1:] if ctx.argv[:1] == ["--"] else ctx.argv
    line = encode(" ".join(words or ["y"]) + "\n")
    many = line * max(1, BATCH_BYTES // len(line))
    for _ in range(0, MAX_BYTES, len(many)):
        ctx.deadline.check()
        await ctx.write(many)
    await ctx.flush()
    await ctx.error(f"stopped after {MAX_BYTES >> 20} MiB")
    return 1
