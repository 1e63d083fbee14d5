"""`bc`: bashkit's calculator, which counts in 64 bits, without its silence about that."""

from __future__ import annotations

from tadoru.shell.commands import native
from tadoru.shell.commands.context import Context

SATURATED = (b"9223372036854775807", b"-9223372036854775808", b"-9223372036854775807")


async def main(ctx: Context) -> int:
    out, err, code = await native.outcome(ctx, ctx.argv, await ctx.read_all())
    if any(line.strip() in SATURATED for line in out.splitlines()):
        await ctx.error("a number is too large for 64 bits: try awk or jq for an approximation")
        return 1
    await ctx.write(out)
    if err:
        await ctx.push_error(err)
    return code
