"""View: the only door. It fails closed, and what is hidden answers like what is missing."""

from __future__ import annotations

import inspect

from hypothesis import given
from hypothesis import strategies as st

from tadoru.stores.base import Store
from tadoru.testing import MemoryStore
from tadoru.types import Freshness, Import, Kind, Principal, Span, Symbol
from tadoru.views import View

NOBODY = Principal()
ADMIN = Principal(frozenset({"admin"}))
SPAN = Span(1, 1, 0, 5, 0, 5)

FILES = {
    "public/a.md": "alpha beta\n",
    "internal/billing.md": "secret billing alpha\n",
    "unlabelled.md": "alpha\n",
}
LABELS = {"public/a.md": "public", "internal/billing.md": ["admin", "billing"]}


def store(**more: object) -> MemoryStore:
    return MemoryStore(
        FILES,
        labels=LABELS,
        symbols=[
            Symbol("Billing", "class", "internal/billing.md", SPAN),
            Symbol("Alpha", "class", "public/a.md", SPAN),
        ],
        imports=[Import("internal/billing.md", "a", 1, target="public/a.md")],
        **more,  # type: ignore[arg-type]
    )


def test_one_group_of_several_is_enough() -> None:
    for group in ("admin", "billing"):
        view = View({"": store()}, Principal(frozenset({group, "other"})))
        assert view.tree.files == ["internal/billing.md", "public/a.md"]


def test_an_entry_without_a_label_is_hidden_where_there_are_labels() -> None:
    assert "unlabelled.md" not in View({"": store()}, ADMIN).tree
    assert "unlabelled.md" in View({"": MemoryStore(FILES)}, NOBODY).tree


def test_directories_that_become_empty_vanish() -> None:
    tree = View({"": store()}, NOBODY).tree
    assert tree.directories == ["public"]
    assert tree.get("internal") is None


def test_hidden_answers_like_missing_in_every_method() -> None:
    view = View({"": store()}, NOBODY)
    for path in ("internal/billing.md", "internal", "no/such.md"):
        assert view.entry(path) is None
        assert view.read(path) is None
        assert view.text(path) is None
        assert view.chunks(path) == ()
        assert view.imports(path) == []
        assert view.importers(path) == []
        assert list(view.read_many([path])) == []
        assert view.symbols(path=path) == ([], 0)
        assert view.symbols(under=path) == ([], 0)
    assert view.symbols(name="Billing") == ([], 0)
    assert view.importers("public/a.md") == []
    assert view.import_counts() == {}
    assert view.frequencies(["billing", "alpha"]) == [0, 1]
    assert view.lexical([("billing", 1.0)], k=10) == []
    assert [ref.path for ref in view.lexical([("alpha", 1.0)], k=10)] == ["public/a.md"]
    candidates = view.candidates([[b"alpha"]])
    assert candidates is None or candidates <= {"public/a.md"}
    assert view.state().files == 1


def test_scores_are_those_of_a_store_without_the_hidden() -> None:
    hidden = View({"": store()}, NOBODY)
    never = View({"": MemoryStore({"public/a.md": FILES["public/a.md"]})}, NOBODY)
    question = [("alpha", 1.0), ("billing", 2.0), ("beta", 0.5)]
    assert hidden.lexical(question, k=5) == never.lexical(question, k=5)


def test_a_link_is_visible_only_with_its_target() -> None:
    links = {"public/link.md": "internal/billing.md"}
    labelled = MemoryStore(FILES, labels={**LABELS, "public/link.md": "public"}, links=links)
    assert View({"": labelled}, NOBODY).tree.files == ["public/a.md"]
    assert View({"": labelled}, ADMIN).entry("public/link.md") is not None


def test_every_read_of_a_store_demands_access() -> None:
    free = {"access_rows", "close"}
    for name, member in inspect.getmembers(Store, inspect.isfunction):
        if name.startswith("_") or name in free:
            continue
        access = inspect.signature(member).parameters["access"]
        assert access.kind is inspect.Parameter.KEYWORD_ONLY, name
        assert access.default is inspect.Parameter.empty, name


def test_several_mounts_lie_below_their_names() -> None:
    one = MemoryStore({"a.py": "alpha\n", "pkg/b.py": "beta\n"}, store_id="one", host_root="/h/one")
    two = MemoryStore({"a.py": "alpha alpha\n"}, store_id="two")
    view = View({"one": one, "two": two}, NOBODY)
    assert view.tree.files == ["one/a.py", "one/pkg/b.py", "two/a.py"]
    assert view.text("two/a.py") == "alpha alpha\n"
    assert view.text("a.py") is None
    assert [p for p, _ in view.read_many(["two/a.py", "one/a.py", "nope"])] == [
        "two/a.py",
        "one/a.py",
    ]
    assert {ref.path for ref in view.lexical([("alpha", 1.0)], k=9)} == {"one/a.py", "two/a.py"}
    assert view.host_path("one/pkg/b.py") == "/h/one/pkg/b.py"
    assert view.host_path("two/a.py") == ""
    assert view.from_host("/h/one/pkg/b.py") == "one/pkg/b.py"
    assert view.from_host("/h/onetwo") is None
    assert view.chunks("one/a.py")[0].path == "one/a.py"


def test_a_mount_covers_what_a_shallower_one_has_at_its_place() -> None:
    symbols = [Symbol("covered", "function", "docs/a.md", SPAN), Symbol("f", "x", "a.py", SPAN)]
    edges = [Import("docs/a.md", "a", 1, target="a.py"), Import("a.py", "d", 1, target="docs/a.md")]
    root = MemoryStore(
        {"a.py": "alpha\n", "docs/a.md": "alpha old\n", "docs2/b.md": "alpha\n"},
        symbols=symbols,
        imports=edges,
        host_root="/h",
    )
    docs = MemoryStore({"new.md": "alpha new\n"}, symbols=[Symbol("g", "x", "new.md", SPAN)])
    view = View({"": root, "/docs": docs}, NOBODY)
    assert view.tree.files == ["a.py", "docs/new.md", "docs2/b.md"]
    assert view.text("docs/a.md") is None
    assert view.text("docs/new.md") == "alpha new\n"
    assert view.host_path("docs/new.md") == ""
    hits = view.lexical([("alpha", 1.0)], k=9)
    assert {ref.path for ref in hits} == {"a.py", "docs/new.md", "docs2/b.md"}
    found = view.candidates([[b"alpha"]])
    assert found is None or found <= {"a.py", "docs/new.md", "docs2/b.md"}
    assert [s.name for s in view.symbols()[0]] == ["g", "f"]
    assert view.symbols(limit=1)[1] == 2
    assert [s.name for s in view.symbols(offset=1)[0]] == ["f"]
    assert view.importers("a.py") == []
    assert view.imports("a.py")[0].target == ""
    assert view.import_counts() == {"a.py": 1}


def test_symbols_of_several_mounts_are_paged_as_one_list() -> None:
    def made(name: str) -> MemoryStore:
        symbols = [Symbol(f"f{i}", "function", "a.py", SPAN) for i in range(3)]
        return MemoryStore({"a.py": "x\n"}, symbols=symbols, store_id=name)

    view = View({"one": made("one"), "two": made("two")}, NOBODY)
    everything, total = view.symbols()
    assert total == len(everything) == 6
    pages = [view.symbols(offset=start, limit=2) for start in (0, 2, 4)]
    assert [s for page, _ in pages for s in page] == everything
    assert {count for _, count in pages} == {6}
    assert view.symbols(under="two")[1] == 3
    assert view.symbols(path="one/a.py")[1] == 3


def test_the_worst_mount_names_the_state() -> None:
    good, bad = MemoryStore({"a": "x"}, store_id="1"), MemoryStore({"b": "y"}, store_id="2")
    bad.status, bad.detail = Freshness.STALE, "the server is away"
    state = View({"one": good, "two": bad}, NOBODY).state()
    assert str(state) == "stale: the server is away"
    assert state.files == 2


def test_the_key_tells_principals_generations_and_mounts_apart() -> None:
    memory = store()
    keys = {View({"": memory}, who).key for who in (NOBODY, ADMIN)}
    keys.add(View({"docs": memory}, NOBODY).key)
    memory.generation += 1
    keys.add(View({"": memory}, NOBODY).key)
    assert len(keys) == 4
    same = View({"": memory}, Principal(frozenset({"unknown"}))).key
    assert same == View({"": memory}, NOBODY).key


_groups = st.sets(st.sampled_from(["a", "b", "c"]))


@given(
    st.dictionaries(st.sampled_from(["x/1", "x/2", "y/1", "z"]), st.one_of(_groups, st.none())),
    _groups,
)
def test_nobody_sees_more_than_his_groups_allow(
    labels: dict[str, set[str] | None], groups: set[str]
) -> None:
    files = dict.fromkeys(["x/1", "x/2", "y/1", "z"], "word\n")
    given_labels = {path: found for path, found in labels.items() if found is not None}
    view = View({"": MemoryStore(files, labels=given_labels)}, Principal(frozenset(groups)))
    allowed = {path for path, found in given_labels.items() if found & groups}
    assert set(view.tree.files) == allowed
    assert {ref.path for ref in view.lexical([("word", 1.0)], k=9)} == allowed
    assert {e.path for e in view.tree.entries() if e.kind is Kind.FILE} == allowed
