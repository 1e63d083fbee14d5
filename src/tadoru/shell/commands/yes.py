"""`yes`: one line again and again, until nobody reads any more or the time is over."""

from __future__ import annotations

from tadoru.shell.commands.context import BATCH_BYTES, Context, encode


async def main(ctx: Context) -> int:
    words = ctx.argv[1:] if ctx.argv[:1] == ["--"] else ctx.argv
    line = encode(" ".join(words or ["y"]) + "\n")
    many = line * max(1, BATCH_BYTES // len(line))
    while True:
        ctx.deadline.check()
        await ctx.write(many)
