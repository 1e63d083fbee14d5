"""A question with every stage that its answer went through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tadoru.types import Mode
from tadoru.web.panels.base import Panel, Parameter, in_tree, plain

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

_MODES: dict[str, Mode] = {"quick": "quick", "balanced": "balanced", "deep": "deep"}
MOST_BUDGET = 100_000
NO_MODEL = "no model is set, or the index has no vectors of it"


def _ask(workspace: Workspace, given: Mapping[str, str]) -> dict[str, Any]:
    tests = given["tests"]
    answer = workspace.explain_search(
        given["q"],
        mode=_MODES[given["mode"]],
        budget=int(given["budget"] or 0) or None,
        under=in_tree(given["under"]),
        tests="only" if tests == "only" else "exclude" if tests == "exclude" else "include",
    )
    told = plain(answer.debug)
    return {
        "question": answer.question,
        "understood": told.get("question", {}),
        "recall": answer.recall,
        "stages": _in_order(told.get("stages", {})),
        "duplicates": told.get("duplicates", []),
        "hits": plain(answer.hits),
        "total": answer.total,
        "text": answer.text,
        "tokens": answer.tokens,
        "budget": answer.budget,
        "counter": answer.counter,
        "warnings": list(answer.warnings),
        "index": plain(answer.index),
    }


def _in_order(stages: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stages as they ran; recall always has its two halves."""
    recall = [name for name in stages if name not in _LATER]
    names = ["lexical", "dense", *(name for name in recall if name not in ("lexical", "dense"))]
    rows = [{"stage": name, "kind": "recall", **stages.get(name, _EMPTY)} for name in names]
    if "dense" not in stages:
        rows[1]["note"] = NO_MODEL
    later = [name for name in _LATER if name in stages]
    return [*rows, *({"stage": name, "kind": name, **stages[name]} for name in later)]


_EMPTY: dict[str, Any] = {"found": 0, "rows": []}
_LATER = ("fused", "ranked", "cut-off", "expanded", "packed")

SEARCH = Panel(
    "search",
    "A question, and what each stage of its answer found, kept and cut.",
    (
        Parameter("q", "the question, in words, names, or both", required=True),
        Parameter("mode", "how wide to look", default="balanced", choices=tuple(_MODES)),
        Parameter("budget", "tokens of the packed answer", least=50, most=MOST_BUDGET),
        Parameter("under", "a directory; what lies elsewhere is not searched"),
        Parameter(
            "tests",
            "whether files of tests count",
            default="include",
            choices=("include", "exclude", "only"),
        ),
    ),
    _ask,
)
