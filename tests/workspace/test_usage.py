"""Statistics: three groups, latency by tool, cache rates, tokens saved; one principal's own."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import tadoru
from tadoru import Principal
from tadoru.config import load
from tadoru.usage import Usage, percentiles


def opened(root: Path, home: Path) -> tadoru.Workspace:
    return tadoru.open(root, config=replace(load(root), home=str(home)))


def test_the_three_groups(repository: Path, tmp_path: Path) -> None:
    with opened(repository, tmp_path / "home") as workspace:
        workspace.index()
        for _ in range(2):
            answer = workspace.search("where is the session cookie signed", budget=300)
        workspace.read("src/shop/cart.py", start=1, end=2)
        with pytest.raises(tadoru.PathNotFound):
            workspace.read("no.py")
        stats = workspace.stats()
    assert stats["indexing"]["runs"] == 1
    assert stats["indexing"]["last"]["added"] == 9
    assert stats["indexing"]["last_run"].endswith("+00:00")
    search = stats["search"]
    assert (search["queries"], search["cache_hits"], search["computed"]) == (2, 1, 1)
    assert search["cache_hit_rate"] == 0.5
    assert search["mean_hits"] == len(answer.hits)
    assert search["tokens_sent"] >= 2 * answer.tokens
    assert search["tokens_saved"] == search["tokens_of_whole_files"] - search["tokens_sent"] > 0
    assert (search["tools"]["read"]["calls"], search["tools"]["read"]["failed"]) == (2, 1)
    assert set(search["mean_stage_ms"]) == {"recall", "rank", "expand", "pack"}
    times = search["tools"]["search"]
    assert 0 < times["p50_ms"] <= times["p95_ms"] <= times["p99_ms"]
    assert stats["warnings"] == []
    assert stats["files"] == 9 and stats["health"]["/"]["index_bytes"] > 0


def test_another_process_tells_of_it(repository: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with opened(repository, home) as workspace:
        workspace.index()
        workspace.resolve("src/shop/session.py")
    with opened(repository, home) as workspace:
        assert workspace.stats()["search"]["tools"]["resolve"]["calls"] == 1
    (path,) = (home / "usage").glob("*/*.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "session" not in path.read_text().replace("sessions", "")


def test_nobody_sees_what_others_asked(repository: Path, tmp_path: Path) -> None:
    with opened(repository, tmp_path / "home") as workspace:
        workspace.index()
        workspace.resolve("src/shop/session.py")
        guest = workspace.seen_by(Principal(frozenset({"guest"})))
        assert guest.stats()["search"]["tools"] == {}
        assert guest.stats()["indexing"]["runs"] == 0


def test_counting_makes_no_home_and_no_fuss(repository: Path, tmp_path: Path) -> None:
    home = tmp_path / "none"
    config = replace(load(repository), home=str(home))
    workspace = tadoru.open(repository, config=config, index=False)
    with workspace, pytest.raises(tadoru.NotIndexed):
        workspace.search("cookie")
    assert not home.exists()


def test_percentiles_are_within_their_precision() -> None:
    usage = Usage(None)
    for number in range(1, 1_001):
        usage.note("x", number / 1000)
    row = percentiles(usage.report()["tools"]["x"])
    assert row["calls"] == 1_000
    for name, expected in (("p50_ms", 500), ("p95_ms", 950), ("p99_ms", 990), ("mean_ms", 500.5)):
        assert abs(row[name] - expected) / expected < 0.06, name
    assert percentiles({}) == {"calls": 0, "failed": 0}


BROKEN = ["", "{", "[]", '{"tools": 5, "x": "y"}', '{"tools": {"x": {"calls": NaN}}}', "[" * 9_999]


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_file_is_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "usage/root/who.json"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    usage = Usage(path)
    usage.note("x", 0.001)
    usage.flush()
    assert Usage(path).report()["tools"]["x"]["calls"] == 1


ADDS = """
import sys
from pathlib import Path
from tadoru.usage import Usage
usage = Usage(Path(sys.argv[1]))
for _ in range(100):
    usage.note("x", 0.001)
    usage.flush()
while usage._new:
    usage.flush()
"""


def test_processes_lose_no_counts(tmp_path: Path) -> None:
    path = tmp_path / "usage/root/who.json"
    path.parent.mkdir(parents=True)
    adders = [subprocess.Popen([sys.executable, "-c", ADDS, str(path)]) for _ in range(4)]
    assert [adder.wait(60) for adder in adders] == [0] * 4
    assert Usage(path).report()["tools"]["x"]["calls"] == 400
    assert json.loads(path.read_text())["tools"]["x"]["buckets"]


Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_command_line_prints_the_groups(cli: Run) -> None:
    cli("search", "session cookie")
    done = cli("stats")
    assert done.returncode == 0
    for group in ("## Indexing", "## Search", "## Health"):
        assert group in done.stdout
    assert "search: " in done.stdout and " p95 " in done.stdout
    assert "tools" in json.loads(cli("stats", "--json").stdout)["search"]
