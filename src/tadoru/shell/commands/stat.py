"""`stat`: what is known of an entry, in GNU's default form, terse, or a format of one's own."""

from __future__ import annotations

import re
from collections.abc import Callable

from tadoru.errors import TadoruError
from tadoru.shell.commands import facts
from tadoru.shell.commands.context import Context, UsageError, encode
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.space import Space, link_text, strerror
from tadoru.types import Entry, Kind

OPTIONS = Options(
    Option("format", "c", "format", "value"),
    Option("printf", "", "printf", "value"),
    Option("follow", "L", "dereference"),
    Option("filesystem", "f", "file-system"),
    Option("terse", "t", "terse"),
    Option("cached", "", "cached", "value"),
)
_TOKEN = re.compile(r"%(?P<flags>[-+ #0']*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?P<letter>.)")
_ESCAPE = re.compile(r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9A-Fa-f]{1,2})|(?P<letter>.))")
_ESCAPES = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPES |= {"v": "\v", "\\": "\\", '"': '"'}
DEVICE = 0x2D
MAX_WIDTH = 1_000
TERSE = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o"
DEFAULT = (
    "  File: %q\n"
    "  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n"
    "Device: 0,%d\tInode: %-11i Links: %h\n"
    "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
    "Access: %x\nModify: %y\nChange: %z\n Birth: -"
)
FILESYSTEM = (
    '  File: "%n"\n    ID: 0        Namelen: 255     Type: tadoru\n'
    "Block size: 4096       Fundamental block size: 4096\n"
    "Blocks: Total: 0          Free: 0          Available: 0\nInodes: Total: 0          Free: 0"
)


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    if not operands:
        hint = f"Try '{ctx.name} --help' for more information."
        raise UsageError(f"missing operand\n{hint}", 1)
    layout, end, follow = DEFAULT, "\n", False
    for key, value in parsed:
        if key == "format":
            layout, end = value, "\n"
        elif key == "printf":
            layout, end = _unescape(value), ""
        elif key == "follow":
            follow = True
        elif key == "terse":
            layout = TERSE
        elif key == "filesystem":
            layout = FILESYSTEM
    code = 0
    for operand in operands:
        try:
            entry = ctx.lookup(operand, follow=follow)
        except TadoruError as error:
            message = f"cannot statx {facts.quoted(operand)}: {strerror(error)}"
            await ctx.error(message)
            code = 1
            continue
        await ctx.write(encode(render(layout, operand, entry, ctx.space) + end))
    return code


def render(layout: str, name: str, entry: Entry, space: Space) -> str:
    """Fill a format in."""

    def fill(token: re.Match[str]) -> str:
        letter = token["letter"]
        if letter == "%":
            return "%"
        field = _FIELDS.get(letter)
        if field is None:
            return "?"
        text = field(name, entry, space)
        if token["precision"]:
            text = text[: int(token["precision"])]
        width = min(int(token["width"] or 0), MAX_WIDTH)
        if "-" in token["flags"]:
            return text.ljust(width)
        return text.rjust(width, "0" if "0" in token["flags"] else " ")

    return _TOKEN.sub(fill, layout)


def _unescape(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        if found["octal"]:
            return chr(int(found["octal"], 8) & 0xFF)
        if found["hex"]:
            return chr(int(found["hex"], 16))
        return _ESCAPES.get(found["letter"], found["letter"])

    return _ESCAPE.sub(one, text)


def _kind(name: str, entry: Entry, space: Space) -> str:
    if facts.is_device(entry, space):
        return "character special file"
    if entry.kind is Kind.DIRECTORY:
        return "directory"
    if entry.kind is Kind.LINK:
        return "symbolic link"
    return "regular file" if entry.size else "regular empty file"


def _quoted_name(name: str, entry: Entry, space: Space) -> str:
    arrow = f" -> {facts.quoted(link_text(entry))}" if entry.kind is Kind.LINK else ""
    return facts.quoted(name) + arrow


def _shown_name(name: str, entry: Entry, space: Space) -> str:
    """Quote only what needs it: the form in the default output, not one of GNU's letters."""
    arrow = f" -> {link_text(entry)}" if entry.kind is Kind.LINK else ""
    return (facts.quoted(name) if re.search(r"[^\w./+,:@%-]", name) else name) + arrow


_FIELDS: dict[str, Callable[[str, Entry, Space], str]] = {
    "n": lambda name, entry, space: name,
    "N": _quoted_name,
    "q": _shown_name,
    "s": lambda name, entry, space: str(facts.size_of(entry)),
    "b": lambda name, entry, space: str(facts.blocks(entry)),
    "B": lambda name, entry, space: "512",
    "o": lambda name, entry, space: str(facts.BLOCK_BYTES),
    "f": lambda name, entry, space: f"{facts.mode_bits(entry, space):x}",
    "F": _kind,
    "a": lambda name, entry, space: f"{facts.permissions(entry, space):o}",
    "A": lambda name, entry, space: facts.mode_text(entry, space),
    "u": lambda name, entry, space: "0",
    "g": lambda name, entry, space: "0",
    "U": lambda name, entry, space: facts.OWNER,
    "G": lambda name, entry, space: facts.OWNER,
    "h": lambda name, entry, space: str(facts.link_count(entry, space)),
    "i": lambda name, entry, space: str(facts.inode(entry)),
    "d": lambda name, entry, space: str(DEVICE),
    "D": lambda name, entry, space: f"{DEVICE:x}",
    "t": lambda name, entry, space: "0",
    "T": lambda name, entry, space: "0",
    "m": lambda name, entry, space: "/",
    "x": lambda name, entry, space: facts.full_date(entry.mtime_ns),
    "y": lambda name, entry, space: facts.full_date(entry.mtime_ns),
    "z": lambda name, entry, space: facts.full_date(entry.mtime_ns),
    "w": lambda name, entry, space: "-",
    "X": lambda name, entry, space: str(entry.mtime_ns // 1_000_000_000),
    "Y": lambda name, entry, space: str(entry.mtime_ns // 1_000_000_000),
    "Z": lambda name, entry, space: str(entry.mtime_ns // 1_000_000_000),
    "W": lambda name, entry, space: "0",
}
