"""`cmp`: where two files differ first, or with `-l` everywhere."""

from __future__ import annotations

from dataclasses import dataclass

from tadoru.errors import TadoruError
from tadoru.shell.commands.context import STDIN, Context, UsageError
from tadoru.shell.commands.operands import number
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.space import strerror

OPTIONS = Options(
    Option("silent", "s", "silent quiet"),
    Option("verbose", "l", "verbose"),
    Option("print", "b", "print-bytes"),
    Option("limit", "n", "bytes", "value"),
    Option("skip", "i", "ignore-initial", "value"),
)
TROUBLE = 2
UNKNOWN_WIDTH = 19
"""Digits of the largest offset, where a file does not say how long it is."""


@dataclass(slots=True)
class _Plan:
    flags: set[str]
    names: list[str]
    skips: list[int]
    limit: int = -1


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=TROUBLE)
    if not operands or len(operands) > 4:
        words = f"extra operand '{operands[4]}'" if operands else "missing operand after 'cmp'"
        raise UsageError(f"{words}\ncmp: Try 'cmp --help' for more information.", TROUBLE)
    plan = _Plan({key for key, _ in parsed}, [*operands, "-"][:2], [0, 0])
    for key, value in parsed:
        if key == "limit":
            plan.limit = number(value, "--bytes value")
        elif key == "skip":
            first, _, second = value.partition(":")
            plan.skips = [
                number(text, "--ignore-initial value") for text in (first, second or first)
            ]
    for place, word in enumerate(operands[2:]):
        plan.skips[place] = number(word, "--ignore-initial value")
    sides, sizes = [], []
    for name, skip in zip(plan.names, plan.skips, strict=True):
        try:
            data = await ctx.read_operand(name)
        except TadoruError as error:
            if "silent" not in plan.flags:
                await ctx.error(f"{name}: {strerror(error)}")
            return TROUBLE
        sizes.append(None if name in STDIN or ctx.is_pipe(ctx.resolve_path(name)) else len(data))
        data = data[skip:]
        sides.append(data if plan.limit < 0 else data[: plan.limit])
    if sides[0] == sides[1]:
        return 0
    if "silent" not in plan.flags:
        await _tell(ctx, plan, sides[0], sides[1], sizes)
    return 1


async def _tell(
    ctx: Context, plan: _Plan, one: bytes, other: bytes, sizes: list[int | None]
) -> None:
    length = min(len(one), len(other))
    if "verbose" in plan.flags:
        known = [size for size in sizes if size is not None]
        width = len(str(min(known))) if known else UNKNOWN_WIDTH
        for at in range(length):
            if one[at] != other[at]:
                line = f"{at + 1:>{width}} {_shown(one[at], plan)} {_shown(other[at], plan)}"
                await ctx.write(line.rstrip().encode() + b"\n")
            if not at % 4096:
                ctx.deadline.check()
    elif one[:length] != other[:length]:
        at = next(i for i in range(length) if one[i] != other[i])
        where = one.count(b"\n", 0, at) + 1
        text = f"{plan.names[0]} {plan.names[1]} differ: byte {at + 1}, line {where}"
        if "print" in plan.flags:
            text += f" is {_shown(one[at], plan)} {_shown(other[at], plan).rstrip()}"
        await ctx.write(f"{text}\n".encode())
        return
    if len(one) == len(other):
        return
    await ctx.flush()
    short, name = (one, plan.names[0]) if len(one) < len(other) else (other, plan.names[1])
    if not short:
        await ctx.error(f"EOF on {name} which is empty")
    elif "verbose" in plan.flags:
        await ctx.error(f"EOF on {name} after byte {length}")
    else:
        count = short.count(b"\n")
        place = f"line {count}" if short.endswith(b"\n") else f"in line {count + 1}"
        await ctx.error(f"EOF on {name} after byte {length}, {place}")


def _shown(byte: int, plan: _Plan) -> str:
    if "print" not in plan.flags:
        return f"{byte:3o}"
    high, low = ("M-", byte - 128) if byte >= 128 else ("", byte)
    letter = f"^{chr(low + 64)}" if low < 32 else "^?" if low == 127 else chr(low)
    return f"{byte:3o} {high + letter:4s}"
