"""Ties are broken by what was touched, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable

from tadoru.resolve import resolve
from tadoru.resolve.model import Scored
from tadoru.resolve.ties import broken
from tadoru.tree import Tree
from tadoru.views import View

CLIENTS = [
    "internal/infra/reranker/client.go",
    "internal/infra/openaihttp/client.go",
    "internal/infra/vllm/client.go",
]


def first(view: View, asked: str, **touched: float) -> str:
    answer = resolve(view, asked, touched=touched)
    assert answer.status == "ambiguous"
    return answer.candidates[0].path


def test_what_was_touched_comes_first_among_equals(shop: View) -> None:
    for path in CLIENTS:
        assert first(shop, "client.go", **{path: 1.0}) == path
        assert first(shop, "client.go", **{path: 3.0, CLIENTS[1]: 0.5}) == path


def test_what_was_touched_beside_a_candidate_counts_a_little(view_of: Callable[..., View]) -> None:
    view = view_of([*CLIENTS, "internal/infra/openaihttp/retry.go"])
    beside = {"internal/infra/openaihttp/retry.go": 1.0}
    assert first(view, "client.go", **beside) == CLIENTS[1]
    assert first(view, "client.go", **beside, **{CLIENTS[0]: 0.2}) == CLIENTS[0]


def test_scores_and_what_is_resolved_stay_the_same(shop: View) -> None:
    touched = dict.fromkeys([*CLIENTS, "internal/store/postgres/orders.go"], 50.0)
    for asked in ("client.go", "internal/config/laoder.go", "web/src/app.ts", "lib/quantum.zig"):
        plain, moved = resolve(shop, asked, top=10), resolve(shop, asked, top=10, touched=touched)
        assert (plain.status, plain.path) == (moved.status, moved.path)
        assert [c.score for c in plain.candidates] == [c.score for c in moved.candidates]
        assert {c.path for c in plain.candidates} == {c.path for c in moved.candidates}


def test_a_memory_of_what_is_not_shown_changes_nothing(shop: View) -> None:
    hidden = {"internal/infra/vllm/secret.go": 99.0, "gone/client.go": 9.0}
    assert resolve(shop, "client.go", touched=hidden) == resolve(shop, "client.go")


def test_only_those_near_the_first_are_tied() -> None:
    ranked = [Scored(path, score, ()) for path, score in (("a", 0.5), ("b", 0.31), ("c", 0.19))]
    tree = Tree([])
    assert broken(ranked, {}, tree) == ranked
    moved = broken(ranked, {"a": 0.0, "b": 1.0, "c": 9.0}, FakeTree())  # type: ignore[arg-type]
    assert [(c.path, c.score) for c in moved] == [("b", 0.5), ("a", 0.31), ("c", 0.19)]


class FakeTree:
    def __contains__(self, path: object) -> bool:
        return path in ("a", "b", "c")
