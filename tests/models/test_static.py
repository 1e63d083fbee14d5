"""A model2vec folder: read as its format says, mean of token vectors, no framework."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from tadoru.config import ModelConfig
from tadoru.errors import Unavailable
from tadoru.models.base import Embedder
from tadoru.models.configured import embedder_of
from tadoru.models.static import StaticEmbedder
from tadoru.testing.suites.models import EmbedderSuite

WORDS = ["[PAD]", "[UNK]", "sign", "session", "cookie", "the", "open", "matrix", "rank", "def",
         "other", "words", "more", "determinant", "_", "(", ")", ":", ".", "x"]  # fmt: skip


def safetensors(tensors: dict[str, np.ndarray]) -> bytes:
    """Write the format as its documentation describes it."""
    names = {"float32": "F32", "float16": "F16", "int8": "I8", "int64": "I64"}
    header: dict[str, object] = {"__metadata__": {"format": "np"}}
    data = b""
    for name, tensor in tensors.items():
        start, data = len(data), data + tensor.tobytes()
        header[name] = {
            "dtype": names[tensor.dtype.name],
            "shape": list(tensor.shape),
            "data_offsets": [start, len(data)],
        }
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    return len(head).to_bytes(8, "little") + head + data


def tokenizer() -> Tokenizer:
    made = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Split("_", "isolated")]
    )
    made.enable_truncation(3)
    made.enable_padding()
    return made


def write(folder: Path, tensors: dict[str, np.ndarray]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "model.safetensors").write_bytes(safetensors(tensors))
    tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def table(dtype: str = "float32", rows: int = len(WORDS)) -> np.ndarray:
    numbers = np.random.default_rng(1).standard_normal((rows, 24)) * 40
    return numbers.astype(dtype)


class TestStaticEmbedder(EmbedderSuite):
    @pytest.fixture
    def embedder(self, tmp_path: Path) -> Embedder:
        return StaticEmbedder(write(tmp_path / "m", {"embeddings": table()}))

    def test_vectors_are_unit_float32_of_the_stated_dimension(self, embedder: Embedder) -> None:
        vectors = embedder.encode(["open the session", "数据库", ""])
        assert vectors.shape == (3, 24) and vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), [1.0, 0.0, 0.0], atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_a_text_is_the_mean_of_its_known_tokens(tmp_path: Path, dtype: str) -> None:
    numbers = table(dtype)
    embedder = StaticEmbedder(write(tmp_path / "m", {"embeddings": numbers}))
    (found,) = embedder.encode(["Open the unheard_of session cookie"])
    rows = [WORDS.index(w) for w in ("open", "the", "_", "session", "cookie")]
    mean = numbers[rows].astype(np.float64).mean(axis=0)
    assert np.allclose(found, mean / np.linalg.norm(mean), atol=1e-3)


def test_weights_and_mapping_of_tokens_are_used(tmp_path: Path) -> None:
    mapping = np.arange(len(WORDS), dtype=np.int64) // 2
    weights = np.linspace(0.1, 2.0, len(WORDS)).astype(np.float32)
    numbers = table(rows=10)
    tensors = {"embeddings": numbers, "mapping": mapping, "weights": weights}
    embedder = StaticEmbedder(write(tmp_path / "m", tensors))
    (found,) = embedder.encode(["sign cookie"])
    mean = weights[2] * numbers[1] + weights[4] * numbers[2]
    assert np.allclose(found, mean / np.linalg.norm(mean), atol=1e-5)


def test_other_weights_have_another_fingerprint(tmp_path: Path) -> None:
    one = StaticEmbedder(write(tmp_path / "a", {"embeddings": table()}))
    same = StaticEmbedder(write(tmp_path / "b", {"embeddings": table()}))
    other = StaticEmbedder(write(tmp_path / "c", {"embeddings": table() + 1}))
    assert one.fingerprint == same.fingerprint != other.fingerprint


def test_a_folder_is_used_when_it_is_configured(tmp_path: Path) -> None:
    folder = write(tmp_path / "m", {"embeddings": table()})
    found = embedder_of(ModelConfig(embeddings_dir=str(folder)))
    assert found is not None and found.dimension == 24


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 8,
        (10**9).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
        (8).to_bytes(8, "little") + b'{"a": 1}',
        safetensors({"embeddings": table()})[:-100],
        safetensors({"embeddings": table()[0]}),
        safetensors({"embeddings": table(rows=5)}),
        None,
    ],
)
def test_what_is_no_model_is_unavailable(tmp_path: Path, data: bytes | None) -> None:
    folder = write(tmp_path / "m", {"embeddings": table()})
    if data is None:
        (folder / "model.safetensors").unlink()
    else:
        (folder / "model.safetensors").write_bytes(data)
    with pytest.raises(Unavailable):
        StaticEmbedder(folder)


def test_a_tokenizer_that_is_none_is_unavailable(tmp_path: Path) -> None:
    folder = write(tmp_path / "m", {"embeddings": table()})
    for text in ("", "{}", '{"model": 1}'):
        (folder / "tokenizer.json").write_text(text)
        with pytest.raises(Unavailable, match="is no tokenizer"):
            StaticEmbedder(folder)
