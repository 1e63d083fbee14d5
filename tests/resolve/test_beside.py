"""The same name in another form, in the directory that was asked for, is the file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tadoru.resolve import RETRY, resolve
from tadoru.views import View

FILES = """
Makefile
README.md
src/shop/application.py
src/shop/config.py
src/shop/dependencies.py
src/shop/boxes.py
src/shop/authentication.py
src/shop/cache.py
src/shop/matcher.rs
src/shop/geo.h
src/shop/geo.c
src/shop/report.json
src/shop/report.toml
src/shop/cart-view.tsx
src/shop/checkout.spec.ts
src/shop/index.html
src/shop/pump.c
src/shop/pump.sh
lib/dependency_graph.py
lib/order.py
src/shop/orders.py
tests/test_cart.py
tests/order_test.go
""".strip().split("\n")


@pytest.fixture(scope="module")
def tree(view_of: Callable[..., View]) -> View:
    return view_of(FILES)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("src/shop/app.py", "src/shop/application.py"),
        ("src/shop/auth.py", "src/shop/authentication.py"),
        ("src/shop/configuration.py", "src/shop/config.py"),
        ("src/shop/dependency.py", "src/shop/dependencies.py"),
        ("src/shop/box.py", "src/shop/boxes.py"),
        ("src/shop/caches.py", "src/shop/cache.py"),
        ("src/shop/cartView.tsx", "src/shop/cart-view.tsx"),
        ("src/shop/checkout.test.ts", "src/shop/checkout.spec.ts"),
        ("tests/cart_test.py", "tests/test_cart.py"),
        ("src/shop/geo.hpp", "src/shop/geo.h"),
        ("src/shop/geo.cc", "src/shop/geo.c"),
    ],
)
def test_another_form_of_the_name_is_acted_on(tree: View, written: str, meant: str) -> None:
    answer = resolve(tree, written)
    assert (answer.status, answer.path) == ("resolved", meant)
    assert answer.candidates[0].score >= RETRY


def test_the_same_name_of_another_language_is_the_file(tree: View) -> None:
    answer = resolve(tree, "src/shop/matcher.py")
    assert (answer.status, answer.path) == ("resolved", "src/shop/matcher.rs")


def test_several_endings_are_a_choice_that_names_them(tree: View) -> None:
    answer = resolve(tree, "src/shop/report.yaml")
    assert (answer.status, answer.error_kind) == ("ambiguous", "wrong_extension")
    assert set(answer.maybe_exts) == {".json", ".toml"}


def test_a_script_stands_for_a_script(tree: View) -> None:
    answer = resolve(tree, "src/shop/pump.py")
    assert [c.path for c in answer.candidates] == ["src/shop/pump.sh", "src/shop/pump.c"]


def test_a_generic_name_of_another_kind_is_a_choice_at_most(tree: View) -> None:
    assert resolve(tree, "src/shop/index.js").status != "resolved"


def test_a_form_here_comes_before_the_name_elsewhere(tree: View) -> None:
    found = resolve(tree, "src/shop/order.py", top=5).candidates
    assert [c.path for c in found][:2] == ["src/shop/orders.py", "lib/order.py"]


def test_a_bare_name_that_exists_is_not_taken_for_another_form(
    view_of: Callable[..., View],
) -> None:
    view = view_of(["utils/index.js", "web/deep/utils.js", "app.js"])
    assert resolve(view, "utils.js").path == "web/deep/utils.js"


def test_an_empty_entry_says_nothing_and_its_directory_is_the_answer(
    view_of: Callable[..., View],
) -> None:
    view = view_of({"pkg/json/__init__.py": "", "pkg/json/tag.py": "x", "pkg/core.py": "y"})
    assert resolve(view, "pkg/json.py").path == "pkg/json"
    full = view_of({"pkg/json/__init__.py": "z", "pkg/json/tag.py": "x", "pkg/core.py": "y"})
    assert resolve(full, "pkg/json.py").path == "pkg/json/__init__.py"


def test_a_package_in_the_other_number_is_the_file(view_of: Callable[..., View]) -> None:
    view = view_of(["src/extract/cookie/mod.rs", "src/extract/cached.rs", "src/extract/mod.rs"])
    assert resolve(view, "src/extract/cookies.rs").path == "src/extract/cookie/mod.rs"


def test_a_doubled_path_of_any_length_is_said_once(view_of: Callable[..., View]) -> None:
    path = "a/b/c/d/e/page.ts"
    view = view_of([path, "a/b/x/page.ts", "z/page.ts"])
    assert resolve(view, "a/b/c/d/e/" + path).path == path
