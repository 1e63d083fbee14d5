"""retry: reads again where it is sure, and never writes."""

from __future__ import annotations

import pytest

from tadoru.errors import BadInput, PathNotFound
from tadoru.resolve import resolve, retry
from tadoru.types import Candidate, Resolution
from tadoru.views import View


def never(_: str) -> str:
    raise AssertionError("nothing may be done")


def test_a_sure_answer_is_read(shop: View) -> None:
    done: list[str] = []

    def read(path: str) -> str:
        done.append(path)
        return "text"

    result = retry(lambda: resolve(shop, "internal/config/laoder.go"), perform=read)
    assert (result.status, result.path, result.result) == (
        "ok",
        "internal/config/loader.go",
        "text",
    )
    assert done == ["internal/config/loader.go"]


def test_a_write_is_refused_before_anything_is_looked_up() -> None:
    def find() -> Resolution:
        raise AssertionError("nothing may be looked up")

    assert retry(find, perform=never, op="write").status == "refused"


def test_a_choice_is_not_made_unless_asked(shop: View) -> None:
    result = retry(lambda: resolve(shop, "client.go"), perform=never)
    assert result.status == "ambiguous"
    assert result.resolution is not None
    assert len(result.resolution.candidates) == 3
    asked = retry(lambda: resolve(shop, "client.go"), perform=str.upper, ask=True)
    assert asked.status == "ok"
    assert asked.path == result.resolution.candidates[0].path


def test_an_absence_is_not_retried(shop: View) -> None:
    result = retry(lambda: resolve(shop, "lib/quantum/flux.zig", top=5), perform=never, ask=True)
    assert result.status == "absent"
    assert result.resolution is not None
    assert result.resolution.candidates == ()


def some(status: str = "ambiguous", *scores: float) -> Resolution:
    candidates = tuple(Candidate(f"f{n}", score) for n, score in enumerate(scores))
    path = "f0" if status == "resolved" else ""
    return Resolution(status, "x", path=path, candidates=candidates)  # type: ignore[arg-type]


def test_candidates_are_tried_in_order_until_one_works() -> None:
    def read(path: str) -> str:
        if path != "f1":
            raise PathNotFound(path)
        return "found"

    result = retry(lambda: some("ambiguous", 0.5, 0.4, 0.1), perform=read, ask=True)
    assert (result.path, result.tried) == ("f1", ("f0", "f1"))


def test_strategies_order_differently() -> None:
    def fail(_: str) -> str:
        raise OSError("no")

    tried = {
        strategy: retry(
            lambda: some("ambiguous", 0.1, 0.5, 0.4),
            perform=fail,
            ask=True,
            strategy=strategy,  # type: ignore[arg-type]
        )
        for strategy in ("best_first", "score_desc")
    }
    assert tried["best_first"].tried == ("f0", "f1", "f2")
    assert tried["score_desc"].tried == ("f1", "f2", "f0")
    assert {result.status for result in tried.values()} == {"all_failed"}


def test_below_the_confidence_nothing_is_tried_and_the_rest_never_unasked() -> None:
    assert retry(lambda: some("resolved", 0.7), perform=never, confidence=0.8).status == "ambiguous"

    def fail(_: str) -> str:
        raise PathNotFound("x")

    result = retry(lambda: some("resolved", 0.9, 0.05, 0.05), perform=fail, confidence=0.8)
    assert (result.status, result.tried) == ("all_failed", ("f0",))


def test_the_number_of_tries_is_bounded() -> None:
    def fail(_: str) -> str:
        raise PathNotFound("x")

    many = some("ambiguous", *[0.05] * 20)
    assert len(retry(lambda: many, perform=fail, ask=True, top=2).tried) == 2
    assert len(retry(lambda: many, perform=fail, ask=True, top=99).tried) == 10


def test_unknown_words_are_refused() -> None:
    with pytest.raises(BadInput):
        retry(lambda: some(), perform=never, strategy="random")  # type: ignore[arg-type]
    with pytest.raises(BadInput):
        retry(lambda: some(), perform=never, op="delete")  # type: ignore[arg-type]


def test_a_bug_in_the_operation_is_not_hidden() -> None:
    def broken(_: str) -> str:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        retry(lambda: some("resolved", 0.99), perform=broken)
