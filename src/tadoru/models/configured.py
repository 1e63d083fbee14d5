"""From the configuration to models: an endpoint, a folder, the embedded model, or none.

A key that is a placeholder counts as missing, and without a key only an endpoint on this machine
(Ollama, vLLM) is used; an address that is not used counts as none. Says which model vectors come
from without loading anything of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from tadoru.config import ModelConfig

if TYPE_CHECKING:
    from tadoru.models.base import Embedder, Reranker, TokenCounter, Tokens
    from tadoru.models.http import Endpoint
    from tadoru.models.late import LateInteraction

    Connect = Callable[[str, str], Endpoint]

FAST = "fastembed:"
"""Begins the name of a model of fastembed, in the place of a folder."""
WEIGHTS = "model.safetensors"
PLACEHOLDERS = frozenset({"", "your-api-key-here"})
"""Keys that mean that nobody has set one."""


def embedder_of(config: ModelConfig, connect: Connect | None = None) -> Embedder | None:
    """Return the embedder: a configured endpoint, else a configured folder, else the embedded one.

    An address that lacks its key or model counts as none. None where all are off.

    Raises: `ConfigError` for an address that is none, `Unavailable` for a folder that is none.
    """
    endpoint = _endpoint(
        config.embeddings_base_url, config.embeddings_api_key, config.embeddings_model,
        "/embeddings", connect,
    )  # fmt: skip
    if endpoint is not None:
        from tadoru.models.api import ApiEmbedder
        from tadoru.models.gate import Gate

        endpoint.gate = Gate(config.embeddings_max_concurrency)
        return ApiEmbedder(endpoint, config.embeddings_model, config.embeddings_dimensions)
    if config.embeddings_dir:
        return _of_folder(config.embeddings_dir)
    return _embedded() if config.embedded else None


@cache
def _embedded() -> Embedder:
    """The embedded model, which all of a process share."""
    from tadoru.models.code import CodeEmbedder

    return CodeEmbedder()


def _of_folder(name: str) -> Embedder:
    """Load a folder, or what fastembed has under a name, once."""
    if name.startswith(FAST):
        return _by_name(name.removeprefix(FAST))
    return tokens_of(Path(name).expanduser())


def tokens_of(folder: Path) -> Tokens:
    """Return the model of a folder, loaded once for each state of its file.

    Raises: `Unavailable` for a folder that holds no model.
    """
    from tadoru.models.onnx import onnx_file

    weights = onnx_file(folder) or folder / WEIGHTS
    try:
        return _loaded(folder, weights, weights.stat().st_mtime_ns)
    except OSError:
        return _loaded(folder, weights, 0)


@cache
def _by_name(name: str) -> Embedder:
    from tadoru.models.fast import FastEmbedder

    return FastEmbedder(name)


@lru_cache(maxsize=2)
def _loaded(folder: Path, weights: Path, changed: int) -> Tokens:
    """`changed`: when the weights were written; a folder that has another model is loaded anew."""
    if weights.name != WEIGHTS:
        from tadoru.models.onnx import OnnxEmbedder

        return OnnxEmbedder(folder)
    from tadoru.models.static import StaticEmbedder

    return StaticEmbedder(folder)


def reranker_of(config: ModelConfig, connect: Connect | None = None) -> Reranker | None:
    """Return the configured reranker: an endpoint, else a folder; None where there is neither.

    Raises: `ConfigError` for an address that is none, `Unavailable` for a folder that is none.
    """
    endpoint = _endpoint(
        config.rerank_base_url, config.rerank_api_key, config.rerank_model, "/rerank", connect
    )
    if endpoint is not None:
        from tadoru.models.reranking import ApiReranker

        return ApiReranker(endpoint, config.rerank_model, config.rerank_top_n)
    if not config.rerank_dir:
        return None
    from tadoru.models.late import LateInteraction

    return LateInteraction(Path(config.rerank_dir).expanduser())


def path_reranker_of(config: ModelConfig) -> LateInteraction | None:
    """Return the reranker of paths; None where no folder is configured.

    Raises: `ConfigError` for an unknown precision, `Unavailable` for a folder that holds no model.
    """
    if not config.resolve_model_dir:
        return None
    from tadoru.models.late import LateInteraction

    folder = Path(config.resolve_model_dir).expanduser()
    return LateInteraction(folder, config.resolve_model_precision)


def counter_of(config: ModelConfig) -> TokenCounter:
    """Return an exact counter where a tokenizer is configured and can be loaded; the estimate
    elsewhere. An answer names the one that counted."""
    from tadoru.errors import Unavailable
    from tadoru.models.tokens import EstimatedTokens, TokenizerTokens

    if config.tokenizer:
        try:
            return TokenizerTokens(Path(config.tokenizer).expanduser())
        except Unavailable:
            return EstimatedTokens()
    return EstimatedTokens()


@dataclass(frozen=True, slots=True)
class Destinations:
    """The hosts beyond this machine that text of files is sent to; empty where it stays here."""

    embedding: str = ""
    reranking: str = ""

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(host for host in (self.embedding, self.reranking) if host))


def destinations(config: ModelConfig) -> Destinations:
    """Return where text goes with this configuration."""
    return Destinations(
        _host(config.embeddings_base_url, config.embeddings_api_key, config.embeddings_model),
        _host(config.rerank_base_url, config.rerank_api_key, config.rerank_model),
    )


def _host(url: str, key: str, model: str) -> str:
    if not url or not model or key.strip() in PLACEHOLDERS:
        return ""
    from tadoru.models.http import is_loopback

    host = urlsplit(url).hostname or ""
    return "" if is_loopback(host) else host


def is_configured(config: ModelConfig) -> bool:
    """Tell whether there may be an embedder, without loading anything for it."""
    return asks_endpoint(config) or bool(config.embeddings_dir) or config.embedded


def is_instant(config: ModelConfig) -> bool:
    """Tell whether vectors are made in this process as fast as files are read: a table of tokens.

    Such vectors are a part of the index; others are made after it answers."""
    if not is_configured(config) or asks_endpoint(config):
        return False
    name = config.embeddings_dir
    if not name or name.startswith(FAST):
        return not name
    from tadoru.models.onnx import onnx_file

    return onnx_file(Path(name).expanduser()) is None


def asks_endpoint(config: ModelConfig) -> bool:
    """Tell whether vectors come from an endpoint: one with a key, or on this machine."""
    url, model = config.embeddings_base_url, config.embeddings_model
    if not url or not model:
        return False
    from tadoru.models.http import is_loopback

    has_key = config.embeddings_api_key.strip() not in PLACEHOLDERS
    return has_key or is_loopback(urlsplit(url).hostname or "")


def _endpoint(
    url: str, key: str, model: str, kind: str, connect: Connect | None
) -> Endpoint | None:
    """Return an endpoint when it is configured. One on this machine needs no key."""
    if not url or not model:
        return None
    from tadoru.models.http import Endpoint

    missing = key.strip() in PLACEHOLDERS
    endpoint = (connect or Endpoint)(_completed(url, kind), "" if missing else key.strip())
    return None if missing and not endpoint.is_local else endpoint


def _completed(url: str, kind: str) -> str:
    """Return the full address: an address that ends in `/v1` names the provider alone."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    return urlunsplit(parts._replace(path=path + kind)) if path.endswith("/v1") else url
