"""The suites of the seams, on SQLite: with segments, and with everything still waiting in the
database or not packed at all."""

from __future__ import annotations

import pytest
from sqlite_build import Builder

from tadoru.testing.suites import LiteralIndexSuite, PostingsSuite, StoreSuite


class _Made:
    finish = True
    packed = True

    @pytest.fixture
    def make(self, tmp_path):
        builder = Builder(tmp_path, finish=self.finish, packed=self.packed)
        yield builder
        builder.close()


class TestSqliteStore(_Made, StoreSuite):
    pass


class TestSqlitePostings(_Made, PostingsSuite):
    pass


class TestSqlitePostingsWithoutSegments(_Made, PostingsSuite):
    finish = False


class TestSqlitePostingsFromTextAlone(_Made, PostingsSuite):
    finish = False
    packed = False


class TestSqliteLiterals(_Made, LiteralIndexSuite):
    pass


class TestSqliteLiteralsWithoutSegments(_Made, LiteralIndexSuite):
    finish = False


class TestSqliteLiteralsFromTextAlone(_Made, LiteralIndexSuite):
    finish = False
    packed = False
