"""`du`: space below directories, in blocks or bytes, from the sizes that the tree knows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tadoru.errors import TadoruError
from tadoru.shell.commands import facts
from tadoru.shell.commands.context import Context, UsageError, encode
from tadoru.shell.commands.facts import quoted
from tadoru.shell.commands.operands import number
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.globs import compile_glob
from tadoru.shell.space import strerror
from tadoru.types import Entry, Kind

OPTIONS = Options(
    Option("all", "a", "all"),
    Option("summarize", "s", "summarize"),
    Option("total", "c", "total"),
    Option("depth", "d", "max-depth", "value"),
    Option("human", "h", "human-readable"),
    Option("si", "", "si"),
    Option("bytes", "b", "bytes"),
    Option("apparent", "", "apparent-size"),
    Option("kilo", "k"),
    Option("mega", "m"),
    Option("block-size", "B", "block-size", "value"),
    Option("separate", "S", "separate-dirs"),
    Option("follow", "L", "dereference"),
    Option("exclude", "", "exclude", "value"),
    Option("null", "0", "null"),
    Option("threshold", "t", "threshold", "value"),
    Option("time", "", "time", "maybe"),
    Option("ignored", "xDHPl", "one-file-system count-links no-dereference"),
)


@dataclass(slots=True)
class _Plan:
    all: bool = False
    depth: int = 1 << 30
    total: bool = False
    human: int = 0
    block: int = 1024
    apparent: bool = False
    separate: bool = False
    follow: bool = False
    end: str = "\n"
    exclude: tuple[str, ...] = ()

    def shown(self, size: int) -> str:
        if self.human:
            return facts.human(size, unit=self.human)
        return str(math.ceil(size / self.block))

    def size(self, entry: Entry) -> int:
        return facts.size_of(entry) if self.apparent else facts.blocks(entry) * 512


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    plan = _Plan()
    for key, value in parsed:
        if key == "depth":
            if not value.isdigit():
                raise UsageError(
                    f"invalid maximum depth ‘{value}’\nTry 'du --help' for more information.", 1
                )
            plan.depth = int(value)
        elif key == "summarize":
            plan.depth = 0
        elif key == "bytes":
            plan.apparent, plan.block, plan.human = True, 1, 0
        elif key in ("human", "si"):
            plan.human = 1024 if key == "human" else 1000
        elif key in ("kilo", "mega"):
            plan.block, plan.human = (1024 if key == "kilo" else 1 << 20), 0
        elif key == "block-size":
            plan.block, plan.human = max(1, number(value, "--block-size argument")), 0
        elif key == "exclude":
            plan.exclude = (*plan.exclude, value)
        elif key == "null":
            plan.end = "\0"
        else:
            names = {"all": "all", "total": "total", "apparent": "apparent", "follow": "follow"}
            names["separate"] = "separate"
            if key in names:
                setattr(plan, names[key], True)
    return await _Du(ctx, plan).run(operands or ["."])


class _Du:
    """One measurement; a file counts once, however often it is reached."""

    def __init__(self, ctx: Context, plan: _Plan) -> None:
        self._ctx = ctx
        self._plan = plan
        self._seen: set[str] = set()
        self._excluded = [compile_glob(glob) for glob in plan.exclude]

    async def run(self, operands: list[str]) -> int:
        code = total = 0
        for operand in operands:
            try:
                entry = self._ctx.lookup(operand, follow=self._plan.follow)
            except TadoruError as error:
                await self._ctx.error(f"cannot access {quoted(operand)}: {strerror(error)}")
                code = 1
                continue
            total += await self._measure(operand, entry)
        if self._plan.total:
            await self._show(total, "total")
        return code

    async def _show(self, size: int, name: str) -> None:
        await self._ctx.write(encode(f"{self._plan.shown(size)}\t{name}{self._plan.end}"))

    async def _measure(self, shown: str, start: Entry) -> int:
        """Print what lies at a path, deepest first; return its size, 0 when it was counted."""
        if start.path in self._seen:
            return 0
        if start.kind is not Kind.DIRECTORY:
            self._seen.add(start.path)
            await self._show(self._plan.size(start), shown)
            return self._plan.size(start)
        stack = [_Directory(shown, start, self._ctx, self._plan)]
        while True:
            self._ctx.deadline.check()
            top = stack[-1]
            child = next(top.entries, None)
            if child is None:
                stack.pop()
                if len(stack) <= self._plan.depth:
                    await self._show(top.own if self._plan.separate else top.size, top.shown)
                if not stack:
                    return top.size
                stack[-1].size += top.size
            elif not self._skips(child):
                name = f"{top.shown.rstrip('/')}/{child.name}"
                if child.kind is Kind.DIRECTORY:
                    stack.append(_Directory(name, child, self._ctx, self._plan))
                    continue
                size = self._plan.size(child)
                top.size += size
                top.own += size
                if self._plan.all and len(stack) <= self._plan.depth:
                    await self._show(size, name)

    def _skips(self, entry: Entry) -> bool:
        if entry.path in self._seen or any(test(entry.name) for test in self._excluded):
            return True
        self._seen.add(entry.path)
        return False


class _Directory:
    """A directory being measured."""

    def __init__(self, shown: str, entry: Entry, ctx: Context, plan: _Plan) -> None:
        self.shown = shown
        self.size = self.own = plan.size(entry)
        self.entries = iter(ctx.space.entries(entry.path))
