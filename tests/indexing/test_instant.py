"""Vectors of the embedded model are a part of the index: made with it, for what changed alone."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import tadoru
from tadoru.config import Config, ModelConfig
from tadoru.indexing import crew
from tadoru.indexing.instant import instant_embedder, instant_part
from tadoru.indexing.labels import everything
from tadoru.models.code import CodeEmbedder
from tadoru.testing.provider import Provider
from tadoru.workspace import Workspace

QUESTION = "where is the session cookie signed"
OFF = ModelConfig(embedded=False)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(home=str(tmp_path / "home"))


def covered(workspace: Workspace) -> tuple[int, int]:
    """Return how many files have chunks, and how many of them vectors of the embedded model."""
    (source,) = workspace._mounts.local.values()
    store = source.store
    return store.dense.coverage(CodeEmbedder().fingerprint, everything(store))


def test_first_question_after_the_index_is_semantic_and_says_nothing(
    repository: Path, config: Config
) -> None:
    with tadoru.open(repository, config=config) as workspace:
        report = workspace.index()
        assert report.complete and report.embedding is not None
        assert (report.embedding.waiting, report.embedding.files) == (0, 9)
        answer = workspace.search(QUESTION)
        assert (answer.recall, answer.warnings) == ("lexical, semantic", ())
        assert any("dense" in hit.sources for hit in answer.hits)
        assert not list(Path(config.home).glob("embeddings.db*"))  # making is as fast as asking


def test_an_edit_embeds_the_edited_file_alone(
    repository: Path, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tadoru.open(repository, config=config) as workspace:
        workspace.index()
        asked: list[str] = []
        encode = CodeEmbedder.encode

        def noted(self: CodeEmbedder, texts: list[str], *, query: bool = False) -> object:
            asked.extend(texts)
            return encode(self, texts, query=query)

        monkeypatch.setattr(CodeEmbedder, "encode", noted)
        (repository / "src/shop/config.py").write_text("VALUE_ADDED_TAX = 0.25\n")
        answer = workspace.search("value added tax")
        assert answer.hits[0].path == "src/shop/config.py" and not answer.warnings
        texts = [text for text in asked if "\n" in text]
        assert len(texts) == 1 and texts[0].startswith("src/shop/config.py > ")
        assert covered(workspace) == (9, 9)


def test_an_index_that_was_made_without_vectors_gets_them_by_itself(
    repository: Path, config: Config
) -> None:
    with tadoru.open(repository, config=replace(config, models=OFF)) as workspace:
        assert workspace.index().embedding is None
        assert covered(workspace) == (9, 0)
    with tadoru.open(repository, config=config) as workspace:
        deadline = time.monotonic() + 60
        while (answer := workspace.search(QUESTION)).recall == "lexical":
            assert time.monotonic() < deadline, answer.warnings
            time.sleep(0.05)
        assert answer.warnings == () and covered(workspace) == (9, 9)


def test_vectors_of_an_earlier_provider_are_replaced_when_the_new_ones_are_complete(
    repository: Path, config: Config
) -> None:
    with Provider() as provider:
        models = ModelConfig(
            embeddings_base_url=provider.url, embeddings_model="m", embeddings_dimensions=16
        )
        with tadoru.open(repository, config=replace(config, models=models)) as workspace:
            workspace.index()
    with tadoru.open(repository, config=config) as workspace:
        report = workspace.index()
        assert report.embedding is not None and report.embedding.waiting == 0
        (source,) = workspace._mounts.local.values()
        with source.store._pool.read() as connection:
            names = [row[0] for row in connection.execute("SELECT fingerprint FROM models")]
        assert names == [CodeEmbedder().fingerprint]


def test_workers_give_vectors_and_are_told_no_key(
    tmp_path: Path, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "many"
    root.mkdir()
    for number in range(70):
        (root / f"part{number:03}.py").write_text(f"def part_{number}():\n    return {number}\n")
    monkeypatch.setattr(crew, "IN_PROCESS", 10)
    with tadoru.open(root, config=config) as workspace:
        workspace.index()
        assert covered(workspace) == (70, 70)
    keyed = ModelConfig(rerank_api_key="sk-1", embeddings_api_key="sk-2")
    told = instant_part(keyed)
    assert told is not None and "sk-" not in f"{told.rerank_api_key}{told.embeddings_api_key}"


def test_a_folder_that_is_no_model_costs_vectors_and_is_named(
    repository: Path, config: Config
) -> None:
    models = ModelConfig(embeddings_dir=str(repository / "docs"))
    with tadoru.open(repository, config=replace(config, models=models)) as workspace:
        report = workspace.index()
        assert not report.complete and any("cannot read" in line for line in report.errors)
        answer = workspace.search(QUESTION)
        assert answer.recall == "lexical" and answer.hits
        assert any("semantic part away" in line for line in answer.warnings)
    assert instant_embedder(models) is None and instant_embedder(None) is None


def test_paths_and_the_shell_load_no_model(repository: Path, config: Config) -> None:
    code = (
        "import sys, tadoru; from tadoru.config import Config\n"
        f"w = tadoru.open({str(repository)!r}, config=Config(home={config.home!r}))\n"
        "w.index(); w.resolve('src/shop/sesions.py'); w.run('grep -rn cookie src')\n"
        "print([n for n in sys.modules if n.startswith('tadoru.models.') and n.endswith"
        "(('code', 'static', 'subwords', 'api'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
