"""`find`: walks the names of the tree, sorted, and evaluates an expression on each.

Reads no file content. `find_parse` turns words into an expression, `find_tests` knows the tests,
`find_actions` what is done; this module walks. Links are not followed but with `-L`, and below a
link that leads to one of its own parents never.
"""

from __future__ import annotations

from collections.abc import Iterator

from tadoru.errors import TadoruError
from tadoru.shell.commands import find_names
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.find_actions import Quit
from tadoru.shell.commands.find_item import Item
from tadoru.shell.commands.find_parse import Expression, parse, split_operands
from tadoru.shell.space import strerror

CHECK_EVERY = 64
"""Names between two looks at the clock, and two writes."""


HELP = """Usage: find [-H] [-L] [-P] [path...] [expression]

Tests: -name -iname -path -ipath -regex -iregex -type -xtype -size -empty -mtime -mmin -newer
  -newermt -perm -executable -user -group -links -inum -samefile -lname -true -false
Actions: -print -print0 -printf FORMAT -ls -exec COMMAND ; -exec COMMAND {} + -execdir
  -prune -quit -delete
Operators: ( EXPR )  ! EXPR  -not EXPR  EXPR -a EXPR  EXPR -o EXPR  EXPR , EXPR
Others: -maxdepth N -mindepth N -depth -follow -regextype TYPE
"""


async def main(ctx: Context) -> int:
    if ctx.argv in (["--help"], ["-help"]):
        await ctx.write(HELP.encode())
        return 0
    try:
        follow, operands, words = split_operands(ctx.argv)
        wanted = find_names.wish(words) if follow == "P" else None
        if wanted and all(find_names.covers(ctx, operand) for operand in operands or ["."]):
            for operand in operands or ["."]:
                await find_names.show(ctx, operand, wanted)
            return 0
        expression = parse(words, ctx, follow=follow)
        return await _Walk(ctx, expression).run(operands or ["."])
    except UsageError as error:
        await ctx.error(str(error))
    except RecursionError:  # thousands of operators in one expression
        await ctx.error("the expression is too long or nested too deeply")
    return 1


class _Walk:
    """One walk over all operands."""

    def __init__(self, ctx: Context, expression: Expression) -> None:
        self._ctx = ctx
        self._expression = expression
        self._code = 0

    async def run(self, operands: list[str]) -> int:
        state = self._expression.state
        try:
            for operand in operands:
                item = await self._start(operand)
                if item is not None:
                    await self._walk(item)
        except Quit:
            pass
        await state.finish(self._ctx)
        return self._code or state.code

    async def _walk(self, start: Item) -> None:
        """Evaluate the expression on all items below one, parents first (last with `-depth`)."""
        if self._expression.children_first:
            for counter, item in enumerate(self._children_first(start)):
                if item.depth >= self._expression.min_depth:
                    self._expression.evaluate(item)
                if not counter % CHECK_EVERY:
                    await self._breathe()
            return
        expression, state = self._expression, self._expression.state
        evaluate, counter = expression.evaluate, 0
        least, most, always = expression.min_depth, expression.max_depth, expression.follow == "L"
        stack: list[Iterator[Item]] = [iter((start,))]
        while stack:
            for item in stack[-1]:
                counter += 1
                if not counter % CHECK_EVERY:
                    await self._breathe()
                state.pruned = False
                if item.depth >= least:
                    evaluate(item)
                enters = item.is_dir and not state.pruned and item.depth < most
                if enters and not (always and item.loops()):
                    stack.append(item.children(always))
                    break
            else:
                stack.pop()

    async def _breathe(self) -> None:
        """Look at the clock, and hand on what was gathered."""
        self._ctx.deadline.check()
        await self._expression.state.settle(self._ctx)

    async def _start(self, operand: str) -> Item | None:
        follow = self._expression.follow in ("L", "H")
        try:
            entry = self._ctx.lookup(operand, follow=follow)
        except TadoruError as error:
            await self._ctx.error(f"‘{operand}’: {strerror(error)}")
            self._code = 1
            return None
        path = entry.path if operand.endswith("/") or follow else self._ctx.resolve_path(operand)
        return Item.operand(self._ctx.space, operand, path, follow=follow)

    def _children_first(self, start: Item) -> Iterator[Item]:
        expression = self._expression
        always = expression.follow == "L"
        stack: list[tuple[Item, Iterator[Item]]] = [(start, self._below(start, always))]
        while stack:
            item, below = stack[-1]
            child = next(below, None)
            if child is None:
                stack.pop()
                yield item
            elif child.is_dir:
                stack.append((child, self._below(child, always)))
            else:
                yield child

    def _below(self, item: Item, always: bool) -> Iterator[Item]:
        if not item.is_dir or item.depth >= self._expression.max_depth or item.loops():
            return iter(())
        return item.children(always)
