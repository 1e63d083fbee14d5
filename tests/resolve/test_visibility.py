"""Invisible means absent: what the asker may not see changes nothing in an answer."""

from __future__ import annotations

import pytest

from tadoru.resolve import resolve
from tadoru.testing.memory import MemoryStore
from tadoru.types import Principal
from tadoru.views import View

OPEN = ["app/main.py", "app/views.py", "app/models/user.py", "docs/index.md"]
SECRET = ["app/payroll.py", "app/models/salary.py", "hr/salaries/2024.csv", "hr/plan.md"]


def view(groups: set[str], files: list[str]) -> View:
    labels = {path: "public" if path in OPEN else ["hr"] for path in files}
    store = MemoryStore(dict.fromkeys(files, "x\n"), labels=labels)
    return View({"": store}, Principal(frozenset(groups)))


@pytest.mark.parametrize(
    "asked",
    ["app/payroll.py", "payrol.py", "hr/plan.md", "hr", "app/models/salary.py", "salaries/2024.csv",
     "app/model/user.py", "main.py", "app/modles/usr.py", "hr/salaries/2024.csv:3"],
)  # fmt: skip
@pytest.mark.parametrize("top", [3, 8])
def test_hidden_files_answer_like_missing_ones(asked: str, top: int) -> None:
    kwargs = {"history": ["hr/plan.md", "app/payroll.py"], "intent": "read the salary plan"}
    with_hidden = resolve(view(set(), OPEN + SECRET), asked, top=top, **kwargs)
    without = resolve(view(set(), OPEN), asked, top=top, **kwargs)
    assert with_hidden.candidates == without.candidates
    assert with_hidden == without


def test_whoever_may_see_it_finds_it() -> None:
    answer = resolve(view({"hr"}, OPEN + SECRET), "app/payrol.py")
    assert answer.path == "app/payroll.py"


def test_renames_do_not_betray_a_hidden_path() -> None:
    answer = resolve(
        view(set(), OPEN + SECRET), "old/secrets.txt", renames=lambda _: ["app/payroll.py"]
    )
    assert answer.status == "absent"
    assert answer.reason == "nothing like it"
