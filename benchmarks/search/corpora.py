"""Sets of questions, their repositories as indexed views, and the models these are asked with."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measures import Question, questions_of

from tadoru.config import Config, ModelConfig
from tadoru.indexing.embed import embed
from tadoru.indexing.job import Request, perform
from tadoru.models.base import Embedder
from tadoru.models.configured import embedder_of
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


def models_of(names: Sequence[str]) -> dict[str, Embedder | None]:
    """Return embedders by name: `none`, `embedded`, or a model2vec folder; without a name, what a
    fresh installation uses."""
    if not names:
        embedder = embedder_of(ModelConfig())
        return {"none" if embedder is None else "embedded": embedder}
    return {name: _model(name) for name in names}


def _model(name: str) -> Embedder | None:
    if name in ("none", "embedded"):
        return embedder_of(ModelConfig(embedded=name == "embedded"))
    return embedder_of(ModelConfig(embeddings_dir=name))


def open_views(
    sets: Sequence[Set], work: Path, embedder: Embedder | None = None
) -> dict[str, dict[str, View]]:
    """Return the views of each set by repository.

    What is not indexed yet is indexed, and what has no vector of `embedder` gets it. A store keeps
    the vectors of one model; those of another are in the cache of `work`.
    """
    return {
        each.name: {
            repo: view_of(each.trees / repo, work / each.name / repo, embedder)
            for repo in sorted({question.repo for question in each.questions})
        }
        for each in sets
    }


def view_of(tree: Path, directory: Path, embedder: Embedder | None = None) -> View:
    root = tree.resolve()
    if not (directory / "index.db").exists():
        directory.parent.mkdir(parents=True, exist_ok=True)
        perform(Request(root, directory, Config()))
    store = SqliteStore.open(directory, root=root, create=False)
    if embedder is not None:
        report = embed(store, embedder, directory.parents[1])
        if report.waiting:
            print(f"{tree.name}: {report.waiting} chunks have no vector: {report.reason}",
                  file=sys.stderr)  # fmt: skip
    return View({"": store}, Principal())
