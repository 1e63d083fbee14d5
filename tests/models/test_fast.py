"""Models of fastembed: from the user's own cache alone, never from the network."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import fastembed
import numpy as np
import pytest

from tadoru.config import ModelConfig
from tadoru.errors import Unavailable
from tadoru.models.configured import embedder_of, is_instant
from tadoru.models.fast import FastEmbedder

NAME = "BAAI/bge-small-en-v1.5"


@pytest.mark.slow
def test_a_model_that_is_not_in_the_cache_is_an_error_and_no_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "cache"))
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with pytest.raises(Unavailable, match="downloads nothing") as caught:
        FastEmbedder(NAME)
    assert NAME in caught.value.hint


def test_a_name_that_is_none_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Unavailable, match="knows no model"):
        embedder_of(ModelConfig(embeddings_dir="fastembed:nobody/nothing"))
    assert not is_instant(ModelConfig(embeddings_dir=f"fastembed:{NAME}"))
    assert capfd.readouterr().err == ""


def test_without_the_extra_the_hint_names_it() -> None:
    code = (
        "import sys; sys.modules['fastembed'] = None\n"
        "from tadoru.errors import Unavailable\n"
        "from tadoru.models.fast import FastEmbedder\n"
        "try: FastEmbedder('x')\n"
        "except Unavailable as error: print(error.hint)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "pip install 'tadoru[fastembed]'"


def test_vectors_of_a_cached_model_are_unit_and_questions_are_asked_as_such(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A stand-in with the calls of the real class, whose weights cannot be fetched here."""

    def embed(texts: list[str]) -> Iterator[np.ndarray]:
        return iter([np.array([3.0, 4.0], dtype=np.float32)] * len(texts))

    def query_embed(texts: list[str]) -> Iterator[np.ndarray]:
        return iter([np.array([0.0, 2.0], dtype=np.float32)] * len(texts))

    def made(name: str, *, local_files_only: bool) -> SimpleNamespace:
        assert name == NAME and local_files_only
        return SimpleNamespace(embed=embed, query_embed=query_embed)

    made.list_supported_models = lambda: [{"model": NAME}]  # type: ignore[attr-defined]
    monkeypatch.setattr(fastembed, "TextEmbedding", made)
    embedder = FastEmbedder(NAME)
    assert embedder.fingerprint == f"fastembed:{NAME}:2:text1"
    assert np.allclose(embedder.encode(["a", "b"]), [[0.6, 0.8], [0.6, 0.8]])
    assert np.allclose(embedder.encode(["a"], query=True), [[0.0, 1.0]])
    assert embedder.encode([]).shape == (0, 2)
