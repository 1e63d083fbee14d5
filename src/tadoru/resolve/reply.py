"""The answer: resolved, ambiguous or absent, with as few fields as help to act.

Decides by calibrated confidence between the three, words the reasons, and asks one question when a
choice is left. A field that says nothing is left empty: more of them cost models accuracy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tadoru.errors import OutsideRoots
from tadoru.resolve.features import Context
from tadoru.resolve.model import Scored
from tadoru.resolve.words import parse_name
from tadoru.types import Candidate, Kind, Resolution
from tadoru.views import View

RESOLVED = 0.65
"""Confidence from which one path is the answer."""
AMBIGUOUS = 0.15
"""Confidence of the best candidate below which there is nothing like it."""
AMBIGUOUS_NAMESAKE = 0.08
"""The same of a candidate that bears the name asked for: many namesakes share what there is."""
RETRY = 0.8
"""Confidence from which a reading operation is repeated without being asked."""
SAME_START = 0.7
"""Share of a name in common from which a sibling is shown."""
FEW_NAMESAKES = 3
"""Paths of one telling name up to which they are shown, wherever they lie."""
SHOWN = 0.02
"""Candidates below this confidence are not shown, unless more are asked for."""
SURE_OF_EXTENSION = 0.85
"""Confidence from which one of several extensions of the same name is the answer."""
IGNORED_BUT_SURE = 0.9
"""Confidence from which a candidate wins over a rule that ignores the path as it was asked."""

OUTSIDE = "outside the roots"


@dataclass(frozen=True, slots=True)
class Found:
    """What ranking found: verified candidates, best first."""

    ranked: tuple[Scored, ...]


def reply(
    view: View,
    context: Context,
    found: Found,
    *,
    top: int,
    renames: Callable[[str], Sequence[str]] | None,
    alive: Callable[[str], bool],
) -> Resolution:
    """Decide between the three answers, and word the one that is given."""
    best = found.ranked[0].score if found.ranked else 0.0
    request = context.request
    rule = "" if best >= IGNORED_BUT_SURE or request.outside else view.ignored(request.path)
    if best >= RESOLVED and not rule and not _undecided(context, found):
        return _resolved(view, context, found, top)
    if renames is not None and not rule:
        moved = _moved(view, context, list(renames(request.path)), top, alive)
        if moved is not None:
            return moved
    if not rule and _is_like(context, found):
        return _ambiguous(view, context, found, top)
    if rule:
        reason = f"ignored by a rule: {rule.removeprefix('ignored by ')}"
    elif request.outside or request.foreign:
        reason = OUTSIDE
    elif context.op == "write" and (context.parent_exists or len(request.parts) == 1):
        reason = "a name to be created: its directory exists"
    else:
        reason = "nothing like it"
    answer = _absent(view, context, found, reason, top)
    return replace(answer, error_kind=OutsideRoots.code) if reason == OUTSIDE else answer


def _is_like(context: Context, found: Found) -> bool:
    """Tell whether the best candidate is worth a question."""
    if not found.ranked:
        return False
    first = found.ranked[0]
    if first["name_exact"] and not context.request.outside:
        namesakes = len(context.index.by_name[context.request.name])
        if context.bare or (namesakes <= FEW_NAMESAKES and not context.name.generic):
            return True
    if first["dir_equal"]:  # the name says all that this one says, or begins as it does
        if first["name_words_asked"] and first["name_words_offered"] >= 1.0:
            return True
        if first["name_prefix"] >= SAME_START and first["name_similarity"] >= SAME_START:
            return True
    return first.score >= (AMBIGUOUS_NAMESAKE if first["name_plural"] else AMBIGUOUS)


def existing(view: View, context: Context, top: int) -> Resolution:
    """Answer for a path that exists; a directory that should be read is a choice of files."""
    path = context.request.existing or ""
    entry = view.tree.get(path)
    is_dir = entry is not None and entry.is_dir
    if is_dir and context.op in ("read", "write"):
        return _directory(view, context, path, top)
    reason = "exists"
    if not is_dir and (context.op == "list" or context.request.wants_dir):
        reason = "exists: a file, not a directory"
    return Resolution(
        status="resolved",
        requested=context.request.raw,
        path=path,
        host_path=view.host_path(path),
        reason=reason,
        line=context.request.line,
        index=view.state(),
    )


def _directory(view: View, context: Context, path: str, top: int) -> Resolution:
    prefix = path + "/" if path else ""
    names = [n for n in view.tree.children(path) if not view.tree.is_dir(prefix + n)]
    names.sort(key=lambda n: (not parse_name(n).generic, n))
    candidates = [Candidate(path, 1.0, "is a directory", Kind.DIRECTORY, view.host_path(path))]
    candidates += [
        Candidate(
            prefix + n, 1.0 / (1 + len(names)), "lies in it", host_path=view.host_path(prefix + n)
        )
        for n in names[: max(0, top - 1)]
    ]
    return Resolution(
        status="ambiguous",
        requested=context.request.raw,
        candidates=tuple(candidates[:top]),
        reason="is a directory",
        error_kind="is_a_directory",
        next_question=f"Which file of {path or 'the root'} is meant?",
        index=view.state(),
    )


def absent(view: View, context: Context, why: str) -> Resolution:
    """Answer for what is no path: a URL or a pattern."""
    reasons = {
        "url": "a URL, not a path of this tree",
        "glob": "a pattern, not a path: list or search with it instead",
    }
    return Resolution(status="absent", requested=context.request.raw, reason=reasons[why])


def _candidate(view: View, context: Context, scored: Scored) -> Candidate:
    kind = Kind.DIRECTORY if view.tree.is_dir(scored.path) else Kind.FILE
    return Candidate(
        path=scored.path,
        score=round(scored.score, 4),
        reason=_why(scored, kind),
        kind=kind,
        host_path=view.host_path(scored.path),
    )


_REASONS = (
    ("defines_symbol", 0.2, "defines the name"),
    ("ancestor", 0.5, "the directory that exists"),
    ("name_plural", 0.5, "the same name but for number"),
    ("name_typo", 0.5, "nearly the same name"),
    ("words_moved", 0.6, "the same words in other places"),
    ("name_role", 0.4, "a name for the same role"),
    ("name_words_asked", 0.4, "shares words of the name"),
    ("name_contains", 0.4, "one name contains the other"),
    ("sibling", 0.5, "in the directory asked for"),
)


def _why(scored: Scored, kind: Kind) -> str:
    """Return the one thing that speaks most for a candidate, in a few words."""
    if scored.why:
        return scored.why
    if scored["name_exact"] or scored["name_case"]:
        same = "same name" if scored["name_exact"] else "same name in other case"
        return f"{same}, other directory" if not scored["dir_equal"] else same
    if scored["name_folded"]:
        if kind is Kind.DIRECTORY:
            return "the directory of that name"
        other = scored["extension_family"] or scored["extension_differs"]
        return "same name, other extension" if other else "same name, other spelling"
    return next((text for name, least, text in _REASONS if scored[name] >= least), "nearest path")


def _listed(view: View, context: Context, found: Found, top: int) -> tuple[Candidate, ...]:
    """Return what is shown: at most three that matter, or as many as were asked for."""
    shown = [c for c in found.ranked if c.score >= SHOWN] if top <= 3 else found.ranked
    shown = shown or found.ranked[:1]
    return tuple(_candidate(view, context, scored) for scored in shown[:top])


def _resolved(view: View, context: Context, found: Found, top: int) -> Resolution:
    candidates = _listed(view, context, found, top if top > 3 else 1)
    return Resolution(
        status="resolved",
        requested=context.request.raw,
        path=candidates[0].path,
        host_path=candidates[0].host_path,
        candidates=candidates,
        reason=candidates[0].reason,
        line=context.request.line,
        index=view.state(),
    )


def _ambiguous(view: View, context: Context, found: Found, top: int) -> Resolution:
    candidates = _listed(view, context, found, top)
    extensions = _extensions(context, candidates)
    return Resolution(
        status="ambiguous",
        requested=context.request.raw,
        candidates=candidates,
        error_kind="wrong_extension" if extensions else "ambiguous",
        next_question=_question(candidates),
        maybe_exts=extensions,
        line=context.request.line,
        index=view.state(),
    )


def _undecided(context: Context, found: Found) -> bool:
    """Tell whether nothing in the request decides, however likely the first candidate is.

    A bare name that several paths have, without history or intent; or a name that exists under
    several extensions, none of them the one asked for.
    """
    alike = len(context.index.by_name.get(context.request.name, ()))
    if context.bare and alike > 1 and not context.history and not context.intent:
        return True
    if found.ranked[0].score >= SURE_OF_EXTENSION or found.ranked[0]["name_exact"]:
        return False
    near = [Candidate(s.path, s.score) for s in found.ranked[:3] if s.score >= SHOWN]
    return bool(_extensions(context, near))


def _extensions(context: Context, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """Return the extensions under which the name exists in the directory asked for."""
    found: dict[str, None] = {}
    for candidate in candidates:
        parent, _, name = candidate.path.rpartition("/")
        parsed = parse_name(name)
        if parent == context.request.parent and parsed.folded == context.name.folded:
            found["." + parsed.extension] = None
    return tuple(found) if len(found) > 1 else ()


def _question(candidates: Sequence[Candidate]) -> str:
    """Return the question whose answer decides, naming only what differs."""
    if len(candidates) < 2:
        return f"Is {candidates[0].path} meant?" if candidates else ""
    paths = [c.path for c in candidates[:3]]
    return "Which one is meant: " + ", ".join(paths[:-1]) + f" or {paths[-1]}?"


def _moved(
    view: View,
    context: Context,
    paths: Sequence[str],
    top: int,
    alive: Callable[[str], bool],
) -> Resolution | None:
    """Answer from version control: one new name is the answer, a deletion is an absence."""
    there = [p for p in dict.fromkeys(paths) if p and p in view.tree and alive(p)]
    if not there and "" not in paths:
        return None
    if not there:
        return Resolution(
            status="absent",
            requested=context.request.raw,
            reason="deleted, says the version history",
            index=view.state(),
        )
    sure = round(0.98 / len(there), 4)
    candidates = tuple(
        Candidate(p, sure, "renamed, says the version history", host_path=view.host_path(p))
        for p in there[:top]
    )
    one = len(there) == 1
    return Resolution(
        status="resolved" if one else "ambiguous",
        requested=context.request.raw,
        path=there[0] if one else "",
        host_path=candidates[0].host_path if one else "",
        candidates=candidates,
        reason="renamed, says the version history" if one else "",
        error_kind="" if one else "ambiguous",
        next_question="" if one else _question(candidates),
        line=context.request.line,
        index=view.state(),
    )


def _absent(view: View, context: Context, found: Found, reason: str, top: int) -> Resolution:
    return Resolution(
        status="absent",
        requested=context.request.raw,
        candidates=_listed(view, context, found, top) if top > 3 else (),
        reason=reason,
        index=view.state(),
    )
