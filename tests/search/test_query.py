"""Questions of every kind, and text that is no question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadoru.errors import BadInput
from tadoru.search.query import MAX_BYTES, QuestionKind, understand


def surfaces(text: str, *terms: str) -> set[str]:
    return {concept.surface for concept in understand(text, terms).concepts}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("CookieJar", QuestionKind.SYMBOL),
        ("Session.get", QuestionKind.SYMBOL),
        ("std::vector", QuestionKind.SYMBOL),
        ("a", QuestionKind.SYMBOL),
        ("src/shop/cart.py", QuestionKind.PATH),
        ("cart.py:12", QuestionKind.PATH),
        ("how are sessions stored", QuestionKind.PROSE),
        ("ValueError: bad key", QuestionKind.ERROR),
        ("panic: index out of range", QuestionKind.ERROR),
        ("認証はどこで行われますか", QuestionKind.CJK),
        ("会话在哪里过期", QuestionKind.CJK),
        ("세션은 어디서 만료되나요", QuestionKind.CJK),
    ],
)
def test_kind_of_question(text: str, kind: QuestionKind) -> None:
    assert understand(text).kind is kind


def test_python_trace_names_files_innermost_first() -> None:
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/app/shop/main.py", line 3, in <module>\n'
        '  File "/app/shop/cart.py", line 17, in checkout\nKeyError: 1'
    )
    question = understand(trace)
    assert question.kind is QuestionKind.ERROR
    assert [(p.path, p.line) for p in question.paths[:2]] == [
        ("/app/shop/cart.py", 17),
        ("/app/shop/main.py", 3),
    ]


def test_javascript_trace_names_file_and_line() -> None:
    question = understand("TypeError: x\n    at pay (/app/web/page.ts:5:10)")
    assert ("/app/web/page.ts", 5) in [(p.path, p.line) for p in question.paths]


def test_words_in_a_row_are_looked_up_as_one_name() -> None:
    names = understand("where is the cookie jar").names
    assert {"cookiejar", "cookie_jar", "cookie", "jar"} <= set(names)


def test_stop_words_carry_nothing_unless_they_are_all_there_is() -> None:
    assert surfaces("where is the cart") == {"cart"}
    assert surfaces("AND OR NOT") == {"and", "or", "not"}


def test_compound_brings_its_parts_with_less_weight() -> None:
    weights = {c.surface: c.importance for c in understand("openSessions").concepts}
    assert weights["opensessions"] == 1.0
    assert 0 < weights["open"] < 1.0


def test_identifier_glued_to_chinese_is_found() -> None:
    assert {"gen", "itgc"} <= surfaces("重跑gen-itgc后清零")


def test_glossary_translates_what_japanese_chinese_and_korean_say() -> None:
    for text in ("セッションの有効期限", "会话过期", "세션 만료"):
        terms = {term for c in understand(text).concepts for term, _ in c.terms}
        assert {"session", "expire"} <= terms, text


def test_exact_terms_weigh_more_than_words() -> None:
    question = understand("database connection", ["DatabasePool"])
    weights = {c.surface: c.importance for c in question.concepts}
    assert weights["databasepool"] > weights["connection"]
    assert "databasepool" in question.names


def test_deep_splits_into_clauses_and_terms() -> None:
    question = understand("load the session and render the template", ["Cart"], deep=True)
    texts = [variant.text for variant in question.variants]
    assert texts == [
        "Cart load the session and render the template",
        "load the session",
        "render the template",
    ]
    assert not understand("load the session and render the template").variants


@pytest.mark.parametrize("text", ["", "   ", "\0\0", "\n\t\x07"])
def test_empty_question_is_bad_input(text: str) -> None:
    with pytest.raises(BadInput, match="empty"):
        understand(text)


def test_more_than_100_kb_is_bad_input_and_100_kb_is_not() -> None:
    assert understand("word " * (MAX_BYTES // 5)).concepts
    with pytest.raises(BadInput, match="100 KB"):
        understand("x" * (MAX_BYTES + 1))
    with pytest.raises(BadInput, match="100 KB"):
        understand("会" * (MAX_BYTES // 3 + 1))


@given(st.text(max_size=200))
def test_any_text_is_understood_or_empty(text: str) -> None:
    try:
        question = understand(text, deep=True)
    except BadInput as error:
        assert "empty" in error.message
        return
    assert "\0" not in question.text
    assert all(weight > 0 for _, weight in question.lexical_terms)


@pytest.mark.parametrize(
    "text", ['a"b', "foo(*)", "NEAR/2", "-x", "col:val", "'", "*", "x AND (", "\ud800 lone"]
)
def test_full_text_syntax_has_no_meaning(text: str) -> None:
    understand(text, deep=True)


def importance_of(text: str) -> dict[str, float]:
    return {concept.surface: concept.importance for concept in understand(text).concepts}


def test_the_kind_of_a_change_is_no_word_of_the_question_but_its_scope_is() -> None:
    found = importance_of("fix(cookies): leave expired values out")
    assert "fix" not in found
    assert found["cookies"] == 1.0
    assert "perf" not in importance_of("perf!: cache templates")
    assert "note" in importance_of("note: cache templates")


def test_a_task_weighs_less_than_what_it_is_done_to() -> None:
    found = importance_of("remove the deprecated session cookie")
    assert found["remove"] < found["session"] == found["cookie"]


def test_a_task_word_elsewhere_or_almost_alone_is_a_word_like_others() -> None:
    assert importance_of("where do handlers remove listeners")["remove"] == 1.0
    assert importance_of("fix imports")["fix"] == 1.0
