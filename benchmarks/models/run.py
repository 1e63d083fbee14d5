#!/usr/bin/env python3
"""Measure the embedded model: finding functions by what is said of them, speed, and start.

usage: run.py --work DIR [--model FILE] [--out RESULTS.json]

DIR keeps the packages of sources.txt (fetched as `training/static` does) and the functions in them.
Reported for BM25, the model, and both fused by score: MRR@10, with the share of questions answered
first and within ten. Fused: half of each score over its best, the cosine less the mean of all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
from bm25 import Bm25
from questions import Function, functions

from tadoru.models.code import MODEL, CodeEmbedder
from tadoru.models.subwords import parts_of

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results" / "models.json"
WORK = HERE.parent / "work" / "models"
MAX_QUESTIONS = 2_000
"""Per language, spread evenly over its packages."""
LEAST = 500
SHARE = 0.5
"""Of BM25 in the fused score; from research on other weights, not fitted here."""
STARTS = 7
CHUNKS = 3_000


def trees(work: Path) -> list[Path]:
    """Fetch the test packages, and return where they lie."""
    sys.path.insert(0, str(HERE.parent.parent / "training" / "static"))
    from fetch import fetch_all

    names = fetch_all(HERE / "sources.txt", Path(os.devnull), HERE / "sources.json", work)
    return [work / "trees" / s.registry / s.name.replace("/", "+") for s in names]


def ranks(scores: npt.NDArray[np.float32], gold: npt.NDArray[np.int64]) -> list[int]:
    """Return the rank of each question's answer; what scores the same stands before it."""
    right = scores[np.arange(len(gold)), gold][:, None]
    return [int(n) for n in (scores >= right).sum(axis=1)]


def summary(found: list[int]) -> dict[str, float]:
    places = np.array(found)
    return {
        "mrr@10": round(float(np.where(places <= 10, 1 / places, 0).mean()), 4),
        "recall@1": round(float((places == 1).mean()), 4),
        "recall@10": round(float((places <= 10).mean()), 4),
    }


def measured(found: list[Function], model: CodeEmbedder) -> dict[str, object]:
    """Return the measures of one language."""
    asked = [n for n, function in enumerate(found) if function.question]
    if len(asked) > MAX_QUESTIONS:
        asked = [asked[n] for n in np.linspace(0, len(asked) - 1, MAX_QUESTIONS).astype(int)]
    gold = np.array(asked)
    texts = [f"{function.place}\n{function.body}" for function in found]
    questions = [found[n].question for n in asked]
    lexical = Bm25([_with_name(function) for function in found])
    words = np.stack([lexical.scores(question) for question in questions])
    cosines = model.encode(questions, query=True) @ model.encode(texts).T
    above = cosines - cosines.mean(axis=1, keepdims=True)
    fused = SHARE * words / np.maximum(words.max(axis=1, keepdims=True), 1e-9)
    fused += (1 - SHARE) * above / np.maximum(above.max(axis=1, keepdims=True), 1e-9)
    return {
        "functions": len(found), "questions": len(asked), "bm25": summary(ranks(words, gold)),
        "model": summary(ranks(cosines, gold)), "fused": summary(ranks(fused, gold)),
    }  # fmt: skip


def _with_name(function: Function) -> str:
    """Return path, class, the parts of the name, and code: what gives BM25 its best."""
    return f"{function.place}\n{' '.join(parts_of(function.name))}\n{function.body}"


def speed(found: list[Function], model: CodeEmbedder) -> dict[str, float]:
    """Return chunks encoded per second of CPU of one thread, and milliseconds per question."""
    texts = [f"{function.place}\n{function.body}" for function in found[:CHUNKS]]
    begun = time.process_time()
    model.encode(texts)
    rate = len(texts) / (time.process_time() - begun)
    questions = [function.question for function in found if function.question][:1_000]
    begun = time.process_time()
    for question in questions:
        model.encode([question], query=True)
    each = (time.process_time() - begun) / len(questions) * 1e3
    size = sum(map(len, texts)) / len(texts)
    return {"chunks_per_second": round(rate), "chars_per_chunk": round(size),
            "query_ms": round(each, 3)}  # fmt: skip


def start(path: Path) -> dict[str, float]:
    """Return milliseconds of CPU from process start to the first vector, and those of numpy."""
    first = (
        f"from tadoru.models.code import CodeEmbedder; from pathlib import Path; "
        f"CodeEmbedder(Path({str(path)!r})).encode(['where are sessions opened'], query=True)"
    )
    programs = {"first_vector": first, "numpy": "import numpy", "python": "pass"}
    return {name: _start_ms(program) for name, program in programs.items()}


def _start_ms(program: str) -> float:
    spent: list[float] = []
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(STARTS):
        before = os.times()
        subprocess.run([sys.executable, "-c", program], check=True, env=environment)
        after = os.times()
        spent.append(after.children_user + after.children_system
                     - before.children_user - before.children_system)  # fmt: skip
    return round(sorted(spent)[0] * 1e3, 1)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--model", type=Path, default=MODEL)
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    model = CodeEmbedder(arguments.model)
    cache = work / "functions.json"
    found = functions([] if cache.is_file() else trees(work), cache)
    result: dict[str, object] = {"model": model.fingerprint,
                                 "bytes": arguments.model.stat().st_size}  # fmt: skip
    for language, each in found.items():
        if sum(bool(function.question) for function in each) >= LEAST:
            result[language] = measured(each, model)
            print(language, json.dumps(result[language]), flush=True)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    result["speed"] = speed(found["python"], model)
    result["start_ms"] = start(arguments.model)
    print(json.dumps({"speed": result["speed"], "start_ms": result["start_ms"]}))
    arguments.out.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
