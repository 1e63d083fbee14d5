"""The tests of `find`: each word to a function from an item to true or false."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from tadoru.errors import TadoruError
from tadoru.shell.commands import facts
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.find_item import Item
from tadoru.shell.globs import compile_glob
from tadoru.shell.space import link_text, strerror
from tadoru.types import Entry, Kind

Test = Callable[[Item], bool]
Argument = Callable[[], str]

_DAY, _MINUTE = 86_400, 60
_UNITS = {"b": 512, "c": 1, "w": 2, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LETTERS = {"f": Kind.FILE, "d": Kind.DIRECTORY, "l": Kind.LINK}
_KNOWN_TYPES = frozenset("fdlbcpsD")
_AGES = {"-mtime": _DAY, "-atime": _DAY, "-ctime": _DAY} | {
    "-mmin": _MINUTE,
    "-amin": _MINUTE,
    "-cmin": _MINUTE,
}
_RELATIVE = re.compile(r"(\d+)\s*(second|sec|minute|min|hour|day|week|month|year)s?\s+ago")
_SECONDS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "day": _DAY} | {
    "week": 7 * _DAY,
    "month": 30 * _DAY,
    "year": 365 * _DAY,
}
_ALWAYS = {"-true": True, "-false": False, "-readable": True, "-writable": False} | {
    "-nouser": False,
    "-nogroup": False,
}


def make(word: str, argument: Argument, ctx: Context) -> Test | None:
    """Return the test for a word, taking its argument; None for an unknown word."""
    names = _name_test(word, argument)
    if names is not None:
        return names
    if word in _ALWAYS:
        value = _ALWAYS[word]
        return lambda item: value
    if word in ("-type", "-xtype"):
        return _type(argument(), followed=word == "-xtype")
    if word == "-size":
        return _size(argument())
    if word == "-empty":
        return _empty
    if word in _AGES:
        return _age(word, argument(), _AGES[word])
    if word.startswith(("-newer", "-anewer", "-cnewer")):
        return _newer(word, argument(), ctx)
    return _status_test(word, argument, ctx)


def _name_test(word: str, argument: Argument) -> Test | None:
    fold = word.startswith("-i")
    plain = "-" + word[2:] if fold else word
    if plain in ("-name", "-lname"):
        matches = compile_glob(argument(), fold=fold)
        if plain == "-name":
            return lambda item: matches(item.name)
        return lambda item: item.entry.kind is Kind.LINK and matches(link_text(item.entry))
    if plain in ("-path", "-wholename"):
        matches = compile_glob(argument(), fold=fold)
        return lambda item: matches(item.shown)
    return None


def _status_test(word: str, argument: Argument, ctx: Context) -> Test | None:
    """Tests of what a tree has only one answer for: owner, permissions, links, inode."""
    if word == "-perm":
        return _permissions(argument())
    if word == "-executable":
        return lambda item: bool(facts.permissions(item.entry, item.space) & 0o111)
    if word in ("-user", "-group", "-uid", "-gid"):
        value = argument()
        if value not in (facts.OWNER, "0") and not value.lstrip("+-").isdigit():
            kind = "user" if word == "-user" else "group"
            raise UsageError(f"‘{value}’ is not the name of a known {kind}", 1)
        owned = value in (facts.OWNER, "0")
        return lambda item: owned
    if word == "-links":
        links = _compare(word, argument())
        return lambda item: links(facts.link_count(item.entry, item.space))
    if word == "-inum":
        number = _compare(word, argument())
        return lambda item: number(facts.inode(item.entry))
    if word == "-samefile":
        path = _lookup(argument(), ctx, follow=False).path
        return lambda item: item.entry.path == path
    if word == "-fstype":
        wanted = argument()
        return lambda item: wanted == "tadoru"
    return None


def _lookup(operand: str, ctx: Context, *, follow: bool = True) -> Entry:
    try:
        return ctx.lookup(operand, follow=follow)
    except TadoruError as error:
        raise UsageError(f"‘{operand}’: {strerror(error)}", 1) from None


def _compare(word: str, text: str) -> Callable[[int], bool]:
    """Return the comparison that `n`, `+n` or `-n` asks for."""
    digits = text.lstrip("+-") if text[:1] in ("+", "-") else text
    if not digits.isdigit():
        raise UsageError(f"invalid argument `{text}' to `{word}'", 1)
    wanted = int(digits)
    if text[0] == "+":
        return lambda value: value > wanted
    if text[0] == "-":
        return lambda value: value < wanted
    return lambda value: value == wanted


def _type(text: str, *, followed: bool) -> Test:
    letters = text.split(",")
    for letter in letters:
        if letter not in _KNOWN_TYPES:
            if len(letter) > 1 or not letter:
                raise UsageError("Must separate multiple arguments to -type using: ','", 1)
            raise UsageError(f"Unknown argument to -type: {letter}", 1)
    kinds = {_LETTERS[letter] for letter in letters if letter in _LETTERS}
    if followed:
        return lambda item: _followed(item).kind in kinds
    if kinds == {Kind.DIRECTORY}:
        return lambda item: item.is_dir
    return lambda item: item.entry.kind in kinds


def _followed(item: Item) -> Entry:
    """Return the entry on the other side of `-follow`: of the link where links are followed."""
    return item.space.lookup(item.path, follow=not item.follow)


def _size(text: str) -> Test:
    unit = _UNITS.get(text[-1:], 0)
    number = text[:-1] if unit else text
    try:
        compare = _compare("-size", number)
    except UsageError:
        if text[-1:].isdigit() or unit:
            raise UsageError(f"Invalid argument `{text}' to -size", 1) from None
        raise UsageError(f"invalid -size type `{text[-1:]}'", 1) from None
    unit = unit or 512
    return lambda item: compare(-(-facts.size_of(item.entry) // unit))


def _empty(item: Item) -> bool:
    if item.is_dir:
        return not item.space.children(item.path)
    return item.entry.kind is Kind.FILE and item.entry.size == 0


def _age(word: str, text: str, unit: int) -> Test:
    compare = _compare(word, text)
    now = time.time()
    return lambda item: compare(int((now - item.entry.mtime_ns / 1e9) // unit))


def _newer(word: str, argument: str, ctx: Context) -> Test:
    if word[-1:] == "t" and word.startswith("-newer") and len(word) == len("-newermt"):
        limit = parse_date(argument)
    else:
        limit = _lookup(argument, ctx).mtime_ns
    return lambda item: item.entry.mtime_ns > limit


def parse_date(text: str) -> int:
    """Return the nanoseconds of a date as people write it for `-newermt`. Raises UsageError."""
    now = datetime.now(UTC)
    words = text.strip().lower()
    named = {"now": 0, "today": 0, "yesterday": _DAY, "tomorrow": -_DAY}
    relative = _RELATIVE.fullmatch(words)
    if words.startswith("@") and words[1:].isdigit():
        return int(words[1:]) * 1_000_000_000
    if words in named:
        when = now - timedelta(seconds=named[words])
    elif relative and int(relative[1]) < 10_000:
        when = now - timedelta(seconds=int(relative[1]) * _SECONDS[relative[2]])
    else:
        try:
            when = datetime.fromisoformat(text.strip().replace("/", "-"))
        except ValueError:
            message = f"I cannot figure out how to interpret ‘{text}’ as a date or time"
            raise UsageError(message, 1) from None
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return int(when.timestamp() * 1e9)


def _permissions(text: str) -> Test:
    how, digits = (text[0], text[1:]) if text[:1] in ("-", "/", "+") else ("", text)
    if not re.fullmatch(r"[0-7]{1,4}", digits):
        wanted = _symbolic(digits)
        if wanted is None:
            raise UsageError(f"invalid mode ‘{text}’", 1)
    else:
        wanted = int(digits, 8)

    def test(item: Item) -> bool:
        bits = facts.permissions(item.entry, item.space)
        if how == "-":
            return bits & wanted == wanted
        if how:
            return not wanted or bool(bits & wanted)
        return bits == wanted

    return test


def _symbolic(text: str) -> int | None:
    """Return the bits of `u=rwx,g+x` and the like, from nothing."""
    bits = 0
    for clause in text.split(","):
        found = re.fullmatch(r"([ugoa]*)[+=]([rwx]+)", clause)
        if found is None:
            return None
        value = sum({"r": 4, "w": 2, "x": 1}[letter] for letter in set(found[2]))
        who = found[1] if found[1] and "a" not in found[1] else "ugo"
        for letter in who:
            bits |= value << {"u": 6, "g": 3, "o": 0}[letter]
    return bits


_REGEX_TYPES = {
    "findutils-default": "emacs",
    "ed": "basic",
    "emacs": "emacs",
    "gnu-awk": "extended",
    "grep": "basic",
    "posix-awk": "extended",
    "awk": "extended",
    "posix-basic": "basic",
    "posix-egrep": "extended",
    "egrep": "extended",
    "posix-extended": "extended",
    "posix-minimal-basic": "basic",
    "sed": "basic",
}


def regex(pattern: str, kind: str, *, fold: bool) -> Test:
    """Return the test of `-regex`: the whole path must match."""
    from tadoru.shell.commands.find_regex import whole_match

    if kind not in _REGEX_TYPES:
        known = ", ".join(f"‘{name}’" for name in _REGEX_TYPES)
        raise UsageError(f"Unknown regular expression type ‘{kind}’; valid types are {known}.", 1)
    matches = whole_match(pattern, _REGEX_TYPES[kind], fold=fold)
    return lambda item: matches(item.shown)
