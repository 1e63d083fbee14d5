#!/usr/bin/env python3
"""Ask tadoru and semble 0.7.0 the same questions in one run: order, recall and time.

usage: beside.py --set QUERIES.json=TREES [--set ...] --semble PYTHON --work DIR
                 [--tree DIRECTORY ...] [--out FILE]

PYTHON: of an environment with semble 0.7.0 (`peer.py` runs there); DIR keeps tadoru's indexes.
Each set is asked of its own repositories; every TREE is asked all questions for the time that they
take, one program after the other for each question, after each was asked once. `cpu` is the time of
one process alone. Both use tadoru's embedded model.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpora import Set, models_of, read_sets, view_of
from measures import Question, Ranked, ndcg, recall

from tadoru.config import SearchConfig
from tadoru.models.base import Embedder
from tadoru.models.tokens import EstimatedTokens
from tadoru.search import SearchRequest, search
from tadoru.search.pipeline import ranked_hits
from tadoru.views import View

HERE = Path(__file__).resolve().parent
BUDGET = 8_000
CODE, ALL = ["code"], ["code", "docs", "config"]
TIMED = 200
"""Questions of each tree whose time is taken, spread evenly over all."""


class Peer:
    """semble in a process of its own."""

    def __init__(self, python: str) -> None:
        environment = os.environ | {
            "PYTHONPATH": str(HERE.parents[1] / "src"),
            "HF_HUB_OFFLINE": "1",
        }
        self._process = subprocess.Popen(
            [python, HERE / "peer.py"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def tell(self, **what: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        reply: dict[str, Any] = json.loads(self._process.stdout.readline())
        return reply


def ordered(each: Set, work: Path, embedder: Embedder | None, peer: Peer) -> dict[str, Any]:
    """Return NDCG@10 and recall@10 of both on the repositories of a set."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for repo in sorted({question.repo for question in each.questions}):
        asked = [question for question in each.questions if question.repo == repo]
        view = view_of(each.trees / repo, work / each.name / repo, embedder)
        root = (each.trees / repo).resolve()
        under = asked[0].under
        peer.tell(open=str(root / under), content=CODE)
        for question in asked:
            request = SearchRequest(question.text, top=10, under=under)
            found = ranked_hits(view, request, config=SearchConfig(), embedder=embedder)
            ours = [(f.path, f.chunk.span.start_line, f.chunk.span.end_line) for f in found]
            told = peer.tell(ask=question.text, top=10)["hits"]
            theirs = [(f"{under}/{path}" if under else path, a, b) for path, a, b in told]
            for name, hits in (("tadoru", ours), ("semble", theirs)):
                _note(values[name], question, hits)
    return {
        name: {measure: round(statistics.mean(v), 4) for measure, v in columns.items()}
        | {"questions": len(each.questions)}
        for name, columns in values.items()
    }


def _note(columns: dict[str, list[float]], question: Question, hits: Ranked) -> None:
    columns["ndcg@10"].append(ndcg(question, hits))
    columns["recall@10"].append(recall(question, hits))


def timed(
    tree: Path, questions: list[str], work: Path, embedder: Embedder | None, peer: Peer
) -> dict[str, Any]:
    """Return the times of both on one tree, asked in turn; ranked hits, and ours packed."""
    view = view_of(tree, work / "trees" / tree.name, embedder)
    chunks = peer.tell(open=str(tree.resolve()), content=ALL)["chunks"]
    config, counter = SearchConfig(), EstimatedTokens()
    values: dict[str, list[float]] = defaultdict(list)
    for text in questions:
        request = SearchRequest(text, top=10)

        def hits(request: SearchRequest = request) -> object:
            return ranked_hits(view, request, config=config, embedder=embedder)

        def answer(text: str = text) -> object:
            return search(
                view, SearchRequest(text), config=config, budget=BUDGET, counter=counter,
                embedder=embedder,
            )  # fmt: skip

        for name, call in (("tadoru hits", hits), ("tadoru packed", answer)):
            call()
            for clock, value in _times(call).items():
                values[f"{name} {clock}"].append(value)
        peer.tell(ask=text, top=10)
        told = peer.tell(ask=text, top=10)
        for clock in ("cpu_ms", "wall_ms"):
            values[f"semble hits {clock}"].append(told[clock])
    result: dict[str, Any] = {"chunks": _chunks(view), "semble chunks": chunks}
    for name, column in values.items():
        column.sort()
        result[f"{name} p50"] = round(column[len(column) // 2], 2)
        result[f"{name} p95"] = round(column[int(len(column) * 0.95)], 2)
    for clock in ("cpu_ms", "wall_ms"):
        for share in ("p50", "p95"):
            ours = result[f"tadoru hits {clock} {share}"]
            result[f"to semble {clock} {share}"] = round(
                ours / result[f"semble hits {clock} {share}"], 2
            )
            packed = result[f"tadoru packed {clock} {share}"]
            result[f"packed to hits {clock} {share}"] = round(packed / ours, 2)
    return result


def _times(call: Callable[[], object]) -> dict[str, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    return {
        "cpu_ms": (time.process_time() - cpu) * 1e3,
        "wall_ms": (time.perf_counter() - wall) * 1e3,
    }


def _chunks(view: View) -> int:
    return sum(len(view.chunks(path)) for path in view.tree.files)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", action="append", required=True, metavar="QUERIES=TREES")
    parser.add_argument("--semble", required=True, metavar="PYTHON")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--tree", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    sets, peer = read_sets(arguments.set), Peer(arguments.semble)
    embedder = models_of(["embedded"])["embedded"]
    results: dict[str, Any] = {"order": {}, "time": {}}
    for each in sets:
        results["order"][each.name] = ordered(each, arguments.work, embedder, peer)
        print(each.name, json.dumps(results["order"][each.name]), flush=True)
    texts = [question.text for each in sets for question in each.questions]
    texts = texts[:: max(1, len(texts) // TIMED)]
    for tree in arguments.tree:
        results["time"][tree.name] = timed(tree, texts, arguments.work, embedder, peer)
        print(tree.name, json.dumps(results["time"][tree.name]), flush=True)
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
