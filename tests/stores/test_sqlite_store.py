"""The suites of the seams, on SQLite: with segments, and with everything still waiting in the
database or not packed at all."""

from __future__ import annotations

import pytest
from sqlite_build import Builder

from tadoru.testing.suites import LiteralIndexSuite, PostingsSuite, StoreSuite


@pytest.fixture(scope="module")
def builders(tmp_path_factory):
    made = {}

    def builder(finish, packed):
        if (finish, packed) not in made:
            base = tmp_path_factory.mktemp("stores")
            made[finish, packed] = Builder(base, finish=finish, packed=packed)
        return made[finish, packed]

    yield builder
    for each in made.values():
        each.close()


class _Made:
    finish = True
    packed = True

    @pytest.fixture
    def make(self, builders):
        """The suites only read, so the same arguments may give the same store."""
        builder = builders(self.finish, self.packed)

        def once(*args, **options):
            key = repr((args, sorted(options.items())))
            if key not in builder.made:
                builder.made[key] = builder(*args, **options)
            return builder.made[key]

        return once


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
