"""From a question to what is looked for: concepts with alternatives, names, paths, sub-questions.

Decides what kind of question it is (a symbol, a path, an error with its stack trace, prose, or
prose in Chinese, Japanese or Korean) and which words carry it. Touches no index, never fails on
syntax (quotes, operators and control characters are separators), and refuses only an empty
question and one of more than 100 KB.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from tadoru.errors import BadInput
from tadoru.search.words import STOP_WORDS, glosses, synonyms_of
from tadoru.text.languages import language_of
from tadoru.text.terms import expand, stem, words

MAX_BYTES = 102_400
"""Longer questions are refused: 100 KB of UTF-8."""
MAX_CONCEPTS = 40
"""Distinct words that are looked for; a pasted log has its say in its first ones."""
MAX_NAMES = 20
"""Names looked up in the symbol table, each a point query."""
SINGLE_NAMES = 2
"""In prose of more words than this, one word alone is hardly a name."""
MAX_PATHS = 12
"""Paths taken from a stack trace."""
MAX_VARIANTS = 4
"""Questions that a deep search asks, the whole one included."""
MIN_VARIANT_CHARS = 8

FULL_WORD, STEM, SYNONYM, GLOSS = 0.6, 1.0, 0.35, 0.7
"""Query weight of a word as it is written (its stem counts beside it), of the stem, of what
means the same, and of a translation. Measured order: stems beside full words beat either alone."""
SUBWORD = 0.45
"""Importance of a part of a compound identifier beside the whole."""
EXACT_TERM = 2.0
"""Importance of a term that the caller gave as exact."""

TASK = 0.3
"""Importance of the word that says what is to be done (`fix ...`, `add ...`), not where."""

_CHANGE = re.compile(
    r"(?:feat|fix|refactor|perf|chore|docs|test|style|build|ci)(?:\(([^()]{1,60})\))?!?:\s+(?=\S)",
    re.IGNORECASE,
)
"""Head of a change's subject (conventionalcommits.org): its kind says nothing about the place."""
_TASKS = frozenset(
    """add adjust allow avoid bump change clean cleanup convert correct deprecate disable drop
    enable ensure extract fix fixed fixes handle implement improve introduce make move optimize
    prevent reduce refactor remove removed rename replace restore revert rework simplify stop
    support switch tidy update upgrade""".split()  # noqa: SIM905
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:::|\.|#|->)[A-Za-z_$][\w$]*)*")
_SHAPED = re.compile(r"[a-z\d][A-Z]|[A-Z]{2,}[a-z]|_|::|\w\.\w|\w#\w|->|\d[A-Za-z]|[A-Za-z]\d")
_PYTHON_FRAME = re.compile(r'File "([^"\n]{1,300})", line (\d+)')
_FRAME = re.compile(r"(?<![\w/.\\-])((?:[\w@.+~-]*[/\\])*[\w@.+-]+\.[A-Za-z]\w{0,7})(?::(\d+))?")
_ERROR = re.compile(
    r"Traceback \(most recent|\bpanic:|\b\w*(?:Error|Exception)\b\s*[:(]|^\s*at \S+ ?\(|"
    r"\b(?:fatal|error)(?:\[\w+\])?:",
    re.MULTILINE,
)
_SPLIT = re.compile(
    r"\b(?:and|or|with|plus|then|after|before)\b|与|和|以及|然后|,|;|,|;", re.IGNORECASE
)


class QuestionKind(StrEnum):
    """What a question looks like; fusion and ranking weigh their signals by it."""

    SYMBOL = "symbol"
    PATH = "path"
    ERROR = "error"
    PROSE = "prose"
    CJK = "cjk"


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing that an answer should be about, with the terms that speak of it."""

    surface: str
    terms: tuple[tuple[str, float], ...]
    """Index terms with how fully each one stands for the concept, 0..1."""
    importance: float = 1.0


@dataclass(frozen=True, slots=True)
class PathMention:
    """A path or file name in the question."""

    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """A question, understood."""

    text: str
    """As asked, control characters and white space folded."""
    kind: QuestionKind
    concepts: tuple[Concept, ...]
    names: tuple[str, ...] = ()
    """Folded names that a definition may have, likeliest first."""
    exact: tuple[str, ...] = ()
    """Identifiers as they are written."""
    paths: tuple[PathMention, ...] = ()
    variants: tuple[Question, ...] = ()
    """Sub-questions of a deep search."""

    @property
    def lexical_terms(self) -> list[tuple[str, float]]:
        """Return index terms with their query weight, each once."""
        weights: dict[str, float] = {}
        for concept in self.concepts:
            for term, strength in concept.terms:
                weight = strength * concept.importance
                weights[term] = max(weights.get(term, 0.0), weight)
        return list(weights.items())


def understand(text: str, terms: Iterable[str] = (), *, deep: bool = False) -> Question:
    """Return what is asked for.

    `text`: the intent in words; `terms`: exact names beside it; `deep`: split into sub-questions.
    Raises: `BadInput` when both are empty, or when there are more than 100 KB.
    """
    exact_terms = tuple(t for t in (_clean(term) for term in terms) if t)
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise BadInput(
            f"the question has more than {MAX_BYTES // 1024} KB", hint="ask with fewer words"
        )
    raw = text
    text = _clean(text)
    if not text and not exact_terms:
        raise BadInput("the question is empty", hint="say what to look for")
    question = _understand(raw, text, exact_terms)
    if not deep:
        return question
    variants = tuple(_understand(part, part, ()) for part in _parts(text, exact_terms))
    return Question(
        question.text, question.kind, question.concepts, question.names, question.exact,
        question.paths, variants,
    )  # fmt: skip


def _clean(text: str) -> str:
    return " ".join(_CONTROL.sub(" ", text).split())


def _understand(raw: str, text: str, exact_terms: tuple[str, ...]) -> Question:
    paths = _paths(raw)
    kind = _kind(raw, text, paths)
    concepts = _concepts(text, exact_terms, kind)
    shaped = [w for w in _IDENTIFIER.findall(text) if _SHAPED.search(w)]
    if kind is QuestionKind.SYMBOL:
        shaped = _IDENTIFIER.findall(text) or shaped
    shaped = [name for name in shaped if not language_of(name)]  # `app.py` is a path
    exact = tuple(dict.fromkeys([*exact_terms, *shaped]))[:MAX_NAMES]
    return Question(text, kind, concepts, _names(text, exact, kind), exact, paths)


def _paths(raw: str) -> tuple[PathMention, ...]:
    """Return the files that are named, those of a stack trace with their line, newest first."""
    found: dict[str, PathMention] = {}
    python = [(m[1], int(m[2])) for m in _PYTHON_FRAME.finditer(raw)]
    for path, line in reversed(python):  # Python prints the most recent call last
        found.setdefault(path, PathMention(path.replace("\\", "/"), line))
    for match in _FRAME.finditer(raw[:20_000]):
        path = match[1].replace("\\", "/")
        named = "/" in path or match[2] is not None or language_of(path)
        if named and (language_of(path) or "/" in path):
            line = int(match[2]) if match[2] and len(match[2]) < 9 else 0
            found.setdefault(path, PathMention(path, line))
    if "/" in raw and len(raw) < 300 and not raw.strip().count(" "):
        bare = raw.strip().strip("'\"`()<>").rstrip("/")
        if bare and not found:
            found[bare] = PathMention(bare)
    return tuple(found.values())[:MAX_PATHS]


def _kind(raw: str, text: str, paths: tuple[PathMention, ...]) -> QuestionKind:
    if _ERROR.search(raw[:20_000]) or sum(1 for p in paths if p.line) > 1:
        return QuestionKind.ERROR
    if paths and len(text.split()) == 1:
        return QuestionKind.PATH
    if len(_CJK.findall(text[:2_000])) >= 2:
        return QuestionKind.CJK
    pieces = text.split()
    if len(pieces) <= 3 and all(_IDENTIFIER.fullmatch(p.rstrip("()?")) for p in pieces):
        shaped = [p for p in pieces if _SHAPED.search(p)]
        if len(pieces) == 1 or len(shaped) == len(pieces):
            return QuestionKind.SYMBOL
    return QuestionKind.PROSE


def _concepts(text: str, exact: tuple[str, ...], kind: QuestionKind) -> tuple[Concept, ...]:
    found: dict[str, Concept] = {}
    for term in exact:
        for word in words(term):
            _add_word(found, word, EXACT_TERM, kind)
    content = [w for w in words(_without_kind(text)) if w.lower() not in STOP_WORDS]
    task = content[0].lower() in _TASKS and len(content) > SINGLE_NAMES if content else False
    for position, word in enumerate(content or words(text)):
        if len(found) >= MAX_CONCEPTS:
            break
        _add_word(found, word, TASK if task and not position else 1.0, kind)
    if kind is QuestionKind.CJK:
        _add_glosses(found, text)
    return tuple(found.values())[: 2 * MAX_CONCEPTS]


def _without_kind(text: str) -> str:
    """Return the subject of a change with its scope, without its kind: `fix(cli): x` is `cli x`."""
    head = _CHANGE.match(text)
    return f"{head[1] or ''} {text[head.end() :]}" if head else text


def _add_word(found: dict[str, Concept], word: str, importance: float, kind: QuestionKind) -> None:
    folded = word.lower()
    if folded in found:
        return
    pieces = expanded(word)
    if _CJK.match(word):
        for bigram in pieces:
            if _HIRAGANA.fullmatch(bigram):
                continue  # particles and endings
            found.setdefault(bigram, Concept(bigram, ((bigram, 1.0),), importance * SUBWORD))
        return
    parts = [p for p in pieces[1:] if p != stem(folded)]
    if not parts:
        found[folded] = Concept(folded, _alternatives(folded), importance)
        return
    found[folded] = Concept(folded, ((folded, 1.0),), importance)
    for part in parts:
        if stem(part) in parts and stem(part) != part:
            continue  # comes with its stem
        if part not in STOP_WORDS:
            found.setdefault(part, Concept(part, _alternatives(part), importance * SUBWORD))


@lru_cache(maxsize=4_096)
def _alternatives(word: str) -> tuple[tuple[str, float], ...]:
    base = stem(word)
    terms = {base: STEM}
    if base != word:
        terms[word] = FULL_WORD
    for other in synonyms_of(word):
        terms.setdefault(other, SYNONYM)
        terms.setdefault(stem(other), SYNONYM)
    return tuple(terms.items())


def _add_glosses(found: dict[str, Concept], text: str) -> None:
    """Add what the words of a Chinese, Japanese or Korean question mean in English code."""
    for surface, meanings in glosses(text):
        terms: dict[str, float] = {}
        for position, meaning in enumerate(meanings):
            strength = GLOSS if position else STEM
            for term in (meaning, stem(meaning)):
                terms[term] = max(terms.get(term, 0.0), strength)
        found[surface] = Concept(surface, tuple(terms.items()), 1.0)


def _names(text: str, exact: tuple[str, ...], kind: QuestionKind) -> tuple[str, ...]:
    """Return folded names that a definition may have: `cookie jar` may be CookieJar, cookie_jar."""
    names: dict[str, None] = {}
    for identifier in exact:
        names[re.split(r"::|\.|#|->", identifier)[-1].lower()] = None
    content = [w.lower() for w in words(text[:2_000]) if w.lower() not in STOP_WORDS]
    content = [w for w in content if w.isascii()][:12]
    for first, second in pairwise(content):
        names[first + second] = None
        names[f"{first}_{second}"] = None
    if kind is not QuestionKind.PROSE or len(content) <= SINGLE_NAMES:
        names.update(dict.fromkeys(word for word in content if len(word) > 2))
    return tuple(names)[:MAX_NAMES]


def _parts(text: str, exact: tuple[str, ...]) -> list[str]:
    """Return at most four sub-questions: terms with the question, then its clauses."""
    parts: list[str] = [f"{' '.join(exact)} {text}"] if exact else []
    clauses = [clause.strip() for clause in _SPLIT.split(text[:4_000])]
    long = [clause for clause in clauses if len(clause) >= MIN_VARIANT_CHARS]
    if len(long) > 1:
        parts.extend(long)
    return [p for p in dict.fromkeys(parts) if p != text][: MAX_VARIANTS - 1]


@lru_cache(maxsize=65_536)
def expanded(word: str) -> tuple[str, ...]:
    """Return the terms of a word, remembered: the same words come again and again in code."""
    return expand(word)
