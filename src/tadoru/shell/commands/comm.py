"""`comm`: what two sorted files have in common, with GNU's complaint when they are not sorted."""

from __future__ import annotations

from dataclasses import dataclass, field

from tadoru.errors import TadoruError
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.operands import report
from tadoru.shell.commands.options import Option, Options

OPTIONS = Options(
    Option("1", "1"),
    Option("2", "2"),
    Option("3", "3"),
    Option("zero", "z", "zero-terminated"),
    Option("check", "", "check-order"),
    Option("no-check", "", "nocheck-order"),
    Option("delimiter", "", "output-delimiter", "value"),
    Option("total", "", "total"),
)
BATCH = 4_096


@dataclass(slots=True)
class _Side:
    """One of the two files: its lines, and whether a line was seen before a smaller one."""

    number: int
    lines: list[bytes]
    at: int = 0
    unsorted: bool = False
    counted: int = 0

    @property
    def line(self) -> bytes | None:
        return self.lines[self.at] if self.at < len(self.lines) else None

    def step(self) -> bytes:
        line = self.lines[self.at]
        self.at += 1
        if self.at < len(self.lines) and self.lines[self.at] < line:
            self.unsorted = True
        return line


@dataclass(slots=True)
class _Columns:
    shown: list[bool]
    delimiter: bytes
    end: bytes
    pieces: list[bytes] = field(default_factory=list)
    counts: list[int] = field(default_factory=lambda: [0, 0, 0])

    def add(self, column: int, line: bytes) -> None:
        self.counts[column] += 1
        if self.shown[column]:
            before = sum(self.shown[:column])
            self.pieces.append(self.delimiter * before + line + self.end)


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    flags = {key for key, _ in parsed}
    _check(operands)
    end = b"\0" if "zero" in flags else b"\n"
    delimiter = next((v for k, v in reversed(parsed) if k == "delimiter"), "\t") or "\0"
    sides = []
    for number, operand in enumerate(operands, 1):
        try:
            data = await ctx.read_operand(operand)
        except TadoruError as error:
            await report(ctx, operand, error)
            return 1
        lines = data.split(end)
        sides.append(_Side(number, lines if lines[-1] else lines[:-1]))
    columns = _Columns([key not in flags for key in "123"], delimiter.encode(), end)
    code = await _merge(ctx, sides[0], sides[1], columns, flags)
    if "total" in flags and not code:
        words = [str(count).encode() for count in columns.counts]
        columns.pieces.append(columns.delimiter.join([*words, b"total"]) + end)
    await ctx.write(b"".join(columns.pieces))
    if not code and (sides[0].unsorted or sides[1].unsorted) and "no-check" not in flags:
        await ctx.error("input is not in sorted order")
        return 1
    return code


def _check(operands: list[str]) -> None:
    hint = "\nTry 'comm --help' for more information."
    if not operands:
        raise UsageError(f"missing operand{hint}", 1)
    if len(operands) == 1:
        raise UsageError(f"missing operand after ‘{operands[0]}’{hint}", 1)
    if len(operands) > 2:
        raise UsageError(f"extra operand ‘{operands[2]}’{hint}", 1)


async def _merge(
    ctx: Context, left: _Side, right: _Side, columns: _Columns, flags: set[str]
) -> int:
    """Go through both files at once; GNU complains of order only once a line had no partner."""
    unpaired = False
    told: set[int] = set()
    while left.line is not None or right.line is not None:
        one, other = left.line, right.line
        if one is not None and one == other:
            columns.add(2, left.step())
            right.step()
        else:
            unpaired = True
            first = other is None or (one is not None and one < other)
            columns.add(0 if first else 1, (left if first else right).step())
        for side in (left, right):
            wanted = (unpaired and "no-check" not in flags) or "check" in flags
            if side.unsorted and wanted and side.number not in told:
                told.add(side.number)
                await ctx.error(f"file {side.number} is not in sorted order")
                if "check" in flags:
                    return 1
        if len(columns.pieces) >= BATCH:
            ctx.deadline.check()
            await ctx.write(b"".join(columns.pieces))
            columns.pieces.clear()
    left.unsorted &= left.number in told
    right.unsorted &= right.number in told
    return 0
