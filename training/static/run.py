#!/usr/bin/env python3
"""Make the embedded model: from named packages to the file that ships, in one command.

usage: python training/static/run.py --work DIR [--out FILE] [--set NAME=VALUE ...]

Needs torch and about an hour on two cores, most of it fetching. DIR keeps archives, trees, records
and pairs; what is there is not made again. Without --out the file goes to DIR/code.safetensors.
--set changes one of `train.Settings` for an ablation.
"""

from __future__ import annotations

import argparse
import gzip
import json
import pickle
import random
import re
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from corpus import Record, hashes_of, records_of
from evaluate import Development
from export import write
from fetch import fetch_all
from pairs import Pair, is_development, pairs_of
from train import Bags, Ints, Settings, Table, bags, train
from vocabulary import choose

from tadoru.models.subwords import Vocabulary

HERE = Path(__file__).parent
TESTED = HERE.parent.parent / "benchmarks" / "models" / "sources.txt"
SEED = 3


def records(work: Path) -> dict[str, list[Record]]:
    """Return the records of every package; a text that an earlier package has is left out."""
    fetched = fetch_all(HERE / "sources.txt", HERE / "excluded.txt", HERE / "sources.json", work)
    tested = fetch_all(TESTED, Path("/dev/null"), TESTED.with_suffix(".json"), work)
    excluded = hashes_of([_tree(work, s.registry, s.name) for s in tested])
    found: dict[str, list[Record]] = {}
    seen: set[str] = set()
    for source in fetched:
        kept = work / "records" / source.registry / f"{source.name.replace('/', '+')}.jsonl.gz"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            tree = _tree(work, source.registry, source.name)
            with gzip.open(kept, "wt", compresslevel=1) as file:
                for record in records_of(tree, excluded):
                    file.write(json.dumps(asdict(record)) + "\n")
        with gzip.open(kept, "rt") as file:
            rows = [Record(**json.loads(line)) for line in file]
        found[f"{source.registry}/{source.name}"] = [r for r in rows if r.body not in seen]
        seen.update(r.body for r in rows if r.body)
    return found


def _tree(work: Path, registry: str, name: str) -> Path:
    return work / "trees" / registry / name.replace("/", "+")


def repository(package: str) -> str:
    """Return the name of the repository that a package comes from, alike in all registries."""
    name = package.partition("/")[2]
    name = re.sub(r"^(golang-(github-|google-|golang-)?|librust-|rust-|lib)", "", name)
    return re.sub(r"(-dev|-java)$", "", name)


def settings_of(changes: list[str]) -> Settings:
    kinds = {f.name: type(getattr(Settings(), f.name)) for f in fields(Settings)}
    pairs = (change.partition("=") for change in changes)
    return Settings(**{name: kinds[name](value) for name, _, value in pairs})


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a training run needs, and nothing of where it came from."""

    pieces: list[str]
    questions: Bags
    texts: Bags
    packages: Ints
    """Number of each pair's package."""
    development: Development


def prepared(work: Path, place_share: float) -> Prepared:
    """Return pairs and development packages as bags of pieces; DIR keeps them for ablations."""
    kept = work / f"prepared-{place_share}.pickle"
    if kept.is_file():
        result: Prepared = pickle.loads(kept.read_bytes())
        return result
    learned: list[tuple[str, Pair]] = []
    development: list[list[Record]] = []
    source = random.Random(SEED)
    for package, found in records(work).items():
        if is_development(repository(package)):
            development.append(found)
        else:
            learned += [(package, pair) for pair in pairs_of(found, source)]
    once = {pair.body: pair for _, pair in learned}.values()
    pieces = choose(f"{p.question}\n{p.place}\n{p.body}" for p in once)
    print(f"{len(learned)} pairs, {len(once)} texts", flush=True)
    vocabulary = Vocabulary(pieces)
    numbers = {name: n for n, name in enumerate(dict.fromkeys(name for name, _ in learned))}
    result = Prepared(
        pieces,
        bags(vocabulary, [("", p.question) for _, p in learned], place_share),
        bags(vocabulary, [(p.place, p.body) for _, p in learned], place_share),
        np.array([numbers[name] for name, _ in learned], dtype=np.int32),
        Development(development, vocabulary, place_share),
    )
    kept.write_bytes(pickle.dumps(result))
    return result


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    work, settings = arguments.work.resolve(), settings_of(arguments.set)
    data = prepared(work, settings.place_share)

    def report(table: Table) -> None:
        print("development packages, MRR@10:", data.development.measure(table), flush=True)

    table = train(
        data.questions, data.texts, data.packages, len(data.pieces), settings, every=report
    )
    out = arguments.out or work / "code.safetensors"
    tensors = (table.bags.weight, table.asked.exp(), table.said.exp())
    digest = write(out, data.pieces, *(t.detach().numpy() for t in tensors), settings.place_share)
    print(f"{out}: sha256 {digest}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
