"""The fakes for models keep the promises of their seams."""

from __future__ import annotations

import pytest

from tadoru.models.tokens import EstimatedTokens
from tadoru.testing import CountingTokens, HashEmbedder, OverlapReranker
from tadoru.testing.suites import EmbedderSuite, RerankerSuite, TokenCounterSuite


class TestHashEmbedder(EmbedderSuite):
    @pytest.fixture
    def embedder(self):
        return HashEmbedder()


class TestOverlapReranker(RerankerSuite):
    @pytest.fixture
    def reranker(self):
        return OverlapReranker()


class TestCountingTokens(TokenCounterSuite):
    @pytest.fixture
    def counter(self):
        return CountingTokens()


class TestEstimatedTokens(TokenCounterSuite):
    @pytest.fixture
    def counter(self):
        return EstimatedTokens()


def test_two_fake_embedders_do_not_share_vectors():
    one, two = HashEmbedder(name="one"), HashEmbedder(name="two")
    assert one.fingerprint != two.fingerprint
    assert (one.encode(["cookie"]) != two.encode(["cookie"])).any()


def test_fakes_remember_how_much_they_were_asked():
    embedder, tokens = HashEmbedder(), CountingTokens()
    embedder.encode(["a", "b"])
    tokens.count("12345")
    assert (embedder.calls, tokens.characters) == ([2], 5)
