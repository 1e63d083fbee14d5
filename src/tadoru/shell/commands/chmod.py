"""`chmod`, `chown`, `chgrp`: modes of scratch files; owners of nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tadoru.errors import ReadOnly, TadoruError
from tadoru.shell import writes
from tadoru.shell.commands import facts
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.facts import quoted
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.space import strerror
from tadoru.types import Entry

OPTIONS = Options(
    Option("recursive", "R", "recursive"),
    Option("quiet", "f", "silent quiet"),
    Option("ignored", "vchHLP", "verbose changes no-dereference dereference preserve-root"),
    Option("reference", "", "reference", "value"),
)
_CLAUSE = re.compile(r"([ugoa]*)([-+=])([rwxXst]*)")
_WHO = {"u": 0o700, "g": 0o070, "o": 0o007}
_WHAT = {"r": 0o444, "w": 0o222, "x": 0o111}
KNOWN_OWNERS = frozenset({facts.OWNER, "agent", "0", "1000"})
MAX_COMPLAINTS = 1_000


async def main(ctx: Context) -> int:
    flags, operands = _words(ctx)
    hint = f"\nTry '{ctx.name} --help' for more information."
    if len(operands) < 2:
        words = f"missing operand after ‘{operands[0]}’" if operands else "missing operand"
        raise UsageError(words + hint, 1)
    what, *files = operands
    if ctx.name == "chmod" and change(what, 0, directory=False) is None:
        raise UsageError(f"invalid mode: ‘{what}’{hint}", 1)
    if ctx.name != "chmod":
        _check_owner(ctx.name, what)
    code = 0
    for operand in files:
        try:
            entry = ctx.lookup(operand)
        except TadoruError as error:
            await ctx.error(f"cannot access {quoted(operand)}: {strerror(error)}")
            code = 1
            continue
        rows = _below(ctx, operand, entry) if "recursive" in flags else iter([(operand, entry)])
        for count, (shown, found) in enumerate(rows):
            if count >= MAX_COMPLAINTS:
                await ctx.error(f"the rest below {quoted(operand)} is not changed either")
                break
            code |= await _change(ctx, what, shown, found, quiet="quiet" in flags)
    return code


def _words(ctx: Context) -> tuple[set[str], list[str]]:
    """Split off options; `-x` is a mode for chmod, not an option."""
    argv, modes = list(ctx.argv), []
    if ctx.name == "chmod":
        modes = [w for w in argv if re.fullmatch(r"-[rwxXst]+(,.*)?", w)]
        argv = [w for w in argv if w not in modes]
    parsed, operands = OPTIONS.parse(ctx.name, argv, usage_code=1)
    return {key for key, _ in parsed}, [*modes[:1], *operands]


def _check_owner(name: str, what: str) -> None:
    user, _, group = what.partition(":")
    if name == "chgrp":
        user, group = "", what
    if user and user not in KNOWN_OWNERS and not user.isdigit():
        raise UsageError(f"invalid user: ‘{what}’", 1)
    if group and group not in KNOWN_OWNERS and not group.isdigit():
        raise UsageError(f"invalid group: ‘{what}’", 1)


async def _change(ctx: Context, what: str, shown: str, entry: Entry, *, quiet: bool) -> int:
    doing = {"chmod": "permissions", "chown": "ownership", "chgrp": "group"}[ctx.name]
    try:
        writes.require_writable(ctx.space, entry.path)
        if ctx.name != "chmod":
            raise ReadOnly(entry.path)
        old = facts.permissions(entry, ctx.space)
        writes.change_mode(ctx.space, entry.path, change(what, old, directory=entry.is_dir) or 0)
    except TadoruError as error:
        if not quiet:
            await ctx.error(f"changing {doing} of {quoted(shown)}: {strerror(error)}")
        return 1
    return 0


def _below(ctx: Context, shown: str, entry: Entry) -> Iterator[tuple[str, Entry]]:
    stack = [(shown, entry)]
    while stack:
        name, found = stack.pop()
        yield name, found
        if found.is_dir:
            children = [(f"{name.rstrip('/')}/{e.name}", e) for e in ctx.space.entries(found.path)]
            stack.extend(reversed(children))


def change(mode: str, old: int, *, directory: bool) -> int | None:
    """Return the bits after `chmod MODE`; None for a mode that is none."""
    if re.fullmatch(r"[0-7]{1,4}", mode):
        return int(mode, 8)
    bits = old
    for clause in mode.split(","):
        found = _CLAUSE.fullmatch(clause)
        if found is None:
            return None
        who = 0
        for letter in found[1].replace("a", "ugo") or "ugo":
            who |= _WHO[letter]
        what = sum(_WHAT.get(letter, 0) for letter in set(found[3]) - {"X"})
        if "X" in found[3] and (directory or old & 0o111):
            what |= _WHAT["x"]
        if found[2] == "+":
            bits |= who & what
        elif found[2] == "-":
            bits &= ~(who & what)
        else:
            bits = bits & ~who | who & what
    return bits
