"""claude-context 177, grepai 88 and 81, Roo-Code 5733: limits of providers stopped an index run.

https://github.com/zilliztech/claude-context/issues/177
A batch of more than ten is refused, a text is too long, too many requests, a slow answer: each
comes in its turn, the run recovers, and every text that can have a vector gets one, once.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import tadoru
from tadoru.config import Config, ModelConfig
from tadoru.testing.provider import Answer, Provider

LONG = 700
"""Characters from which the provider calls a text too long."""


def limited(body: dict[str, Any], number: int) -> Answer | None:
    if len(body["input"]) > 10:
        return 400, {"error": "batch size is invalid, it should not be larger than 10"}
    if any(len(text) > LONG for text in body["input"]):
        return 400, {"error": "input is too long; failed to generate"}
    if number % 7 == 3:
        return 429, {"error": "slow down"}, {"Retry-After": "0"}
    if number % 11 == 5:
        time.sleep(0.2)
    if number % 13 == 6:
        return 503, b"<html>busy</html>", {"Retry-After": "0"}
    return None


@pytest.mark.parametrize("status", [400, 413, 500])
def test_each_limit_in_turn_is_lived_with(tmp_path: Path, status: int) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for n in range(40):
        (root / f"m{n}.py").write_text(f"def short_{n}():\n    return {n}\n")
    for n in range(3):
        body = "".join(f"    value_{n}_{line} = {line} * {n}\n" for line in range(30))
        (root / f"long{n}.py").write_text(f"def long_{n}():\n{body}")
    with Provider() as provider:

        def behave(body: dict[str, Any], number: int) -> Answer | None:
            answer = limited(body, number)
            return (status, *answer[1:]) if answer and answer[0] == 400 else answer  # type: ignore[return-value]

        provider.behave = behave
        models = ModelConfig(
            embeddings_base_url=provider.url, embeddings_model="m", embeddings_dimensions=16
        )
        config = Config(home=str(tmp_path / "home"), models=models)
        with tadoru.open(root, config=config) as workspace:
            report = workspace.index()
            assert report.complete, report.errors
            assert report.embedding is not None
            assert (report.embedding.waiting, report.embedding.refused) == (0, 0)
            assert report.embedding.made == report.chunks
            assert len(provider.bodies) < 200
            shorts = [text for text in provider.embedded if "def short_" in text]
            assert len(shorts) == len(set(shorts)) == 40
            assert any("def long_" in text and len(text) <= LONG for text in provider.embedded)
