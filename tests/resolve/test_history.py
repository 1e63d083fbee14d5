"""History: newest first, bounded, one memory for each principal."""

from __future__ import annotations

from tadoru.resolve.history import PRINCIPALS_KEPT, History, in_tree
from tadoru.resolve.normalize import find_base
from tadoru.types import Principal
from tadoru.views import View

ANN, BOB = Principal(frozenset({"a"})), Principal(frozenset({"b"}))


def test_newest_first_bounded_without_repetition() -> None:
    history = History(3)
    for path in ("a", "b", "a", "c", "d"):
        history.add(ANN, path)
    assert history.paths(ANN) == ("d", "c", "a")


def test_principals_share_nothing() -> None:
    history = History()
    history.add(ANN, "secret.md")
    assert history.paths(BOB) == ()
    assert history.paths(Principal(frozenset({"a"}))) == ("secret.md",)


def test_memories_are_bounded() -> None:
    history = History(2)
    for number in range(PRINCIPALS_KEPT + 10):
        history.add(Principal(frozenset({str(number)})), "x")
    assert history.paths(Principal(frozenset({"0"}))) == ()
    assert history.paths(Principal(frozenset({str(PRINCIPALS_KEPT + 9)}))) == ("x",)


def test_none_is_kept_when_none_is_wanted() -> None:
    history = History(0)
    history.add(ANN, "x")
    assert history.paths(ANN) == ()


def test_remembered_paths_are_found_in_the_tree(shop: View) -> None:
    base = find_base(shop, "/Users/you/shop/web")
    recent = [
        "/Users/you/shop/internal/http/router.go",
        "src/app.tsx",
        "/else/where/internal/config/loader.go",
        "no/such/file.go",
        "internal/http/router.go",
    ]
    assert in_tree(shop, recent, base) == (
        "internal/http/router.go",
        "web/src/app.tsx",
        "internal/config/loader.go",
    )
