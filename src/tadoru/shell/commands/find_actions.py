"""What `find` does with an item: print it in some form, run a command, prune, quit.

Evaluation is synchronous and only gathers text and command lines in `State`; the walk hands them
on. A command whose result nobody looks at is not run at once: many of them go into one interpreter,
which makes `-exec grep ... {} \\;` over hundreds of files cheap.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from tadoru.errors import LimitExceeded
from tadoru.shell.commands import facts
from tadoru.shell.commands.context import Context, encode, shell_quote
from tadoru.shell.commands.find_item import Item
from tadoru.shell.commands.find_printf import compile_format
from tadoru.shell.space import link_text
from tadoru.types import Kind

Test = Callable[[Item], bool]
Argument = Callable[[], str]

EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
GATHERED_WORDS = 5_000
GATHERED_BYTES = 128 << 10
"""Arguments that one command line of `-exec ... {} +` gets at most (GNU: 128 KiB)."""


class Quit(Exception):
    """The expression says that the walk ends here."""


@dataclass(slots=True)
class _Gathering:
    """One `-exec ... {} +`."""

    words: list[str]
    in_place: bool
    paths: list[str] = field(default_factory=list)
    held: int = 0
    directory: str = ""


@dataclass(slots=True)
class State:
    """What a walk has gathered, and what it was told."""

    acts: bool = False
    """True when the expression has an action, so that nothing is printed by itself."""
    pruned: bool = False
    code: int = 0
    out: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lines: list[tuple[str, str]] = field(default_factory=list)
    """(directory, command line) still to run; their results do not matter."""
    full: list[tuple[str, str]] = field(default_factory=list)
    """The same, of `{} +`: a failure makes `find` fail."""
    gatherings: list[_Gathering] = field(default_factory=list)

    async def settle(self, ctx: Context) -> None:
        """Write what was gathered, and run the command lines that wait."""
        if self.out:
            text, self.out = "".join(self.out), []
            await ctx.write(encode(text))
        for message in self.errors:
            await ctx.push_error(encode(message))
        self.errors.clear()
        if self.lines:
            script = "\n".join(_in_directory(d, line, ctx) for d, line in self.lines)
            self.lines.clear()
            await self._run(script, ctx)
        while self.full:
            directory, line = self.full.pop(0)
            if await self._run(_in_directory(directory, line, ctx), ctx):
                self.code = 1

    async def finish(self, ctx: Context) -> None:
        for gathering in self.gatherings:
            _release(self, gathering)
        await self.settle(ctx)

    async def _run(self, script: str, ctx: Context) -> int:
        out, err, code = await ctx.run_script(script, ctx.cwd)
        if err:
            await ctx.push_error(err)
        await ctx.write(out)
        return code


def _in_directory(directory: str, line: str, ctx: Context) -> str:
    return f"(cd {shell_quote([directory])} && {line})" if directory else line


def printer(state: State, end: str) -> Test:
    """Return the action that prints the path and `end`."""

    def show(item: Item) -> bool:
        state.out.append(item.shown + end)
        return True

    return show


def make(word: str, argument: Argument, state: State) -> Test | None:
    """Return the action for a word; None when it is not one."""
    if word == "-prune":

        def prune(item: Item) -> bool:
            state.pruned = True
            return True

        return prune
    makers: dict[str, Callable[[], Test]] = {
        "-print": lambda: printer(state, "\n"),
        "-print0": lambda: printer(state, "\0"),
        "-printf": lambda: _formatted(state, argument()),
        "-ls": lambda: _listed(state),
        "-quit": _quit,
        "-delete": lambda: _delete(state),
    }
    if word not in makers:
        return None
    if word != "-quit":
        state.acts = True
    return makers[word]()


def _formatted(state: State, text: str) -> Test:
    render = compile_format(text)

    def show(item: Item) -> bool:
        state.out.append(render(item))
        return True

    return show


def _listed(state: State) -> Test:
    def show(item: Item) -> bool:
        entry, space = item.entry, item.space
        arrow = f" -> {link_text(entry)}" if entry.kind is Kind.LINK else ""
        name = item.shown.replace(" ", "\\ ")
        state.out.append(
            f"{facts.inode(entry):9d} {facts.blocks(entry) // 2:6d} "
            f"{facts.mode_text(entry, space)} {facts.link_count(entry, space):3d} "
            f"{facts.OWNER:8s} {facts.OWNER:8s} {facts.size_of(entry):8d} "
            f"{facts.short_date(entry.mtime_ns)} {name}{arrow}\n"
        )
        return True

    return show


def _quit() -> Test:
    def stop(item: Item) -> bool:
        raise Quit

    return stop


def _delete(state: State) -> Test:
    from tadoru.errors import TadoruError
    from tadoru.shell import writes
    from tadoru.shell.space import strerror

    def delete(item: Item) -> bool:
        if item.shown == ".":
            return True
        try:
            writes.remove(item.space, item.path)
        except TadoruError as error:
            state.errors.append(f"find: cannot delete ‘{item.shown}’: {strerror(error)}\n")
            state.code = 1
            return False
        return True

    return delete


# -- commands --------------------------------------------------------------------------------------


def _place(item: Item, in_place: bool) -> tuple[str, str]:
    """Return the directory to run in (empty: where `find` runs) and what `{}` stands for."""
    if not in_place:
        return "", item.shown
    parent, _, name = item.shown.rstrip("/").rpartition("/")
    return parent or ("/" if item.shown.startswith("/") else "."), f"./{name}"


def declined(state: State, words: list[str]) -> Test:
    """Return the action of `-ok`: it asks, and nobody is there to agree."""
    state.acts = True

    def ask(item: Item) -> bool:
        state.errors.append(f"< {words[0]} ... {item.shown} > ? ")
        return False

    return ask


def each(
    state: State, ctx: Context, words: list[str], *, in_place: bool, result_unused: bool
) -> Test:
    """Return the action of `-exec ... \\;`: true when the command succeeds."""
    only_action = not state.acts
    state.acts = True

    def line_for(item: Item) -> tuple[str, str]:
        directory, shown = _place(item, in_place)
        return directory, shell_quote([word.replace("{}", shown) for word in words])

    def later(item: Item) -> bool:
        state.lines.append(line_for(item))
        return True

    def now(item: Item) -> bool:
        directory, line = line_for(item)
        out, err, code = _run_now(ctx, _in_directory(directory, line, ctx))
        state.out.append(out.decode("utf-8", "surrogateescape"))
        if err:
            state.errors.append(err.decode("utf-8", "surrogateescape"))
        return code == 0

    return later if only_action and result_unused else now


def _run_now(ctx: Context, script: str) -> tuple[bytes, bytes, int]:
    """Run a script to its end in a loop and thread of its own, while ours waits."""
    results: list[tuple[bytes, bytes, int]] = []
    failures: list[BaseException] = []

    def work() -> None:
        try:
            results.append(asyncio.run(_awaited(ctx, script)))
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work, name="tadoru-find-exec", daemon=True)
    thread.start()
    thread.join(ctx.deadline.left() + 1)
    if failures:
        raise failures[0]
    if not results:
        raise LimitExceeded(f"time limit of {ctx.deadline.seconds:g} s exceeded")
    return results[0]


async def _awaited(ctx: Context, script: str) -> tuple[bytes, bytes, int]:
    return await ctx.run_script(script, ctx.cwd)


def gathered(state: State, words: list[str], *, in_place: bool) -> Test:
    """Return the action of `-exec ... {} +`: always true; the command runs on many paths."""
    state.acts = True
    gathering = _Gathering(words, in_place)
    state.gatherings.append(gathering)

    def gather(item: Item) -> bool:
        directory, shown = _place(item, in_place)
        if gathering.paths and directory != gathering.directory:
            _release(state, gathering)
        gathering.directory = directory
        gathering.paths.append(shown)
        gathering.held += len(shown) + 1
        if len(gathering.paths) >= GATHERED_WORDS or gathering.held >= GATHERED_BYTES:
            _release(state, gathering)
        return True

    return gather


def _release(state: State, gathering: _Gathering) -> None:
    if gathering.paths:
        line = shell_quote([*gathering.words, *gathering.paths])
        state.full.append((gathering.directory, line))
        gathering.paths, gathering.held = [], 0
