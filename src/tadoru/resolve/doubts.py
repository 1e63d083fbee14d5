"""What tells that a near name is the name of something else.

`avatar_profile.rb` is not a misspelt `custom_profile.rb`, and the test of a file is not the file.
Decides which of the best candidates may be offered and never acted on. Refuses to weigh: what is
likely is the model's matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from tadoru.resolve.align import similarity
from tadoru.resolve.endings import kin
from tadoru.resolve.features import Context
from tadoru.resolve.forms import other_forms
from tadoru.resolve.model import Scored
from tadoru.resolve.words import ROLES, TEST_WORDS, Name, fold, parse_name, tokens, word_set

SIDE_DIRECTORIES = word_set(
    "example examples sample samples demo demos fixture fixtures test tests testdata spec specs "
    "docs doc vendor thirdparty third_party template templates benchmark benchmarks bench benches "
    "e2e playground playgrounds sandbox node_modules integration tutorial"
)
COMMON_START = 4
"""Letters in common from the front that make two words one (`log`, `logger` need three)."""
NEAR_DIRECTORY = 0.88
"""Similarity from which two directory names are one, misspelt."""
SEVERAL = 2
LOOKED_INTO = 200
"""Files below a directory that are looked at for an ending."""


def another_thing(context: Context, found: Scored) -> bool:
    """Tell whether the candidate is likely the name of something else than was asked for."""
    parent, _, name = found.path.rpartition("/")
    offered = parse_name(name)
    if context.index.is_dir(found.path):
        return _another_directory(context, found, offered)
    same = found["name_folded"] or found["name_plural"]
    if context.name.is_test != offered.is_test and not same:
        return True
    elsewhere = context.parent_exists and not found["dir_equal"]
    exact, generic = bool(found["name_exact"]), context.name.generic
    if elsewhere and generic and not exact:
        return True
    if elsewhere and (generic or not exact) and on_the_side(parent, context.request.parts):
        return True
    if found["name_exact"] and _another_package(context, parent):
        return True
    if same or found["name_typo"] or (context.name.generic and found["sibling_alone"] >= 1.0):
        return False
    return _word_for_word(context.name, offered, parent)


def _another_directory(context: Context, found: Scored, offered: Name) -> bool:
    """Tell whether a directory is no answer to what looked like a file, or lies by chance."""
    asked = context.name
    if asked.extension and found["name_folded"] and context.op in ("read", "write"):
        hidden = offered.raw.startswith(".") != asked.raw.startswith(".")
        return hidden or not _holds(context, found.path, asked.extension)
    moved = found["name_exact"] and not found["dir_equal"]
    return bool(moved and asked.generic and context.parent_exists and context.request.parent)


def _holds(context: Context, directory: str, extension: str) -> bool:
    """Tell whether files of a kind lie in a directory, or below it when it holds none."""
    index = context.index
    prefix = directory + "/"
    names = index.children(directory)[:LOOKED_INTO]
    files = [name for name in names if not index.is_dir(prefix + name)]
    if not files:
        files = [child for name in names for child in index.children(prefix + name)[:LOOKED_INTO]]
    return any(kin(extension, parse_name(name).extension) for name in files)


def on_the_side(path: str, asked: Sequence[str] = ()) -> bool:
    """Tell whether a path leads into tests, examples and the like, unasked."""
    parts = {part.lower() for part in path.split("/")} - {part.lower() for part in asked}
    return not SIDE_DIRECTORIES.isdisjoint(parts)


def _another_package(context: Context, parent: str) -> bool:
    """Tell whether one directory of several alike has an unrelated name.

    `plugin-react/src/index.ts` is not the `index.ts` of `plugin-legacy`.
    """
    index, name = context.index, context.request.name
    asked, offered = context.request.parts[:-1], tuple(parent.split("/"))
    if len(asked) != len(offered) or (
        not context.name.generic and len(index.by_name[name]) < SEVERAL
    ):
        return False
    pairs = [pair for pair in zip(asked, offered, strict=True) if pair[0] != pair[1]]
    if len(pairs) != 1:
        return False
    mine, theirs = map(parse_name, pairs[0])
    return similarity(mine.folded, theirs.folded) < NEAR_DIRECTORY and _word_for_word(
        mine, theirs, ""
    )


def _word_for_word(asked: Name, offered: Name, parent: str) -> bool:
    """Tell whether a word of one name stands where the other has an unrelated one."""
    mine = asked.word_set - offered.word_set - TEST_WORDS
    theirs = offered.word_set - asked.word_set - TEST_WORDS
    if not mine or not theirs:
        return False
    place = fold(parent.rpartition("/")[2])
    around = set(tokens(parent.rpartition("/")[2]))
    return any(
        word not in around and word not in place and not any(_related(word, o) for o in theirs)
        for word in mine
    )


def _related(left: str, right: str) -> bool:
    if left[:COMMON_START] == right[:COMMON_START] or left in right or right in left:
        return True
    if right in other_forms(left):
        return True
    return not ROLES.get(left, frozenset()).isdisjoint(ROLES.get(right, ()))
