"""Late interaction over a token table: tokens find each other; a broken folder costs nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_static import WORDS, safetensors, tokenizer

import tadoru
from tadoru.config import Config, ModelConfig
from tadoru.errors import ConfigError, Unavailable
from tadoru.models.base import Reranker
from tadoru.models.configured import path_reranker_of
from tadoru.models.late import LateInteraction


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = np.random.default_rng(3).standard_normal((len(WORDS), 24)).astype("float32")
    table[WORDS.index("matrix")] = table[WORDS.index("determinant")] + 0.1  # nearly the same
    found = tmp_path / "model"
    found.mkdir()
    (found / "model.safetensors").write_bytes(safetensors({"embeddings": table}))
    tokenizer().save(str(found / "tokenizer.json"))
    return found


@pytest.mark.parametrize("precision", ["int8", "float32"])
def test_each_token_of_the_question_finds_its_best_match(folder: Path, precision: str) -> None:
    model = LateInteraction(folder, precision)
    assert isinstance(model, Reranker)
    same, near, half, none = model.score(
        "matrix rank", ["rank matrix", "determinant rank", "rank cookie", "zzz"]
    )
    assert same == pytest.approx(1.0, abs=0.02)
    assert same >= near > half > none == 0.0


def test_order_and_length_of_a_document_do_not_matter(folder: Path) -> None:
    model = LateInteraction(folder, "float32")
    short, long = model.score("session", ["session", "open the cookie session sign"])
    assert short == pytest.approx(long)


def test_a_question_without_a_known_token_scores_zero(folder: Path) -> None:
    assert LateInteraction(folder).score("zzz", ["session"]) == [0.0]
    assert LateInteraction(folder).score("session", []) == []


def test_the_precision_is_a_part_of_the_name_and_an_unknown_one_is_refused(folder: Path) -> None:
    assert LateInteraction(folder).name != LateInteraction(folder, "float32").name
    with pytest.raises(ConfigError, match="unknown precision"):
        LateInteraction(folder, "fp4")


def test_the_folder_comes_from_the_configuration(folder: Path, tmp_path: Path) -> None:
    assert path_reranker_of(ModelConfig()) is None
    assert path_reranker_of(ModelConfig(resolve_model_dir=str(folder))) is not None
    with pytest.raises(Unavailable):
        path_reranker_of(ModelConfig(resolve_model_dir=str(tmp_path / "nowhere")))


def test_resolve_uses_it_and_goes_on_without_it(folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name in ("matrix", "cookie", "other"):
        (root / name).mkdir(parents=True)
        (root / name / "rank.py").write_text("x = 1\n")

    def scores(directory: str) -> dict[str, float]:
        config = Config(
            home=str(tmp_path / "home"), models=ModelConfig(resolve_model_dir=directory)
        )
        with tadoru.open(root, config=config) as workspace:
            found = workspace.resolve("rank.py", intent="determinant")
        return {candidate.path: candidate.score for candidate in found.candidates}

    plain, with_model = scores(""), scores(str(folder))
    assert with_model["matrix/rank.py"] > plain["matrix/rank.py"]
    assert with_model["matrix/rank.py"] > with_model["cookie/rank.py"]
    assert scores(str(tmp_path / "nowhere")) == plain
