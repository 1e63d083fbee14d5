"""`mkdir` and `touch`: names below `/tmp`; elsewhere a read-only file system."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from tadoru.errors import TadoruError
from tadoru.shell import writes
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.date_words import NoDate, moment
from tadoru.shell.commands.facts import quoted
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.space import strerror

MKDIR = Options(
    Option("parents", "p", "parents"),
    Option("mode", "m", "mode", "value"),
    Option("verbose", "v", "verbose"),
)
TOUCH = Options(
    Option("no-create", "c", "no-create"),
    Option("ignored", "amf"),
    Option("ignored", "h", "no-dereference"),
    Option("date", "d", "date", "value"),
    Option("reference", "r", "reference", "value"),
    Option("stamp", "t", "", "value"),
    Option("which", "", "time", "value"),
)

_STAMP = re.compile(
    r"(?:(?P<century>\d\d)?(?P<year>\d\d))?(?P<month>\d\d)(?P<day>\d\d)(?P<hour>\d\d)"
    r"(?P<minute>\d\d)(?:\.(?P<second>\d\d))?"
)
"""`touch -t [[CC]YY]MMDDhhmm[.ss]`."""


async def main(ctx: Context) -> int:
    return await (_touch(ctx) if ctx.name == "touch" else _mkdir(ctx))


async def _mkdir(ctx: Context) -> int:
    parsed, operands = MKDIR.parse(ctx.name, ctx.argv, usage_code=1)
    flags = {key for key, _ in parsed}
    if not operands:
        raise UsageError("missing operand\nTry 'mkdir --help' for more information.", 1)
    code = 0
    for operand in operands:
        path = ctx.resolve_path(operand)
        try:
            writes.make_directory(ctx.space, path, parents="parents" in flags)
            if "verbose" in flags:
                await ctx.write(f"mkdir: created directory {quoted(operand)}\n".encode())
        except TadoruError as error:
            shown = operand
            if "parents" in flags:
                shown = _first_missing(ctx, operand)
            await ctx.error(f"cannot create directory ‘{shown}’: {strerror(error)}")
            code = 1
    return code


def _first_missing(ctx: Context, operand: str) -> str:
    """Return the leading part of a path at which `mkdir -p` fails."""
    parts = operand.split("/")
    for end in range(1, len(parts) + 1):
        prefix = "/".join(parts[:end])
        if prefix and not ctx.space.is_directory(ctx.resolve_path(prefix)):
            return prefix
    return operand


async def _touch(ctx: Context) -> int:
    parsed, operands = TOUCH.parse(ctx.name, ctx.argv, usage_code=1)
    flags = {key for key, _ in parsed}
    if not operands:
        raise UsageError("missing file operand\nTry 'touch --help' for more information.", 1)
    code, at = 0, _time(ctx, dict(parsed))
    for operand in operands:
        path = ctx.resolve_path(operand)
        entry = ctx.space.find(path)
        if entry is None and "no-create" in flags:
            continue
        try:
            if entry is None:
                writes.write(ctx.space, path, b"")
            else:
                writes.require_writable(ctx.space, entry.path)
            if entry is not None or at is not None:
                ctx.space.scratch.touch(path if entry is None else entry.path, at)
        except TadoruError as error:
            await ctx.error(f"cannot touch {quoted(operand)}: {strerror(error)}")
            code = 1
    return code


def _time(ctx: Context, given: dict[str, str]) -> int | None:
    """Return the nanoseconds that `-d`, `-t` or `-r` ask for; None for now. Raises UsageError."""
    try:
        if "reference" in given:
            return ctx.lookup(given["reference"]).mtime_ns
        if "stamp" in given:
            found = _STAMP.fullmatch(given["stamp"])
            if found is None:
                raise NoDate(given["stamp"])
            now = datetime.now(UTC)
            century, year = found["century"], found["year"]
            if year is None:
                full = now.year
            elif century:
                full = int(century + year)
            else:
                full = int(year) + (2000 if int(year) < 69 else 1900)
            month, day, hour, minute = (int(found[n]) for n in ("month", "day", "hour", "minute"))
            at = datetime(full, month, day, hour, minute, int(found["second"] or 0), tzinfo=UTC)
        elif "date" in given:
            at = moment(given["date"], datetime.now(UTC))
        else:
            return None
    except TadoruError as error:
        reference = given["reference"]
        raise UsageError(
            f"failed to get attributes of {quoted(reference)}: {strerror(error)}", 1
        ) from None
    except ValueError:
        text = given.get("stamp") or given.get("date", "")
        raise UsageError(f"invalid date format ‘{text}’", 1) from None
    return int(at.timestamp()) * 10**9 + at.microsecond * 1_000
