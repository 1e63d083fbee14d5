"""`date`: the time now, of a file (`-r`), or of words (`-d`, see `date_words`), in any format."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from tadoru.errors import TadoruError
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.date_words import NoDate, moment
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.space import strerror

OPTIONS = Options(
    Option("date", "d", "date", "value"),
    Option("reference", "r", "reference", "value"),
    Option("utc", "u", "utc universal"),
    Option("mail", "R", "rfc-email rfc-822 rfc-2822"),
    Option("iso", "I", "iso-8601", "maybe"),
    Option("rfc", "", "rfc-3339", "value"),
    Option("set", "s", "set", "value"),
    Option("file", "f", "file", "value"),
    Option("ignored", "", "debug resolution"),
)
DEFAULT = "%a %b %e %H:%M:%S %Z %Y"
MAIL = "%a, %d %b %Y %H:%M:%S %z"
ISO = {"date": "%Y-%m-%d", "hours": "T%H", "minutes": "T%H:%M", "seconds": "T%H:%M:%S", "ns": ""}
MAX_WIDTH = 1_000
_FIELD = re.compile(r"%([-_0^#+]*)(\d*)(:{0,3}z|[EO]?[a-zA-Z%])")
_ALIASES = {"D": "%m/%d/%y", "F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M", "c": "%a %b %e %T %Y"}
_ALIASES |= {"x": "%m/%d/%y", "X": "%H:%M:%S", "r": "%I:%M:%S %p", "h": "%b"}
_WIDTHS = dict.fromkeys("dHIMSmUVWgyC", ("0", 2)) | {"j": ("0", 3), "N": ("0", 9)}
_WIDTHS |= dict.fromkeys("ekl", (" ", 2)) | dict.fromkeys("YG", ("0", 4))


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    given = dict(parsed)
    if "set" in given:
        await ctx.error("cannot set date: Operation not permitted")
        return 1
    zone: tzinfo = UTC if "utc" in given else _zone(ctx)
    nanoseconds = 0
    try:
        at = datetime.now(zone)
        if "reference" in given:
            ns = ctx.lookup(given["reference"]).mtime_ns
            at = datetime.fromtimestamp(ns // 10**9, zone)
            nanoseconds = ns % 10**9
        elif "date" in given:
            at = moment(given["date"], at, zone).astimezone(zone)
    except TadoruError as error:
        await ctx.error(f"{given['reference']}: {strerror(error)}")
        return 1
    except (NoDate, OverflowError):
        await ctx.error(f"invalid date ‘{given['date']}’")
        return 1
    text = written(_format(given, operands), at, nanoseconds or at.microsecond * 1_000)
    await ctx.write(f"{text}\n".encode())
    return 0


def _format(given: dict[str, str], operands: list[str]) -> str:
    if "mail" in given:
        return MAIL
    if "iso" in given:
        wanted = given["iso"] or "date"
        fitting = [name for name in ISO if name.startswith(wanted)]
        if len(fitting) != 1:
            raise UsageError(f"invalid argument ‘{wanted}’ for ‘--iso-8601’", 1)
        name = fitting[0]
        clock = "T%H:%M:%S,%N" if name == "ns" else ISO[name]
        return ISO["date"] if name == "date" else f"{ISO['date']}{clock}%:z"
    if "rfc" in given:
        later = {"date": "", "seconds": " %H:%M:%S%:z", "ns": " %H:%M:%S.%N%:z"}
        if given["rfc"] not in later:
            raise UsageError(f"invalid argument ‘{given['rfc']}’ for ‘--rfc-3339’", 1)
        return ISO["date"] + later[given["rfc"]]
    if not operands:
        return DEFAULT
    if not operands[0].startswith("+"):
        raise UsageError(f"invalid date ‘{operands[0]}’", 1)
    if len(operands) > 1:
        raise UsageError(f"extra operand ‘{operands[1]}’", 1)
    return operands[0][1:]


def _zone(ctx: Context) -> tzinfo:
    try:
        return ZoneInfo(ctx.env.get("TZ", "UTC"))
    except (OSError, ValueError, KeyError):
        return UTC


def written(template: str, at: datetime, nanoseconds: int) -> str:
    """Return a moment in a format of `date`."""

    def field(found: re.Match[str]) -> str:
        flags, width, letter = found[1], found[2], found[3].lstrip("EO")
        text = _value(letter, at, nanoseconds)
        if text is None:
            return found[0]
        if "^" in flags or ("#" in flags and letter != "p" and letter != "Z"):
            text = text.upper()
        elif "#" in flags:
            text = text.lower()
        return _padded(text, letter, flags, min(int(width or 0), MAX_WIDTH))

    return _FIELD.sub(field, template)


def _padded(text: str, letter: str, flags: str, width: int) -> str:
    fill, usual = _WIDTHS.get(letter, (" " if not text.lstrip("-").isdigit() else "0", 0))
    if letter == "N":
        digits = text.rjust(9, "0")
        return digits[: width or 9].ljust(width or 9, "0")
    for flag in flags:
        fill = {"_": " ", "0": "0", "-": ""}.get(flag, fill)
    return text.rjust(width or usual, fill) if fill else text


def _value(letter: str, at: datetime, nanoseconds: int) -> str | None:
    """Return one field, without padding; None for a letter that means nothing."""
    if letter in _ALIASES:
        return written(_ALIASES[letter], at, nanoseconds)
    if letter in ("n", "t", "%"):
        return {"n": "\n", "t": "\t", "%": "%"}[letter]
    if letter.endswith("z"):
        return _offset(at, letter.count(":"))
    year, week, weekday = at.isocalendar()
    of_year = at.timetuple().tm_yday
    numbers = {
        "Y": at.year, "C": at.year // 100, "y": at.year % 100, "m": at.month, "d": at.day,
        "e": at.day, "H": at.hour, "k": at.hour, "I": (at.hour - 1) % 12 + 1,
        "l": (at.hour - 1) % 12 + 1, "M": at.minute, "S": at.second, "N": nanoseconds,
        "s": int(at.timestamp() // 1), "j": of_year, "u": weekday, "w": weekday % 7,
        "G": year, "g": year % 100, "V": week, "q": (at.month + 2) // 3,
        "U": (of_year + 6 - weekday % 7) // 7, "W": (of_year + 6 - (weekday - 1)) // 7,
    }  # fmt: skip
    if letter in numbers:
        return str(numbers[letter])
    if letter == "P":
        return at.strftime("%p").lower()
    return at.strftime(f"%{letter}") if letter in "aAbBpZ" else None


def _offset(at: datetime, colons: int) -> str:
    delta = at.utcoffset()
    seconds = int(delta.total_seconds()) if delta is not None else 0
    sign, minutes = "-" if seconds < 0 else "+", abs(seconds) // 60
    hours, minutes = divmod(minutes, 60)
    tail = f":{abs(seconds) % 60:02d}" if colons == 2 else ""
    if colons == 3:
        return f"{sign}{hours:02d}" + (f":{minutes:02d}" if minutes else "")
    return f"{sign}{hours:02d}{':' if colons else ''}{minutes:02d}{tail}"
