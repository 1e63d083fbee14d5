"""Sets of questions, and their repositories as indexed views."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measures import Question, questions_of

from tadoru.config import Config
from tadoru.indexing.job import Request, perform
from tadoru.stores.sqlite import SqliteStore
from tadoru.types import Principal
from tadoru.views import View


@dataclass(frozen=True, slots=True)
class Set:
    """Questions, and the directory that holds the trees they ask about."""

    name: str
    questions: list[Question]
    trees: Path


def read_sets(pairs: Sequence[str]) -> list[Set]:
    """Read `QUERIES.json=TREES` pairs."""
    sets: list[Set] = []
    for pair in pairs:
        queries, _, trees = pair.partition("=")
        data = json.loads(Path(queries).read_text("utf-8"))
        questions = [q for q in questions_of(data) if (Path(trees) / q.repo).is_dir()]
        sets.append(Set(Path(queries).stem, questions, Path(trees)))
    return sets


def open_views(sets: Sequence[Set], work: Path) -> dict[str, dict[str, View]]:
    """Return the views of each set by repository, indexing what is not indexed yet."""
    return {
        each.name: {
            repo: view_of(each.trees / repo, work / each.name / repo)
            for repo in sorted({question.repo for question in each.questions})
        }
        for each in sets
    }


def view_of(tree: Path, directory: Path) -> View:
    root = tree.resolve()
    if not (directory / "index.db").exists():
        directory.parent.mkdir(parents=True, exist_ok=True)
        perform(Request(root, directory, Config()))
    store = SqliteStore.open(directory, root=root, create=False)
    return View({"": store}, Principal())
