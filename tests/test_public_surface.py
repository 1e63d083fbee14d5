"""What `import tadoru` offers is exactly what it says it offers."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import tadoru
from tadoru import errors, types


def test_all_is_sorted_and_without_doubles() -> None:
    assert tadoru.__all__ == sorted(set(tadoru.__all__))


def test_every_name_in_all_is_there_and_documented() -> None:
    for name in tadoru.__all__:
        value = getattr(tadoru, name)
        assert name.startswith("__") or inspect.getdoc(value), name


def test_nothing_public_is_missing_from_all() -> None:
    public = {
        name
        for name, value in vars(tadoru).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert public - {"annotations", "Any", "TYPE_CHECKING", "import_module"} <= set(tadoru.__all__)


def test_dir_lists_what_is_loaded_lazily() -> None:
    assert {"open", "Workspace", "Config"} <= set(tadoru.__all__)


def test_every_error_is_exported() -> None:
    assert set(errors.__all__) <= set(tadoru.__all__)


def test_every_error_is_drawn_in_the_tree() -> None:
    drawn = errors.__doc__ or ""
    assert all(name in drawn for name in errors.__all__)


def test_every_error_carries_code_exit_code_and_errno() -> None:
    codes = set()
    for name in errors.__all__:
        error = getattr(errors, name)("what happened", hint="what to do")
        assert str(error) == "what happened (what to do)"
        assert error.exit_code in (1, 2, 3, 4)
        assert error.errno_name.startswith("E")
        codes.add(error.code)
    assert len(codes) == len(errors.__all__)


def test_answers_carry_the_state_of_the_index() -> None:
    answers = (
        types.Resolution, types.SearchAnswer, types.RunResult, types.ReadAnswer,
        types.RetryResult, types.FileList, types.SymbolList, types.ReferenceList,
        types.TextAnswer, types.IndexReport,
    )  # fmt: skip
    for answer in answers:
        assert "index" in answer.__dataclass_fields__, answer.__name__


def test_no_module_stands_in_the_place_of_what_is_loaded_when_it_is_asked_for() -> None:
    lazy = [
        package
        for found in pkgutil.walk_packages(tadoru.__path__, "tadoru.")
        if found.ispkg and hasattr(package := import_module(found.name), "__getattr__")
    ]
    assert "tadoru.resolve" in {package.__name__ for package in lazy}
    for package in (tadoru, *lazy):
        modules = {found.name for found in pkgutil.iter_modules(package.__path__)}
        assert not modules & set(package.__all__), package.__name__
