"""sourcebot #604: a best hit that was larger than the budget was dropped, and nothing came back."""

from __future__ import annotations

import pytest

LINES = "\n".join(f"    total_{n} = invoice_rows[{n}] * tax_rate" for n in range(1_500))
SOURCE = f"def sum_invoice_tax(invoice_rows, tax_rate):\n{LINES}\n"


@pytest.mark.parametrize("how", [{"max_total_chars": 20_000}, {"budget": 2_000}, {"budget": 90}])
def test_a_best_hit_beyond_the_budget_is_shown_in_part(new_tree, how):
    tree = new_tree({"big.py": SOURCE})
    answer = tree.settled().search("sum_invoice_tax", mode="deep", **how)
    segment = answer.files[0].segments[0]
    assert segment.start_line == 1
    assert segment.end_line < 1_501
    assert segment.text.startswith("def sum_invoice_tax")
    assert len(answer.text) <= how.get("max_total_chars", 60_000)
    assert 0 < answer.tokens <= answer.budget


def test_a_part_of_a_chunk_says_that_it_is_one(new_tree):
    answer = new_tree({"big.py": SOURCE}).settled().search("sum_invoice_tax", budget=90)
    assert answer.files[0].segments[0].cut
