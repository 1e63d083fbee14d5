"""The fake keeps the promises that it stands for."""

from __future__ import annotations

import pytest

from tadoru.testing import MemoryStore
from tadoru.testing.suites import LiteralIndexSuite, PostingsSuite, StoreSuite


class _Made:
    @pytest.fixture
    def make(self):
        return MemoryStore


class TestMemoryStore(_Made, StoreSuite):
    pass


class TestMemoryPostings(_Made, PostingsSuite):
    pass


class TestMemoryLiterals(_Made, LiteralIndexSuite):
    pass
