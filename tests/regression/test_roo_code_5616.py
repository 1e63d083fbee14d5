"""Roo-Code 5616, 7348, 10991: an index survived a change of model or dimension, vectors mixed.

https://github.com/RooCodeInc/Roo-Code/issues/5616
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tadoru
from tadoru.config import Config, ModelConfig
from tadoru.testing.provider import Provider


@pytest.mark.parametrize(("model", "dimension"), [("first", 16), ("second", 8)])
def test_another_model_or_dimension_is_noticed_and_never_mixed(
    repository: Path, tmp_path: Path, model: str, dimension: int
) -> None:
    with Provider(8) as provider:
        models = ModelConfig(
            embeddings_base_url=provider.url, embeddings_model="first", embeddings_dimensions=8
        )
        config = Config(home=str(tmp_path / "home"), models=models)
        with tadoru.open(repository, config=config) as workspace:
            workspace.index()
            assert workspace.search("cart").recall == "lexical, semantic"
        provider.close()
    with Provider(dimension, port=provider.port) as other:
        changed = replace(models, embeddings_model=model, embeddings_dimensions=dimension)
        with tadoru.open(repository, config=replace(config, models=changed), index=False) as ws:
            answer = ws.search("cart")
            assert answer.recall == "lexical" and answer.hits
            assert "9 of 9 files have no vectors" in answer.warnings[0]
            assert not any("dense" in hit.sources for hit in answer.hits)
            assert other.bodies == []
        with tadoru.open(repository, config=replace(config, models=changed)) as workspace:
            report = workspace.index().embedding
            assert report is not None and report.waiting == 0
            assert len(other.embedded) == report.made > 0
            assert workspace.search("cart").recall == "lexical, semantic"
