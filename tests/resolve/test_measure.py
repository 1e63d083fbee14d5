"""Records of a call: numbers by stage, and not a single path."""

from __future__ import annotations

import itertools
import json

from tadoru.resolve import Measure, of_retry, resolve, retry
from tadoru.views import View


def test_stages_add_up_to_the_total(shop: View) -> None:
    clock = itertools.count(0.0, 0.001)
    measure = Measure(lambda: next(clock))
    answer = resolve(shop, "internal/config/laoder.go", measure=measure)
    record = measure.record("resolve", answer, op="read")
    milliseconds = record["ms"]
    total = milliseconds.pop("total")
    assert list(milliseconds) == ["normalize", "candidates", "rank", "verify", "reply"]
    assert sum(milliseconds.values()) == total == 5.0
    assert record["answer"] == "resolved"
    assert record["candidates"] >= 5
    assert record["confidence"] == round(answer.candidates[0].score, 4)


def test_a_record_names_no_path(shop: View) -> None:
    for path in ("client.go", "internal/config/laoder.go", "lib/quantum/flux.zig", "README.md"):
        measure = Measure()
        answer = resolve(shop, path, measure=measure)
        record = json.dumps(measure.record("resolve", answer, op="read"))
        assert "/" not in record
        assert not any(word in record for word in ("client", "quantum", "config", "README"))


def test_an_absence_has_the_confidence_of_the_best_candidate(shop: View) -> None:
    measure = Measure()
    record = measure.record("resolve", resolve(shop, "lib/quantum/flux.zig", measure=measure))
    assert record["answer"] == "absent"
    assert 0 <= record["confidence"] < 0.1


def test_a_refused_retry_has_a_record_too() -> None:
    measure = Measure()
    done = retry(lambda: None, perform=str, op="write")  # type: ignore[arg-type, return-value]
    record = of_retry(measure, "write", done)
    assert (record["event"], record["outcome"], record["tried"]) == ("retry", "refused", 0)
    assert "answer" not in record
