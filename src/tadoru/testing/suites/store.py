"""What a `Store` must do: the same for a catalogue in one file, on a server, or in a dict."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

from tadoru.stores.base import Admit, ChunkRef, Store
from tadoru.testing.suites.corpus import FILES, IMPORTS, LABELS, SYMBOLS, Files, Labels, Make
from tadoru.text.decode import decode
from tadoru.types import Access, Freshness, Kind, Principal

NOBODY: Access = frozenset()


def access_of(store: Store, *groups: str) -> Access:
    """Return what a principal with these groups may read, as a View finds it."""
    principal = Principal(frozenset(groups))
    return frozenset(row.id for row in store.access_rows() if row.admits(principal))


def paths(store: Store, access: Access) -> set[str]:
    return {entry.path for entry in store.entries(access=access)}


QUESTIONS: dict[str, Callable[[Any, Access], Any]] = {
    "entries": lambda s, a: list(s.entries(access=a)),
    "read": lambda s, a: s.read("README.md", access=a),
    "read_many": lambda s, a: list(s.read_many(["README.md", "src/app.py"], access=a)),
    "text": lambda s, a: s.text("README.md", access=a),
    "chunks": lambda s, a: list(s.chunks("README.md", access=a)),
    "symbols": lambda s, a: s.symbols(access=a)[0] or s.symbols(access=a)[1],
    "imports": lambda s, a: s.imports("src/app.py", access=a),
    "importers": lambda s, a: s.importers("src/app.py", access=a),
    "import_counts": lambda s, a: s.import_counts(access=a),
    "nearest": lambda s, a: s.nearest(
        np.ones(4, dtype=np.float32) / 2, fingerprint="m", access=a, k=5
    ),
    "vectors": lambda s, a: s.vectors([("README.md", 0)], fingerprint="m", access=a) is not None,
    "state": lambda s, a: s.state(access=a).files,
    "ignored": lambda s, a: s.ignored("build", access=a),
    "postings.search": lambda s, a: s.postings.search([("cookie", 1.0)], access=a, k=5),
    "postings.frequencies": lambda s, a: sum(s.postings.frequencies(["cookie"], access=a)),
    "literals.candidates": lambda s, a: s.literals.candidates([[b"cookie"]], access=a),
}
"""One question for every read that takes `access`; its answer is false when nothing is shown."""


class StoreSuite:
    """Override `make`. `structure`, `dense`, `live`: whether the store has symbols and imports,
    vectors, and names without text."""

    files: ClassVar[Files] = FILES
    """The corpus, or the part of it that the store can hold."""
    labels: ClassVar[Labels] = LABELS
    structure = True
    dense = True
    live = True

    @pytest.fixture
    def make(self) -> Make:
        raise AssertionError("override the fixture `make`")

    @pytest.fixture
    def store(self, make: Make) -> Store:
        """All of the corpus, without labels."""
        return make(self.files, symbols=SYMBOLS, imports=IMPORTS)

    @pytest.fixture
    def labelled(self, make: Make) -> Store:
        return make(self.files, labels=self.labels, symbols=SYMBOLS, imports=IMPORTS)

    def _public(self) -> set[str]:
        return {path for path in self.files if self.labels.get(path) == "public"}

    # -- access --------------------------------------------------------------------------------

    def test_implements_the_protocol(self, store: Store) -> None:
        assert isinstance(store, Store)
        assert store.id
        assert store.generation >= 0

    def test_every_read_that_takes_access_is_asked_here(self) -> None:
        from tadoru.stores import base

        names = set()
        for prefix, protocol in (
            ("", base.Store),
            ("postings.", base.Postings),
            ("literals.", base.LiteralIndex),
        ):
            for name, method in inspect.getmembers(protocol, inspect.isfunction):
                if "access" in inspect.signature(method).parameters:
                    names.add(prefix + name)
        assert names == set(QUESTIONS)

    @pytest.mark.parametrize("question", sorted(QUESTIONS))
    def test_empty_access_yields_nothing(self, labelled: Store, question: str) -> None:
        assert not QUESTIONS[question](labelled, NOBODY)

    @pytest.mark.parametrize("question", sorted(QUESTIONS))
    def test_unknown_access_id_yields_nothing(self, labelled: Store, question: str) -> None:
        assert not QUESTIONS[question](labelled, frozenset({987_654}))

    @pytest.mark.parametrize("question", sorted(set(QUESTIONS) - {"nearest", "vectors", "ignored"}))
    def test_those_questions_have_an_answer_for_who_may_see(
        self, labelled: Store, question: str
    ) -> None:
        about_structure = question.startswith(("symbols", "import"))
        if self.structure or not about_structure:
            assert QUESTIONS[question](labelled, access_of(labelled, "ops"))

    def test_groups_decide_which_paths_exist(self, labelled: Store) -> None:
        public = self._public()
        assert paths(labelled, access_of(labelled)) == public
        assert paths(labelled, access_of(labelled, "dev")) == public | {"src/sessions.py"}
        everything = public | {"src/sessions.py", "src/secret.py"}
        assert paths(labelled, access_of(labelled, "ops", "dev")) == everything

    def test_outsider_sees_what_a_store_without_the_hidden_files_shows(self, make: Make) -> None:
        whole = make(self.files, labels=self.labels, symbols=SYMBOLS, imports=IMPORTS)
        public = self._public()
        pruned = make(
            {path: text for path, text in self.files.items() if path in public},
            labels=dict.fromkeys(public, "public"),
            symbols=[symbol for symbol in SYMBOLS if symbol.path in public],
            imports=[edge for edge in IMPORTS if edge.path in public],
        )
        mine, theirs = access_of(whole), access_of(pruned)
        for name, ask in QUESTIONS.items():
            if name == "entries":
                assert paths(whole, mine) == paths(pruned, theirs)
            else:
                assert ask(whole, mine) == ask(pruned, theirs), name
        assert whole.state(access=mine) == pruned.state(access=theirs)
        for hidden in ("src/secret.py", "src/sessions.py", "img/logo.bin", "no/such.py"):
            assert whole.read(hidden, access=mine) is None
            assert whole.text(hidden, access=mine) is None
            assert not whole.chunks(hidden, access=mine)
            assert not whole.imports(hidden, access=mine)
            assert not whole.importers(hidden, access=mine)

    # -- content -------------------------------------------------------------------------------

    def test_read_gives_the_bytes_of_the_source(self, store: Store) -> None:
        access = access_of(store)
        for path, content in self.files.items():
            data = content.encode() if isinstance(content, str) else content
            assert store.read(path, access=access) == data
            assert store.read(path, access=access, start=3, size=9) == data[3:12]
            assert store.read(path, access=access, start=5) == data[5:]
            assert store.read(path, access=access, start=10_000_000) == b""
            assert store.read(path, access=access, size=0) == b""

    def test_read_many_keeps_order_and_leaves_out_what_is_not_there(self, store: Store) -> None:
        asked = ["src/app.py", "no/such", "README.md", "src", "docs/日本語.md", "src/app.py", ""]
        found = list(store.read_many(iter(asked), access=access_of(store)))
        assert [path for path, _ in found] == [
            "src/app.py", "README.md", "docs/日本語.md", "src/app.py",
        ]  # fmt: skip
        assert all(store.read(path, access=access_of(store)) == data for path, data in found)

    @pytest.mark.parametrize(
        "path", ["", "/", "src", "src/", "/README.md", "src/../README.md", "./README.md", "a\0b",
                 "../../etc/passwd", "\ud800", "x" * 5_000]
    )  # fmt: skip
    def test_what_is_no_path_of_a_file_reads_as_nothing(self, store: Store, path: str) -> None:
        access = access_of(store)
        assert store.read(path, access=access) is None
        assert store.text(path, access=access) is None
        assert not store.chunks(path, access=access)
        assert list(store.read_many([path], access=access)) == []
        assert not store.imports(path, access=access)
        assert not store.importers(path, access=access)
        assert store.symbols(access=access, path=path) == ([], 0)

    def test_text_is_decoded_without_its_mark(self, store: Store) -> None:
        access = access_of(store)
        expected = {
            "docs/wide.txt": "cookie in two bytes\n",
            "docs/日本語.md": FILES["docs/日本語.md"],
            "img/logo.bin": None,
            "empty.txt": "",
        }
        for path in expected.keys() & self.files.keys():
            assert store.text(path, access=access) == expected[path]

    def test_chunks_tile_the_text_in_order(self, store: Store) -> None:
        access = access_of(store)
        for path, content in self.files.items():
            chunks = store.chunks(path, access=access)
            text = store.text(path, access=access) or ""
            assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
            assert "".join(text[c.span.start_char : c.span.end_char] for c in chunks) == text
            assert all(chunk.path == path for chunk in chunks)
            if isinstance(content, str) and content:
                assert chunks

    def test_entries_say_what_is_there(self, store: Store) -> None:
        entries = {entry.path: entry for entry in store.entries(access=access_of(store))}
        assert set(entries) == set(self.files)
        for path, content in self.files.items():
            data = content.encode() if isinstance(content, str) else content
            assert entries[path].size == len(data)
            assert entries[path].kind is Kind.FILE

    def test_links_are_entries_without_content(self, make: Make) -> None:
        if not self.live:
            return
        store = make(self.files, links={"current": "src/app.py"})
        access = access_of(store)
        link = next(entry for entry in store.entries(access=access) if entry.path == "current")
        assert (link.kind, link.target) == (Kind.LINK, "src/app.py")
        assert store.read("current", access=access) is None

    def test_name_without_text_is_listed_read_and_counted_as_pending(self, make: Make) -> None:
        if not self.live:
            return
        store = make(self.files, unindexed={"src/app.py"})
        access = access_of(store)
        assert "src/app.py" in paths(store, access)
        assert store.read("src/app.py", access=access) == str(self.files["src/app.py"]).encode()
        assert store.text("src/app.py", access=access) == self.files["src/app.py"]
        assert store.chunks("src/app.py", access=access) == ()
        state = store.state(access=access)
        assert (state.status, state.pending) == (Freshness.UPDATING, 1)
        assert str(state) == "updating 1 file"
        assert "src/app.py" in (store.literals.candidates([[b"zzzz"]], access=access) or ())

    def test_pending_work_on_hidden_files_is_no_news(self, make: Make) -> None:
        if not self.live:
            return
        store = make(self.files, labels=self.labels, unindexed={"src/secret.py"})
        assert store.state(access=access_of(store)).status is Freshness.FRESH
        assert store.state(access=access_of(store, "ops")).pending == 1

    # -- structure -----------------------------------------------------------------------------

    def test_symbols_come_by_name_folded_name_path_directory_and_kind(self, store: Store) -> None:
        if not self.structure:
            return
        access = access_of(store)

        def names(**filters: Any) -> list[str]:
            found, total = store.symbols(access=access, **filters)
            assert total == len(found)
            return [symbol.name for symbol in found]

        everything = ["open_app", "hidden_cookie_key", "open_session", "Open_Session"]
        assert sorted(names()) == sorted(everything)
        assert names(name="open_session") == ["open_session"]
        assert sorted(names(folded="OPEN_SESSION")) == ["Open_Session", "open_session"]
        assert names(path="src/app.py") == ["open_app"]
        assert len(names(under="src")) == 4
        assert names(under="sr") == []
        assert names(kinds=["class"]) == ["Open_Session"]
        assert names(name="open_session", kinds=["class"]) == []

    def test_symbol_pages_have_the_true_total(self, store: Store) -> None:
        if not self.structure:
            return
        access = access_of(store)
        whole, total = store.symbols(access=access)
        pages = [store.symbols(access=access, offset=at, limit=1) for at in range(total)]
        assert [page[0][0] for page in pages] == whole
        assert {page[1] for page in pages} == {total}
        assert store.symbols(access=access, offset=50, limit=10) == ([], total)
        assert store.symbols(access=access, limit=0) == ([], total)
        assert [symbol.path for symbol in whole] == sorted(symbol.path for symbol in whole)

    def test_symbols_keep_all_they_were_given(self, store: Store) -> None:
        if not self.structure:
            return
        found, _ = store.symbols(access=access_of(store))
        assert sorted(found, key=repr) == sorted(SYMBOLS, key=repr)

    def test_an_edge_to_a_hidden_file_leads_outside(self, labelled: Store) -> None:
        if not self.structure:
            return
        targets = {
            groups: [
                edge.target
                for edge in labelled.imports("src/app.py", access=access_of(labelled, *groups))
            ]
            for groups in ((), ("dev",), ("ops",))
        }  # fmt: skip
        assert targets[()] == ["", "", ""]
        assert targets[("dev",)] == ["src/sessions.py", "", ""]
        assert targets[("ops",)] == ["src/sessions.py", "src/secret.py", ""]

    def test_importers_and_counts_are_of_visible_files(self, labelled: Store) -> None:
        if not self.structure:
            return
        public, ops = access_of(labelled), access_of(labelled, "ops")
        edges = labelled.importers("src/app.py", access=public)
        assert [(edge.path, edge.line) for edge in edges] == [("README.md", 3), ("README.md", 4)]
        assert labelled.import_counts(access=public) == {"src/app.py": 1}
        assert labelled.import_counts(access=ops) == {
            "src/app.py": 2, "src/secret.py": 1, "src/sessions.py": 1,
        }  # fmt: skip
        assert labelled.importers("src/secret.py", access=public) == []

    # -- vectors -------------------------------------------------------------------------------

    def test_nearest_is_by_cosine_among_the_visible(self, make: Make) -> None:
        if not self.dense:
            return
        rng = np.random.default_rng(7)
        given = {}
        for path in ("README.md", "src/app.py", "src/secret.py"):
            vector = rng.standard_normal(16).astype(np.float32)
            given[(path, 0)] = vector / np.linalg.norm(vector)
        store = make(self.files, labels=self.labels, vectors={"model-a": given})
        question = given[("src/secret.py", 0)]

        def ask(access: Access, admit: Admit | None = None) -> list[ChunkRef]:
            return store.nearest(question, fingerprint="model-a", access=access, k=2, admit=admit)

        best = ask(access_of(store, "ops"))
        assert (best[0].path, len(best)) == ("src/secret.py", 2)
        assert abs(best[0].score - 1.0) < 0.02
        public = ask(access_of(store))
        assert {ref.path for ref in public} == {"README.md", "src/app.py"}
        only = ask(access_of(store), lambda entry: entry.path.startswith("src"))
        assert [ref.path for ref in only] == ["src/app.py"]
        other = store.nearest(question, fingerprint="model-b", access=access_of(store), k=2)
        assert other == []

    def test_vectors_are_zero_where_hidden_or_missing(self, make: Make) -> None:
        if not self.dense:
            return
        vector = np.array([0.6, 0.8, 0, 0], dtype=np.float32)
        store = make(
            self.files,
            labels=self.labels,
            vectors={"m": {("README.md", 0): vector, ("src/secret.py", 0): vector}},
        )
        refs = [("src/secret.py", 0), ("README.md", 0), ("README.md", 9), ("no/such", 0)]
        found = store.vectors(refs, fingerprint="m", access=access_of(store))
        assert found is not None
        assert found.shape == (4, 4)
        assert np.allclose(found[1], vector, atol=0.01)
        assert not found[[0, 2, 3]].any()
        assert store.vectors(refs, fingerprint="other", access=access_of(store)) is None

    # -- identity ------------------------------------------------------------------------------

    def test_text_of_the_corpus_is_what_the_decoder_says(self, store: Store) -> None:
        for path, data in store.read_many(sorted(self.files), access=access_of(store)):
            decoded = decode(data)
            assert store.text(path, access=access_of(store)) == (decoded and decoded.text)
