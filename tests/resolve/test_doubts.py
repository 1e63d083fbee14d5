"""A near name of something else is offered, and never acted on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tadoru.resolve import resolve
from tadoru.views import View

FILES = """
.github/workflows/ci.yml
packages/plugin-legacy/src/index.ts
packages/plugin-legacy/src/targets.ts
packages/create-shop/src/index.ts
src/shop/simple_custom_profile.rb
src/shop/resource_policy.go
src/shop/storage/storage.go
src/benches/main.rs
tests/typechecking/base_model.py
src/model/fields.py
docs/templateData.js
internal/gates/feature.go
internal/gates/doc.go
lib/src/deep/engine.py
core/lib/a.py
core/b.py
""".strip().split("\n")


@pytest.fixture(scope="module")
def tree(view_of: Callable[..., View]) -> View:
    return view_of(FILES)


@pytest.mark.parametrize(
    ("written", "op"),
    [
        ("src/shop/resource_policy_test.go", "read"),  # the test of a file is not the file
        ("docs/templateData.test.js", "read"),
        ("src/shop/simple_avatar_profile.rb", "read"),  # one word for another
        ("packages/plugin-react/src/index.ts", "read"),  # another package
        ("src/main.rs", "read"),  # what lies in a bench
        ("src/model/basemodel.py", "read"),  # what lies in tests, in another spelling
        ("github.html", "read"),  # a directory without such a file
        ("core/src", "list"),  # a directory that every project has
    ],
)
def test_something_else_is_never_the_answer(tree: View, written: str, op: str) -> None:
    answer = resolve(tree, written, op=op)  # type: ignore[arg-type]
    assert answer.status != "resolved", answer.path


def test_a_directory_of_such_files_is_the_answer(tree: View) -> None:
    answer = resolve(tree, "internal/gates.go")
    assert (answer.status, answer.path) == ("resolved", "internal/gates")


def test_a_rare_name_is_shown_wherever_it_lies(tree: View) -> None:
    answer = resolve(tree, "packages/create-shop/src/targets.ts")
    assert "packages/plugin-legacy/src/targets.ts" in [answer.path] + [
        c.path for c in answer.candidates
    ]


def test_a_sibling_that_begins_alike_is_shown(view_of: Callable[..., View]) -> None:
    names = ("css", "html", "json", "asset", "wasm", "worker", "define", "resolve")
    view = view_of(["src/plugins/importAnalysis.ts", *(f"src/plugins/{n}.ts" for n in names)])
    answer = resolve(view, "src/plugins/importAnalyzer.ts")
    assert answer.status == "ambiguous"
    assert answer.candidates[0].path == "src/plugins/importAnalysis.ts"
