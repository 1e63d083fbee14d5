"""An invented name is a choice at most, whatever lies beside it and whatever was touched."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tadoru.resolve import AMBIGUOUS, resolve
from tadoru.views import View

FILES = """
LICENSE.txt
README.md
pyproject.toml
index.js
src/Client.php
src/flask/__init__.py
src/flask/__main__.py
src/flask/app.py
src/flask/ctx.py
src/flask/helpers.py
src/flask/sessions.py
src/flask/typing.py
src/flask/views.py
examples/celery/requirements.txt
examples/celery/pyproject.toml
db/backends/mysql/base.py
db/backends/oracle/base.py
db/backends/sqlite3/base.py
db/backends/postgresql/base.py
test/fixtures/bats/setup.bats
""".strip().split("\n")


@pytest.fixture(scope="module")
def tree(view_of: Callable[..., View]) -> View:
    return view_of(FILES)


@pytest.mark.parametrize(
    "written",
    [
        "src/flask/models.py",
        "src/flask/routing.py",
        "src/flask/auth.py",
        "requirements.txt",
        "main.go",
        "SECURITY.md",
        "src/config.py",
        "db/backends/mssql/base.py",
        "setup.py",
        "src/index.js",
    ],
)
def test_an_invented_path_is_never_resolved(tree: View, written: str) -> None:
    answer = resolve(tree, written)
    assert answer.status != "resolved", answer.path


def test_history_never_carries_an_invented_name_over_the_line(tree: View) -> None:
    history = ["src/flask/sessions.py", "src/flask/ctx.py"]
    for name in ("auth", "models", "routing", "storage", "errors"):
        for touched in ([], history, history[::-1], ["src/flask/typing.py"]):
            written = f"src/flask/{name}.py"
            assert resolve(tree, written, history=touched).status != "resolved"


def test_a_namesake_in_an_example_is_the_answer_where_work_is_done(tree: View) -> None:
    assert resolve(tree, "requirements.txt", cwd="examples").path.startswith("examples/celery/")


def test_weak_candidates_are_nothing(tree: View) -> None:
    answer = resolve(tree, "src/flask/plugins/loader.py")
    assert (answer.status, answer.candidates) == ("absent", ())
    near = resolve(tree, "src/flask/plugins/loader.py", top=5).candidates
    assert near[0].score < AMBIGUOUS


def test_a_name_that_many_files_bear_is_a_choice(view_of: Callable[..., View]) -> None:
    view = view_of([f"pkg{i}/sub{j}/handler.py" for i in range(9) for j in range(9)])
    answer = resolve(view, "handler.py")
    assert answer.status == "ambiguous"
    assert len(answer.candidates) == 3
