"""The panels: bounds, shapes, and that what is hidden is absent from all five."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tadoru
from tadoru import BadInput, IsADirectoryHere, PathNotFound, Principal, Workspace
from tadoru.config import Config
from tadoru.testing import MemoryStore
from tadoru.types import Entry, Import, IndexState, Span, Symbol
from tadoru.web.panels import panels
from tadoru.web.panels.tree import grown, opened

STAFF = Principal(frozenset({"staff"}))
SPAN = Span(1, 2, 0, 10, 0, 10)
OPEN = {
    "shop/cart.py": "from shop import money\n\ndef total(items):\n    return money.add(items)\n",
    "shop/money.py": "def add(items):\n    return sum(items)\n",
    "README.md": "# Shop\n\nThe cart adds the money of its items.\n",
}
HIDDEN = {
    "shop/payroll.py": "from shop import money\n\ndef total(wages):\n    return money.add(wages)\n",
    "vault/zanzibar.md": "# Zanzibar\n\nThe cart of wages, money and items.\n",
}


class Kept:
    """A source whose store is at hand."""

    place = "memory"

    def __init__(self, store: MemoryStore) -> None:
        self.store = store

    def freshen(self) -> None: ...

    def state(self, stored: IndexState, principal: Principal) -> IndexState:
        return stored

    def close(self) -> None: ...


def store_of(files: dict[str, str]) -> MemoryStore:
    edges = [
        Import(path, "shop.money", 1, "shop/money.py", ("money",))
        for path in ("shop/cart.py", "shop/payroll.py")
        if path in files
    ]
    names = {"shop/cart.py": "total", "shop/money.py": "add", "shop/payroll.py": "total"}
    return MemoryStore(
        files,
        labels={path: ({"staff"} if path in HIDDEN else "public") for path in files},
        symbols=[Symbol(n, "function", p, SPAN) for p, n in names.items() if p in files],
        imports=edges,
    )


def asker(files: dict[str, str], principal: Principal, home: Path) -> Workspace:
    return Workspace({"": Kept(store_of(files))}, Config(home=str(home)), principal)


QUESTIONS: list[tuple[str, dict[str, str]]] = [
    ("search", {"q": "where is the money of items added"}),
    ("search", {"q": "zanzibar wages payroll total", "mode": "deep"}),
    ("path", {"path": "shop/payrol.py"}),
    ("path", {"path": "vault/zanzibar.txt", "intent": "read about `total`"}),
    ("file", {"path": "shop/money.py"}),
    ("file", {"path": "shop/cart.py", "symbol": "total"}),
    ("tree", {}),
    ("tree", {"path": "shop"}),
    ("health", {}),
]


@pytest.mark.parametrize(("name", "given"), QUESTIONS)
def test_hidden_answers_as_absent(name: str, given: dict[str, str], tmp_path: Path) -> None:
    without = asker(OPEN, Principal(), tmp_path / "a")
    hidden = asker({**OPEN, **HIDDEN}, Principal(), tmp_path / "b")
    staff = asker({**OPEN, **HIDDEN}, STAFF, tmp_path / "c")
    told = answered(hidden, name, given)
    assert told == answered(without, name, given)
    assert "payroll.py" not in json.dumps(told) and "zanzibar.md" not in json.dumps(told)
    assert answered(staff, name, given) != told, "the question can tell the two apart"


@pytest.mark.parametrize("path", list(HIDDEN))
@pytest.mark.parametrize("name", ["file", "tree"])
def test_hidden_file_fails_as_a_missing_one(name: str, path: str, tmp_path: Path) -> None:
    errors = []
    for files in (OPEN, {**OPEN, **HIDDEN}):
        with pytest.raises(PathNotFound) as caught:
            panels[name].answer(asker(files, Principal(), tmp_path), {"path": path})
        errors.append((str(caught.value), caught.value.hint))
    assert errors[0] == errors[1]


def answered(workspace: Workspace, name: str, given: dict[str, str]) -> dict[str, Any]:
    answer = panels[name].answer(workspace, given)
    json.dumps(answer)
    answer.pop("milliseconds", None)
    return answer


@pytest.fixture(scope="module")
def shop(shared_repository: Path) -> Iterator[Workspace]:
    with tadoru.open(shared_repository) as workspace:
        yield workspace


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("search", {}),
        ("search", {"q": "  "}),
        ("search", {"q": "cart", "mode": "slow"}),
        ("search", {"q": "cart", "budget": "-5"}),
        ("search", {"q": "cart", "budget": "9" * 30}),
        ("search", {"q": "cart", "budget": "٣٠٠"}),
        ("search", {"q": "cart\0"}),
        ("search", {"q": "x" * 30_000}),
        ("search", {"q": "cart", "groups": "staff"}),
        ("path", {"path": ""}),
        ("path", {"path": "a", "op": "delete"}),
        ("file", {"path": "README.md", "start": "0"}),
        ("health", {"path": "README.md"}),
    ],
)
def test_what_is_out_of_bounds_is_refused(
    shop: Workspace, name: str, given: dict[str, str]
) -> None:
    with pytest.raises(BadInput):
        panels[name].answer(shop, given)


def test_paths_out_of_the_tree_are_not_there(shop: Workspace) -> None:
    for path in ("/etc/passwd", "etc/passwd", ".git/config", "ignored/secret.py"):
        with pytest.raises(PathNotFound):
            panels["file"].answer(shop, {"path": path})
    for path in ("../../etc/passwd", "src/../../x"):
        with pytest.raises(tadoru.OutsideRoots):
            panels["file"].answer(shop, {"path": path})
    with pytest.raises(IsADirectoryHere):
        panels["file"].answer(shop, {"path": "src"})


def test_no_answer_says_where_the_server_keeps_its_files(
    shop: Workspace, shared_repository: Path
) -> None:
    for name, given in (
        ("search", {"q": "signed cookie"}),
        ("path", {"path": "src/shop/session.py"}),
        ("file", {"path": "src/shop/cart.py", "symbol": "total"}),
        ("tree", {}),
        ("health", {}),
    ):
        assert str(shared_repository) not in json.dumps(panels[name].answer(shop, given)), name


def test_search_tells_its_stages_in_order(shop: Workspace) -> None:
    answer = panels["search"].answer(shop, {"q": "where is the session cookie signed"})
    names = [stage["stage"] for stage in answer["stages"]]
    assert names[:2] == ["lexical", "dense"]
    assert names[-5:] == ["fused", "ranked", "cut-off", "expanded", "packed"]
    assert answer["tokens"] <= answer["budget"]


def test_search_says_that_no_model_was_asked(shared_repository: Path, tmp_path: Path) -> None:
    answer = panels["search"].answer(asker(OPEN, STAFF, tmp_path), {"q": "add money"})
    dense = answer["stages"][1]
    assert dense["found"] == 0 and "no vectors" in dense["note"]


def test_a_failed_path_has_candidates_with_features(shop: Workspace) -> None:
    answer = panels["path"].answer(shop, {"path": "src/shop/session.py"})
    assert answer["status"] == "resolved" and answer["path"] == "src/shop/sessions.py"
    assert answer["candidates"][0]["because"] and 0 < answer["confidence"] <= 1
    absent = panels["path"].answer(shop, {"path": "ignored/secret.py"})
    assert absent["status"] == "absent" and "ignored" in absent["reason"]


def test_a_file_is_told_a_window_at_a_time(repository: Path) -> None:
    (repository / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 2_501)))
    (repository / "wide.txt").write_text("x" * 50_000 + "\nend\n")
    (repository / "heavy.txt").write_text(("y" * 1_999 + "\n") * 600)
    with tadoru.open(repository) as workspace:
        workspace.index()
        heavy = panels["file"].answer(workspace, {"path": "heavy.txt"})
        last = panels["file"].answer(workspace, {"path": "/long.txt", "start": "2001"})
        wide = panels["file"].answer(workspace, {"path": "wide.txt"})
        beyond = panels["file"].answer(workspace, {"path": "long.txt", "start": "9999"})
    assert last["start"] == 2001 and len(last["lines"]) == 500 and last["lines"][-1] == "line 2500"
    assert [len(line) for line in wide["lines"]] == [2_000, 3] and wide["cut_lines"] == [1]
    assert beyond["lines"] == []
    assert 100 < len(heavy["lines"]) < 300 and heavy["total_lines"] == 600


def test_a_file_has_both_directions_of_imports(shop: Workspace) -> None:
    answer = panels["file"].answer(shop, {"path": "src/shop/sessions.py", "symbol": "open_session"})
    assert [edge["path"] for edge in answer["importers"]] == ["src/shop/cart.py"]
    assert {use["path"] for use in answer["uses"]["of"]} >= {"src/shop/cart.py"}
    assert {"name", "kind", "line"} <= set(answer["symbols"][0])


def test_sums_of_the_tree_are_those_of_its_files(shop: Workspace) -> None:
    tree = panels["tree"].answer(shop, {})["tree"]

    def check(node: dict[str, Any]) -> None:
        if "children" in node:
            for total in ("tokens", "bytes", "files"):
                assert node[total] == sum(child[total] for child in node["children"])
            for child in node["children"]:
                check(child)

    check(tree)
    assert tree["files"] == shop.status().files
    below = panels["tree"].answer(shop, {"path": "/src/shop/"})["tree"]
    assert below["path"] == "src/shop" and "children" in below


def test_a_large_tree_is_told_in_bounds_and_loses_nothing() -> None:
    entries = [
        Entry(f"d{n % 90}/e{n % 7}/f{n}.py", tadoru.Kind.FILE, size=n % 977, language="python")
        for n in range(60_000)
    ]
    entries += [Entry(f"wide/{n}.md", tadoru.Kind.FILE, size=4, role=tadoru.Role.DOCS)
                for n in range(5_000)]  # fmt: skip
    root = grown("", entries)
    told = opened(root, 1_500)

    def leaves(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if "children" not in node:
            yield node
        for child in node.get("children", ()):
            yield from leaves(child)

    shown = list(leaves(told))
    assert len(shown) < 2_500
    assert sum(node["files"] for node in shown) == 65_000
    assert (
        sum(node["tokens"] for node in shown)
        == told["tokens"]
        == sum(-(-entry.size // 4) for entry in entries)
    )


def test_files_without_text_weigh_nothing() -> None:
    entries = [
        Entry("a.png", tadoru.Kind.FILE, size=9_000, role=tadoru.Role.BINARY),
        Entry("b.py", tadoru.Kind.FILE, size=40, language="python"),
    ]
    told = opened(grown("", entries), 100)
    assert told["tokens"] == 10 and told["bytes"] == 9_040 and told["language"] == "python"


def test_health_has_latency_and_rates(shop: Workspace) -> None:
    panels["search"].answer(shop, {"q": "cart"})
    answer = panels["health"].answer(shop, {})
    assert answer["search"]["tools"]["explain_search"]["p95_ms"] > 0
    assert answer["mounts"] == ["/"] and answer["index"]["status"] == "fresh"


def test_a_look_at_the_page_changes_no_later_answer(repository: Path) -> None:
    with tadoru.open(repository) as workspace:
        workspace.index()
        before = panels["path"].answer(workspace, {"path": "src/shop/nothing.py"})
        for name, given in (("search", {"q": "cart"}), ("file", {"path": "src/shop/cart.py"})):
            panels[name].answer(workspace, given)
        after = panels["path"].answer(workspace, {"path": "src/shop/nothing.py"})
    assert before["read_as"] == after["read_as"] and before["candidates"] == after["candidates"]
