"""`ls`: names from the tree, without reading a file. Sorted as GNU sorts in `C.UTF-8`.

Decides what is listed and in which order; `ls_format` decides how it looks. Output is never a
terminal here, so one name a line is the default, and nothing is quoted or coloured unless asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tadoru.errors import TadoruError
from tadoru.shell.commands.context import Context, UsageError, encode
from tadoru.shell.commands.facts import quoted, size_of
from tadoru.shell.commands.ls_format import RESET, Look, lines
from tadoru.shell.commands.options import Option, Options, Parsed
from tadoru.shell.space import strerror
from tadoru.types import Entry, Kind

OPTIONS = Options(
    Option("all", "a", "all"),
    Option("almost", "A", "almost-all"),
    Option("long", "l"),
    Option("long-no-owner", "g"),
    Option("long-no-group", "o"),
    Option("numeric", "n", "numeric-uid-gid"),
    Option("no-group", "G", "no-group"),
    Option("one", "1"),
    Option("columns", "C"),
    Option("across", "x"),
    Option("commas", "m"),
    Option("format", "", "format", "value"),
    Option("recursive", "R", "recursive"),
    Option("by-size", "S"),
    Option("by-time", "t"),
    Option("by-extension", "X"),
    Option("by-version", "v"),
    Option("unsorted", "U"),
    Option("raw", "f"),
    Option("sort", "", "sort", "value"),
    Option("reverse", "r", "reverse"),
    Option("human", "h", "human-readable"),
    Option("si", "", "si"),
    Option("directory", "d", "directory"),
    Option("classify", "F", "classify", "maybe"),
    Option("file-type", "", "file-type"),
    Option("slash", "p"),
    Option("inode", "i", "inode"),
    Option("blocks", "s", "size"),
    Option("dereference", "L", "dereference"),
    Option("dereference-operands", "H", "dereference-command-line"),
    Option("quote", "Q", "quote-name"),
    Option("escape", "b", "escape"),
    Option("ignore", "I", "ignore", "value"),
    Option("hide", "", "hide", "value"),
    Option("no-backups", "B", "ignore-backups"),
    Option("directories-first", "", "group-directories-first"),
    Option("full-time", "", "full-time"),
    Option("time-style", "", "time-style", "value"),
    Option("width", "w", "width", "value"),
    Option("colour", "", "color", "maybe"),
    Option("nothing", "kNqcuZT", "literal hide-control-chars kibibytes", "maybe"),
    Option("nothing", "", "indicator-style time quoting-style block-size hyperlink", "maybe"),
)
_ENDING = re.compile(r"(?:\.[A-Za-z~][A-Za-z0-9~]*)+$")
MAX_DIGITS = 4_000
"""Of a number in a name: a name has 255 bytes."""
ALWAYS = ("", "always", "yes", "force")
"""Values of `--color` that do not ask whether stdout is a terminal; here it never is one."""
_SORTS = {"size": "by-size", "time": "by-time", "extension": "by-extension"} | {
    "version": "by-version",
    "none": "unsorted",
    "name": "by-name",
}
_FORMATS = {"long": "long", "verbose": "long", "single-column": "one", "commas": "commas"} | {
    "vertical": "columns",
    "across": "across",
    "horizontal": "across",
}
_LAYOUTS = ("one", "columns", "across", "commas", "long")


@dataclass(slots=True)
class _Plan:
    """What the options ask for."""

    look: Look
    show_hidden: bool = False
    show_dots: bool = False
    recursive: bool = False
    directories_as_files: bool = False
    directories_first: bool = False
    follow: bool = False
    follow_operands: bool = False
    order: str = "by-name"
    reverse: bool = False
    ignored: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv)
    return await _Ls(ctx, _plan(parsed)).run(operands or ["."])


def _plan(parsed: Parsed) -> _Plan:
    plan = _Plan(Look())
    look = plan.look
    ignored: list[str] = []
    hidden: list[str] = []
    for key, value in parsed:
        if key == "sort":
            key = _choice("--sort", value, _SORTS)
        elif key == "format":
            key = _choice("--format", value, _FORMATS)
        if key.startswith("long"):
            look.layout = "long"
            look.owner &= key != "long-no-owner"
            look.group &= key != "long-no-group"
        elif key in _LAYOUTS:
            # -1 after -l changes nothing
            look.layout = "long" if key == "one" and look.layout == "long" else key
        elif key.startswith("by-") or key == "unsorted":
            plan.order = key
        elif key == "ignore":
            ignored.append(value)
        elif key == "hide":
            hidden.append(value)
        else:
            _switch(plan, key, value)
    plan.ignored, plan.hidden = tuple(ignored), tuple(hidden)
    return plan


def _switch(plan: _Plan, key: str, value: str) -> None:
    look = plan.look
    switches: dict[str, Callable[[], None]] = {
        "all": lambda: _set(plan, show_hidden=True, show_dots=True),
        "almost": lambda: _set(plan, show_hidden=True, show_dots=False),
        "raw": lambda: _set(plan, show_hidden=True, show_dots=True, order="unsorted"),
        "recursive": lambda: _set(plan, recursive=True),
        "reverse": lambda: _set(plan, reverse=True),
        "directory": lambda: _set(plan, directories_as_files=True, recursive=False),
        "directories-first": lambda: _set(plan, directories_first=True),
        "dereference": lambda: _set(plan, follow=True, follow_operands=True),
        "dereference-operands": lambda: _set(plan, follow_operands=True),
        "no-backups": lambda: _set(plan, ignored=(*plan.ignored, "*~")),
        "human": lambda: _set(look, unit=1024),
        "si": lambda: _set(look, unit=1000),
        "numeric": lambda: _set(look, numeric=True, layout="long"),
        "no-group": lambda: _set(look, group=False),
        "classify": lambda: _set(look, marks="" if value == "never" else "*/@"),
        "file-type": lambda: _set(look, marks="/@"),
        "slash": lambda: _set(look, marks="/"),
        "inode": lambda: _set(look, inode=True),
        "blocks": lambda: _set(look, blocks=True),
        "quote": lambda: _set(look, quoting="c"),
        "escape": lambda: _set(look, quoting="escape"),
        "full-time": lambda: _set(look, layout="long", time_style="full-iso"),
        "time-style": lambda: _set(look, time_style=value),
        "colour": lambda: _set(look, coloured=value in ALWAYS),
        "width": lambda: _set(look, width=int(value) if value.isdigit() else 80),
    }
    if key in switches:
        switches[key]()


def _set(target: object, **values: object) -> None:
    for name, value in values.items():
        setattr(target, name, value)


def _choice(option: str, value: str, choices: dict[str, str]) -> str:
    if value not in choices:
        known = "\n".join(f"  - '{name}'" for name in choices)
        raise UsageError(
            f"invalid argument '{value}' for '{option}'\nValid arguments are:\n{known}"
        )
    return choices[value]


class _Ls:
    """One listing."""

    def __init__(self, ctx: Context, plan: _Plan) -> None:
        self._ctx = ctx
        self._plan = plan
        self._code = 0
        self._first = True
        self._painted = False

    async def run(self, operands: list[str]) -> int:
        files: list[tuple[str, Entry]] = []
        directories: list[tuple[str, Entry]] = []
        follow = self._plan.follow_operands or not self._keeps_links()
        for operand in operands:
            try:
                entry = self._ctx.lookup(operand, follow=follow)
                if follow and not entry.is_dir and not self._plan.follow_operands:
                    entry = self._ctx.lookup(operand, follow=False)
            except TadoruError as error:
                await self._ctx.error(f"cannot access {quoted(operand)}: {strerror(error)}")
                self._code = 2
                continue
            if entry.is_dir and not self._plan.directories_as_files:
                directories.append((operand, entry))
            else:
                files.append((operand, entry))
        if files:
            await self._print(self._sorted(files), also=directories)
        self._first = not files
        titled = len(operands) > 1 or self._plan.recursive
        for name, entry in self._sorted(directories):
            await self._directory(name, entry, titled=titled)
        return self._code

    def _keeps_links(self) -> bool:
        plan = self._plan
        return plan.directories_as_files or plan.look.layout == "long" or "*" in plan.look.marks

    async def _directory(self, shown: str, entry: Entry, *, titled: bool) -> None:
        stack = [(shown, entry.path)]
        plain = self._is_plain()
        while stack:
            self._ctx.deadline.check()
            name, path = stack.pop()
            if plain and self._ctx.tree.is_dir(path):
                await self._names(name, path, stack, titled=titled)
                continue
            listed = self._sorted(self._listed(path))
            if titled:
                await self._ctx.write(encode(("" if self._first else "\n") + f"{name}:\n"))
            self._first = False
            await self._print(listed, directory=True)
            if self._plan.recursive:
                below = [
                    (f"{name.rstrip('/') or '/'}/{child}".replace("//", "/"), inner.path)
                    for child, inner in listed
                    if inner.kind is Kind.DIRECTORY and child not in (".", "..")
                ]
                stack.extend(reversed(below))

    def _is_plain(self) -> bool:
        """Tell whether names alone are asked for, in their own order: no entry is looked at."""
        plan = self._plan
        filtered = plan.ignored or plan.hidden or plan.show_dots or plan.follow
        ordered = plan.order == "by-name" and not plan.directories_first
        return plan.look == Look() and ordered and not filtered

    async def _names(
        self, name: str, path: str, stack: list[tuple[str, str]], *, titled: bool
    ) -> None:
        """List a directory of the tree by its names, and put those below on the stack."""
        tree, plan = self._ctx.tree, self._plan
        names = self._ctx.space.children(path)
        if not plan.show_hidden:
            names = [n for n in names if n[0] != "."]
        if plan.reverse:
            names = names[::-1]
        title = f"{name}:\n" if titled else ""
        blank = "" if self._first or not titled else "\n"
        self._first = False
        body = "\n".join(names) + "\n" if names else ""
        await self._ctx.write(encode(f"{blank}{title}{body}"))
        if plan.recursive:
            outer = "/" if name == "/" else name.rstrip("/") + "/"
            inner = path + "/" if path else ""
            below = [(outer + n, inner + n) for n in names if tree.is_dir(inner + n)]
            stack.extend(reversed(below))

    def _listed(self, path: str) -> list[tuple[str, Entry]]:
        plan, space = self._plan, self._ctx.space
        result: list[tuple[str, Entry]] = []
        if plan.show_dots:
            for name, dot in ((".", path), ("..", path.rpartition("/")[0])):
                entry = space.find(dot)
                if entry is not None:
                    result.append((name, entry))
        for entry in space.entries(path):
            name = entry.name
            if name.startswith(".") and not plan.show_hidden:
                continue
            if any(fnmatchcase(name, glob) for glob in plan.ignored):
                continue
            if not plan.show_hidden and any(fnmatchcase(name, glob) for glob in plan.hidden):
                continue
            if plan.follow and entry.kind is Kind.LINK:
                entry = space.find(entry.path) or entry
            result.append((name, entry))
        return result

    def _sorted(self, rows: list[tuple[str, Entry]]) -> list[tuple[str, Entry]]:
        plan = self._plan
        keys: dict[str, Callable[[tuple[str, Entry]], object]] = {
            "by-size": lambda row: (-size_of(row[1]), row[0]),
            "by-time": lambda row: (-row[1].mtime_ns, row[0]),
            "by-extension": lambda row: (_extension(row[0]), row[0]),
            "by-version": lambda row: version_key(row[0]),
            "by-name": lambda row: row[0],
        }
        if plan.order != "unsorted":
            rows = sorted(rows, key=keys[plan.order], reverse=plan.reverse)  # type: ignore[arg-type]
        if plan.directories_first:
            rows.sort(key=lambda row: not self._ctx.space.is_directory(row[1].path))
        return rows

    async def _print(
        self,
        rows: list[tuple[str, Entry]],
        *,
        directory: bool = False,
        also: Sequence[tuple[str, Entry]] = (),
    ) -> None:
        text = lines(rows, self._plan.look, self._ctx.space, total=directory, also=also)
        if RESET in text and not self._painted:
            self._painted = True
            at = text.index("\x1b")
            text = text[:at] + RESET + text[at:]
        if text:
            await self._ctx.write(encode(text))


def _extension(name: str) -> str:
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else ""


def version_key(name: str) -> tuple[object, ...]:
    """Sort key of names with numbers in them, as GNU's filevercmp has it: endings like `.tar.gz`
    decide only when what stands before them is equal; a tilde comes before everything."""
    if name in (".", ".."):
        return (0, name)
    hidden = name.startswith(".")
    shown = name[hidden:]
    ending = _ENDING.search(shown)
    before = shown[: ending.start()] if ending else shown
    return (1, not hidden, _ranks(before), _ranks(shown), name)


def _ranks(text: str) -> tuple[object, ...]:
    """Return runs of other characters, each with what follows it, and numbers, in turn."""
    pieces = re.split(r"([0-9]+)", text)
    ranks: list[object] = []
    for position, piece in enumerate(pieces):
        if position % 2:
            ranks.append(int(piece[:MAX_DIGITS]))
        else:
            end = 0 if position + 1 < len(pieces) else -1
            ranks.append((*map(_rank, piece), end))
    return tuple(ranks)


def _rank(letter: str) -> int:
    if letter == "~":
        return -2
    return ord(letter) if letter.isascii() and letter.isalpha() else ord(letter) + 0x110000
