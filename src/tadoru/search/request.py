"""What a caller asks of search, and the filter on entries that follows from it.

Filters are applied by the store before top-k; nothing is dropped from a finished ranking.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tadoru.config import SearchConfig
from tadoru.errors import BadInput
from tadoru.search.globs import any_match
from tadoru.types import Entry, Mode, Role
from tadoru.views import Admit

Tests = Literal["include", "exclude", "only"]
LowConfidence = Literal["return_top1", "return_empty", "return_with_warning"]

_MODES = ("quick", "balanced", "deep")
_TESTS = ("include", "exclude", "only")
_LOW = ("return_top1", "return_empty", "return_with_warning")
_ALIASES = {
    "c#": "csharp", "cs": "csharp", "c_sharp": "csharp", "c++": "cpp", "js": "javascript",
    "ts": "typescript", "py": "python", "rb": "ruby", "rs": "rust", "golang": "go",
    "bash": "shell", "sh": "shell", "md": "markdown", "yml": "yaml",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One question with its filters."""

    question: str
    terms: tuple[str, ...] = ()
    """Exact names: classes, functions, error codes."""
    mode: Mode = "balanced"
    top: int = 0
    """Hits to return; 0 lets the smart cut-off decide. What is packed is always its choice."""
    offset: int = 0
    """Hits to skip, for the next page of the same question."""
    include_globs: tuple[str, ...] = ()
    exclude_globs: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    tests: Tests = "include"
    under: str = ""
    """A directory (or file) of the tree; only what lies there is searched."""
    max_total_chars: int | None = None
    """Characters of packed text; None for the configured number."""
    max_files: int | None = None
    """Files in the packed answer; None for no limit but the budget."""
    max_segments_per_file: int | None = None
    """Segments of one file in the packed answer; None for the configured number."""
    low_confidence_behavior: LowConfidence = "return_top1"
    debug: bool = False
    changed: frozenset[str] | None = None
    """When given, only these paths are searched (changed since some revision)."""

    def __post_init__(self) -> None:
        _one_of("mode", self.mode, _MODES)
        _one_of("tests", self.tests, _TESTS)
        _one_of("low_confidence_behavior", self.low_confidence_behavior, _LOW)
        for name in ("top", "offset", "max_total_chars", "max_files", "max_segments_per_file"):
            if (getattr(self, name) or 0) < 0:
                raise BadInput(f"{name} is negative: {getattr(self, name)}", hint="use 0 or more")


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise BadInput(f"unknown {name}: {value!r}", hint=f"one of {', '.join(allowed)}")


def language_name(name: str) -> str:
    """Return the name that the index uses for a language: `c#` and `cs` are `csharp`."""
    return _ALIASES.get(name.lower(), name.lower())


def admit_of(request: SearchRequest) -> Admit | None:
    """Return the filter on entries that a request means; None when it admits everything."""
    languages = frozenset(map(language_name, request.languages))
    if "typescript" in languages:
        languages |= {"tsx"}
    under = request.under.strip("/")
    if not (
        request.include_globs
        or request.exclude_globs
        or languages
        or under
        or request.tests != "include"
        or request.changed is not None
    ):
        return None

    def admit(entry: Entry) -> bool:
        path = entry.path
        if under and path != under and not path.startswith(under + "/"):
            return False
        if languages and entry.language not in languages:
            return False
        if request.tests != "include" and (entry.role is Role.TEST) != (request.tests == "only"):
            return False
        if request.changed is not None and path not in request.changed:
            return False
        if request.include_globs and not any_match(request.include_globs, path):
            return False
        return not any_match(request.exclude_globs, path)

    return admit


def settings_for(config: SearchConfig, mode: Mode) -> SearchConfig:
    """Return the parameters of a mode: `quick` lowers the configured ones, `deep` raises them.

    Source of the two profiles: ContextWeaver 1.5.4. A zero that switches something off stays.
    `deep` shows chunks whole.
    """
    if mode == "balanced":
        return config
    wanted = _QUICK if mode == "quick" else _DEEP
    choose = min if mode == "quick" else max
    changes: dict[str, int] = {}
    for name, value in wanted.items():
        configured = getattr(config, name)
        changes[name] = choose(configured, value) if configured else 0
    if mode == "deep":
        changes["segment_tokens"] = 0
    return replace(config, **changes)  # type: ignore[arg-type]


_QUICK = {
    "vector_top_k": 40,
    "vector_top_m": 30,
    "lex_total_chunks": 60,
    "fused_top_m": 30,
    "rerank_top_n": 5,
    "smart_max_k": 5,
    "import_files_per_seed": 0,
    "reverse_import_files_per_seed": 0,
    "call_sites_per_seed": 0,
}
_DEEP = {
    "vector_top_k": 120,
    "vector_top_m": 80,
    "lex_total_chunks": 300,
    "fused_top_m": 80,
    "rerank_top_n": 15,
    "smart_max_k": 12,
    "import_files_per_seed": 5,
}
