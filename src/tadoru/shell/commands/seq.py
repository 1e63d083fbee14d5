"""`seq`: numbers in a row, exact, without an end where none is asked for.

Integers are counted as integers; everything else in decimal arithmetic, so that `seq 0 0.1 1`
prints what it says. bashkit's own stops after 100,000 lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from itertools import count, islice

from tadoru.shell.commands.context import Context, UsageError

HELP = """Usage: seq [OPTION]... LAST
  or:  seq [OPTION]... FIRST LAST
  or:  seq [OPTION]... FIRST INCREMENT LAST

  -f, --format=FORMAT
  -s, --separator=STRING
  -w, --equal-width
"""
BATCH = 4_096
_FORMAT = re.compile(r"((?:[^%]|%%)*)%([-+ 0#']*)(\d*)(?:\.(\d*))?([aefgAEFG])((?:[^%]|%%)*)")
_NUMBER = re.compile(r"-(?:\d|\.\d|inf)", re.IGNORECASE)
MAX_WIDTH = 4_096


async def main(ctx: Context) -> int:
    try:
        settings, words = _options(ctx.argv)
        if "help" in settings:
            await ctx.write(HELP.encode())
            return 0
        rows = _rows(settings, words)
    except UsageError as error:
        plain = str(error).startswith("format ‘")
        hint = "" if plain else "\nTry 'seq --help' for more information."
        raise UsageError(f"{error}{hint}", 1) from None
    separator = settings.get("separator", "\n")
    first = True
    while batch := list(islice(rows, BATCH)):
        ctx.deadline.check()
        lead = "" if first else separator
        await ctx.write((lead + separator.join(batch)).encode())
        first = False
    if not first:
        await ctx.write(b"\n")
    return 0


def _options(argv: list[str]) -> tuple[dict[str, str], list[str]]:
    """Split options from numbers; a negative number is no option. Raises UsageError."""
    long = {"format": "f", "separator": "s", "equal-width": "w", "help": ""}
    settings: dict[str, str] = {}
    words = list(argv)
    while words and words[0].startswith("-") and not _NUMBER.match(words[0]) and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        name, equals, value = word[2:].partition("=") if word.startswith("--") else ("", "", "")
        letter = word[1]
        if word.startswith("--"):
            fitting = [option for option in long if option.startswith(name)]
            if len(fitting) != 1:
                raise UsageError(f"unrecognized option '{word}'")
            name, letter = fitting[0], long[fitting[0]]
        elif letter in "fsw":
            name = {"f": "format", "s": "separator", "w": "equal-width"}[letter]
            value = word[2:]
        else:
            raise UsageError(f"invalid option -- '{letter}'")
        if letter and letter in "fs" and not value and not equals:
            if not words:
                raise UsageError(f"option requires an argument -- '{letter}'")
            value = words.pop(0)
        if letter == "w" and value and not equals:
            words.insert(0, f"-{value}")
        settings[name] = value
    return settings, words


def _rows(settings: dict[str, str], words: list[str]) -> Iterator[str]:
    if not words:
        raise UsageError("missing operand")
    if len(words) > 3:
        raise UsageError(f"extra operand ‘{words[3]}’")
    numbers = [_number(word) for word in words]
    first = numbers[0] if len(numbers) > 1 else Decimal(1)
    step = numbers[1] if len(numbers) > 2 else Decimal(1)
    last = numbers[-1]
    if not step:
        raise UsageError(f"invalid Zero increment value: ‘{words[1]}’")
    if "format" in settings and "equal-width" in settings:
        raise UsageError("format string may not be specified when printing equal width strings")
    places = max(_places(word) for word in (words[:-1] or ["1"]))
    values = _values(first, step, last)
    if "format" in settings:
        return _formatted(settings["format"], values)
    width = 0
    if "equal-width" in settings and last.is_finite():
        width = max(len(f"{value:.{places}f}") for value in (first, last))
    if not places:
        return (str(value).zfill(width) for value in values)
    return (f"{value:.{places}f}".zfill(width) for value in values)


def _number(word: str) -> Decimal:
    try:
        number = Decimal(word.strip())
    except InvalidOperation:
        number = Decimal("nan")
    if number.is_nan() or abs(number.adjusted() if number.is_finite() else 0) > MAX_WIDTH:
        raise UsageError(f"invalid floating point argument: ‘{word}’")
    return number


def _places(word: str) -> int:
    """Return the digits after the point with which numbers are shown."""
    number = Decimal(word.strip())
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _values(first: Decimal, step: Decimal, last: Decimal) -> Iterator[int] | Iterator[Decimal]:
    if first == int(first) and step == int(step):
        start, by = int(first), int(step)
        if not last.is_finite():
            return _endless(start, by) if (last > 0) == (by > 0) else iter(())
        end = int(last.to_integral_value("ROUND_FLOOR" if by > 0 else "ROUND_CEILING"))
        return iter(range(start, end + (1 if by > 0 else -1), by))
    return _decimals(first, step, last)


def _endless(start: int, by: int) -> Iterator[int]:
    yield from count(start, by)


def _decimals(first: Decimal, step: Decimal, last: Decimal) -> Iterator[Decimal]:
    for turn in count():
        value = first + turn * step
        if (value > last) if step > 0 else (value < last):
            return
        yield value


def _formatted(template: str, values: Iterator[int] | Iterator[Decimal]) -> Iterator[str]:
    found = _FORMAT.fullmatch(template)
    if found is None:
        if "%" not in template.replace("%%", ""):
            raise UsageError(f"format ‘{template}’ has no % directive")
        raise UsageError(f"format ‘{template}’ has unknown or too many % directives")
    if max(int(found[3] or 0), int(found[4] or 0)) > MAX_WIDTH:
        raise UsageError(f"format ‘{template}’ is wider than {MAX_WIDTH}")
    before, after = found[1].replace("%%", "%"), found[6].replace("%%", "%")
    precision = "" if found[4] is None else f".{found[4] or 0}"
    directive = f"%{found[2].replace(chr(39), '')}{found[3]}{precision}{found[5]}"
    return (before + directive % value + after for value in values)
