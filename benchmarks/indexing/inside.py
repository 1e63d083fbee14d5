"""What one process measures of an indexed tree: `inside.py ROOT`; one line of JSON.

The check without a change, an edit and a new file from the moment that the scan has seen them until
a search finds them, and memory over 500 updates.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from tadoru.config import load
from tadoru.indexing.labels import everything
from tadoru.indexing.sync import index, scan
from tadoru.sources import LocalSource

TURNS = 7
UPDATES = 500


def memory_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1e3
    return 0.0


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    source = LocalSource(root, load(root))
    store = source.store
    access = everything(store)
    store.postings.search([("warm", 1.0)], access=access, k=1)
    time.sleep(0.2)
    index(store, root, source.config)  # no file is younger than the last scan any more

    def changed(path: Path, word: str) -> float:
        path.write_text((path.read_text() if path.exists() else "") + f"\ndef {word}(): ...\n")
        found = scan(store, root, source.config)
        began = time.perf_counter()
        index(store, root, source.config, seen=found)
        hits = store.postings.search([(word, 1.0)], access=access, k=3)
        assert [hit.path for hit in hits] == [str(path.relative_to(root))], word
        return time.perf_counter() - began

    checks = []
    for _ in range(TURNS):
        began = time.perf_counter()
        assert not scan(store, root, source.config)
        checks.append(time.perf_counter() - began)
    victim = root / "pkg1/mod1/f525.py"
    edits = [changed(victim, f"edit{'abcdefgh'[turn]}zq") for turn in range(TURNS)]
    added = [changed(root / f"pkg1/new{n}.py", f"added{'abcdefgh'[n]}zq") for n in range(TURNS)]
    updates = {}
    small = root / "pkg1/mod1/f526.py"
    if len(sys.argv) > 2:
        for turn in range(UPDATES):
            small.write_text(f"def turn{turn}(): ...\n")
            index(store, root, source.config)
            store.postings.search([(f"turn{turn}", 1.0)], access=access, k=1)
            if turn in (99, UPDATES - 1):
                updates[str(turn + 1)] = round(memory_mb(), 1)
    answer = {
        "no_change_s": round(statistics.median(checks), 3),
        "edit_searchable_ms": round(1e3 * statistics.median(edits), 1),
        "added_searchable_ms": round(1e3 * statistics.median(added), 1),
    }
    print(json.dumps(answer | ({"memory_mb_after_updates": updates} if updates else {})))


if __name__ == "__main__":
    main()
