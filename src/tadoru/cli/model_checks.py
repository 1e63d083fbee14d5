"""What `tadoru doctor` looks at in models, vectors and their cache. Talks to nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.cli.checks import Check
from tadoru.errors import TadoruError

if TYPE_CHECKING:
    from tadoru.config import ModelConfig
    from tadoru.models.base import Embedder
    from tadoru.sources import LocalSource


def check_models(config: ModelConfig, home: Path) -> Iterator[Check]:
    """Yield the checks of what is configured, and of the cache of vectors."""
    yield _embedder(config)
    yield from _reranker(config)
    if config.tokenizer:
        yield _tokenizer(config.tokenizer)
    yield from _plain_text(config)
    yield from _cache(home)


def _embedder(config: ModelConfig) -> Check:
    from tadoru.models.configured import asks_endpoint

    try:
        embedder = _made(config)
    except TadoruError as error:
        return Check("embedder", "fail", error.message, error.hint or "correct your configuration")
    used = embedder.fingerprint if embedder is not None else "none: search is lexical"
    if config.embeddings_base_url and not asks_endpoint(config):
        fix = (
            "set EMBEDDINGS_API_KEY and EMBEDDINGS_MODEL; an endpoint on this machine needs no key"
        )
        return Check("embedder", "warn", f"{used}; an address without key or model: not used", fix)
    return Check("embedder", "ok", used)


def _made(config: ModelConfig) -> Embedder | None:
    from tadoru.models.configured import embedder_of

    return embedder_of(config)


def _reranker(config: ModelConfig) -> Iterator[Check]:
    from tadoru.models.configured import reranker_of

    if not (config.rerank_base_url or config.rerank_dir):
        return
    try:
        reranker = reranker_of(config)
    except TadoruError as error:
        yield Check("reranker", "fail", error.message, error.hint)
        return
    if reranker is None:
        yield Check("reranker", "warn", "an address without key or model: not used",
                    "set RERANK_API_KEY and RERANK_MODEL")  # fmt: skip
    else:
        yield Check("reranker", "ok", reranker.name)


def _tokenizer(path: str) -> Check:
    from tadoru.models.tokens import TokenizerTokens

    try:
        return Check("tokenizer", "ok", TokenizerTokens(Path(path).expanduser()).name)
    except TadoruError as error:
        return Check("tokenizer", "fail", f"{error.message}; tokens are estimated", error.hint)


def _plain_text(config: ModelConfig) -> Iterator[Check]:
    """Warn of a key and of code that would cross a network unencrypted."""
    from tadoru.models.configured import destinations

    hosts = destinations(config)
    for url, host in (
        (config.embeddings_base_url, hosts.embedding),
        (config.rerank_base_url, hosts.reranking),
    ):
        if host and url.lower().startswith("http:"):
            yield Check("encryption", "warn", f"{host} is asked without encryption", "use https://")


def _cache(home: Path) -> Iterator[Check]:
    from tadoru.indexing.embeddings_cache import NAME, faults

    path = home / NAME
    if not path.exists():
        return
    wrong = faults(home)
    if wrong:
        fix = f"rm {path}*: it is a cache, and made again"
        yield Check("vector cache", "fail", f"{path}: {'; '.join(wrong)}", fix)
    else:
        yield Check("vector cache", "ok", f"{path}, {path.stat().st_size / 10**6:.1f} MB")


def check_vectors(source: LocalSource) -> Iterator[Check]:
    """Yield how many chunks of an index wait for a vector, and why."""
    from tadoru.indexing.embed import survey

    try:
        embedder = _made(source.config.models)
        if embedder is None:
            return
        found = survey(source.store, embedder.fingerprint)
        if not found.waiting:
            yield Check("vectors", "ok", f"{found.files} files")
            return
        why = source.vectors.why()
        detail = (
            f"{found.waiting} chunks of {found.waiting_files} files wait "
            f"(about {found.tokens} tokens): {why}"
        )
        yield Check("vectors", "warn", detail, "tadoru index")
    except TadoruError as error:
        yield Check("vectors", "warn", error.message, error.hint)
