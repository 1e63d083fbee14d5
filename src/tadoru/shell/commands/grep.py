"""`grep`, `egrep` and `fgrep` as GNU grep 3.8 in C.UTF-8, in two stages.

The expression is turned into literals that every match must contain; the store proposes the files
that hold them, and the exact matcher decides on their bytes. What selects lines that do not match
(`-v`, `-L`, `-c`) reads every file.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

from tadoru.errors import IsADirectoryHere, PathNotFound, TadoruError
from tadoru.shell.commands.context import STDIN, Context, UsageError, encode
from tadoru.shell.commands.grep_files import Walk, readable, skipped
from tadoru.shell.commands.grep_help import HELP, VERSION
from tadoru.shell.commands.grep_options import USAGE, GlobRule, GrepOptions, parse
from tadoru.shell.commands.grep_print import Printer, Shared
from tadoru.shell.regex.compile import compile_perl, compile_posix
from tadoru.shell.regex.matcher import Clock, Matcher, Rules
from tadoru.shell.regex.nodes import PatternError
from tadoru.shell.space import FileTooLarge, strerror

MAX_LINE_BYTES = 64 << 20
"""A single line from a pipe that is longer than this ends the command."""
_STDIN = "-"


async def main(ctx: Context) -> int:
    """Run one call. The exit code is 0 when a line was selected, 1 when none was, 2 on errors."""
    fixed = {"egrep": "extended", "fgrep": "fixed"}.get(ctx.name, "")
    ctx.name = "grep"
    options = parse(ctx.argv, matcher=fixed)
    for warning in options.warnings:
        await ctx.error(warning)
    if options.information:
        await ctx.write(encode(HELP if options.information == "help" else VERSION))
        return 0
    if not (options.pattern_sources or options.operands):
        await ctx.push_error(encode(USAGE + "\n"))
        return 2
    patterns, options = await _patterns(ctx, options)
    matcher = await _compile(ctx, options, patterns)
    return await _Grep(ctx, options, matcher).run()


async def _patterns(ctx: Context, options: GrepOptions) -> tuple[list[str], GrepOptions]:
    """Gather the patterns of `-e` and `-f`, or take the first operand."""
    patterns: list[str] = []
    operands = options.operands
    sources = options.pattern_sources
    if not sources:
        sources = (("e", operands[0]),)
        operands = operands[1:]
    for kind, value in sources:
        if kind == "e":
            patterns.extend(value.split("\n"))
            continue
        try:
            data = await ctx.read_operand(value)
        except TadoruError as error:
            raise UsageError(f"{value}: {strerror(error)}") from None
        text = data.decode("utf-8", "surrogateescape")
        if text:
            patterns.extend(text.removesuffix("\n").split("\n"))
    files = options.files
    for name in options.exclude_from:
        try:
            lines = (await ctx.read_operand(name)).decode("utf-8", "surrogateescape").split("\n")
        except TadoruError as error:
            raise UsageError(f"{name}: {strerror(error)}") from None
        files += tuple(GlobRule(line) for line in lines if line)
    return patterns, replace(options, operands=operands, files=files)


async def _compile(ctx: Context, options: GrepOptions, patterns: list[str]) -> Matcher:
    perl = options.matcher == "perl"
    rules = Rules(options.word, options.line, options.zero, ascii_words=perl, longest=not perl)
    clock = Clock(ctx.deadline.check, ctx.deadline.left)
    try:
        if perl:
            if len(patterns) > 1:
                raise UsageError("the -P option only supports a single pattern")
            return compile_perl(patterns, rules, clock, ignore_case=options.ignore_case)
        matcher, warnings = compile_posix(
            patterns,
            options.matcher,  # type: ignore[arg-type]
            rules,
            clock,
            ignore_case=options.ignore_case,
        )
    except PatternError as error:
        raise UsageError(str(error)) from None
    for warning in warnings:
        await ctx.error(f"warning: {warning}")
    return matcher


class _Grep:
    """One call: walks the inputs, prints, and keeps the exit code."""

    def __init__(self, ctx: Context, options: GrepOptions, matcher: Matcher) -> None:
        self._ctx = ctx
        self._options = options
        self._matcher = matcher
        self._shared = Shared()
        self._selected = False
        self._failed = False
        self._recursive = options.directories == "recurse"
        self._named = options.names
        if options.names is None and len(options.operands) > 1:
            self._named = True
        self._stdin_read = False
        counts = options.count and not options.quiet and not options.list_files
        lists_others = options.list_files == "L" and not options.quiet
        self._narrow = not (options.invert or counts or lists_others)
        self._proposals: set[str] | None = None
        self._proposed = False

    async def run(self) -> int:
        options = self._options
        if options.max_count == 0 and options.list_files != "L":
            return 1
        if not options.operands and self._recursive:
            await self._directory("", self._ctx.resolve_path("."))
            return self._code()
        operands = options.operands or (_STDIN,)
        for operand in operands:
            if await self._operand(operand):
                return 0
        return self._code()

    def _code(self) -> int:
        if self._failed and not (self._options.quiet and self._selected):
            return 2
        return 0 if self._selected else 1

    async def _operand(self, operand: str) -> bool:
        """Search one operand. True: `-q` has its answer."""
        if operand in STDIN:
            return await self._stdin("" if operand == _STDIN else operand)
        try:
            entry = self._ctx.lookup(operand)
        except TadoruError as error:
            await self._complain(operand, error)
            return False
        if entry.is_dir:
            if self._recursive:
                return await self._directory(operand, entry.path)
            if self._options.directories == "read":
                await self._complain(operand, IsADirectoryHere(operand))
            return False
        if skipped(self._options.files, operand, operand=True):
            return False
        try:
            data = self._ctx.read_file(operand)
        except TadoruError as error:
            await self._complain(operand, error)
            return False
        return await self._search(data, operand, named=bool(self._named))

    async def _complain(self, operand: str, error: TadoruError) -> None:
        if error.code == "limit":
            raise error
        self._failed = True
        if not self._options.no_messages:
            await self._ctx.flush()
            await self._ctx.error(f"{operand}: {strerror(error)}")

    async def _directory(self, operand: str, path: str) -> bool:
        if operand and skipped(self._options.dirs, operand.rstrip("/"), operand=True):
            return False
        named = self._named is not False
        prefix = operand if operand.endswith("/") or not operand else operand + "/"
        too_large: list[str] = []
        for shown, data in self._contents(path, prefix, too_large):
            self._ctx.deadline.check()
            if await self._search(data, shown, named=named):
                return True
        for shown in too_large:
            await self._complain(shown, FileTooLarge(shown))
        return False

    def _contents(
        self, path: str, prefix: str, too_large: list[str]
    ) -> Iterator[tuple[str, bytes]]:
        """Yield (name as it is shown, bytes) of the files below a directory.

        Names of files that are more than one read returns are added to `too_large`.
        """
        walk = Walk(self._ctx, self._options.files, self._options.dirs)
        if self._options.follow_links or not self._ctx.tree.is_dir(path):
            for found, inner in walk.following(path, ""):
                try:
                    yield prefix + inner, self._ctx.read_bytes(found)
                except PathNotFound:
                    continue
            return
        cut = len(path) + 1 if path else 0
        below = walk.below(path, self._candidates())
        kept = readable(self._ctx.tree, below, lambda found: too_large.append(prefix + found[cut:]))
        for found, data in self._ctx.view.read_many(kept):
            yield prefix + found[cut:], data

    def _candidates(self) -> set[str] | None:
        """Ask the store once which files can match."""
        if not self._proposed:
            self._proposed = True
            if self._narrow and self._matcher.literals:
                self._proposals = self._ctx.view.candidates(self._matcher.literals)
        return self._proposals

    async def _stdin(self, name: str) -> bool:
        name = name or self._options.label
        printer = self._printer(name if self._named else None)
        async for piece, last in self._pieces():
            if pieces := printer.feed(piece, last=last):
                await self._ctx.write(b"".join(pieces))
            if printer.done or last:
                break
            if self._options.line_buffered:
                await self._ctx.flush()
        return await self._finish(printer, name, named=bool(self._named))

    async def _pieces(self) -> AsyncIterator[tuple[bytes, bool]]:
        """Yield stdin in pieces of whole lines, as far as it has any."""
        held: list[bytes] = []
        size = 0
        while not self._stdin_read:
            piece = await self._ctx.read()
            self._stdin_read = not piece
            held.append(piece)
            size += len(piece)
            if size > MAX_LINE_BYTES:
                raise UsageError("memory exhausted")
            if b"\n" in piece or not piece or self._options.zero:
                data = b"".join(held)
                held.clear()
                size = 0
                yield data, not piece
        yield b"", True

    async def _search(self, data: bytes, name: str, *, named: bool) -> bool:
        printer = self._printer(name if named else None)
        if pieces := printer.feed(data, last=True):
            await self._ctx.write(b"".join(pieces))
        return await self._finish(printer, name, named=named)

    def _printer(self, name: str | None) -> Printer:
        shown = None if name is None else encode(name)
        return Printer(self._options, self._matcher, shown, self._shared)

    async def _finish(self, printer: Printer, name: str, *, named: bool) -> bool:
        """Print what is said once about an input. True: `-q` has its answer."""
        options = self._options
        found = printer.count > 0
        self._selected = self._selected or found
        if options.quiet:
            return found
        if options.list_files:
            if found is (options.list_files == "l"):
                end = b"\0" if options.null_after_name else b"\n"
                await self._ctx.write(printer.colored_name(encode(name)) + end)
        elif options.count:
            await self._ctx.write(printer.count_line())
        elif printer.binary:
            await self._ctx.flush()
            await self._ctx.error(f"{name}: binary file matches")
        return False
