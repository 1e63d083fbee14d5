"""Other spellings of one path: what needs no weighing because a rule leads from it to the file.

Decides which rewritings name a path of the tree at the very place that was asked for: another case,
a directory said twice, a module that became a package or the reverse, a dotted module, an ending
that was left out, one wrong letter, the other usual name of a well-known file. Refuses to search
elsewhere: what has moved is for the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from tadoru.resolve.beside import (
    far_ending,
    near_ending,
    other_form,
    other_number,
    other_number_or_place,
    other_style,
    other_test,
)
from tadoru.resolve.endings import kin
from tadoru.resolve.features import Context
from tadoru.resolve.forms import singular
from tadoru.resolve.words import fold, parse_name, split_extension, word_set

SURE = 0.96
"""Confidence of a rewriting that leads to exactly one path."""
LIKELY = 0.88
"""Of one wrong letter, and of a module named by the end of its path."""
OTHER_ENDING = 0.7
"""Of the one file of that name whose ending is that of another language."""
EVEN = 0.6
"""Of another form of the name here, while the name itself lies elsewhere: a choice."""
POSSIBLE = 0.45
"""Of another usual name, and of two wrong letters: worth showing, not worth acting on."""
SURELY = 2
TYPO_LETTERS = 5
"""Names of fewer letters differ by one without being meant for one another."""
FEW_LETTERS = 2
TYPO_CHILDREN = 2_000
TWO_TYPO_LETTERS = 6
CASED_NAMES = 5_000

_ENTRY_STEMS = {
    "py": "__init__", "pyi": "__init__", "rs": "mod",
    **dict.fromkeys(
        word_set("ts tsx js jsx mjs cjs mts cts vue svelte php html htm md mdx rst"), "index"
    ),
}  # fmt: skip
ENTRY_NAMES = frozenset(f"{stem}.{ext}" for ext, stem in _ENTRY_STEMS.items())
"""Files that stand for their directory, and say nothing without its name."""
_MODULES = word_set("py pyi java kt kts scala groovy cs")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DOCUMENTS = word_set("md mdx rst txt adoc org html")
_SYNONYMS = (
    word_set("changelog changes change history news releases releasenotes"),
    word_set("license licence copying unlicense copyright"),
    word_set("contributing contribute hacking development developing"),
    word_set("authors contributors maintainers credits"),
)
"""Folded stems of files at the top of a project that go by several names."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """Where a rewriting leads."""

    paths: tuple[str, ...]
    score: float
    """Probability that it was meant, when it is the only one."""
    why: str


def spelled_otherwise(context: Context) -> Spelled | None:
    """Return where the first rewriting that leads anywhere leads; None when none does."""
    if not context.request.parts or context.request.outside:
        return None
    for rule, score, why in _RULES:
        paths = tuple(dict.fromkeys(rule(context)))
        if paths:
            return Spelled(paths, score, why)
    return None


def _exists(context: Context, parts: Sequence[str]) -> Iterator[str]:
    path = "/".join(parts)
    if path and context.index.has(path):
        yield path


def _place_exists(context: Context) -> bool:
    return context.parent_exists or len(context.request.parts) == 1


def _other_case(context: Context) -> Iterator[str]:
    """`DJANGO/Models.PY`: equal to one path but for case."""
    wanted = context.request.path.casefold()
    looked_at = 0
    for name in context.index.by_fold.get(context.name.folded, ()):
        if name.casefold() != context.request.name.casefold():
            continue
        for path in context.index.by_name[name]:
            looked_at += 1
            if looked_at > CASED_NAMES:
                return
            if path.casefold() == wanted:
                yield path


def _of_another_root(context: Context) -> Iterator[str]:
    """`C:\\src\\shop\\web\\app.ts`: its end is a path of this tree."""
    if context.request.foreign and len(context.request.parts) > 1:
        yield from _exists(context, context.request.parts)


def _at_the_top(context: Context) -> Iterator[str]:
    """`/app/package.json` is the one at the top of the tree."""
    if context.request.at_root == SURELY:
        yield from _exists(context, context.request.spelled[-1:])


def _perhaps_at_the_top(context: Context) -> Iterator[str]:
    """`/home/me/shop/package.json`, when nobody knows whether `shop` is this tree."""
    if context.request.at_root:
        yield from _exists(context, context.request.spelled[-1:])


def _said_twice(context: Context) -> Iterator[str]:
    """`examples/examples/chat`, `src/app/src/app/x`: a run of directories that is repeated."""
    parts = context.request.parts
    for length in range(1, len(parts) // 2 + 1):
        for i in range(len(parts) - 2 * length + 1):
            if parts[i : i + length] == parts[i + length : i + 2 * length]:
                yield from _exists(context, parts[: i + length] + parts[i + 2 * length :])


def _module_for_package(context: Context) -> Iterator[str]:
    """`state/mod.rs` is `state.rs`; the same where the front of the path was left out."""
    parts, index = context.request.parts, context.index
    if len(parts) < 2 or parts[-1] not in ENTRY_NAMES:
        return
    asked, wanted = context.name.extension, fold(parts[-2])
    names = [
        name
        for name in index.by_fold.get(wanted, ())
        if kin(asked, split_extension(name)[1]) and name not in ENTRY_NAMES
    ]
    names.sort(key=lambda name: split_extension(name)[1] != asked)
    for name in names:
        found = list(_exists(context, (*parts[:-2], name)))
        if found:
            yield found[0]  # one of the extension asked for comes first, and is enough
            return
    if len(parts) > 2:
        for name in names:
            yield from _ending(index.by_name[name], "/".join((*parts[:-2], name)))


def _package_for_module(context: Context) -> Iterator[str]:
    """`core.ts` is `core/index.ts`; `core` itself when that file is empty."""
    return _packages(context, (context.name.stem,))


def _package_in_another_form(context: Context) -> Iterator[str]:
    """`cookies.rs` is `cookie/mod.rs`."""
    index = context.index
    folds = index.by_singular.get(singular(context.name.folded), ())
    return _packages(context, [name for folded in folds for name in index.by_fold[folded]])


def _packages(context: Context, names: Iterable[str]) -> Iterator[str]:
    parts, index = context.request.parts, context.index
    asked = context.name.extension
    bare = context.bare and parts[-1] in index.by_name
    if asked not in _ENTRY_STEMS or parts[-1] in ENTRY_NAMES or bare:
        return
    for name in names:
        directory = "/".join((*parts[:-1], name))
        found = [
            f"{directory}/{child}"
            for child in (index.children(directory) if index.is_dir(directory) else ())
            if child in ENTRY_NAMES and kin(asked, split_extension(child)[1])
        ]
        found.sort(key=lambda path: split_extension(path)[1] != asked)
        if found:
            yield found[0] if index.size(found[0]) else directory


def _dotted(context: Context, exact: bool = True) -> Iterator[str]:
    """`django.db.models.query`; with `exact` false, also a name inside of the module."""
    if len(context.request.spelled) != 1 or context.request.wants_dir:
        return
    words = context.request.spelled[0].split(".")
    if len(words) < 2 or not all(map(_IDENTIFIER.fullmatch, words)):
        return
    if words[-1].lower() in context.index.extensions:
        return
    for length in range(len(words), 1, -1):
        rest = words[length:]
        if rest and exact and not rest[0][0].isupper():
            continue
        found = list(_modules(context, words[:length]))
        if found:
            yield from found
            return


def _inside_module(context: Context) -> Iterator[str]:
    return _dotted(context, exact=False)


def _modules(context: Context, words: Sequence[str]) -> Iterator[str]:
    by_name = context.index.by_name
    stem = "/".join(words)
    for ext in sorted(_MODULES):
        yield from _ending(by_name.get(f"{words[-1]}.{ext}", ()), f"{stem}.{ext}")
    for directory in _ending(by_name.get(words[-1], ()), stem):
        yield from _exists(context, (directory, "__init__.py"))


def _ending(paths: Sequence[str], end: str) -> Iterator[str]:
    yield from (path for path in paths if path == end or path.endswith("/" + end))


def _ending_left_out(context: Context) -> Iterator[str]:
    """`LICENSE` is `LICENSE.txt`, when it has that name with one ending alone."""
    if context.op == "list" or context.request.wants_dir or not _place_exists(context):
        return
    if context.name.extension and context.name.extension not in _DOCUMENTS:
        return
    if context.name.folded not in _WELL_KNOWN:
        return
    for child in context.index.children(context.request.parent):
        parsed = parse_name(child)
        if parsed.folded == context.name.folded and parsed.extension in {"", *_DOCUMENTS}:
            yield from _exists(context, (*context.request.parts[:-1], child))


_WELL_KNOWN = frozenset({"readme", "security", "codeofconduct", "notice"}).union(*_SYNONYMS)


def _other_usual_name(context: Context) -> Iterator[str]:
    """`CHANGELOG.md` may be `CHANGES.rst`."""
    group = next((g for g in _SYNONYMS if context.name.folded in g), None)
    if group is None or context.op == "list":
        return
    for child in context.index.children(context.request.parent):
        parsed = parse_name(child)
        if parsed.folded in group and parsed.extension in {"", *_DOCUMENTS}:
            yield from _exists(context, (*context.request.parts[:-1], child))


def _one_letter(context: Context) -> Iterator[str]:
    return _misspelt(context, 1, TYPO_LETTERS)


def _one_letter_of_few(context: Context) -> Iterator[str]:
    return _misspelt(context, 1, FEW_LETTERS)


def _two_letters(context: Context) -> Iterator[str]:
    return _misspelt(context, 2, TWO_TYPO_LETTERS)


def _misspelt(context: Context, edits: int, least: int) -> Iterator[str]:
    """A file of the directory asked for whose name differs by so many letters, never by a digit."""
    name, index = context.name, context.index
    letters = name.stem.lower()
    if not _place_exists(context) or context.bare or len(letters) < least:
        return
    if context.request.name in index.by_name:
        return
    children = index.children(context.request.parent)
    digits = [c for c in letters if c.isdigit()]
    for child in children[:TYPO_CHILDREN]:
        stem, extension = split_extension(child)
        stem = stem.lower()
        if extension != name.extension or abs(len(stem) - len(letters)) > edits:
            continue
        if len(stem) == len(letters) == least or len(stem) < least:
            continue  # one letter for another in a short name is another name
        if [c for c in stem if c.isdigit()] != digits:
            continue
        if OSA.distance(letters, stem, score_cutoff=edits) <= edits:
            yield from _exists(context, (*context.request.parts[:-1], child))


_Rule = Callable[[Context], Iterator[str]]
_RULES: tuple[tuple[_Rule, float, str], ...] = (
    (_of_another_root, SURE, "the same path of another root"),
    (_other_case, SURE, "same path in other case"),
    (_at_the_top, LIKELY, "the same file of another root"),
    (_perhaps_at_the_top, EVEN, "the same file of another root"),
    (_said_twice, SURE, "the same path, a directory said twice"),
    (_module_for_package, SURE, "the module of that name, not a package"),
    (_package_for_module, SURE, "the package of that name, not a module"),
    (_dotted, SURE, "the module of that name"),
    (_ending_left_out, SURE, "same name, other extension"),
    (other_style, SURE, "same name, other spelling"),
    (other_number, LIKELY, "the same name but for number"),
    (other_form, LIKELY, "the same name, cut short or written out"),
    (other_test, LIKELY, "the same test, named otherwise"),
    (_package_in_another_form, LIKELY, "the package of that name, not a module"),
    (near_ending, LIKELY, "same name, other extension"),
    (far_ending, OTHER_ENDING, "same name, other extension"),
    (_one_letter, LIKELY, "nearly the same name"),
    (other_number_or_place, EVEN, "the same name in another form"),
    (_inside_module, POSSIBLE, "the module that the name begins with"),
    (_other_usual_name, POSSIBLE, "another usual name of it"),
    (_two_letters, POSSIBLE, "nearly the same name"),
    (_one_letter_of_few, POSSIBLE, "nearly the same name"),
)
