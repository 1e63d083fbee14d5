"""What the model's confidence may not say, and what a rule adds to it.

The model learned from paths that had an answer nearby; a lone sibling, a name of the same role or
the files touched before can carry it over the line where the names have nothing in common. Decides
how sure such a candidate may be at most: enough for a choice, never for an answer. Refuses to
change the order that the model found, but for a rewriting of the very path that was asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadoru.resolve.doubts import SIDE_DIRECTORIES, another_thing
from tadoru.resolve.endings import kin
from tadoru.resolve.features import FEATURES, Context
from tadoru.resolve.model import Scored, Weights, rank_vectors
from tadoru.resolve.spellings import ENTRY_NAMES, Spelled
from tadoru.resolve.words import parse_name, tokens, word_set

CHOICE = 0.6
"""Confidence of a candidate that may be offered and never acted on."""
SHARED_LETTERS = 4
"""Letters in common from the front that make two names related."""
SHARED_NAME = 0.7
"""Similarity that does."""
TWINS = 3
"""Directories side by side that hold a file of one name: which one is meant is told by their names
alone, and one letter for another is another name (`mysql`, `mssql`)."""
SHORT_DIRECTORY = 6

TOP_FILES = word_set(
    "requirements setup pyproject package packagelock yarnlock makefile dockerfile dockercompose "
    "readme license licence changelog contributing security gomod gosum cargo composer gemfile "
    "rakefile tox pomxml pom buildgradle build settingsgradle cmakelists justfile tsconfig main "
    "index manage conftest procfile editorconfig gitignore env"
)
"""Folded stems that belong to the top of a project; a namesake in an example is another file."""
_HISTORY = tuple(n for n, name in enumerate(FEATURES) if "history" in name)


def limited(
    context: Context, ranked: Sequence[Scored], none: float, weights: Weights
) -> list[Scored]:
    """Return the candidates with the confidence of the first held to what its evidence allows.

    `none`: utility of "none of them".
    """
    if not ranked:
        return []
    first = ranked[0]
    most = first.score
    if not _named(context, first) or another_thing(context, first) or _by_chance(context, first):
        most = min(most, CHOICE)
    if context.history and not context.bare and not first["name_folded"]:
        most = min(most, _without_history(ranked, none, weights))
    if most >= first.score:
        return list(ranked)
    return [replace(c, score=min(c.score, most)) for c in ranked]


def lifted(ranked: Sequence[Scored], spelled: Spelled | None) -> list[Scored]:
    """Return the candidates with those of a rewriting first, when it is the surer evidence."""
    if spelled is None:
        return list(ranked)
    there = [c for c in ranked if c.path in spelled.paths]
    if not there:
        return list(ranked)
    score = spelled.score / len(there)
    others = [c for c in ranked if c.path not in spelled.paths]
    if others and score <= others[0].score and spelled.score < CHOICE:
        return list(ranked)
    if len(there) == 1:
        score = max(score, there[0].score)
    there = [replace(c, score=score, why=spelled.why) for c in there]
    most = min(1.0 - spelled.score, score)
    return [*there, *(replace(c, score=min(c.score, most)) for c in others)]


def _without_history(ranked: Sequence[Scored], none: float, weights: Weights) -> float:
    """Return how likely the first candidate is when nothing is known of what was touched."""
    vectors = []
    for candidate in ranked:
        vector = list(candidate.features)
        for position in _HISTORY:
            vector[position] = 0.0
        vectors.append(vector)
    return rank_vectors(vectors, none, weights)[0]


def _named(context: Context, found: Scored) -> bool:
    """Tell whether the names have something in common, or the answer needs no name."""
    asked, name = context.name, found.path.rpartition("/")[2]
    is_dir = context.index.is_dir(found.path)
    if is_dir and context.op in ("read", "write") and asked.extension:
        return bool(found["name_folded"])
    offered = parse_name(name)
    if not is_dir and asked.extension and not kin(asked.extension, offered.extension):
        return bool(found["name_folded"] or found["name_plural"]) and not asked.generic
    if found["ancestor"] or found["defines_symbol"] or found["name_plural"]:
        return True
    return (
        found["name_typo"] > 0.0
        or found["name_contains"] > 0.0
        or _word_in_common(context, found.path)
        or found["name_similarity"] >= SHARED_NAME
        or found["name_prefix"] * len(asked.folded) >= SHARED_LETTERS
    )


def _word_in_common(context: Context, path: str) -> bool:
    """Tell whether a word of one name stands in the other, or in the directory of the other."""
    parent, _, name = path.rpartition("/")
    asked, offered = context.name.word_set, parse_name(name).word_set
    if not asked.isdisjoint(offered.union(tokens(parent.rpartition("/")[2]))):
        return True
    here = context.request.parts[-2] if len(context.request.parts) > 1 else ""
    return not offered.isdisjoint(tokens(here))


def _by_chance(context: Context, found: Scored) -> bool:
    """Tell whether the same name lies elsewhere for a reason of its own."""
    request = context.request
    directories = found.path.split("/")[:-1]
    if request.name in ENTRY_NAMES and found["name_exact"] and request.parts[:-1]:
        # an entry is told by its directory alone
        return not found["dir_last"] and request.parts[-2] not in directories
    if context.bare and not request.base and not found["history_same"]:
        stem = parse_name(request.name).folded
        beside = not SIDE_DIRECTORIES.isdisjoint(part.lower() for part in directories)
        if stem in TOP_FILES and beside and request.absolute is False:
            return True
    return bool(found["name_exact"]) and _another_twin(context, directories)


def _another_twin(context: Context, directories: Sequence[str]) -> bool:
    """Tell whether one letter was put for another in one of several directories alike."""
    asked = context.request.parts[:-1]
    if len(asked) != len(directories):
        return False
    differing = [
        i for i, pair in enumerate(zip(asked, directories, strict=True)) if len({*pair}) > 1
    ]
    if len(differing) != 1:
        return False
    position = differing[0]
    left, right = asked[position], directories[position]
    if len(left) != len(right) or len(left) > SHORT_DIRECTORY or sorted(left) == sorted(right):
        return False
    above = "/".join(directories[:position])
    below = "/".join((*directories[position + 1 :], context.request.name))
    prefix = above + "/" if above else ""
    twins = sum(
        context.index.has(f"{prefix}{child}/{below}") for child in context.index.children(above)
    )
    return twins >= TWINS
