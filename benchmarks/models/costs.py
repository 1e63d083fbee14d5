"""What the embedded model costs: `python benchmarks/models/costs.py [--out FILE]`. Ten seconds.

Chunks a second on one thread, over the Python files of the standard library cut into 1,000
characters; and processor time from the start of an interpreter to the first vector, beside that of
an interpreter that does nothing and of one that imports numpy alone. The least of several runs, as
a busy machine only adds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results" / "models_costs.json"
CHUNK_CHARS = 1_000
CHUNKS = 6_000
TURNS = 5
STARTS = {
    "interpreter_ms": "pass",
    "numpy_ms": "import numpy",
    "first_vector_ms": "from tadoru.models.code import CodeEmbedder as E\n"
    "E().encode(['where is the session cookie signed'], query=True)",
}


def chunks() -> list[str]:
    """Return texts as the indexer would hand them over: a line with the place, then code."""
    found: list[str] = []
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        for start in range(0, len(text), CHUNK_CHARS):
            found.append(f"lib/{path.name}\n{text[start : start + CHUNK_CHARS]}")
    return found[:CHUNKS]


def encode_rate() -> int:
    from tadoru.models.code import CodeEmbedder

    embedder, texts = CodeEmbedder(), chunks()
    best = float("inf")
    for _ in range(TURNS):
        began = time.process_time()
        for start in range(0, len(texts), 8):  # about what one file has
            embedder.encode(texts[start : start + 8])
        best = min(best, time.process_time() - began)
    return round(len(texts) / best)


def start_ms(code: str) -> int:
    best = float("inf")
    for _ in range(TURNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, spent)
    return round(best * 1e3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is imported
    from tadoru.models.code import MODEL

    result = {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, "
        f"Python {platform.python_version()}",
        "load": [round(value, 1) for value in os.getloadavg()],
        "model_bytes": MODEL.stat().st_size,
        "chunks_per_second_one_thread": encode_rate(),
        "processor_ms_from_process_start": {name: start_ms(code) for name, code in STARTS.items()},
    }
    text = json.dumps(result, indent=2)
    print(text)
    options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
