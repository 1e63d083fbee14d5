"""`tree`: the tree drawn, as version 2.1 of the program draws it in a UTF-8 locale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tadoru.errors import TadoruError
from tadoru.shell.commands import facts
from tadoru.shell.commands.context import Context, UsageError, encode
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.globs import compile_glob
from tadoru.shell.space import link_text
from tadoru.types import Entry, Kind

OPTIONS = Options(
    Option("all", "a"),
    Option("directories", "d"),
    Option("full", "f"),
    Option("follow", "l"),
    Option("level", "L", "", "value"),
    Option("pattern", "P", "", "value"),
    Option("ignore", "I", "", "value"),
    Option("fold", "", "ignore-case"),
    Option("prune", "", "prune"),
    Option("classify", "F"),
    Option("size", "s"),
    Option("human", "h"),
    Option("si", "", "si"),
    Option("mode", "p"),
    Option("owner", "u"),
    Option("group", "g"),
    Option("date", "D"),
    Option("du", "", "du"),
    Option("reverse", "r"),
    Option("by-time", "t"),
    Option("by-time", "c"),
    Option("unsorted", "U"),
    Option("by-version", "v"),
    Option("sort", "", "sort", "value"),
    Option("dirs-first", "", "dirsfirst"),
    Option("files-first", "", "filesfirst"),
    Option("no-indent", "i"),
    Option("no-report", "", "noreport"),
    Option("quote", "Q"),
    Option("json", "J"),
    Option("ascii", "", "charset", "value"),
    Option("file-limit", "", "filelimit", "value"),
    Option("ignored", "nCxNqAS", "matchdirs metafirst"),
)
MIDDLE, LAST = "├── ", "└── "
BAR, GAP = "│\xa0\xa0 ", "    "
"""tree 2.1 puts no-break spaces behind the bar, and plain ones where there is none."""


@dataclass(slots=True)
class _Plan:
    flags: set[str] = field(default_factory=set)
    level: int = 1 << 30
    patterns: list[Callable[[str], bool]] = field(default_factory=list)
    ignores: list[Callable[[str], bool]] = field(default_factory=list)
    unit: int = 0
    limit: int = 1 << 30


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    plan = _Plan(flags={key for key, _ in parsed})
    fold = "fold" in plan.flags
    for key, value in parsed:
        if key == "level":
            if not value.isdigit() or not int(value):
                raise UsageError("Invalid level, must be greater than 0.", 1)
            plan.level = int(value)
        elif key == "pattern":
            plan.patterns += [compile_glob(p, fold=fold) for p in value.split("|")]
        elif key == "ignore":
            plan.ignores += [compile_glob(p.rstrip("/"), fold=fold) for p in value.split("|")]
        elif key == "file-limit" and value.isdigit():
            plan.limit = int(value)
        elif key in ("human", "si"):
            plan.unit = 1024 if key == "human" else 1000
        elif key == "sort":
            plan.flags.add(f"by-{value}")
    if "json" in plan.flags:
        from tadoru.shell.commands.tree_json import JsonDrawing

        return await JsonDrawing(ctx, plan).run(operands or ["."])
    return await Drawing(ctx, plan).run(operands or ["."])


class Drawing:
    """One drawing."""

    def __init__(self, ctx: Context, plan: _Plan) -> None:
        self._ctx = ctx
        self._plan = plan
        self._flags = plan.flags
        self._files = 0
        self._directories = 0
        self._bytes = 0

    async def run(self, operands: list[str]) -> int:
        code = 0
        for operand in operands:
            try:
                entry = self._ctx.lookup(operand)
            except TadoruError:
                entry = None
            if entry is None or not entry.is_dir:
                await self._ctx.write(encode(f"{operand}  [error opening dir]\n"))
                self._files += entry is not None
                code = 2 if entry is None else code
                continue
            await self._draw(operand, entry)
        if "no-report" not in self._flags:
            await self._ctx.write(encode(self._report()))
        return code

    def _report(self) -> str:
        directories = f"{self._directories} director{'y' if self._directories == 1 else 'ies'}"
        used = ""
        if "du" in self._flags:
            unit = self._plan.unit
            size = facts.human(self._bytes, unit=unit) if unit else ""
            used = f"{size:>5s} used in " if unit else f"{self._bytes:12d} bytes used in "
        if "directories" in self._flags:
            return f"\n{used}{directories}\n"
        return f"\n{used}{directories}, {self._files} file{'' if self._files == 1 else 's'}\n"

    async def _draw(self, shown: str, start: Entry) -> None:
        rows = self._rows(start)
        self._directories += bool(rows or self._limited(start))
        head = f'"{shown}"' if "quote" in self._flags else shown
        mark = "/" if "classify" in self._flags and not shown.endswith("/") else ""
        await self._ctx.write(encode(f"{self._facts(start)}{head}{mark}{self._limited(start)}\n"))
        stack = [("", shown, start, iter(rows), len(rows))]
        while stack:
            self._ctx.deadline.check()
            indent, name, entry, below, left = stack.pop()
            child = next(below, None)
            if child is None:
                continue
            left -= 1
            stack.append((indent, name, entry, below, left))
            outer = f"{name.rstrip('/')}/{child.name}" if name != "/" else f"/{child.name}"
            await self._line(indent, outer, child, last=not left)
            if self._enters(child) and len(stack) < self._plan.level:
                rows = self._rows(child)
                deeper = indent + (BAR if left else GAP)
                stack.append((deeper, outer, child, iter(rows), len(rows)))

    def _enters(self, entry: Entry) -> bool:
        if entry.kind is Kind.LINK:
            return "follow" in self._flags and self._ctx.space.is_directory(entry.path)
        return entry.is_dir

    async def _line(self, indent: str, outer: str, entry: Entry, *, last: bool) -> None:
        branch = "" if "no-indent" in self._flags else indent + (LAST if last else MIDDLE)
        name = outer if "full" in self._flags else entry.name
        if "quote" in self._flags:
            name = f'"{name}"'
        if entry.kind is Kind.LINK:
            target = link_text(entry)
            name += f' -> "{target}"' if "quote" in self._flags else f" -> {target}"
        self._count(entry)
        marks = self._mark(entry) + self._limited(entry)
        await self._ctx.write(encode(f"{branch}{self._facts(entry)}{name}{marks}\n"))

    def _count(self, entry: Entry) -> None:
        if self._ctx.space.is_directory(entry.path):
            self._directories += 1
        else:
            self._files += 1
        if "du" in self._flags:
            self._bytes += self._size(entry)

    def _limited(self, entry: Entry) -> str:
        if not entry.is_dir or self._plan.limit == 1 << 30:
            return ""
        count = sum(map(self._admits, self._ctx.space.entries(entry.path)))
        if count <= self._plan.limit:
            return ""
        return f"  [{count} entries exceeds filelimit, not opening dir]"

    def _mark(self, entry: Entry) -> str:
        if "classify" not in self._flags:
            return ""
        if entry.is_dir:
            return "/"
        return "*" if entry.kind is Kind.FILE and entry.executable else ""

    def _facts(self, entry: Entry) -> str:
        flags, cells = self._flags, []
        if "mode" in flags:
            cells.append(facts.mode_text(entry, self._ctx.space))
        if "owner" in flags:
            cells.append(f"{facts.OWNER:8s}")
        if "group" in flags:
            cells.append(f"{facts.OWNER:8s}")
        if flags & {"size", "human", "si", "du"}:
            size = self._size(entry)
            cells.append(
                f"{facts.human(size, unit=self._plan.unit):>4s}"
                if self._plan.unit
                else f"{size:11d}"
            )
        if "date" in flags:
            cells.append(facts.short_date(entry.mtime_ns))
        return f"[{' '.join(cells)}]  " if cells else ""

    def _size(self, entry: Entry) -> int:
        if "du" not in self._flags or not entry.is_dir:
            return facts.size_of(entry)
        below = self._ctx.space.entries(entry.path)
        return facts.size_of(entry) + sum(self._size(e) for e in below if self._admits(e))

    def _rows(self, directory: Entry) -> list[Entry]:
        entries = [e for e in self._ctx.space.entries(directory.path) if self._admits(e)]
        if len(entries) > self._plan.limit:
            return []
        flags = self._flags
        if flags & {"by-time", "by-mtime", "by-ctime"}:
            entries.sort(key=lambda e: (e.mtime_ns, e.name))
        elif "by-size" in flags:
            entries.sort(key=lambda e: (-e.size, e.name))
        elif flags & {"by-version"}:
            from tadoru.shell.commands.ls import version_key

            entries.sort(key=lambda e: version_key(e.name))
        if "reverse" in flags:
            entries.reverse()
        if flags & {"dirs-first", "files-first"}:
            first = "dirs-first" in flags
            entries.sort(key=lambda e: self._ctx.space.is_directory(e.path) != first)
        return entries

    def _admits(self, entry: Entry) -> bool:
        plan, name = self._plan, entry.name
        if name.startswith(".") and "all" not in self._flags:
            return False
        if any(test(name) for test in plan.ignores):
            return False
        if not entry.is_dir:
            if "directories" in self._flags:
                return entry.kind is Kind.LINK and self._ctx.space.is_directory(entry.path)
            return not plan.patterns or any(test(name) for test in plan.patterns)
        return "prune" not in self._flags or self._leads_somewhere(entry)

    def _leads_somewhere(self, directory: Entry) -> bool:
        return any(
            self._admits(e) if not e.is_dir else self._leads_somewhere(e)
            for e in self._ctx.space.entries(directory.path)
            if e.is_dir or e.kind is Kind.FILE
        )
