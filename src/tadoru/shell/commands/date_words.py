"""What `date -d` is given, as a moment: the forms of GNU's date that people and agents write.

Dates in ISO, American and written form, times with zones, `@SECONDS`, weekdays, and relative words
(`2 days ago`, `next month`, `yesterday`) that count from now, or from the date beside them. A month
too short for a day runs over into the next one, as GNU's does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo

_MONTH_NAMES = """
january february march april may june july august september october november december
"""
_DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday"
MONTHS = {name[:size]: n for n, name in enumerate(_MONTH_NAMES.split(), 1) for size in (3, 20)}
MONTHS["sept"] = 9
DAYS = {name[:size]: n for n, name in enumerate(_DAY_NAMES.split()) for size in (3, 20)}
DAYS |= {"tues": 1, "wednes": 2, "thur": 3, "thurs": 3}
_ZONES = {"z": 0, "utc": 0, "gmt": 0, "ut": 0, "wet": 0, "cet": 1, "cest": 2, "est": -5}
_ZONES |= {"edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "jst": 9}
_ORDINALS = {"last": -1, "this": 0, "next": 1, "first": 1, "third": 3, "fourth": 4, "fifth": 5}
_ORDINALS |= {"sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11}
_ORDINALS |= {"twelfth": 12}
_SECONDS = {"sec": 1, "second": 1, "min": 60, "minute": 60, "hour": 3600}
_WHOLE = {"day": 1, "week": 7, "fortnight": 14}
_NAMED = {"yesterday": -1, "tomorrow": 1, "today": 0, "now": 0}
_UNIT = re.compile(r"(sec|second|min|minute|hour|day|week|fortnight|month|year)s?", re.ASCII)
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d+))?)?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?(?:\s*(?P<zone>[-+]\d{1,2}(?::?\d\d)?)(?!\d))?(?![\d:])",
    re.ASCII,
)
_ISO = re.compile(
    r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?:t(?=\d))?(?!\d)", re.ASCII
)
_PLAIN = re.compile(r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?!\d)(?:t(?=\d))?", re.ASCII)
_AMERICAN = re.compile(
    r"(?P<month>\d{1,2})/(?P<day>\d{1,2})(?:/(?P<year>\d{2,4}))?(?!\d)", re.ASCII
)
_WRITTEN = re.compile(
    r"(?P<day>\d{1,2})[-\s]*(?P<name>[a-z]{3,9})\.?(?:[-\s,]+(?P<year>\d{4}))?", re.ASCII
)
_NAMED_DATE = re.compile(
    r"(?P<name>[a-z]{3,9})\.?\s+(?P<day>\d{1,2})(?![\d:])(?:,?\s*(?P<year>\d{4})(?![\d:]))?",
    re.ASCII,
)
_RELATIVE = re.compile(
    r"(?P<sign>[-+]?)\s*(?P<count>\d+)?\s*(?P<unit>[a-z]+)(?P<ago>\s+ago\b)?", re.ASCII
)
_WORD = re.compile(r"[a-z]+", re.ASCII)
_YEAR = re.compile(r"\d{4}(?![\d:])", re.ASCII)
MAX_COUNT = 10**7


class NoDate(ValueError):
    """The words are no date."""


@dataclass(slots=True)
class _Moment:
    now: datetime
    date: tuple[int, int, int] | None = None
    has_year: bool = False
    time: tuple[int, int, int, int] | None = None
    zone: tzinfo | None = None
    weekday: int | None = None
    weeks: int = 0
    months: int = 0
    days: int = 0
    seconds: int = 0


def moment(text: str, now: datetime, zone: tzinfo = UTC) -> datetime:
    """Return the moment that some words mean. `now`: aware. Raises: `NoDate`."""
    found = _Moment(now.astimezone(zone))
    rest = re.sub(r"\([^)]*\)", " ", text).strip().lower()
    if rest.startswith("@"):
        try:
            return datetime.fromtimestamp(float(rest[1:]), UTC)
        except (ValueError, OverflowError, OSError):
            raise NoDate(text) from None
    if not rest:
        found.time = 0, 0, 0, 0
    while rest := rest.lstrip(" ,\t\n"):
        rest = rest[_taken(found, rest) :]
    try:
        return _result(found, zone)
    except (ValueError, OverflowError):
        raise NoDate(text) from None


def _taken(found: _Moment, rest: str) -> int:
    """Take what the rest begins with, and return how long it was. Raises: `NoDate`."""
    for pattern in (_ISO, _AMERICAN, _PLAIN):
        if (match := pattern.match(rest)) is not None and found.date is None:
            found.date = _date(match["year"], int(match["month"]), int(match["day"]), found.now)
            found.has_year = bool(match["year"])
            return match.end()
    if (match := _time(found, rest)) is not None:
        return match.end()
    if found.date is not None and not found.has_year and (match := _YEAR.match(rest)) is not None:
        found.date = (int(match[0]), *found.date[1:])
        found.has_year = True
        return match.end()
    for pattern in (_WRITTEN, _NAMED_DATE):
        match = pattern.match(rest)
        if match is not None and match["name"] in MONTHS and found.date is None:
            month = MONTHS[match["name"]]
            found.date = _date(match["year"], month, int(match["day"]), found.now)
            found.has_year = bool(match["year"])
            return match.end()
    return _words(found, rest)


def _date(year: str | None, month: int, day: int, now: datetime) -> tuple[int, int, int]:
    number = int(year) if year else now.year
    if year and len(year) == 2:
        number += 2000 if number < 69 else 1900
    return number, month, day


def _time(found: _Moment, rest: str) -> re.Match[str] | None:
    """Take a time of day: with a colon, with am or pm, or two digits behind a date."""
    match = _TIME.match(rest)
    if match is None or found.time is not None or not (match["minute"] or match["half"]):
        return None
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            raise NoDate(rest)
        hour = hour % 12 + 12 * (match["half"][0] == "p")
    part = int((match["part"] or "0")[:6].ljust(6, "0"))
    found.time = hour, int(match["minute"] or 0), int(match["second"] or 0), part
    if match["zone"]:
        found.zone = _offset(match["zone"])
    return match


def _offset(text: str) -> timezone:
    digits = text[1:].replace(":", "")
    hours, minutes = (int(digits), 0) if len(digits) <= 2 else (int(digits[:-2]), int(digits[-2:]))
    try:
        return timezone((1 if text[0] == "+" else -1) * timedelta(hours=hours, minutes=minutes))
    except ValueError:
        raise NoDate(text) from None


def _words(found: _Moment, rest: str) -> int:
    match = _RELATIVE.match(rest)
    if match is None:
        raise NoDate(rest)
    word, count, sign = match["unit"], match["count"], match["sign"]
    if count is None and not sign:
        taken = _named(found, word)
        if taken:
            return match.end("unit")
        if word in _ORDINALS:
            return match.end("unit") + _ordinal(found, _ORDINALS[word], rest[match.end("unit") :])
    unit = _UNIT.fullmatch(word)
    if unit is None or int(count or 0) > MAX_COUNT:
        raise NoDate(rest)
    amount = int(count) if count is not None else 1
    if (sign == "-") != bool(match["ago"]):
        amount = -amount
    _shift(found, unit[1], amount)
    return match.end()


def _named(found: _Moment, word: str) -> bool:
    """Take a word that stands alone."""
    if word in _NAMED:
        found.days += _NAMED[word]
    elif word in _ZONES and (found.time is not None or found.date is not None):
        found.zone = timezone(timedelta(hours=_ZONES[word]))
    elif word in DAYS:
        found.weekday = DAYS[word]
    elif word != "t":
        return False
    return True


def _ordinal(found: _Moment, amount: int, rest: str) -> int:
    """Take what `next`, `last` and the like are about."""
    match = _WORD.match(rest.lstrip())
    if match is None:
        raise NoDate(rest)
    length = len(rest) - len(rest.lstrip()) + match.end()
    word = match[0]
    if word in DAYS:
        found.weekday = DAYS[word]
        found.weeks = amount
        return length
    unit = _UNIT.fullmatch(word)
    if unit is None:
        raise NoDate(rest)
    ago = re.match(r"\s+ago\b", rest[length:])
    _shift(found, unit[1], -amount if ago else amount)
    return length + (ago.end() if ago else 0)


def _shift(found: _Moment, unit: str, amount: int) -> None:
    if unit in _SECONDS:
        found.seconds += amount * _SECONDS[unit]
    elif unit in _WHOLE:
        found.days += amount * _WHOLE[unit]
    else:
        found.months += amount * (12 if unit == "year" else 1)


def _result(found: _Moment, zone: tzinfo) -> datetime:
    now = found.now
    year, month, day = found.date or (now.year, now.month, now.day)
    datetime(year, month, day)  # a date that does not exist is none
    time = found.time
    if time is None:
        fixed = found.date is not None or found.weekday is not None
        time = (0, 0, 0, 0) if fixed else (now.hour, now.minute, now.second, now.microsecond)
    years, month = divmod(month - 1 + found.months, 12)
    start = datetime(year + years, month + 1, 1) + timedelta(days=day - 1 + found.days)
    if found.weekday is not None:
        ahead = (found.weekday - start.weekday()) % 7
        start += timedelta(days=ahead + 7 * (found.weeks - (found.weeks > 0 and ahead > 0)))
    hour, minute, second, part = time
    local = start.replace(hour=hour, minute=minute, second=min(second, 59), microsecond=part)
    return local.replace(tzinfo=found.zone or zone) + timedelta(seconds=found.seconds)
