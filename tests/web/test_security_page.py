"""docs/security.md names the tests that hold its promises: each of them exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/security.md").read_text()


def test_every_test_that_the_page_names_exists() -> None:
    source = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 30
    assert [name for name in sorted(named) if f"def {name}(" not in source] == []


def test_every_promise_of_the_service_is_held_by_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "promise" not in line]
    assert len(rows) > 20
    assert [row for row in rows if "`test" not in row] == []
