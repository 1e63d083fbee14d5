"""An ONNX folder, with a real graph made here, run by the real runtime beside plain arithmetic."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

import tadoru
from tadoru.config import Config, ModelConfig
from tadoru.errors import Unavailable
from tadoru.models.base import BatchEmbedder, Reranker
from tadoru.models.configured import embedder_of, is_instant, reranker_of
from tadoru.models.late import LateInteraction
from tadoru.models.onnx import OnnxEmbedder
from tadoru.testing.suites.models import EmbedderSuite

WORDS = ["[UNK]", "sign", "session", "cookie", "the", "open", "matrix", "rank", "def", "query",
         "[CLS]", "other", "words", "more", "determinant", "_", "(", ")", ":", "."]  # fmt: skip
WIDTH = 64
TABLE = np.random.default_rng(3).standard_normal((len(WORDS), WIDTH)).astype(np.float32)


def write(folder: Path, *, pooled: bool = False, special: bool = False) -> Path:
    """Write a model that looks up a row for each token, as a transformer without layers."""
    folder.mkdir(exist_ok=True)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["tokens"])]
    if pooled:
        nodes.append(helper.make_node("ReduceMean", ["tokens", "axes"], ["out"], keepdims=0))
    shape: list[str | int] = ["batch", WIDTH] if pooled else ["batch", "width", WIDTH]
    name = "out" if pooled else "tokens"
    ids = [
        helper.make_tensor_value_info(each, TensorProto.INT64, ["batch", "width"])
        for each in ("input_ids", "attention_mask")
    ]
    stored = [
        numpy_helper.from_array(TABLE, "table"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "axes"),
    ]
    out = helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "lookup", ids, [out], stored if pooled else stored[:1])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Split("_", "isolated")]
    )
    if special:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A", special_tokens=[("[CLS]", WORDS.index("[CLS]"))]
        )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def mean(*words: str) -> np.ndarray:
    vector = TABLE[[WORDS.index(word) for word in words]].mean(axis=0)
    return vector / np.linalg.norm(vector)


class TestOnnxEmbedder(EmbedderSuite):
    @pytest.fixture
    def embedder(self, tmp_path: Path) -> OnnxEmbedder:
        return OnnxEmbedder(write(tmp_path / "m", special=True))


def test_texts_of_any_length_are_pooled_over_their_own_tokens(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(write(tmp_path / "m"))
    texts = ["sign the session cookie", "open", *["matrix rank"] * 40]
    vectors = embedder.encode(texts)
    assert np.allclose(vectors[0], mean("sign", "the", "session", "cookie"), atol=1e-5)
    assert np.allclose(vectors[1], mean("open"), atol=1e-5)
    assert np.allclose(vectors[41], mean("matrix", "rank"), atol=1e-5)
    assert isinstance(embedder, BatchEmbedder)
    places = [position for positions, _ in embedder.encode_batches(texts) for position in positions]
    assert sorted(places) == list(range(42))


def test_files_beside_the_model_are_heeded(tmp_path: Path) -> None:
    folder = write(tmp_path / "m")
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 2}')
    (folder / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "query "}})
    )
    embedder = OnnxEmbedder(folder)
    assert np.allclose(embedder.encode(["open matrix rank"])[0], mean("open", "matrix"), atol=1e-5)
    asked = embedder.encode(["open rank"], query=True)[0]
    assert np.allclose(asked, mean("query", "open"), atol=1e-5)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text('{"pooling_mode_cls_token": true}')
    first = OnnxEmbedder(folder).encode(["matrix rank"])[0]
    assert np.allclose(first, mean("matrix"), atol=1e-5)


def test_a_model_that_pools_by_itself_is_taken_as_it_is(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(write(tmp_path / "m", pooled=True))
    assert np.allclose(embedder.encode(["matrix rank"])[0], mean("matrix", "rank"), atol=1e-5)
    vectors, weights = embedder.tokens("matrix rank")
    assert vectors.shape == (1, WIDTH) and weights.tolist() == [1.0]


@pytest.mark.parametrize("damage", ["no model", "no graph", "no tokenizer"])
def test_what_is_no_such_folder_is_unavailable(tmp_path: Path, damage: str) -> None:
    folder = write(tmp_path / "m")
    if damage == "no model":
        (folder / "model.onnx").unlink()
    elif damage == "no graph":
        (folder / "model.onnx").write_bytes(b"nothing")
    else:
        (folder / "tokenizer.json").unlink()
    with pytest.raises(Unavailable):
        OnnxEmbedder(folder)


def test_another_model_has_another_fingerprint(tmp_path: Path) -> None:
    one, two = write(tmp_path / "a"), write(tmp_path / "b", pooled=True)
    assert OnnxEmbedder(one).fingerprint != OnnxEmbedder(two).fingerprint


def test_an_index_is_embedded_by_a_folder(repository: Path, tmp_path: Path) -> None:
    models = ModelConfig(embeddings_dir=str(write(tmp_path / "m")))
    assert isinstance(embedder_of(models), OnnxEmbedder) and not is_instant(models)
    config = Config(home=str(tmp_path / "home"), models=models)
    with tadoru.open(repository, config=config) as workspace:
        report = workspace.index()
        assert report.embedding is not None and report.embedding.waiting == 0
        assert report.embedding.model.startswith("onnx:")
        answer = workspace.search("where is the session cookie signed")
        assert answer.recall == "lexical, semantic" and not answer.warnings


def test_a_question_never_waits_for_the_second_opinion(repository: Path, tmp_path: Path) -> None:
    """Late interaction over a transformer: the first answer goes without and says so."""
    models = ModelConfig(rerank_dir=str(write(tmp_path / "m")))
    reranker = reranker_of(models)
    assert isinstance(reranker, LateInteraction) and isinstance(reranker, Reranker)
    config = replace(Config(home=str(tmp_path / "home")), models=models)
    question = "where is the session cookie signed"
    with tadoru.open(repository, config=config) as workspace:
        workspace.index()
        first = workspace.search(question)
        assert first.hits and any("are being made" in line for line in first.warnings)
        made = workspace._models._once("reranker", lambda: reranker)
        assert made.wait(20)
        deadline = time.monotonic() + 20
        while (answer := workspace.search(question + "?")).warnings:
            assert time.monotonic() < deadline, answer.warnings
            made.wait(1)
        assert {hit.path for hit in answer.hits}


def test_tokens_that_were_made_are_remembered_by_content(tmp_path: Path) -> None:
    reranker = LateInteraction(write(tmp_path / "m"))
    documents = ["sign the session cookie", "matrix rank", ""]
    with pytest.raises(Unavailable, match="3 candidates"):
        reranker.score("session cookie", documents)
    assert reranker.wait(20)
    scores = reranker.score("session cookie", documents)
    assert scores[0] == pytest.approx(1.0, abs=0.02) and scores[1] < scores[0]
    with pytest.raises(Unavailable, match="1 candidates"):
        reranker.score("session", [*documents, "open"])
