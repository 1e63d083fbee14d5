"""ck #111: the filter on paths came after the best were chosen, so a narrow one found nothing."""

from __future__ import annotations


def test_a_filter_counts_before_the_best_are_chosen(new_tree):
    big = {
        f"big/m{n}.py": f"def parse_invoice_total_{n}(invoice):\n    return invoice.total\n"
        for n in range(2_000)
    }
    tree = new_tree({**big, "small/a.py": "def other(invoice):\n    pass  # parse later\n"})
    tree.ask().index()
    question = "parse the total of an invoice"
    assert "small/a.py" not in tree.hits(question)
    assert tree.hits(question, include=["small/**"]) == ["small/a.py"]
