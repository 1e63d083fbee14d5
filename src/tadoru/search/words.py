"""Words that carry nothing, words that mean the same in code, and what CJK words mean there.

The two tables are data (`words.json`), read once when the first question needs them. Entries are
ours; they name things of everyday programming only, so that no repository is favoured.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files

STOP_WORDS = frozenset(
    """a about above all also am an and any are as at be been being between both but by can code
    could did do does doing done each etc every find for from get give given gives had has have
    having here how i if implement implementation implemented implements in into is it its itself
    just let like locate look make makes me might more most my no nor not of off on once one only
    or other our out over own perform performed please same see shall she should show so some such
    tell than that the their them then there these they this those through to too under until up
    us use used uses using very via want was we were what when where whether which while who whose
    why will with within without would work works you your""".split()  # noqa: SIM905
)
"""Words of a question that say nothing about its object."""

_LONGEST_GLOSS = 12


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    data = json.loads(files(__package__).joinpath("words.json").read_text("utf-8"))
    synonyms: dict[str, tuple[str, ...]] = {}
    for line in data["same"]:
        group = line.split()
        for word in group:
            others = [other for other in group if other != word]
            synonyms[word] = tuple(dict.fromkeys([*synonyms.get(word, ()), *others]))
    meanings = {surface: tuple(line.split()) for surface, line in data["glossary"].items()}
    return synonyms, meanings


def synonyms_of(word: str) -> tuple[str, ...]:
    """Return what code may call the same thing (`config` for `configuration`)."""
    return _tables()[0].get(word, ())


def glosses(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the known CJK words of a text, longest match first, with English code words."""
    meanings = _tables()[1]
    found: dict[str, tuple[str, ...]] = {}
    position = 0
    while position < len(text):
        if text[position].isascii():
            position += 1
            continue
        for length in range(min(_LONGEST_GLOSS, len(text) - position), 0, -1):
            surface = text[position : position + length]
            if surface in meanings:
                found[surface] = meanings[surface]
                position += length
                break
        else:
            position += 1
    return list(found.items())
