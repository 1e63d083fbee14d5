"""A hidden file costs an outsider the work that a missing one costs: the calls are counted, not the
seconds. Nobody promises constant time; that no step is taken for hidden files alone is a promise.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import tadoru
from tadoru import Principal, TadoruError, Workspace
from tadoru.config import AccessRule, Config

RULES = (
    AccessRule("**", public=True),
    AccessRule("docs/guide.md", frozenset({"finance"})),
    AccessRule("src/shop/config.py", frozenset({"finance"})),  # so both stores know the label
)
OUTSIDER = Principal(frozenset({"staff"}))


@pytest.fixture(scope="module")
def twins(
    tmp_path_factory: pytest.TempPathFactory, new_repository: Callable[[Path], Path]
) -> Iterator[tuple[Workspace, Workspace]]:
    """The same tree twice; in the second one the hidden file never existed."""
    one = new_repository(tmp_path_factory.mktemp("one") / "shop")
    two = tmp_path_factory.mktemp("two") / "shop"
    shutil.copytree(one, two)
    (two / "docs/guide.md").unlink()
    for root in (one, two):
        (root / "docs/open.md").write_text("# Open\n")
    config = Config(access=RULES)
    opened = [tadoru.open(root, config=config) for root in (one, two)]
    for workspace in opened:
        workspace.index()
    seen = [workspace.seen_by(OUTSIDER, local=False) for workspace in opened]
    yield seen[0], seen[1]
    for workspace in opened:
        workspace.close()


ASKED: dict[str, Callable[[Workspace], Any]] = {
    "read": lambda w: w.read("docs/guide.md"),
    "read and recover": lambda w: w.read("docs/guide.md", recover=True),
    "resolve": lambda w: w.resolve("docs/guide.md"),
    "resolve near it": lambda w: w.resolve("docs/guides.md"),
    "look": lambda w: w.look("docs/guide.md"),
    "list": lambda w: w.list_files(under="docs"),
    "definition": lambda w: w.definition("Payment"),
    "names": lambda w: w.names("docs/g"),
    "resource": lambda w: w.read_bytes("docs/guide.md"),
}


def work(workspace: Workspace, ask: Callable[[Workspace], Any]) -> tuple[Counter[str], str]:
    """Return how often each function of ours was called, and what came out."""
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and "/tadoru/" in frame.f_code.co_filename:
            place = frame.f_code.co_filename.rpartition("/tadoru/")[2]
            calls[f"{place}:{frame.f_code.co_qualname}"] += 1

    sys.setprofile(count)
    try:
        answer = str(ask(workspace))
    except TadoruError as error:
        answer = f"{error.code} {error}"
    finally:
        sys.setprofile(None)
    return calls, answer


IGNORED = ("sentry.py", "inotify.py", "sources.py", "usage.py", "touched.py", "git.py")
"""What depends on the moment: looks at the disk, and files of counters."""


@pytest.mark.parametrize("name", list(ASKED))
def test_hidden_costs_what_missing_costs(twins: tuple[Workspace, Workspace], name: str) -> None:
    told = []
    for workspace in twins:
        for _ in range(4):
            work(workspace, ASKED[name])
        calls, answer = work(workspace, ASKED[name])
        kept = {place: n for place, n in calls.items() if not place.startswith(IGNORED)}
        told.append((kept, answer))
    assert sum(told[0][0].values()) > 20
    one, two = told
    differing = {
        place: (one[0].get(place, 0), two[0].get(place, 0))
        for place in one[0].keys() | two[0].keys()
        if one[0].get(place) != two[0].get(place)
    }
    assert (differing, one[1]) == ({}, two[1])
