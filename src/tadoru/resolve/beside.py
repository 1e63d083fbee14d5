"""The same name in another form, in the very directory that was asked for.

Decides what lies beside the missing file under its own name: in another style, in the other number,
with a word cut short or written out, with another ending, as a test named by another convention.
Each is found by its key, not by looking through the directory. Refuses to leave the directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tadoru.resolve.endings import closeness
from tadoru.resolve.features import Context
from tadoru.resolve.forms import other_forms, singular
from tadoru.resolve.words import TEST_WORDS, fold, parse_name

KIN = 3
"""Closeness of endings from which two files can be the same text."""


def other_style(context: Context) -> Iterator[str]:
    """`cartView.tsx` is `cart-view.tsx`."""
    for path in _here(context, [context.name.folded]):
        if _ending(path) == context.name.extension:
            yield path


def other_number(context: Context) -> Iterator[str]:
    """`dependency.go` is `dependencies.go`."""
    if context.request.name not in context.index.by_name:
        yield from _same_ending(context, _singular_or_plural(context))


def other_form(context: Context) -> Iterator[str]:
    """`app.py` is `application.py`."""
    if context.request.name not in context.index.by_name:
        yield from _same_ending(context, _short_or_long(context))


def other_number_or_place(context: Context) -> Iterator[str]:
    """Either of both, when a file elsewhere has exactly the name asked for."""
    if not context.name.generic:
        yield from _same_ending(context, [*_singular_or_plural(context), *_short_or_long(context)])


def other_test(context: Context) -> Iterator[str]:
    """`cart.test.ts` is `cart.spec.ts`, `test_cart.py` is `cart_test.py`."""
    if not context.name.is_test:
        return
    words = [word for word in context.name.stem.replace(".", "_").split("_") if word]
    base = fold("".join(word for word in words if word.lower() not in TEST_WORDS))
    if not base or base == context.name.folded:
        return
    names = [
        form for word in ("test", "tests", "spec", "specs") for form in (word + base, base + word)
    ]
    yield from _same_ending(context, names)


def near_ending(context: Context) -> Iterator[str]:
    """`app.js` is `app.tsx`."""
    return _other_ending(context, KIN, KIN + 1)


def far_ending(context: Context) -> Iterator[str]:
    """`matcher.py` is `matcher.rs`; `index.js` is not `index.html`."""
    return iter(()) if context.name.generic else _other_ending(context, 1, KIN - 1)


def _other_ending(context: Context, least: int, most: int) -> Iterator[str]:
    """Yield the namesakes whose ending is nearest to the one asked for."""
    if not context.name.extension or context.request.name in context.index.by_name:
        return
    near: dict[str, int] = {}
    for path in _here(context, [context.name.folded]):
        near[path] = closeness(context.name.extension, _ending(path))
    best = max(near.values(), default=0)
    if least <= best <= most:
        yield from (path for path, value in near.items() if value == best)


def _singular_or_plural(context: Context) -> list[str]:
    return context.index.by_singular.get(singular(context.name.folded), [])


def _short_or_long(context: Context) -> list[str]:
    by_singular = context.index.by_singular
    return [name for form in other_forms(context.name.stem) for name in by_singular.get(form, ())]


def _same_ending(context: Context, folds: Iterable[str]) -> Iterator[str]:
    others = [name for name in folds if name != context.name.folded]
    for path in _here(context, others):
        if closeness(_ending(path), context.name.extension) >= KIN:
            yield path


def _here(context: Context, folds: Iterable[str]) -> Iterator[str]:
    """Yield the files of the directory asked for whose folded stem is one of these."""
    index, parent = context.index, context.request.parent
    if (parent and not context.parent_exists) or _means_elsewhere(context):
        return
    prefix = parent + "/" if parent else ""
    for folded in folds:
        for name in index.by_fold.get(folded, ()):
            path = prefix + name
            if index.has(path) and not index.is_dir(path):
                yield path


def _means_elsewhere(context: Context) -> bool:
    """A bare name that exists, and a listing, do not ask for a file of this directory."""
    bare = context.bare and context.request.name in context.index.by_name
    return bare or context.request.wants_dir or context.op == "list"


def _ending(path: str) -> str:
    return parse_name(path.rpartition("/")[2]).extension
