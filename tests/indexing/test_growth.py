"""Many updates leave an index and a process as small as few do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tadoru.config import Config
from tadoru.indexing.labels import everything
from tadoru.indexing.sync import index
from tadoru.stores.sqlite import SqliteStore

pytestmark = pytest.mark.slow

WARM, UPDATES = 100, 500
FILES = 60


def resident_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1e3
    return 0.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    root = tmp_path / "r"
    root.mkdir()
    for number in range(FILES):
        text = f"import m{number - 1}\n\n\ndef call_{number}(value):\n    return value\n" * 20
        (root / f"m{number}.py").write_text(text)
    with closing(SqliteStore.open(tmp_path / "index", root=root, create=True)) as store:
        index(store, root, Config())
        yield store


def test_five_hundred_updates_grow_nothing(store: SqliteStore) -> None:
    root = Path(store.host_root)
    access = everything(store)
    sizes: dict[int, tuple[int, float]] = {}
    files = {}
    for turn in range(1, UPDATES + 1):
        path = root / f"m{turn % FILES}.py"
        path.write_text(f"def turn_{turn}(value):\n    return value\n\n\n" * 20)
        assert index(store, root, Config()).changed == 1
        assert store.postings.search([("value", 1.0)], access=access, k=3)
        if turn in (WARM, UPDATES):
            sizes[turn] = store.index_bytes(), resident_mb()
            files[turn] = len(list(store.directory.iterdir()))
    assert sizes[UPDATES][0] < 1.5 * sizes[WARM][0]
    assert sizes[UPDATES][1] < sizes[WARM][1] + 15
    assert files[UPDATES] < files[WARM] + 10
