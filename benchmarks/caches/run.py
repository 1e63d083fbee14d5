"""What a cached page and a lazy file cost, with and without the servers behind them.

    python benchmarks/caches/run.py [--rounds 200] [--out benchmarks/results/caches.json]

A real Redis and a real S3 protocol server (moto, which is slower than a store in production) on the
loopback interface; an OpenAPI document of 8 MB. Medians and p90 in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

from tadoru.config import MIB
from tadoru.stores.cache import MemoryCache
from tadoru.stores.cache.redis import RedisCache
from tadoru.stores.objects import ObjectReader, Pointer

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "stores"))
from object_server import S3, openapi
from redis_server import RedisServer

PAGE = b"A page of documentation, as long as they are. " * 110
BLOCK = 256 * 1024


def timed(work: Callable[[int], object], rounds: int) -> dict[str, float]:
    spent = []
    for number in range(rounds):
        began = time.perf_counter()
        work(number)
        spent.append((time.perf_counter() - began) * 1_000)
    return {"p50": round(median(spent), 4), "p90": round(quantiles(spent, n=10)[-1], 4)}


def caches(folder: Path, rounds: int) -> dict[str, object]:
    server = RedisServer(folder)
    memory, shared = MemoryCache(64 * MIB), RedisCache(server.url)
    pages = {f"page {number}": PAGE + b"%d" % number for number in range(1_000)}
    memory.put_many(pages)
    shared.put_many(pages)
    keys = list(pages)
    figures: dict[str, object] = {
        "page from memory": timed(lambda n: memory.get(keys[n % 1_000]), rounds * 10),
        "page from Redis": timed(lambda n: shared.get(keys[n % 1_000]), rounds),
        "1,000 pages from Redis": timed(lambda n: shared.get_many(keys), max(5, rounds // 20)),
        "page into Redis": timed(lambda n: shared.put(keys[n % 1_000], PAGE), rounds),
    }
    server.freeze()
    began = time.perf_counter()
    shared.get("x")
    figures["Redis stopped: first question"] = round((time.perf_counter() - began) * 1_000, 1)
    figures["Redis stopped: every other one"] = timed(lambda n: shared.get("x"), rounds)
    server.thaw()
    server.kill()
    return figures


def objects(folder: Path, rounds: int) -> dict[str, object]:
    server = S3(folder / "log")
    data = openapi()
    there = Pointer("s3://specs/openapi.json", len(data), server.put("openapi.json", data))
    few = max(5, rounds // 20)

    def cold(_: int, start: int = 0, size: int = -1) -> bytes:
        return ObjectReader(server.settings(), MemoryCache(64 * MIB)).read(
            there, start=start, size=size
        )

    warm = ObjectReader(server.settings(), MemoryCache(64 * MIB))
    assert cold(0) == warm.read(there) == data
    figures: dict[str, object] = {
        "bytes": len(data),
        "head, cold": timed(lambda n: cold(n, size=BLOCK), few),
        "tail, cold": timed(lambda n: cold(n, start=len(data) - 1_000), few),
        "whole, cold": timed(cold, few),
        "head, cached": timed(lambda n: warm.read(there, size=BLOCK), rounds),
        "whole, cached": timed(lambda n: warm.read(there), few),
    }
    server.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/caches.json"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = {
            "milliseconds": {
                "caches": caches(Path(folder), given.rounds),
                "lazy file": objects(Path(folder), given.rounds),
            }
        }
    text = json.dumps(figures, indent=2)
    print(text)
    given.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
