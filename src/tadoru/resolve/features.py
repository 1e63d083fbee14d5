"""What speaks for a candidate, in numbers: names, directories, kind, history, intent, symbols.

Decides how a request and a path are compared; the weights of the comparison are learned
(`model.py`). Every feature lies between about -1 and 3, is 0 when it says nothing, and is computed
from visible names alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import Indel

from tadoru.resolve.align import align
from tadoru.resolve.compare import (
    containment,
    distance_below,
    is_main,
    role,
    shared_start,
    typo,
)
from tadoru.resolve.endings import same_family
from tadoru.resolve.forms import other_forms, singular
from tadoru.resolve.index import PathIndex
from tadoru.resolve.normalize import Request
from tadoru.resolve.words import (
    GENERATED_WORDS,
    Name,
    as_asked,
    fold,
    parse_name,
    tokens,
)
from tadoru.types import Op

NAME_FEATURES = (
    "name_exact",
    "name_case",
    "name_folded",
    "name_plural",
    "name_similarity",
    "name_close",
    "name_prefix",
    "name_typo",
    "name_contains",
    "name_words_asked",
    "name_words_offered",
    "name_words_rare",
    "name_role",
    "extension_same",
    "extension_family",
    "extension_differs",
    "extension_one_sided",
    "kind_contradicts",
    "kind_unlikely",
    "test_differs",
)
DIRECTORY_FEATURES = (
    "dir_equal",
    "dir_asked_covered",
    "dir_offered_covered",
    "dir_asked_lead",
    "dir_asked_rest",
    "dir_offered_lead",
    "dir_offered_rest",
    "dir_doubt",
    "dir_last",
    "below_anchor",
    "anchor_distance",
    "in_base",
    "generated",
    "history_same",
    "history_near",
    "bare_history_same",
    "bare_history_near",
    "intent_dir",
    "intent_covered",
    "bare_intent_dir",
    "bare_intent_covered",
    "depth",
)
CROSS_FEATURES = (
    "exact_rare",
    "sibling",
    "sibling_generic",
    "generic_elsewhere",
    "sibling_alone",
    "sibling_main",
    "name_from_dir",
    "words_moved",
    "folded_in_place",
    "similar_in_place",
    "typo_in_place",
    "ancestor",
    "ancestor_distance",
    "path_similarity",
    "history_itself",
    "intent_name",
    "defines_symbol",
    "populous",
)
FEATURES = NAME_FEATURES + DIRECTORY_FEATURES + CROSS_FEATURES

CLOSE = 0.7
"""Name similarity from which it counts twice."""
HISTORY_DECAY = 0.95
"""Weight of a remembered path against the one after it."""


@dataclass(slots=True)
class Context:
    """One request with everything that a candidate is compared with, and what was computed."""

    index: PathIndex
    request: Request
    op: Op = "read"
    history: Sequence[str] = ()
    intent: Sequence[str] = ()
    symbols: Mapping[str, float] = field(default_factory=dict)
    """Path -> how surely it defines what the request names, 0 to 1."""
    name: Name = field(init=False)
    asked: tuple[str, ...] = field(init=False)
    parent_exists: bool = field(init=False)
    anchor: str = field(init=False)
    """The deepest directory of the request that exists."""
    bare: bool = field(init=False)
    """No directory was given with the name."""
    _asked_words: set[str] = field(init=False)
    """Words of the name and of its directory."""
    _asked_weight: float = field(init=False)
    _intended: dict[str, float] = field(default_factory=dict)
    """Words of the intent that name directories -> how much they say."""
    _names: dict[tuple[str, bool], list[float]] = field(default_factory=dict)
    _directories: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.name = as_asked(
            self.request.name, self.index.extensions, wants_dir=self.request.wants_dir
        )
        self.asked = tuple(fold(part) for part in self.request.parts[:-1])
        parent = self.request.parts[:-1]
        rooted = self.request.absolute and not self.request.outside
        self.parent_exists = self.index.is_dir("/".join(parent)) if parent else rooted
        depth = len(parent)
        while depth and not self.index.is_dir("/".join(parent[:depth])):
            depth -= 1
        self.anchor = "/".join(parent[:depth])
        self._asked_words = {*self.name.words, *tokens(parent[-1] if parent else "")}
        self._asked_weight = sum(map(self.index.word_weight, self.name.word_set)) or 1.0
        self.bare = len(self.request.spelled) <= 1
        if self.intent:
            known, count = self.index.directory_words, 1 + len(self.index.directories)
            self._intended = {
                word: math.log(1 + count / known[word]) for word in self.intent if word in known
            }

    def vector(self, path: str) -> list[float]:
        """Return the features of one candidate, in the order of `FEATURES`."""
        parent, _, name = path.rpartition("/")
        is_dir = self.index.is_dir(path)
        by_name = self._names.get((name, is_dir))
        if by_name is None:
            by_name = self._names[name, is_dir] = self._name(parse_name(name), is_dir)
        by_directory = self._directories.get(parent)
        if by_directory is None:
            by_directory = self._directories[parent] = self._directory(parent)
        return by_name + by_directory + self._cross(path, parent, name, is_dir, by_name)

    # -- the name --------------------------------------------------------------------------------

    def _name(self, offered: Name, is_dir: bool) -> list[float]:
        asked = self.name
        exact = asked.raw == offered.raw
        case = not exact and asked.raw.casefold() == offered.raw.casefold()
        folded = asked.folded == offered.folded or fold(asked.raw) == fold(offered.raw)
        plural = folded or self._same_word(asked, offered)
        similarity = 1.0 if folded else Indel.normalized_similarity(asked.folded, offered.folded)
        covered_asked, covered_offered, rare = self._words(asked, offered)
        return [
            float(exact),
            float(case),
            float(folded),
            float(plural),
            similarity,
            max(0.0, similarity - CLOSE) / (1.0 - CLOSE),
            shared_start(asked.folded, offered.folded) / max(1, len(asked.folded)),
            1.0 if folded else typo(asked.folded, offered.folded),
            1.0 if folded else containment(asked.folded, offered.folded),
            covered_asked,
            covered_offered,
            rare,
            role(asked, offered),
            *self._extension(asked, offered, is_dir),
            *self._kind(asked, is_dir),
            float(asked.is_test != offered.is_test),
        ]

    @staticmethod
    def _same_word(asked: Name, offered: Name) -> bool:
        """Tell whether two names differ in number, or in words cut short, alone."""
        single = singular(offered.folded)
        return singular(asked.folded) == single or single in other_forms(asked.stem)

    def _words(self, asked: Name, offered: Name) -> tuple[float, float, float]:
        """Return the weighted share of words in common, of both sides, and the weight itself."""
        common = asked.word_set & offered.word_set
        if not common:
            return 0.0, 0.0, 0.0
        weight = self.index.word_weight
        both = sum(map(weight, common))
        of_offered = (
            both if len(common) == len(offered.word_set) else sum(map(weight, offered.word_set))
        )
        return both / self._asked_weight, both / (of_offered or 1.0), min(2.0, both / 6.0)

    def _extension(self, asked: Name, offered: Name, is_dir: bool) -> tuple[float, ...]:
        left, right = asked.extension, "" if is_dir else offered.extension
        if left == right:
            return (float(bool(left)), 0.0, 0.0, 0.0)
        if left and right:
            family = same_family(left, right)
            return (0.0, float(family), float(not family), 0.0)
        return (0.0, 0.0, 0.0, 1.0)

    def _kind(self, asked: Name, is_dir: bool) -> tuple[float, float]:
        """Return (contradicts the operation, is unlikely by the look of the name)."""
        if self.op == "list":
            return (float(not is_dir), 0.0)
        if self.op in ("read", "write"):
            return (float(is_dir), float(self.request.wants_dir and not is_dir))
        looks_dir = self.request.wants_dir or not asked.extension
        return (0.0, float(looks_dir != is_dir))

    # -- the directories -------------------------------------------------------------------------

    def _directory(self, parent: str) -> list[float]:
        offered = tuple(fold(part) for part in parent.split("/")) if parent else ()
        fit = align(self.asked, offered, self.index.directory_weight)
        asked = self.request.parent
        distance = distance_below(self.anchor, parent)
        touched = self._history(parent)
        meant = self._meant(offered, parent)
        bare = float(self.bare)
        return [
            float(parent == asked),
            fit.matched / fit.asked if fit.asked else 0.0,
            fit.matched / fit.offered if fit.offered and fit.asked else 0.0,
            math.log1p(fit.asked_lead) if fit.matched else 0.0,
            math.log1p(fit.asked_rest) if fit.matched else 1.0 * bool(self.asked),
            math.log1p(fit.offered_lead) if fit.matched else 0.0,
            math.log1p(fit.offered_rest),
            min(2.0, fit.doubt),
            fit.last if self.asked else 0.0,
            float(bool(self.anchor) and distance >= 0),
            math.log1p(max(0, distance)) if self.anchor else 0.0,
            float(bool(self.request.base) and distance_below(self.request.base, parent) >= 0),
            float(not GENERATED_WORDS.isdisjoint(offered)),
            *touched,
            *(bare * value for value in touched),
            *meant,
            *(bare * value for value in meant),
            math.log1p(len(offered)),
        ]

    def _history(self, parent: str) -> tuple[float, float]:
        """Return decayed closeness to remembered paths: same directory, telling ancestor."""
        same = near = 0.0
        weight = 1.0
        total = 0.0
        parts = parent.split("/") if parent else []
        for path in self.history:
            other = path.split("/")
            directory = other[:-1]
            if directory == parts or other == parts:
                same += weight
            shared = 0
            for left, right in zip(parts, directory, strict=False):
                if left != right:
                    break
                shared += 1
            near += weight * self.index.closeness("/".join(parts[:shared]))
            total += weight
            weight *= HISTORY_DECAY
        return (same / total, near / total) if total else (0.0, 0.0)

    def _meant(self, offered: Sequence[str], parent: str) -> tuple[float, float]:
        """Return how much of the last directory the intent names, and how much of the intent the
        directories account for."""
        if not self._intended or not parent:
            return 0.0, 0.0
        last = set(tokens(parent.rpartition("/")[2]))
        weights = self._intended
        all_words = set(tokens(parent))
        total = sum(weights.values())
        covered = sum(weight for word, weight in weights.items() if word in all_words)
        named = sum(word in weights for word in last) / len(last) if last else 0.0
        return named, covered / total

    def _intent(self, words: Sequence[str]) -> float:
        """Return the share of words that the intent names, at least two letters long."""
        if not self.intent or not words:
            return 0.0
        return sum(word in self.intent for word in words) / len(words)

    # -- both together ---------------------------------------------------------------------------

    def _cross(
        self, path: str, parent: str, name: str, is_dir: bool, by_name: Sequence[float]
    ) -> list[float]:
        exact, folded, similarity, edits = by_name[0], by_name[2], by_name[4], by_name[7]
        here = parent == self.request.parent and self.parent_exists
        offered = parse_name(name)
        generic = self.name.generic or self.name.folded in self.asked
        count = len(self.index.by_name.get(self.request.name, ()))
        ancestor = path == self.anchor and is_dir and not here
        missing = len(self.request.parts) - path.count("/") - 1 if ancestor else 0
        last_asked = self.asked[-1] if self.asked else ""
        whole_says_nothing = self.bare and bool(self.history)  # it would only favour short paths
        return [
            exact / (1.0 + math.log2(count)) if exact else 0.0,
            float(here),
            float(here and generic),
            float(not here and self.parent_exists and generic and (exact or folded)),
            self._alone(parent, offered, is_dir) if here else 0.0,
            float(here and is_main(offered, last_asked)),
            float(bool(last_asked) and self.name.folded == last_asked and here),
            1.0 if folded else self._moved(parent, offered),
            folded * here,
            similarity * here,
            edits * here,
            float(ancestor),
            math.log1p(missing),
            0.0 if whole_says_nothing else Indel.normalized_similarity(self.request.path, path),
            self._itself(path),
            self._intent(offered.words),
            self.symbols.get(path, 0.0),
            math.log1p(self.index.below(path)) / 5.0 if is_dir else 0.0,
        ]

    def _alone(self, parent: str, offered: Name, is_dir: bool) -> float:
        """Return 1/n for one of n alike in the directory asked for: files of one extension, or
        directories when a name without an extension was asked for."""
        if is_dir and not self.name.extension:
            prefix = parent + "/" if parent else ""
            names = self.index.children(parent)[:200]
            return 1.0 / max(1, sum(self.index.is_dir(prefix + n) for n in names))
        if (
            is_dir
            or offered.extension != self.name.extension
            or offered.is_test != self.name.is_test
        ):
            return 0.0
        ending = "." + offered.extension
        alike = sum(
            child.endswith(ending) and parse_name(child).is_test == offered.is_test
            for child in self.index.children(parent)[:200]
        )
        return 1.0 / max(1, alike)

    def _moved(self, parent: str, offered: Name) -> float:
        """Return how well words that changed places between name and directory are accounted for.

        `session/state_test.go` for `session_state_test.go`, `git_operations.go` for
        `gitutil/operations.go`.
        """
        found = offered.word_set.union(tokens(parent.rpartition("/")[2]))
        common = self._asked_words & found
        if not common:
            return 0.0
        weight = self.index.word_weight
        return sum(map(weight, common)) / sum(map(weight, self._asked_words | found))

    def _itself(self, path: str) -> float:
        for position, recent in enumerate(self.history):
            if recent == path:
                return HISTORY_DECAY**position
        return 0.0
