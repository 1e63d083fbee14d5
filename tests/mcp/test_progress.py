"""Long calls say how far they are, to clients that asked."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client

import tadoru
from tadoru.mcp import progress
from tadoru.mcp.progress import Progress
from tadoru.mcp.server import build


class Slow:
    """A workspace whose status takes its time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.roots: dict[str, str] = {}

    def status(self) -> tadoru.IndexState:
        time.sleep(self._seconds)
        return tadoru.IndexState(files=1)


Told = list[tuple[float, float | None, str | None]]


def called(workspace: Any, tool: str, tools: str = "tadoru", mode: str = "auto") -> Told:
    told: Told = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async def session() -> None:
        async with Client(build(lambda: workspace, tools=tools), mode=mode) as client:
            result = await client.call_tool(tool, {}, progress_callback=hear)
            assert not result.is_error

    anyio.run(session)
    return told


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_long_call_tells_that_it_goes_on(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setattr(progress, "FIRST_SECONDS", 0.1)
    monkeypatch.setattr(progress, "EACH_SECONDS", 0.1)
    told = called(Slow(0.8), "index_status", mode=mode)
    values = [done for done, _, _ in told]
    assert len(values) >= 2
    assert values == sorted(set(values))
    assert "index_status" in str(told[0][2])


def test_a_short_call_tells_nothing() -> None:
    assert called(Slow(0.0), "index_status") == []


def test_a_rebuild_tells_files(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(progress, "EACH_SECONDS", 0.005)
    for number in range(400):
        (repository / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 20)
    with tadoru.open(repository) as workspace:
        workspace.index()
        told = called(workspace, "reindex_paths", tools="pathfinder")
    counted = [row for row in told if row[1]]
    assert counted, told
    assert counted[-1][1] == 409


def test_values_only_rise() -> None:
    said = Progress("x")
    said.update(3, 10, "a")
    assert said.next() == (3.0, 10.0, "a")
    assert said.next() is None
    said.update(2, 10, "b")
    assert said.next() is None
    said.update(4, 10, "c")
    assert said.next() == (4.0, 10.0, "c")


def test_a_client_that_does_not_listen_disturbs_no_call() -> None:
    async def deaf(*_: object) -> None:
        raise ConnectionError

    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) > 3:
            raise TimeoutError

    async def run() -> None:
        said = Progress("x")
        said.update(1, 2, "a")
        with pytest.raises(TimeoutError):
            await progress.tell_on(said, deaf, sleep)

    anyio.run(run)
