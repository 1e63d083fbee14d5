"""Words in several forms, and endings that are written for one another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadoru.resolve.endings import closeness
from tadoru.resolve.forms import other_forms, singular


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("cache", "caches"), ("match", "matches"), ("box", "boxes"), ("class", "classes"),
        ("story", "stories"), ("movie", "movies"), ("index", "indices"), ("index", "indexes"),
        ("child", "children"), ("user", "users"), ("size", "sizes"), ("testchild", "testchildren"),
        ("status", "status"), ("analysis", "analyses"),
    ],
)  # fmt: skip
def test_both_numbers_have_one_key(one: str, many: str) -> None:
    assert singular(one) == singular(many)


@pytest.mark.parametrize(("one", "other"), [("cache", "cash"), ("bus", "bu"), ("pass", "pas")])
def test_different_words_keep_different_keys(one: str, other: str) -> None:
    assert singular(one) != singular(other)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("app", "application"),
        ("application", "app"),
        ("UserRepository", "userrepo"),
        ("app_config", "applicationconfiguration"),
        ("auth_utils", "authenticationutil"),
    ],
)
def test_words_are_cut_short_and_written_out(name: str, form: str) -> None:
    assert singular(form) in other_forms(name)


def test_a_name_without_such_words_has_no_other_form() -> None:
    assert other_forms("cart_view") == ()


@given(st.text(max_size=300))
def test_forms_are_few_whatever_the_name(name: str) -> None:
    assert len(other_forms(name)) <= 24


def test_the_nearest_ending_is_another_spelling_of_it() -> None:
    assert closeness("hpp", "h") > closeness("hpp", "c")
    assert closeness("yml", "yaml") > closeness("yml", "json") > closeness("yml", "py")
    assert closeness("py", "sh") > closeness("py", "c") > closeness("py", "md") == 0
