"""Pairs of a question and the text that answers it, from what packages say about themselves.

doc comment -> code, first sentence -> code, name -> body without the name, heading -> section,
changelog line -> the one definition that it names, and doc comments put as questions by template.
Packages whose name falls into the development share are kept apart for every choice.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from corpus import Record

from tadoru.models.subwords import parts_of

DEVELOPMENT = 18
"""One package in so many is for development."""
MAX_PER_PACKAGE = 2_200
TEMPLATES = (
    "how does it {}", "where is the code that {}", "how to {}", "function that {}",
    "where do we {}", "find the implementation which {}", "what {}", "code to {}",
)  # fmt: skip
TEMPLATED, NAMED, PATHLESS = 0.2, 0.15, 0.25
"""Share of definitions that also give a templated question, or a name; share of texts without
their path, so that a path is no crutch."""
_NAME = re.compile(r"`([A-Za-z_][\w.]*)`|\b([a-z]+_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+)\b")
_NOISE = re.compile(r"https?://\S+|\(?#\d+\)?|<[^>]{1,80}>|@\w+\s?")


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, and the text that answers it: its place, and below that the rest."""

    question: str
    place: str
    body: str


def is_development(package: str) -> bool:
    return zlib.crc32(package.encode()) % DEVELOPMENT == 0


def question_of(record: Record) -> str:
    """Return the doc comment without the name that it begins with, as Go's do."""
    doc = _NOISE.sub(" ", record.doc).strip()
    words = doc.split(" ", 1)
    if len(words) == 2 and words[0].strip("`'\"():,") == record.name:
        doc = words[1]
    return doc


def place_of(record: Record) -> str:
    return f"{record.path} > {record.place}" if record.place else record.path


def usable(question: str) -> bool:
    """Tell whether somebody could find anything by this."""
    letters = sum(map(str.isalpha, question))
    return len(question.split()) >= 3 and letters >= 0.6 * len(question)


def pairs_of(records: list[Record], random_source: random.Random) -> Iterator[Pair]:
    """Yield the pairs of one package, each text at most twice, and each question once."""
    asked: set[str] = set()
    code = [r for r in records if r.kind == "code"]
    by_name: dict[str, list[Record]] = defaultdict(list)
    for record in code:
        by_name[record.name].append(record)
    if len(records) > MAX_PER_PACKAGE:
        records = random_source.sample(records, MAX_PER_PACKAGE)
    common = {q for q, n in Counter(question_of(r) for r in code).items() if n > 2}
    for record in records:
        for pair in _of_record(record, by_name, random_source):
            if usable(pair.question) and pair.question not in asked | common:
                asked.add(pair.question)
                yield pair


def _of_record(
    record: Record, by_name: dict[str, list[Record]], random_source: random.Random
) -> Iterable[Pair]:
    if record.kind == "section":
        yield Pair(record.name, record.path, record.body)
        return
    if record.kind == "change":
        names = {a.split(".")[-1] or b for a, b in _NAME.findall(record.doc)}
        named = [by_name[name] for name in names if len(by_name.get(name, ())) == 1]
        for found in named[:1]:
            yield Pair(record.doc, place_of(found[0]), found[0].body)
        return
    question = question_of(record)
    path = "" if random_source.random() < PATHLESS else place_of(record)
    yield Pair(question, path, record.body)
    first = re.split(r"(?<=[.!?])\s", question)[0]
    if len(first) < 0.6 * len(question):
        yield Pair(first, path, record.body)
    if random_source.random() < TEMPLATED:
        asked = random_source.choice(TEMPLATES).format(first[:1].lower() + first[1:].rstrip("."))
        yield Pair(asked, path, record.body)
    parts = parts_of(record.name)
    if len(parts) > 2 and random_source.random() < NAMED:
        yield Pair(" ".join(parts), record.path, record.body.replace(record.name, ""))
