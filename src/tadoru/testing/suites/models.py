"""What an `Embedder`, a `Reranker` and a `TokenCounter` must do."""

from __future__ import annotations

import numpy as np
import pytest

from tadoru.models.base import Embedder, Reranker, TokenCounter


class EmbedderSuite:
    """Override `embedder`."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        raise AssertionError("override the fixture `embedder`")

    def test_implements_the_protocol(self, embedder: Embedder) -> None:
        assert isinstance(embedder, Embedder)
        assert embedder.fingerprint

    def test_vectors_are_unit_float32_of_the_stated_dimension(self, embedder: Embedder) -> None:
        vectors = embedder.encode(["open the session", "数据库", "", "x" * 5_000])
        assert vectors.shape == (4, embedder.dimension)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)

    def test_no_text_gives_no_vector(self, embedder: Embedder) -> None:
        assert embedder.encode([]).shape == (0, embedder.dimension)

    def test_same_text_gives_same_vector_in_any_batch(self, embedder: Embedder) -> None:
        alone = embedder.encode(["sign the cookie"])
        among = embedder.encode(["other words", "sign the cookie", "more"])
        assert np.allclose(alone[0], among[1], atol=1e-5)

    def test_question_is_nearer_to_its_answer_than_to_something_else(
        self, embedder: Embedder
    ) -> None:
        question = embedder.encode(["sign the session cookie"], query=True)[0]
        documents = embedder.encode(["def sign_session_cookie(): ...", "matrix determinant rank"])
        near, far = documents @ question
        assert near > far


class RerankerSuite:
    """Override `reranker`."""

    @pytest.fixture
    def reranker(self) -> Reranker:
        raise AssertionError("override the fixture `reranker`")

    def test_implements_the_protocol(self, reranker: Reranker) -> None:
        assert isinstance(reranker, Reranker)
        assert reranker.name

    def test_one_score_in_zero_to_one_per_document(self, reranker: Reranker) -> None:
        scores = reranker.score("where is the cookie signed", ["cookie is signed here", "", "x"])
        assert len(scores) == 3
        assert all(0.0 <= score <= 1.0 for score in scores)
        assert scores[0] == max(scores)

    def test_no_document_gives_no_score(self, reranker: Reranker) -> None:
        assert reranker.score("anything", []) == []


class TokenCounterSuite:
    """Override `counter`."""

    @pytest.fixture
    def counter(self) -> TokenCounter:
        raise AssertionError("override the fixture `counter`")

    def test_implements_the_protocol(self, counter: TokenCounter) -> None:
        assert isinstance(counter, TokenCounter)
        assert counter.name

    def test_nothing_costs_nothing(self, counter: TokenCounter) -> None:
        assert counter.count("") == 0

    def test_more_text_never_costs_less(self, counter: TokenCounter) -> None:
        text = "def open_session(self, app):\n    return app.session  # 会话を開く\n" * 20
        costs = [counter.count(text[:end]) for end in range(0, len(text), 7)]
        assert costs == sorted(costs)
        assert costs[-1] > 0
