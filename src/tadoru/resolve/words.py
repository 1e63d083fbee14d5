"""Names as the resolver compares them: folded, cut into words, given a role.

Decides which spellings count as the same name (case, separators, Unicode form, plural) and which
words programmers use for the same job (`helpers`, `utils`, `common`). Refuses to rank anything.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from dataclasses import dataclass, replace
from functools import lru_cache

from tadoru.resolve.endings import is_ending
from tadoru.text.terms import stem

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")
_NOT_ALNUM = re.compile(r"[\W_]+")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a constant."""
    return frozenset(text.split())


_ROLE_GROUPS = (
    "helper util utility utils common shared misc support base tool lib testenv testutil "
    "testhelper env",
    "handler controller endpoint route router view resource api",
    "type model schema entity interface dto struct definition def typing",
    "config configuration settings setting option conf preference default rc cfg",
    "service manager provider client repository repo store dao adapter",
    "command cmd cli subcommand action",
    "fixture conftest setup mock fake stub testdata testenv env bootstrap",
    "error exception err failure",
    "main index init app mod lib entry server doc root core",
    "constant const enum",
    "parser parse reader decoder lexer tokenizer deserializer loader",
    "writer encoder serializer formatter printer renderer",
    "auth authentication authorization login session",
    "database db storage persistence",
    "docs doc documentation guide manual",
    "log logger logging",
    "message msg",
    "request req",
    "response res resp",
    "context ctx",
    "package pkg module",
    "directory dir folder",
    "image img picture",
    "temporary tmp temp",
    "operation op ops",
    "argument arg param parameter flag",
    "test tests spec testing unittest",
    "source src",
    "implementation impl",
    "style css theme",
    "component widget ui",
    "hook plugin middleware extension",
)
"""Words that agents put for one another when they invent a file name (real failures, and the
conventions of Go, Python, TypeScript, Java and Rust)."""


def _roles() -> dict[str, frozenset[int]]:
    table: dict[str, set[int]] = {}
    for number, group in enumerate(_ROLE_GROUPS):
        for word in group.split():
            table.setdefault(stem(word), set()).add(number)
            table.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in table.items()}


ROLES = _roles()
"""Word or its stem -> the roles it can stand for."""

GENERIC = word_set(
    "index main mod lib init types type utils util helpers helper common base core app config "
    "constants errors models model schema interfaces shared misc doc readme setup server client "
    "routes handler handlers test tests conftest build package makefile dockerfile"
)
"""Folded names that say nothing about their subject: found everywhere, invented everywhere."""

TEST_WORDS = frozenset({"test", "tests", "spec", "specs", "testing", "testdata", "e2e", "tst"})
GENERATED_WORDS = frozenset(
    {"vendor", "generated", "dist", "third", "thirdparty", "gen", "snapshots", "snap", "pb"}
)


@lru_cache(maxsize=65_536)
def fold(text: str) -> str:
    """Return a spelling without case, separators and Unicode forms; `text` when nothing is left."""
    if text.isascii():
        folded = _NOT_ALNUM.sub("", text.lower())
    else:
        folded = _NOT_ALNUM.sub("", unicodedata.normalize("NFKC", text).casefold())
    return folded or text


def split_extension(name: str) -> tuple[str, str]:
    """Return (stem, extension without dot); a leading dot belongs to the stem."""
    position = name.rfind(".")
    return (name[:position], name[position + 1 :].lower()) if position > 0 else (name, "")


@lru_cache(maxsize=65_536)
def tokens(text: str) -> tuple[str, ...]:
    """Return the stemmed words of a name in order: camel, snake, digits apart."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return tuple(stem(word.lower()) for word in _WORD.findall(text))


@dataclass(frozen=True, slots=True)
class Name:
    """A file or directory name, ready for comparison."""

    raw: str
    stem: str
    extension: str
    folded: str
    """The stem, folded."""
    words: tuple[str, ...]
    word_set: frozenset[str]
    roles: frozenset[int]
    is_test: bool
    generic: bool


@lru_cache(maxsize=50_000)
def parse_name(raw: str) -> Name:
    """Return the comparable form of a file or directory name."""
    base, extension = split_extension(raw)
    words = tokens(base)
    folded = fold(base)
    roles: set[int] = set()
    if not raw.startswith("."):  # `.env` plays no part in the code
        for word in words:
            roles.update(ROLES.get(word, ()))
    return Name(
        raw=raw,
        stem=base,
        extension=extension,
        folded=folded,
        words=words,
        word_set=frozenset(words),
        roles=frozenset(roles),
        is_test=not TEST_WORDS.isdisjoint(words),
        generic=folded in GENERIC
        or (bool(words) and all(word in ROLES or word in TEST_WORDS for word in words)),
    )


def as_asked(raw: str, known: Container[str], *, wants_dir: bool) -> Name:
    """Return the comparable form of a requested name.

    What follows the last dot is an extension only where it can be one: not before a final
    separator (`loader.test/`), and not when nobody knows it (`v1.19`).
    """
    name = parse_name(raw)
    if not name.extension or not (
        wants_dir or (name.extension not in known and not is_ending(name.extension))
    ):
        return name
    words = tokens(raw)
    return replace(
        name,
        stem=raw,
        extension="",
        folded=fold(raw),
        words=words,
        word_set=frozenset(words),
        is_test=not TEST_WORDS.isdisjoint(words),
    )
