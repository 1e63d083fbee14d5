"""Rewritings of the path that was asked for lead to the file, and to nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tadoru.resolve import RETRY, resolve
from tadoru.views import View

FILES = """
LICENSE.txt
CHANGES.rst
README.md
pyproject.toml
docs/index.md
examples/chat/src/main.rs
examples/chat/LICENSE.txt
examples/readme/src/main.rs
rust/src/extract/mod.rs
rust/src/extract/state.rs
rust/src/body/mod.rs
web/src/core/index.ts
web/src/core/errors.ts
web/src/index.ts
php/src/Exception/index.php
php/src/Exception/ConnectException.php
php/src/Exception/ServerException.php
src/shop/__init__.py
src/shop/sessions.py
src/shop/ctx.py
src/shop/json/__init__.py
src/shop/json/tag.py
src/shop/auth/models.py
src/shop/cart/models.py
java/src/main/java/org/shop/Cart.java
""".strip().split("\n")


@pytest.fixture(scope="module")
def tree(view_of: Callable[..., View]) -> View:
    return view_of(FILES)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        # a module that was taken for a package, and the reverse
        ("src/shop/sessions/__init__.py", "src/shop/sessions.py"),
        ("shop/sessions/__init__.py", "src/shop/sessions.py"),
        ("rust/src/extract/state/mod.rs", "rust/src/extract/state.rs"),
        ("web/src/core/errors/index.ts", "web/src/core/errors.ts"),
        ("web/src/core/errors/index.js", "web/src/core/errors.ts"),
        ("php/src/Exception/ConnectException/index.php", "php/src/Exception/ConnectException.php"),
        ("web/src/core.ts", "web/src/core/index.ts"),
        ("src/shop/json.py", "src/shop/json/__init__.py"),
        ("rust/src/body.rs", "rust/src/body/mod.rs"),
        # another case throughout
        ("SRC/SHOP/AUTH/MODELS.PY", "src/shop/auth/models.py"),
        # a directory said twice
        ("examples/examples/chat/src/main.rs", "examples/chat/src/main.rs"),
        ("src/src/shop/cart/models.py", "src/shop/cart/models.py"),
        ("src/shop/src/shop/ctx.py", "src/shop/ctx.py"),
        # dotted modules, and a class in one
        ("shop.sessions", "src/shop/sessions.py"),
        ("src.shop.sessions", "src/shop/sessions.py"),
        ("shop.auth.models", "src/shop/auth/models.py"),
        ("shop.sessions.SecureSession", "src/shop/sessions.py"),
        ("org.shop.Cart", "java/src/main/java/org/shop/Cart.java"),
        # an ending that was left out
        ("LICENSE", "LICENSE.txt"),
        ("LICENSE.md", "LICENSE.txt"),
        # one wrong letter
        ("src/shop/sesions.py", "src/shop/sessions.py"),
    ],
)
def test_a_rewriting_leads_to_the_file(tree: View, written: str, meant: str) -> None:
    answer = resolve(tree, written)
    assert (answer.status, answer.path) == ("resolved", meant)
    assert answer.candidates[0].score >= RETRY


@pytest.mark.parametrize(
    ("written", "first"),
    [
        ("CHANGELOG.md", "CHANGES.rst"),
        ("src/shop/sessin.py", "src/shop/sessions.py"),
        ("shop.sessions.open_session", "src/shop/sessions.py"),
    ],
)
def test_what_is_likely_is_offered_first_and_not_acted_on(
    tree: View, written: str, first: str
) -> None:
    answer = resolve(tree, written)
    assert answer.status == "ambiguous"
    assert answer.candidates[0].path == first
    assert answer.candidates[0].score > 0.4


def test_one_wrong_letter_is_told_from_many_twins(view_of: Callable[..., View]) -> None:
    names = ("reader", "writer", "__init__")
    view = view_of([f"package{i}/{name}.py" for i in range(40) for name in names])
    answer = resolve(view, "package7/readr.py")
    assert (answer.status, answer.path) == ("resolved", "package7/reader.py")


def test_two_paths_equal_but_for_case_are_a_choice(view_of: Callable[..., View]) -> None:
    view = view_of(["src/Shop.py", "src/shop.py", "src/cart.py"])
    answer = resolve(view, "src/SHOP.py")
    assert answer.status == "ambiguous"
    assert {c.path for c in answer.candidates[:2]} == {"src/Shop.py", "src/shop.py"}


def test_another_digit_is_another_name(view_of: Callable[..., View]) -> None:
    view = view_of(["migrate/version12.py", "migrate/version13.py", "app.py"])
    assert resolve(view, "migrate/version14.py").candidates[0].score < RETRY


def test_an_entry_without_its_directory_says_nothing(tree: View) -> None:
    for written in ("src/shop/plugins/__init__.py", "rust/src/router/mod.rs"):
        assert resolve(tree, written).status != "resolved"
