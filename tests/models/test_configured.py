"""From the configuration to models, and to the hosts that text is sent to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tadoru.config import ModelConfig, load
from tadoru.errors import ConfigError
from tadoru.models.configured import (
    counter_of,
    destinations,
    embedder_of,
    is_configured,
    is_instant,
)
from tadoru.models.http import is_loopback

FAR = ModelConfig(
    embeddings_base_url="https://api.siliconflow.cn/v1/embeddings", embeddings_model="BAAI/bge-m3",
    embeddings_api_key="k", rerank_base_url="https://rerank.example/v1", rerank_model="r",
    rerank_api_key="k",
)  # fmt: skip


def test_destinations_are_hosts_beyond_this_machine() -> None:
    assert destinations(FAR).all == ("api.siliconflow.cn", "rerank.example")
    assert destinations(ModelConfig()).all == ()
    near = ModelConfig(embeddings_base_url="http://127.0.0.1:11434/v1", embeddings_model="m")
    assert destinations(near).all == () and is_configured(near)


@pytest.mark.parametrize(
    ("host", "local"),
    [("localhost", True), ("127.0.0.1", True), ("127.8.9.1", True), ("::1", True),
     ("ollama.localhost", True), ("localhost.example", False), ("127.0.0.1.example", False),
     ("10.0.0.1", False), ("0.0.0.0", False), ("", False)],
)  # fmt: skip
def test_only_loopback_is_this_machine(host: str, local: bool) -> None:
    assert is_loopback(host) is local


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434/v1/embeddings"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1/embeddings"),
        ("http://localhost:1/v1/embeddings", "http://localhost:1/v1/embeddings"),
        ("http://localhost:1/api/embed", "http://localhost:1/api/embed"),
    ],
)
def test_an_address_that_names_the_provider_alone_is_completed(base: str, url: str) -> None:
    from tadoru.models.http import Endpoint

    asked: list[str] = []

    def connect(address: str, key: str) -> Endpoint:
        asked.append(address)
        return Endpoint(address, key)

    embedder_of(ModelConfig(embeddings_base_url=base, embeddings_model="m"), connect)
    assert asked == [url]


def test_variables_of_the_seed_configure_models() -> None:
    env = {
        "TADORU_CONFIG": "/nonexistent/config.toml",
        "EMBEDDINGS_API_KEY": "k",
        "EMBEDDINGS_BASE_URL": "https://api.siliconflow.cn/v1/embeddings",
        "EMBEDDINGS_MODEL": "BAAI/bge-m3",
        "EMBEDDINGS_MAX_CONCURRENCY": "3",
        "RERANK_API_KEY": "your-api-key-here",
        "RERANK_BASE_URL": "https://api.siliconflow.cn/v1/rerank",
        "RERANK_MODEL": "BAAI/bge-reranker-v2-m3",
    }
    config = load(env=env).models
    embedder = embedder_of(config)
    assert embedder is not None and embedder.dimension == 1024
    assert destinations(config).reranking == ""


def test_key_is_in_no_representation() -> None:
    assert "'k'" not in repr(FAR)


def test_a_file_with_a_key_that_others_may_read_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[models]\nembeddings_api_key = "sk-1"\n')
    path.chmod(0o644)
    (warning,) = load(env={"TADORU_CONFIG": str(path)}).warnings
    assert "chmod 600" in warning and "sk-1" not in warning
    path.chmod(0o600)
    assert load(env={"TADORU_CONFIG": str(path)}).warnings == ()
    path.write_text("budget = 900\n")
    path.chmod(0o644)
    assert load(env={"TADORU_CONFIG": str(path)}).warnings == ()


def test_a_tokenizer_that_cannot_be_used_leaves_the_estimate(tmp_path: Path) -> None:
    assert counter_of(ModelConfig()).name == "estimate"
    assert counter_of(ModelConfig(tokenizer=str(tmp_path / "none.json"))).name == "estimate"


def test_nothing_of_a_model_is_loaded_before_it_is_asked_for() -> None:
    code = (
        "import sys, tadoru.semantic, tadoru.config as c; m = c.ModelConfig();"
        "from tadoru.models import configured as f;"
        "assert f.is_configured(m) and f.is_instant(m);"
        "f.reranker_of(m), f.counter_of(m), f.destinations(m);"
        "off = c.ModelConfig(embedded=False);"
        "assert not f.is_configured(off) and f.embedder_of(off) is None;"
        "print([n for n in ('numpy', 'urllib.request', 'tokenizers', 'sqlite3')"
        " if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_embedded_model_is_used_unless_it_is_off_or_another_is_configured() -> None:
    from tadoru.models.code import CodeEmbedder

    for env in ({}, {"TADORU_MODELS": "embedded"}):
        plain = load(env={**env, "TADORU_CONFIG": "/nowhere"}).models
        assert is_instant(plain) and isinstance(embedder_of(plain), CodeEmbedder)
        assert destinations(plain).all == ()
    away = load(env={"TADORU_MODELS": "none", "TADORU_CONFIG": "/nowhere"}).models
    assert not is_configured(away) and embedder_of(away) is None
    nameless = ModelConfig(embeddings_base_url="https://far.example/v1")
    assert is_instant(nameless) and isinstance(embedder_of(nameless), CodeEmbedder)
    near = ModelConfig(embeddings_base_url="http://localhost:1/v1", embeddings_model="m")
    assert is_configured(near) and not is_instant(near)


def test_another_word_for_models_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="embedded"):
        load(env={"TADORU_MODELS": "large", "TADORU_CONFIG": "/nowhere"})
