#!/usr/bin/env python3
"""Measure search on sets of questions: order, recall, packed context and time.

usage: run.py --set QUERIES.json=TREES [--set ...] --work DIR [--models NAME ...] [--out FILE]

QUERIES.json: code questions or commit subjects (`commits.py`); TREES: a directory with one tree
per repository, as `corpora.py` of the data set lays them out; DIR keeps the indexes. NAME: `none`,
`embedded`, or a model2vec folder; each is measured after the other, and without any the product's
default is. Times are warm: each question is asked once before it is measured; `cpu` is the time of
this process alone.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from corpora import Set, models_of, open_views, read_sets
from measures import Question, Ranked, ndcg, ranks, recall

from tadoru.config import SearchConfig
from tadoru.models.base import Embedder
from tadoru.models.tokens import EstimatedTokens
from tadoru.search import SearchRequest, search
from tadoru.search.pipeline import ranked_hits
from tadoru.types import SearchAnswer
from tadoru.views import View

BUDGETS = (2_000, 8_000)
MISSED_TOKENS = 32_000
"""What a question costs whose answer is not in the context: reading on by other means."""


def measured(each: Set, views: dict[str, View], embedder: Embedder | None) -> dict[str, Any]:
    """Return all measures of one set, in all and by category and repository."""
    config, counter = SearchConfig(), EstimatedTokens()
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for question in each.questions:
        view = views[question.repo]
        request = SearchRequest(question.text, top=10, under=question.under)
        ranked_hits(view, request, config=config, embedder=embedder)
        wall, cpu = time.perf_counter(), time.process_time()
        found = ranked_hits(view, request, config=config, embedder=embedder)
        row = {"wall_ms": (time.perf_counter() - wall) * 1e3,
               "cpu_ms": (time.process_time() - cpu) * 1e3}  # fmt: skip
        hits = [(f.path, f.chunk.span.start_line, f.chunk.span.end_line) for f in found]
        row |= {"ndcg@10": ndcg(question, hits), "recall@10": recall(question, hits)}
        for budget in BUDGETS:
            answer = search(
                view, SearchRequest(question.text, under=question.under), config=config,
                budget=budget, counter=counter, embedder=embedder,
            )  # fmt: skip
            row[f"recall@{budget}tokens"] = recall(question, _segments(answer), 10_000)
        row["tokens_to_answer"] = _tokens_to_answer(question, answer, counter)
        for group in ("all", f"category {question.category}", f"repository {question.repo}"):
            for name, value in row.items():
                values[group][name].append(value)
    return {group: _summary(columns) for group, columns in sorted(values.items())}


def _segments(answer: SearchAnswer) -> Ranked:
    return [(s.path, s.start_line, s.end_line) for file in answer.files for s in file.segments]


def _tokens_to_answer(question: Question, answer: SearchAnswer, counter: EstimatedTokens) -> float:
    """Return the tokens that a reader of the packed text has read at the first answer."""
    texts = [s.text for file in answer.files for s in file.segments]
    first = min((rank for rank in ranks(question, _segments(answer)) if rank), default=0)
    if not first:
        return float(answer.tokens + MISSED_TOKENS)
    return float(sum(counter.count(text) for text in texts[:first]))


def _summary(columns: dict[str, list[float]]) -> dict[str, float]:
    summary: dict[str, float] = {"questions": len(columns["ndcg@10"])}
    for name, column in columns.items():
        if name.endswith("_ms"):
            ordered = sorted(column)
            summary[name + "_p50"] = round(ordered[len(ordered) // 2], 2)
            summary[name + "_p95"] = round(ordered[int(len(ordered) * 0.95)], 2)
        elif name == "tokens_to_answer":
            summary[name] = round(statistics.median(column), 1)
        else:
            summary[name] = round(statistics.mean(column), 4)
    return summary


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", action="append", required=True, metavar="QUERIES=TREES")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--models", action="append", default=[], metavar="NAME")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    sets = read_sets(arguments.set)
    results: dict[str, dict[str, Any]] = {}
    for model, embedder in models_of(arguments.models).items():
        views = open_views(sets, arguments.work, embedder)
        results[model] = {s.name: measured(s, views[s.name], embedder) for s in sets}
        for name, groups in results[model].items():
            for group, summary in groups.items():
                print(model, f"{name:20} {group:26}", *(f"{k} {v}" for k, v in summary.items()))
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
