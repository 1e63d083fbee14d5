"""Paths that a wrong path may have meant, gathered from both of its sides.

From the name: the same or a similar name anywhere. From the directories: what lies in the deepest
directory that exists, or nearly exists. Decides what is ranked at all; caps never act before the
paths that share a name have been compared as wholes. Refuses to order the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import nsmallest

from rapidfuzz import process
from rapidfuzz.distance import Indel

from tadoru.resolve.align import similarity
from tadoru.resolve.forms import other_forms, singular
from tadoru.resolve.index import PathIndex
from tadoru.resolve.normalize import Request
from tadoru.resolve.words import Name, as_asked, fold, parse_name, tokens

SAME_NAME = 40
"""Paths kept among those that share one name, after comparison as wholes."""
SIMILAR_NAMES = 20
SAME = 0.9
"""Name similarity from which a name of the tree counts as the one that was asked for."""
BESIDE_SAME = 6
"""Similar names looked at beside one that is the same."""
NAME_CUTOFF = 0.62
WORD_NAMES = 16
COMMON_WORD = 1_500
"""A word that stands in more names than this finds nothing by itself."""
CHILDREN = 30
"""Children kept of one directory, when it has more."""
ANCHORS = 5
WHOLE_PATHS = 12
NEAR_DIRECTORIES = 16
"""Directories in which files are compared as whole paths."""
ENOUGH = 0.84
"""Name similarity above which no whole paths need to be compared."""


def gather(
    index: PathIndex, request: Request, history: Sequence[str] = (), intent: Sequence[str] = ()
) -> list[str]:
    """Return the candidates of a request, unordered, without repetition."""
    name = as_asked(request.name, index.extensions, wants_dir=request.wants_dir)
    found: dict[str, None] = {}
    names, best = _names(index, request, name)
    for candidate in names:
        paths = index.by_name[candidate]
        if len(paths) > SAME_NAME:
            paths = _closest(paths, request, history, intent)
        elif len(names) > SIMILAR_NAMES and len(paths) > 6 and candidate != name.raw:
            paths = _whole(request.path, paths, 6)
        found.update(dict.fromkeys(paths))
    for directory in anchors(index, request):
        if directory:
            found[directory] = None
        prefix = directory + "/" if directory else ""
        asked_for = best < SAME or directory == request.parent
        limit = CHILDREN if asked_for else CHILDREN // 3
        found.update(dict.fromkeys(prefix + n for n in _children(index, directory, name, limit)))
    if best < ENOUGH:
        found.update(dict.fromkeys(_alike_as_wholes(index, request)))
    return list(found)


def _names(index: PathIndex, request: Request, name: Name) -> tuple[dict[str, None], float]:
    """Return similar base names of the tree, and the similarity of the best."""
    names: dict[str, None] = {}
    best = 0.0
    if name.raw in index.by_name:
        names[name.raw], best = None, 1.0
    joined = fold(request.parts[-2] + name.stem) if len(request.parts) > 1 else ""
    for folded in (name.folded, fold(name.raw), joined):
        if folded in index.by_fold:
            names.update(dict.fromkeys(index.by_fold[folded]))
            best = max(best, 0.95)
    for form in (singular(name.folded), *other_forms(name.stem)):
        for folded in index.by_singular.get(form, ()):
            names.update(dict.fromkeys(index.by_fold[folded]))
            best = max(best, 0.9)
    if best < 1.0 or name.generic:
        close = process.extract(
            name.folded,
            index.folds,
            scorer=Indel.normalized_similarity,
            score_cutoff=NAME_CUTOFF,
            limit=SIMILAR_NAMES if best < SAME else BESIDE_SAME,
        )
        for folded, score, _ in close:
            names.update(dict.fromkeys(index.by_fold[folded][:SAME_NAME]))
            best = max(best, score)
    names.update(
        dict.fromkeys(_by_words(index, name.words, WORD_NAMES if best < SAME else BESIDE_SAME))
    )
    return names, best


def _by_words(index: PathIndex, words: Iterable[str], limit: int) -> list[str]:
    """Return the base names that share the most telling words."""
    weights: defaultdict[str, float] = defaultdict(float)
    for word in set(words):
        postings = index.by_token.get(word, ())
        if postings and len(postings) <= COMMON_WORD:
            weight = index.word_weight(word)
            for candidate in postings:
                weights[candidate] += weight
    if len(weights) <= limit:
        return list(weights)
    return nsmallest(limit, weights, key=lambda n: (-weights[n], len(n), n))


def _alike_as_wholes(index: PathIndex, request: Request) -> list[str]:
    """Return the files nearest to the whole path, from the directories nearest to its own.

    There are ten times fewer directories than files, and what is near as a whole lies in one.
    """
    directories = _whole(request.parent, index.directories, NEAR_DIRECTORIES)
    paths = [f"{d}/{name}" for d in directories for name in index.children(d)]
    return _whole(request.path, paths, WHOLE_PATHS)


def _whole(path: str, paths: Sequence[str], limit: int) -> list[str]:
    found = process.extract(path, paths, scorer=Indel.normalized_similarity, limit=limit)
    return [candidate for candidate, _, _ in found]


def _closest(
    paths: Sequence[str], request: Request, history: Sequence[str], intent: Sequence[str]
) -> list[str]:
    """Choose among the many paths of one name: by the whole path, by history, by intent."""
    chosen = dict.fromkeys(_whole(request.path, paths, SAME_NAME))
    near = tuple({d + "/" for d in _neighbourhood(history) if d})
    if near:
        chosen.update(dict.fromkeys([p for p in paths if p.startswith(near)][:SAME_NAME]))
    rare = [word for word in intent if len(word) > 2]
    if rare:
        scored = [(sum(word in path.lower() for word in rare), path) for path in paths]
        scored.sort(key=lambda item: -item[0])
        chosen.update(dict.fromkeys(path for score, path in scored[:SAME_NAME] if score))
    return list(chosen)


def _neighbourhood(history: Sequence[str]) -> Iterable[str]:
    for path in history:
        parent = path.rpartition("/")[0]
        yield parent
        yield parent.rpartition("/")[0]


def _children(index: PathIndex, directory: str, name: Name, limit: int) -> list[str]:
    """Return the names in a directory that come into question, the nearest ones when many."""
    children = index.children(directory)
    if len(children) <= limit:
        return children
    close = process.extract(
        name.folded, children, scorer=Indel.normalized_similarity, processor=fold, limit=limit
    )
    kept = dict.fromkeys(child for child, _, _ in close)
    for child in children:
        if len(kept) >= 2 * limit:
            break
        if name.roles and not name.roles.isdisjoint(parse_name(child).roles):
            kept[child] = None
    return list(kept)


def anchors(index: PathIndex, request: Request) -> list[str]:
    """Return the directories that the request's directories may stand for, best first.

    The walk from the root takes an exact child, else a similar one, else skips the component.
    """
    asked = request.parts[:-1]
    found: dict[str, None] = {}
    deepest = ""
    for depth in range(len(asked), 0, -1):
        path = "/".join(asked[:depth])
        if index.is_dir(path):
            deepest = path
            break
    found[deepest] = None
    walked = deepest
    for part in asked[deepest.count("/") + 1 if deepest else 0 :]:
        walked = _step(index, walked, part) or walked
    found[walked] = None
    if asked and (not walked or walked.count("/") + 1 < len(asked)):
        found.update(dict.fromkeys(_by_last(index, request)))
    if request.base:
        found[request.base] = None
    return list(found)[:ANCHORS]


def _step(index: PathIndex, directory: str, part: str) -> str:
    prefix = directory + "/" if directory else ""
    if index.is_dir(prefix + part):
        return prefix + part
    folded = fold(part)
    best, chosen = 0.0, ""
    for child in index.children(directory):
        if index.is_dir(prefix + child):
            score = similarity(folded, fold(child))
            if score > best:
                best, chosen = score, prefix + child
    return chosen


def _by_last(index: PathIndex, request: Request) -> list[str]:
    """Return directories named like the last one of the request, the closest as wholes."""
    last = request.parts[-2]
    names = index.by_fold.get(parse_name(last).folded, [])
    paths = [p for n in names for p in index.by_name[n] if index.is_dir(p)]
    return paths if len(paths) <= 2 else _whole(request.parent, paths, 2)


def intent_words(intent: str) -> tuple[str, ...]:
    """Return the words of an intent that can name a file or a directory."""
    return tuple(dict.fromkeys(word for word in tokens(intent[-600:]) if len(word) > 2))
