"""How a resolve came to its answer, stage by stage, for people who ask why.

Holds paths and words of the request, unlike a plain `Measure`: it is for the asker alone. Computes
nothing anew; what it shows is what the call itself saw.
"""

from __future__ import annotations

from typing import Any

from tadoru.resolve.features import FEATURES, Context
from tadoru.resolve.measure import Measure
from tadoru.resolve.model import Scored, absent_vector, load_weights

REASONS = 6
"""Features named per candidate, those that weigh most."""
WEIGHED = 10
"""Candidates whose features are named."""


class Trace(Measure):
    """A measure that keeps what every stage found."""

    def __init__(self) -> None:
        super().__init__()
        self._found: dict[str, Any] = {}

    def note(self, **found: Any) -> None:
        """Keep what a stage found."""
        self._found.update(found)

    def table(self) -> dict[str, Any]:
        """Return the stages as plain values, in the order in which they ran."""
        stages: dict[str, Any] = {}
        context: Context | None = self._found.get("context")
        if context is not None:
            stages["normalize"] = _request(context)
        if "weighed" in self._found and context is not None:
            stages["candidates"] = {
                "weighed": self.candidates,
                "by definition of the name": sorted(context.symbols),
                "by another spelling": list(self._found["spelled"]),
            }
            stages["rank"] = self._rank(context)
            stages["limits"] = self._limits()
        if self.confidence is not None:
            stages["confidence"] = round(self.confidence, 4)
        stages["ms"] = self.milliseconds()
        return stages

    def _rank(self, context: Context) -> list[dict[str, Any]]:
        """Return the first candidates with what spoke for and against them, and "none of them"."""
        weighed: list[Scored] = self._found["weighed"]
        weights = load_weights()
        rows = [
            {
                "path": scored.path,
                "score": round(scored.score, 4),
                "because": _because(scored.features, weights.candidate),
            }
            for scored in weighed[:WEIGHED]
        ]
        vector = absent_vector(context, [scored.features for scored in weighed])
        utility = sum(map(float.__mul__, weights.absent, vector))
        rows.append({"path": "(none of them)", "utility": round(utility, 3)})
        return rows

    def _limits(self) -> dict[str, Any]:
        """Return whose confidence the evidence did not allow, or a rule put first."""
        before = {scored.path: scored.score for scored in self._found["weighed"]}
        changed = {
            scored.path: f"{before.get(scored.path, 0.0):.4f} -> {scored.score:.4f}"
            + (f", {scored.why}" if scored.why else "")
            for scored in self._found["limited"][:WEIGHED]
            if abs(before.get(scored.path, 0.0) - scored.score) > 1e-9 or scored.why
        }
        return {"changed": changed or "nothing"}


def _request(context: Context) -> dict[str, Any]:
    request = context.request
    rows: dict[str, Any] = {
        "read as": request.path or "/",
        "directory that exists": context.anchor or "/",
        "working directory": request.base or "/",
        "touched lately": list(context.history),
        "words of the intent": list(context.intent),
    }
    marks = {
        "a directory is wanted": request.wants_dir,
        "outside the roots": request.outside,
        "a URL": request.url,
        "a pattern": request.glob,
        "it exists": request.existing is not None,
    }
    rows.update({name: True for name, true in marks.items() if true})
    if request.line:
        rows["line"] = request.line
    return rows


def _because(features: tuple[float, ...], weights: tuple[float, ...]) -> dict[str, float]:
    """Return the features that weigh most, with their part in the sum."""
    parts = [(n, w * f) for n, w, f in zip(FEATURES, weights, features, strict=True) if w * f]
    parts.sort(key=lambda part: -abs(part[1]))
    return {name: round(part, 3) for name, part in parts[:REASONS]}
