"""`rg` as ripgrep 13 writes into a pipe: the same two stages as grep, sorted by path.

The tree is already what ignore files leave; hidden names are skipped unless `--hidden`. Rust's
expressions; `-P` allows look-around and back-references, under the time limit.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping

from tadoru.errors import LimitExceeded, TadoruError
from tadoru.shell.commands.context import Context, UsageError, encode
from tadoru.shell.commands.grep_files import Walk, readable
from tadoru.shell.commands.rg_globs import Globs
from tadoru.shell.commands.rg_options import RgOptions, parse
from tadoru.shell.commands.rg_print import Result, RgPrinter, Shared
from tadoru.shell.commands.rg_types import known_types
from tadoru.shell.globs import compile_glob
from tadoru.shell.regex.compile import compile_perl, fixed_expression
from tadoru.shell.regex.matcher import Clock, Matcher, Rules
from tadoru.shell.regex.nodes import PatternError
from tadoru.shell.regex.replace import Replacer
from tadoru.shell.space import FileTooLarge, strerror

MAX_STDIN_BYTES = 64 << 20
"""Input from a pipe is kept whole, because its name and counts come first."""
_ERRNO = {"EFBIG": 27, "ENOENT": 2, "ENOTDIR": 20, "EISDIR": 21, "EACCES": 13}
_PCRE_HINT = """

Consider enabling PCRE2 with the --pcre2 flag, which can handle backreferences
and look-around."""
_NOTHING_SEARCHED = """\
No files were searched, which means ripgrep probably applied a filter you didn't expect.
Running with --debug will show why files are being skipped.
"""
_USAGE = "error: The following required arguments were not provided:\n    <PATTERN>\n"
HELP = """\
Usage: rg [OPTIONS] PATTERN [PATH ...]
Search files below PATH for a regular expression, and print the lines that match.

  -e PATTERN -f FILE -F -P -i -s -S -w -x -v -U --multiline-dotall
  -n -N -H -I -o -c --count-matches -l --files-without-match -q -r TEXT
  -A NUM -B NUM -C NUM -m NUM -M NUM --column --vimgrep --heading -b -0 --passthru --trim
  -g GLOB --iglob GLOB -t TYPE -T TYPE --type-list --files -. -L -a -d NUM
"""


async def main(ctx: Context) -> int:
    """Run one call. Exit code 0 when something matched, 1 when nothing did, 2 on errors."""
    try:
        options = parse(ctx.argv)
        return await _run(ctx, options)
    except UsageError as error:
        await ctx.flush()
        await ctx.push_error(encode(f"{error}\n"))
        return error.code


async def _run(ctx: Context, options: RgOptions) -> int:
    if options.information:
        await ctx.write(
            encode(HELP if options.information == "help" else "ripgrep 13.0.0 (tadoru)\n")
        )
        return 0
    if options.type_list:
        for name, globs in sorted(known_types(options.types_added).items()):
            await ctx.write(f"{name}: {globs.replace(' ', ', ')}\n".encode())
        return 0
    operands = list(options.operands)
    sources = list(options.sources)
    if not sources and not options.files:
        if not operands:
            raise UsageError(_USAGE)
        sources = [("regexp", operands.pop(0))]
    search = _Search(ctx, options, operands)
    if options.files:
        return await search.list_files()
    patterns = await _patterns(ctx, sources)
    return await search.run(_compile(ctx, options, patterns))


async def _patterns(ctx: Context, sources: list[tuple[str, str]]) -> list[str]:
    patterns: list[str] = []
    for kind, value in sources:
        if kind == "regexp":
            patterns.append(value)
            continue
        try:
            data = await ctx.read_operand(value)
        except TadoruError as error:
            raise UsageError(_os_error(value, error)) from None
        text = data.decode("utf-8", "replace").removesuffix("\n")
        patterns.extend(line.removesuffix("\r") for line in text.split("\n") if data)
    return patterns


def _compile(ctx: Context, options: RgOptions, patterns: list[str]) -> Matcher:
    if options.fixed:
        patterns = [fixed_expression(pattern) for pattern in patterns]
    fold = options.case == "ignore"
    if options.case == "smart":
        fold = not any(_has_upper(pattern) for pattern in patterns)
    rules = Rules(
        options.word,
        options.line,
        options.zero,
        longest=False,
        multiline=options.multiline,
    )
    if options.multiline and options.dotall:
        patterns = [f"(?s){pattern}" for pattern in patterns]
    clock = Clock(ctx.deadline.check, ctx.deadline.left)
    try:
        return compile_perl(patterns, rules, clock, ignore_case=fold, rust=not options.perl)
    except PatternError as error:
        text = str(error)
        if "not supported" in text:
            text += _PCRE_HINT
        raise UsageError(text) from None


def _has_upper(pattern: str) -> bool:
    """Tell whether a literal of a pattern is upper case; escapes such as `\\S` do not count."""
    at = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 2
            continue
        if pattern[at].isupper():
            return True
        at += 1
    return False


def _os_error(name: str, error: TadoruError) -> str:
    number = _ERRNO.get(error.errno_name, 5)
    return f"{name}: {strerror(error)} (os error {number})"


class _Search:
    """One call: chooses the files, searches them, prints."""

    def __init__(self, ctx: Context, options: RgOptions, operands: list[str]) -> None:
        self._ctx = ctx
        self._options = options
        self._operands = operands
        self._globs = Globs(options.globs)
        known = known_types(options.types_added)
        self._wanted = _type_globs(options.types, known)
        self._unwanted = _type_globs(options.types_not, known)
        self._failed = False
        self._searched = False
        self._cwd = ctx.resolve_path(".")

    async def run(self, matcher: Matcher) -> int:
        options = self._options
        narrow = not options.invert and options.mode != "without" and not options.passthru
        narrow = narrow and not options.include_zero
        proposed = None
        operands = self._operands
        if not operands:
            operands = ["-"] if await self._ctx.has_stdin() else [""]
        many = len(operands) > 1 or any(self._is_directory(operand) for operand in operands)
        named = options.names if options.names is not None else many or options.vimgrep
        replacer = None
        if options.replace is not None:
            replacer = Replacer(matcher, options.replace)
        shared = Shared()
        found = False
        for operand in operands:
            if operand not in ("-",) and narrow and matcher.literals and proposed is None:
                proposed = self._ctx.view.candidates(matcher.literals)
            async for name, data, explicit in self._inputs(operand, proposed):
                self._ctx.deadline.check()
                shown = encode(name) if named else None
                printer = RgPrinter(options, matcher, replacer, shared, shown, explicit=explicit)
                result = printer.run(data)
                found = await self._report(printer, result, encode(name), named) or found
                if found and options.quiet:
                    return 0
        if not found and self._chose_nothing(operands):
            await self._ctx.push_error(encode(_NOTHING_SEARCHED))
            return 2
        if self._failed:
            return 2
        return 0 if found else 1

    def _chose_nothing(self, operands: list[str]) -> bool:
        """Tell whether globs and types left no file at all."""
        if self._failed or not (self._globs.given or self._wanted or self._unwanted):
            return False
        directories = [operand for operand in operands if self._is_directory(operand)]
        left = any(True for operand in directories for _ in self._paths(operand, None))
        return len(directories) == len(operands) and not left

    async def _report(self, printer: RgPrinter, result: Result, name: bytes, named: bool) -> bool:
        """Print what was found in one file, and tell whether that counts as success."""
        options = self._options
        end = b"\0" if options.null else b"\n"
        matched = result.lines > 0
        if result.skipped:
            return False
        if options.quiet:
            return matched
        if options.mode in ("with", "without"):
            matched = matched is (options.mode == "with")
            if matched:
                await self._ctx.write(printer.shown_name(name) + end)
            return matched
        if options.mode:
            if matched or options.include_zero:
                number = result.lines
                if options.mode == "count-matches" and not options.invert:
                    number = result.matches
                head = (
                    printer.shown_name(name) + (b"\0" if options.null else b":") if named else b""
                )
                await self._ctx.write(head + b"%d\n" % number)
            return matched
        if result.out:
            await self._ctx.write(b"".join(result.out))
        return matched

    async def list_files(self) -> int:
        """Print what would be searched (`--files`)."""
        end = b"\0" if self._options.null else b"\n"
        found = False
        for operand in self._operands or [""]:
            if not self._is_directory(operand):
                if await self._exists(operand):
                    await self._ctx.write(encode(operand) + end)
                    found = True
                continue
            for _, name in self._paths(operand, None):
                await self._ctx.write(encode(name) + end)
                found = True
        if self._failed:
            return 2
        return 0 if found else 1

    async def _exists(self, operand: str) -> bool:
        try:
            self._ctx.lookup(operand)
        except TadoruError as error:
            await self._complain(operand, error)
            return False
        return True

    async def _complain(self, name: str, error: TadoruError) -> None:
        if error.code == "limit":
            raise error
        self._failed = True
        if not self._options.no_messages:
            await self._ctx.flush()
            await self._ctx.push_error(encode(_os_error(name, error) + "\n"))

    def _is_directory(self, operand: str) -> bool:
        return operand != "-" and self._ctx.space.is_directory(
            self._ctx.resolve_path(operand or ".")
        )

    async def _inputs(
        self, operand: str, proposed: set[str] | None
    ) -> AsyncIterator[tuple[str, bytes, bool]]:
        """Yield (name, bytes, whether it was named) of what one operand stands for."""
        if operand == "-":
            yield "<stdin>", await self._stdin(), True
            return
        if not self._is_directory(operand):
            try:
                data = self._ctx.read_file(operand)
            except TadoruError as error:
                await self._complain(operand, error)
                return
            yield operand, data, True
            return
        if self._options.follow:
            for path, name in self._paths(operand, proposed):
                yield name, self._ctx.read_bytes(path), False
            return
        names = dict(self._paths(operand, proposed))
        too_large: list[str] = []
        kept = readable(self._ctx.tree, names, too_large.append)
        for path, data in self._ctx.view.read_many(kept):
            yield names[path], data, False
        for path in too_large:
            await self._complain(names[path], FileTooLarge(path))

    async def _stdin(self) -> bytes:
        """Return all of stdin, within its limit."""
        pieces: list[bytes] = []
        size = 0
        while piece := await self._ctx.read():
            pieces.append(piece)
            size += len(piece)
            if size > MAX_STDIN_BYTES:
                raise LimitExceeded(
                    f"more than {MAX_STDIN_BYTES >> 20} MiB on stdin",
                    hint="use grep, which does not keep its input",
                )
        return b"".join(pieces)

    def _paths(self, operand: str, proposed: set[str] | None) -> Iterator[tuple[str, str]]:
        """Yield (tree path, shown name) of the files below a directory that are searched."""
        directory = self._ctx.resolve_path(operand or ".")
        prefix = operand if not operand or operand.endswith("/") else operand + "/"
        walk = Walk(self._ctx, (), ())
        cut = len(directory) + 1 if directory else 0
        tree = self._ctx.tree
        if self._options.follow or not tree.is_dir(directory):
            found = walk.following(directory, "")
        else:
            found = ((path, path[cut:]) for path in walk.below(directory, proposed))
        chosen = ((p, prefix + inner) for p, inner in found if self._chosen(p, inner))
        return iter(sorted(chosen, reverse=True)) if self._options.reverse else chosen

    def _chosen(self, path: str, inner: str) -> bool:
        options = self._options
        parts = inner.split("/")
        if len(parts) > options.max_depth:
            return False
        relative = self._relative(path)
        named = relative.count("/") + 1 - len(parts)
        if not self._globs.admits(relative, named, hidden=options.hidden):
            return False
        name = parts[-1]
        if self._wanted and not any(glob(name) for glob in self._wanted):
            return False
        if any(glob(name) for glob in self._unwanted):
            return False
        if options.max_bytes < 1 << 62:
            entry = self._ctx.tree.get(path)
            return entry is None or entry.size <= options.max_bytes
        return True

    def _relative(self, path: str) -> str:
        """Return a tree path relative to the working directory, to which globs refer."""
        prefix = f"{self._cwd}/" if self._cwd else ""
        return path[len(prefix) :] if path.startswith(prefix) else path


def _type_globs(names: tuple[str, ...], types: Mapping[str, str]) -> list[Callable[[str], bool]]:
    tests: list[Callable[[str], bool]] = []
    for name in names:
        known = " ".join(types.values()) if name == "all" else types.get(name)
        if known is None:
            raise UsageError(f"unrecognized file type: {name}")
        tests.extend(compile_glob(glob) for glob in known.split())
    return tests
