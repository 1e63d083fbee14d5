"""Reranking by any endpoint that speaks one of the common JSON forms.

`/v1/rerank` as Cohere and Jina have it, and DashScope's form. Uses only what the user configured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tadoru.errors import Unavailable
from tadoru.models.api import rows_of
from tadoru.models.http import Endpoint

QUERY_SECONDS = 8.0
"""A question does not wait longer for reranking."""


class ApiReranker:
    """A `Reranker` behind an endpoint."""

    def __init__(self, endpoint: Endpoint, model: str, most: int = 0) -> None:
        """`most`: the endpoint is asked for so many of the best; 0 for all."""
        self._endpoint = endpoint
        self._model = model
        self._most = most

    @property
    def name(self) -> str:
        return f"api:{self._endpoint.authority}:{self._model}"

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        """Return one relevance in 0..1 per document; scores outside it are put through a sigmoid.

        What is not among the best that were asked for gets the least score of those.
        Raises: `Unavailable` when the endpoint fails or leaves out a document it was asked for.
        """
        if not documents:
            return []
        answer = self._endpoint.post(
            self._body(question, list(documents)), deadline_seconds=QUERY_SECONDS, hurried=True
        )
        if isinstance(answer, dict) and isinstance(answer.get("output"), dict):
            answer = answer["output"]
        scores: dict[int, float] = {}
        for row in rows_of(answer, "results", self._endpoint.host):
            index, value = row.get("index"), row.get("relevance_score", row.get("score"))
            if isinstance(index, int) and isinstance(value, (int, float)) and math.isfinite(value):
                scores[index] = float(value)
        known = [scores[index] for index in range(len(documents)) if index in scores]
        if len(known) < self._count(documents):
            raise Unavailable(f"{self._endpoint.host} left out documents")
        values = [scores.get(index, min(known)) for index in range(len(documents))]
        inside = all(0.0 <= value <= 1.0 for value in values)
        return values if inside else [_sigmoid(value) for value in values]

    def _count(self, documents: Sequence[str]) -> int:
        return min(len(documents), self._most or len(documents))

    def _body(self, question: str, documents: list[str]) -> dict[str, Any]:
        count = self._count(documents)
        if "/services/rerank/" in self._endpoint.url:  # DashScope's own form
            return {
                "model": self._model,
                "input": {"query": question, "documents": documents},
                "parameters": {"top_n": count, "return_documents": False},
            }
        return {
            "model": self._model,
            "query": question,
            "documents": documents,
            "top_n": count,
            "return_documents": False,
        }


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, value))))
