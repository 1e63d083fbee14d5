"""What `Postings` and a `LiteralIndex` must do."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import pytest

from tadoru.stores.base import FieldWeight, Store
from tadoru.testing.reference import ReferencePostings
from tadoru.testing.suites.corpus import FILES, LABELS, Files, Make
from tadoru.testing.suites.store import access_of, paths
from tadoru.text.terms import Field, terms
from tadoru.types import Access, Entry, Kind


def reference(store: Store, access: Access) -> ReferencePostings:
    """Return the plain implementation over what an access set shows of a store."""
    return ReferencePostings(
        lambda: (
            (
                entry,
                store.chunks(entry.path, access=access),
                store.text(entry.path, access=access) or "",
            )
            for entry in store.entries(access=access)
            if entry.kind is Kind.FILE
        )
    )  # fmt: skip


def _is(path: str, entry: Entry) -> bool:
    return entry.path == path


class PostingsSuite:
    """Override `make`."""

    files: ClassVar[Files] = FILES

    @pytest.fixture
    def make(self) -> Make:
        raise AssertionError("override the fixture `make`")

    @pytest.fixture
    def store(self, make: Make) -> Store:
        return make(self.files, labels=LABELS)

    @pytest.mark.parametrize("groups", [(), ("dev",), ("ops",)])
    @pytest.mark.parametrize(
        "question", ["session cookie", "open_session", "用户", "filler", "no such word anywhere",
                     "the src sessions", "cookie cookie"]
    )  # fmt: skip
    def test_ranks_and_scores_as_the_reference_does(
        self, store: Store, groups: tuple[str, ...], question: str
    ) -> None:
        access = access_of(store, *groups)
        wanted = [(term, 1.0 + index / 4) for index, term in enumerate(terms(question))]
        plain = reference(store, access)
        for k in (1, 3, 50):
            assert store.postings.search(wanted, access=access, k=k) == plain.search(
                wanted, access=access, k=k
            )
        names = [term for term, _ in wanted]
        assert store.postings.frequencies(names, access=access) == plain.frequencies(
            names, access=access
        )

    def test_filter_narrows_the_result_before_the_best_are_chosen(self, store: Store) -> None:
        access = access_of(store, "ops")
        everything = store.postings.search([("cookie", 1.0)], access=access, k=50)
        for ref in everything:
            only = store.postings.search(
                [("cookie", 1.0)], access=access, k=1, admit=partial(_is, ref.path)
            )
            assert [(r.path, r.score) for r in only] == [(ref.path, only[0].score)]
            assert only[0].score in {r.score for r in everything if r.path == ref.path}
        nothing = store.postings.search(
            [("cookie", 1.0)], access=access, k=5, admit=lambda entry: False
        )
        assert nothing == []

    def test_only_the_given_fields_count(self, store: Store) -> None:
        access = access_of(store, "ops")
        by_path = {Field.PATH: FieldWeight(1.0, 0.0)}
        found = store.postings.search([("sessions", 1.0)], access=access, k=9, fields=by_path)
        assert {ref.path for ref in found} == {"src/sessions.py"}
        body = {Field.BODY: FieldWeight(1.0, 0.75)}
        found = store.postings.search([("readme", 1.0)], access=access, k=9, fields=body)
        assert found == []

    def test_no_terms_or_no_room_gives_no_result(self, store: Store) -> None:
        access = access_of(store, "ops")
        assert store.postings.search([], access=access, k=5) == []
        assert store.postings.search([("cookie", 1.0)], access=access, k=0) == []
        assert store.postings.search([("cookie", 0.0)], access=access, k=5) == []
        assert store.postings.frequencies([], access=access) == []


class LiteralIndexSuite:
    """Override `make`."""

    files: ClassVar[Files] = FILES

    @pytest.fixture
    def make(self) -> Make:
        raise AssertionError("override the fixture `make`")

    @pytest.fixture
    def store(self, make: Make) -> Store:
        return make(self.files, labels=LABELS)

    @pytest.mark.parametrize(
        "literals",
        [
            [[b"cookie"]], [[b"COOKIE"]], [[b"def open_session"]], [["用户".encode()]], [[b"db"]],
            [[b"f"]], [[b""]], [[]], [[b"cookie"], [b"sign"]], [[b"filler", b"open_app"]],
            [[b"zzz"], [b"x"]], [[b"zzzz"]], [[b"signed.\n"]], [[b"\n\n"]], [[b"line", b"#"]],
            [["修正".encode() + b" cookie\r\nsec"]], [[b"c\0o\0o\0"]], [["Ü".encode()]],
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("groups", [(), ("ops",)])
    def test_never_omits_a_match_and_never_shows_what_is_hidden(
        self, store: Store, groups: tuple[str, ...], literals: list[list[bytes]]
    ) -> None:
        access = access_of(store, *groups)
        found = store.literals.candidates(literals, access=access)
        matching = {
            path
            for path, data in store.read_many(sorted(paths(store, access)), access=access)
            if all(any(lit.lower() in data.lower() for lit in choice) for choice in literals)
        }
        if found is not None:
            assert matching <= found <= paths(store, access)

    def test_a_rare_literal_excludes_most(self, store: Store) -> None:
        found = store.literals.candidates([[b"open_app"]], access=access_of(store, "ops"))
        assert found is None or len(found) <= 3

    def test_nothing_asked_excludes_nothing(self, store: Store) -> None:
        assert store.literals.candidates([], access=access_of(store)) is None
