"""`diff`: normal, unified and side by side, of files and directories, with the hunks of GNU diff.

Other layouts (`-c`, `-e`, `-n`) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tadoru.errors import TadoruError
from tadoru.shell.commands import facts
from tadoru.shell.commands.context import STDIN, Context, UsageError, encode
from tadoru.shell.commands.diff_columns import DEFAULT_WIDTH, Columns
from tadoru.shell.commands.edits import edits
from tadoru.shell.commands.options import Option, Options, Parsed
from tadoru.shell.globs import compile_glob
from tadoru.shell.space import strerror
from tadoru.types import Entry

OPTIONS = Options(
    Option("unified", "u"),
    Option("context-lines", "U", "unified", "maybe"),
    Option("brief", "q", "brief"),
    Option("same", "s", "report-identical-files"),
    Option("recursive", "r", "recursive"),
    Option("new-file", "N", "new-file"),
    Option("case", "i", "ignore-case"),
    Option("space", "w", "ignore-all-space"),
    Option("space-change", "b", "ignore-space-change"),
    Option("trailing", "Z", "ignore-trailing-space"),
    Option("blank", "B", "ignore-blank-lines"),
    Option("text", "a", "text"),
    Option("label", "L", "label", "value"),
    Option("cr", "", "strip-trailing-cr"),
    Option("columns", "y", "side-by-side"),
    Option("width", "W", "width", "value"),
    Option("suppress", "", "suppress-common-lines"),
    Option("left-column", "", "left-column"),
    Option("expand", "t", "expand-tabs"),
    Option("exclude", "x", "exclude", "value"),
    Option("other", "cen", "context ed rcs", "maybe"),
    Option("other", "CI", "ignore-matching-lines", "value"),
    Option("ignored", "dp", "minimal show-c-function speed-large-files color normal", "maybe"),
)
TROUBLE = 2
MAX_WIDTH = 10_000
NO_END = b"\n\\ No newline at end of file\n"


@dataclass(slots=True)
class _Plan:
    flags: set[str] = field(default_factory=set)
    context: int = -1
    """Lines around a hunk in the unified layout; below 0 for the normal one."""
    labels: list[str] = field(default_factory=list)
    excluded: list[Callable[[str], bool]] = field(default_factory=list)
    columns: Columns | None = None
    words: list[str] = field(default_factory=list)
    """The options as they were written, for the line that heads each file of `-r`."""


async def main(ctx: Context) -> int:
    # `-u5` is the old form of `-U5`
    argv = [re.sub(r"^-u(\d+)$", r"-U\1", word) for word in ctx.argv]
    parsed, operands = OPTIONS.parse(ctx.name, argv, usage_code=TROUBLE)
    plan = _Plan({key for key, _ in parsed})
    if "other" in plan.flags:
        raise UsageError("this layout is not here; use -u, -y or the normal one", TROUBLE)
    if "columns" in plan.flags:
        plan.columns = _columns(parsed)
    for key, value in parsed:
        if key in ("unified", "context-lines"):
            plan.context = int(value) if value.isdigit() else 3
        elif key == "label":
            plan.labels.append(value)
        elif key == "exclude":
            plan.excluded.append(compile_glob(value))
    plan.words = [w for w in ctx.argv if w.startswith("-") and w != "-"]
    if len(operands) != 2:
        last = operands[-1] if operands else ctx.name
        words = f"missing operand after '{last}'"
        if len(operands) > 2:
            words = f"extra operand '{operands[2]}'"
        raise UsageError(f"{words}\ndiff: Try 'diff --help' for more information.", TROUBLE)
    return await _Diff(ctx, plan).pair(*operands)


def _columns(parsed: Parsed) -> Columns:
    given = dict(parsed)
    width = given.get("width", str(DEFAULT_WIDTH))
    if not width.isdigit() or not 0 < int(width) <= MAX_WIDTH:
        raise UsageError(f"invalid width '{width}'", TROUBLE)
    return Columns(int(width), "expand" in given, "suppress" in given, "left-column" in given)


class _Diff:
    """One comparison."""

    def __init__(self, ctx: Context, plan: _Plan) -> None:
        self._ctx = ctx
        self._plan = plan
        self._flags = plan.flags

    async def pair(self, left: str, right: str) -> int:
        """Compare two operands; a directory and a file: the file of that name in it."""
        try:
            first, second = self._entry(left), self._entry(right)
        except TadoruError:
            for operand in (left, right):
                try:
                    self._entry(operand)
                except TadoruError as error:
                    await self._ctx.error(f"{operand}: {strerror(error)}")
            return TROUBLE
        if first is not None and second is not None and first.is_dir and second.is_dir:
            return await self._directories(left, right, top=True)
        if first is not None and first.is_dir:
            return await self.pair(f"{left.rstrip('/')}/{right.rpartition('/')[2]}", right)
        if second is not None and second.is_dir:
            return await self.pair(left, f"{right.rstrip('/')}/{left.rpartition('/')[2]}")
        return await self._files(left, right)

    def _entry(self, operand: str) -> Entry | None:
        if operand in STDIN:
            return None
        try:
            return self._ctx.lookup(operand)
        except TadoruError:
            if "new-file" in self._flags:
                return None
            raise

    async def _files(self, left: str, right: str, *, headed: bool = False) -> int:
        old, new = await self._content(left), await self._content(right)
        if old == new and self._plan.columns is None:
            if "same" in self._flags:
                await self._ctx.write(encode(f"Files {left} and {right} are identical\n"))
            return 0
        if "brief" in self._flags:
            await self._ctx.write(encode(f"Files {left} and {right} differ\n"))
            return 1
        if "text" not in self._flags and (b"\0" in old[:32_768] or b"\0" in new[:32_768]):
            await self._ctx.write(encode(f"Binary files {left} and {right} differ\n"))
            return 1
        before, after = _lines(old), _lines(new)
        same = self._normal_form()
        gone, come = edits(
            [same(line) for line in before],
            [same(line) for line in after],
            horizon=max(0, self._plan.context),
        )
        hunks = list(_hunks(gone, come))
        if "blank" in self._flags:
            hunks = [h for h in hunks if not _blank(before[h[0] : h[1]], after[h[2] : h[3]])]
        if self._plan.columns is not None:
            await self._ctx.write(b"".join(self._plan.columns.rows(hunks, before, after)))
            return int(bool(hunks))
        if not hunks:
            return 0
        if headed:
            words = " ".join([*self._plan.words, left, right])
            await self._ctx.write(encode(f"diff {words}\n"))
        if self._plan.context < 0:
            await self._normal(hunks, before, after)
        else:
            await self._ctx.write(self._header("---", left, 0) + self._header("+++", right, 1))
            await self._unified(hunks, before, after)
        return 1

    async def _content(self, operand: str) -> bytes:
        if "new-file" in self._flags and operand not in STDIN and self._entry(operand) is None:
            return b""
        return await self._ctx.read_operand(operand)

    def _header(self, mark: str, operand: str, side: int) -> bytes:
        if len(self._plan.labels) > side:
            return encode(f"{mark} {self._plan.labels[side]}\n")
        entry = self._entry(operand)
        ns = entry.mtime_ns if entry is not None else 0
        return encode(f"{mark} {operand}\t{facts.full_date(ns)}\n")

    def _normal_form(self) -> Callable[[bytes], bytes]:
        """Return the form of a line in which lines are compared."""
        flags = self._flags
        steps: list[Callable[[bytes], bytes]] = []
        if "cr" in flags:
            steps.append(lambda line: line.replace(b"\r\n", b"\n"))
        if "space" in flags:
            steps.append(lambda line: re.sub(rb"\s+", b"", line))
        elif "space-change" in flags:
            steps.append(lambda line: re.sub(rb"\s+", b" ", line).rstrip())
        elif "trailing" in flags:
            steps.append(lambda line: line.rstrip())
        if "case" in flags:
            steps.append(
                lambda line: (
                    line.decode("utf-8", "surrogateescape")
                    .lower()
                    .encode("utf-8", "surrogateescape")
                )
            )

        def form(line: bytes) -> bytes:
            for step in steps:
                line = step(line)
            return line

        return form

    async def _normal(self, hunks: list[Hunk], old: list[bytes], new: list[bytes]) -> None:
        for a, b, c, d in hunks:
            self._ctx.deadline.check()
            kind = "c" if a < b and c < d else "d" if a < b else "a"
            left = _range(a, b) if a < b else str(a)
            right = _range(c, d) if c < d else str(c)
            text = [encode(f"{left}{kind}{right}\n"), *(_marked(b"< ", x) for x in old[a:b])]
            if kind == "c":
                text.append(b"---\n")
            text += [_marked(b"> ", x) for x in new[c:d]]
            await self._ctx.write(b"".join(text))

    async def _unified(self, hunks: list[Hunk], old: list[bytes], new: list[bytes]) -> None:
        around = self._plan.context
        for group in _grouped(hunks, 2 * around):
            self._ctx.deadline.check()
            start = max(0, group[0][0] - around)
            stop = min(len(old), group[-1][1] + around)
            other = max(0, group[0][2] - around)
            other_stop = min(len(new), group[-1][3] + around)
            head = f"@@ -{_span(start, stop)} +{_span(other, other_stop)} @@\n"
            text, position = [encode(head)], start
            for a, b, c, d in group:
                text += [_marked(b" ", x) for x in old[position:a]]
                text += [_marked(b"-", x) for x in old[a:b]]
                text += [_marked(b"+", x) for x in new[c:d]]
                position = b
            text += [_marked(b" ", x) for x in old[position:stop]]
            await self._ctx.write(b"".join(text))

    async def _directories(self, left: str, right: str, *, top: bool = False) -> int:
        """Compare directories name by name; below the first level only with `-r`."""
        code = 0
        here, there = left.rstrip("/") or "/", right.rstrip("/") or "/"
        names = {
            side: set(self._ctx.space.children(self._ctx.resolve_path(side)))
            for side in (left, right)
        }
        for name in sorted(names[left] | names[right]):
            self._ctx.deadline.check()
            if any(test(name) for test in self._plan.excluded):
                continue
            one, two = f"{here}/{name}".replace("//", "/"), f"{there}/{name}".replace("//", "/")
            lone = left if name not in names[right] else right if name not in names[left] else ""
            if lone and "new-file" not in self._flags:
                await self._ctx.write(encode(f"Only in {lone.rstrip('/') or '/'}: {name}\n"))
                code = max(code, 1)
                continue
            code = max(code, await self._both(one, two))
        return code

    async def _both(self, one: str, two: str) -> int:
        first, second = self._entry(one), self._entry(two)
        is_dir = [entry is not None and entry.is_dir for entry in (first, second)]
        if all(is_dir) or (any(is_dir) and None in (first, second)):
            if "recursive" in self._flags:
                return await self._directories(one, two)
            await self._ctx.write(encode(f"Common subdirectories: {one} and {two}\n"))
            return 0
        if any(is_dir):
            kinds = ["directory" if d else "regular file" for d in is_dir]
            text = f"File {one} is a {kinds[0]} while file {two} is a {kinds[1]}\n"
            await self._ctx.write(encode(text))
            return 1
        return await self._files(one, two, headed=True)


Hunk = tuple[int, int, int, int]
"""Lines [a, b) of the old file against [c, d) of the new one, from 0."""


def _lines(data: bytes) -> list[bytes]:
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _hunks(gone: Sequence[bool], come: Sequence[bool]) -> Iterator[Hunk]:
    i = j = 0
    while i < len(gone) or j < len(come):
        a, c = i, j
        while i < len(gone) and gone[i]:
            i += 1
        while j < len(come) and come[j]:
            j += 1
        if (i, j) != (a, c):
            yield a, i, c, j
        else:
            i, j = i + 1, j + 1


def _blank(old: Sequence[bytes], new: Sequence[bytes]) -> bool:
    return not any(line.strip() for line in (*old, *new))


def _grouped(hunks: list[Hunk], apart: int) -> Iterator[list[Hunk]]:
    """Yield runs of hunks that are at most `apart` unchanged lines from each other."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk[0] - group[-1][1] > apart:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _range(start: int, stop: int) -> str:
    return str(start + 1) if stop - start == 1 else f"{start + 1},{stop}"


def _span(start: int, stop: int) -> str:
    """Return a range as unified hunks have it: first line and, but for 1, how many."""
    count = stop - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _marked(mark: bytes, line: bytes) -> bytes:
    return mark + line if line.endswith(b"\n") else mark + line + NO_END
