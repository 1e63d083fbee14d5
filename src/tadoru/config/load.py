"""Reads configuration from its four places into one `Config`.

A mistake in the user's own file, in the environment or in a flag is an error that names the key. A
repository's file is not trusted: a key that it may not set is left out, with a warning; a file that
is no regular file, or larger than `MAX_BYTES`, is not opened.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tadoru.config.values import SEARCH_BOUNDS, AccessRule, Config
from tadoru.errors import ConfigError

CONFIG_FILE = "config.toml"
PROJECT_FILE = ".tadoru.toml"
MAX_BYTES = 1024 * 1024

_SECTIONS = ("index", "search", "resolve", "shell", "models", "cache", "objects", "serve")
_PROJECT_KEYS = frozenset(
    {"budget", "access", "index.include", "index.ignore", "index.debounce_ms"}
)
"""What a repository may set, besides all of `[search]` and `[resolve]`."""

_ENVIRONMENT: Mapping[str, str] = {
    "TADORU_HOME": "home",
    "TADORU_GROUPS": "groups",
    "TADORU_BUDGET": "budget",
    "TADORU_AUDIT": "audit",
    "TADORU_MODELS": "models",
    "INCLUDE_DIRS": "index.include",
    "IGNORE_PATTERNS": "index.ignore",
    "RESOLVE_TOPK": "resolve.top_k",
    "TADORU_CACHE_URL": "cache.url",
    "RESOLVE_MODEL_DIR": "models.resolve_model_dir",
    "RESOLVE_MODEL_PRECISION": "models.resolve_model_precision",
    "EMBEDDINGS_API_KEY": "models.embeddings_api_key",
    "EMBEDDINGS_BASE_URL": "models.embeddings_base_url",
    "EMBEDDINGS_MODEL": "models.embeddings_model",
    "EMBEDDINGS_MAX_CONCURRENCY": "models.embeddings_max_concurrency",
    "EMBEDDINGS_DIMENSIONS": "models.embeddings_dimensions",
    "RERANK_API_KEY": "models.rerank_api_key",
    "RERANK_BASE_URL": "models.rerank_base_url",
    "RERANK_MODEL": "models.rerank_model",
    "RERANK_TOP_N": "models.rerank_top_n",
    "TADORU_SERVE_ISSUER": "serve.issuer",
    "TADORU_SERVE_AUDIENCE": "serve.audience",
    "TADORU_SERVE_KEYS": "serve.keys",
    "TADORU_SERVE_SCOPES": "serve.scopes",
    "TADORU_SERVE_GROUPS_CLAIM": "serve.groups_claim",
    "TADORU_SERVE_OPERATORS": "serve.operators",
    "TADORU_SERVE_URL": "serve.url",
    "TADORU_SERVE_HOSTS": "serve.hosts",
    "TADORU_SERVE_ORIGINS": "serve.origins",
    "TADORU_SERVE_METRICS_TOKEN": "serve.metrics_token",
    "CW_SEARCH_WVEC": "search.w_vec",
    "CW_SEARCH_WLEX": "search.w_lex",
    "CW_SEARCH_RERANK_TOP_N": "search.rerank_top_n",
    "CW_SEARCH_MAX_TOTAL_CHARS": "search.max_total_chars",
    "CW_SEARCH_VECTOR_TOP_K": "search.vector_top_k",
    "CW_SEARCH_SMART_MAX_K": "search.smart_max_k",
    "CW_SEARCH_IMPORT_FILES_PER_SEED": "search.import_files_per_seed",
}
PLACEHOLDER_KEY = "your-api-key-here"
"""The seed's template value: counts as missing."""


def user_file(env: Mapping[str, str]) -> Path:
    """Return where the user's own configuration lies (`TADORU_CONFIG` overrides)."""
    if env.get("TADORU_CONFIG"):
        return Path(env["TADORU_CONFIG"])
    import platformdirs

    return Path(platformdirs.user_config_dir("tadoru")) / CONFIG_FILE


def load(
    root: Path | None = None,
    *,
    env: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Config:
    """Return the configuration for a root.

    `flags`: dotted keys (`search.smart_max_k`) to values; None values are left out.
    Raises: `ConfigError` for a mistake in anything but the repository's own file.
    """
    env = os.environ if env is None else env
    config = Config()
    own = user_file(env)
    values = _flatten(_read(own, trusted=True))
    config = _apply(config, values, origin=str(own), trusted=True)
    config = replace(config, warnings=(*config.warnings, *_readable_keys(own, values)))
    if root is not None:
        path = root / PROJECT_FILE
        config = _apply(
            config, _flatten(_read(path, trusted=False)), origin=str(path), trusted=False
        )
    named = {key: env[name] for name, key in _ENVIRONMENT.items() if env.get(name)}
    config = _apply(config, named, origin="the environment", trusted=True)
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    config = _apply(config, given, origin="the command line", trusted=True)
    return _finish(config)


def _read(path: Path, *, trusted: bool) -> Mapping[str, Any]:
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if trusted else os.O_NOFOLLOW)
    try:
        handle = os.open(path, flags)
    except OSError:
        return {}
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        return {}
    with os.fdopen(handle, "rb") as file:
        if status.st_size > MAX_BYTES:
            raise ConfigError(f"{path} is larger than 1 MiB", hint="this is no configuration file")
        data = file.read(MAX_BYTES)
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}", hint="correct it, or remove it") from None


def _readable_keys(path: Path, values: Mapping[str, Any]) -> Iterable[str]:
    """Warn of a file with keys of services that others may read."""
    if any(value and _holds_key(key, value) for key, value in values.items()):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            yield f"{path} holds a key and has mode {mode:o}, so others may read it: chmod 600"


def _holds_key(key: str, value: Any) -> bool:
    if key == "cache.url":
        return "@" in str(value)
    return key.endswith(("_api_key", "_token")) or key == "objects.options"


def _flatten(table: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if key in _SECTIONS and isinstance(value, Mapping):
            flat.update({f"{key}.{name}": item for name, item in value.items()})
        else:
            flat[key] = value
    return flat


def _apply(config: Config, values: Mapping[str, Any], *, origin: str, trusted: bool) -> Config:
    for key, value in values.items():
        if not trusted and not project_may_set(key):
            note = f"{origin}: a repository may not set `{key}`; set it in your own configuration"
            config = replace(config, warnings=(*config.warnings, note))
            continue
        try:
            config = _set(config, key, value, trusted=trusted)
        except (TypeError, ValueError) as error:
            if trusted:
                hint = "see `tadoru config list` for keys and defaults"
                raise ConfigError(f"`{key}` in {origin}: {error}", hint=hint) from None
            config = replace(config, warnings=(*config.warnings, f"{origin}: `{key}`: {error}"))
    return config


def project_may_set(key: str) -> bool:
    """Tell whether a repository's own file may set a key."""
    return key in _PROJECT_KEYS or key.startswith(("search.", "resolve."))


def _set(config: Config, key: str, value: Any, *, trusted: bool) -> Config:
    section, _, name = key.rpartition(".")
    if section:
        part = getattr(config, section)
        parsed = _options(value) if key == "objects.options" else _parse(part, name, value)
        if section == "index" and name in ("include", "ignore"):
            parsed = (*getattr(part, name), *parsed)
        if section == "search":
            parsed, note = _bounded(name, parsed)
            config = replace(config, warnings=(*config.warnings, *note))
            if name in ("w_vec", "w_lex"):
                part = replace(part, **{"w_lex" if name == "w_vec" else "w_vec": 1 - parsed})
        return replace(config, **{section: replace(part, **{name: parsed})})
    if name == "access":
        rules = tuple(_rules(value))
        return replace(config, access=rules) if trusted else replace(config, restrict=rules)
    if name == "models":
        if value not in ("embedded", "none"):
            raise ValueError('give "embedded" or "none", or a table [models]')
        return replace(config, models=replace(config.models, embedded=value == "embedded"))
    if name == "mounts":
        return replace(config, mounts={str(k): _mount(v) for k, v in dict(value).items()})
    return replace(config, **{name: _parse(config, name, value)})


def _parse(part: Any, name: str, value: Any) -> Any:
    """Turn a string or a TOML value into the type of the field's default."""
    known = {f.name for f in fields(part)}
    if name not in known or name == "warnings":
        raise ValueError("unknown key")
    default = getattr(part, name)
    for kind, parse in _PARSERS:
        if isinstance(default, kind):
            return parse(value)
    raise ValueError("cannot be set here")


def _boolean(value: Any) -> bool:
    text = str(value).lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off"):
        return False
    raise ValueError(f"{value!r} is neither true nor false")


def _integer(value: Any) -> int:
    number = int(str(value).replace("_", ""))
    if number < 0:
        raise ValueError(f"{value!r} is negative")
    return number


def _number(value: Any) -> float:
    number = float(value)
    if not 0 <= number < float("inf"):
        raise ValueError(f"{value!r} is not a number from 0 up")
    return number


def _strings(value: Any) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    return tuple(item for item in (str(item).strip() for item in items) if item)


def _string(value: Any) -> str:
    text = str(value)
    return "" if text == PLACEHOLDER_KEY else text


def _mount(value: Any) -> str:
    """An address, or a table with `address` and the settings that belong behind its `?`."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping) or not isinstance(value.get("address"), str):
        raise ValueError('a mount is an address, or a table with `address = "chroma://..."`')
    address: str = value["address"]
    settings = [f"{k}={quote(str(v), safe='')}" for k, v in value.items() if k != "address"]
    return address + ("&" if "?" in address else "?") + "&".join(settings) if settings else address


def _options(value: Any) -> Mapping[str, Mapping[str, str]]:
    """`[objects.options."s3://bucket/"]` with `endpoint = "..."` and the like below it."""
    if not isinstance(value, Mapping) or not all(isinstance(v, Mapping) for v in value.values()):
        raise ValueError('give a table for each prefix: [objects.options."s3://bucket/"]')
    return {
        str(prefix): {str(name): str(item) for name, item in table.items()}
        for prefix, table in value.items()
    }


_PARSERS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (bool, _boolean),
    (int, _integer),
    (float, _number),
    (str, _string),
    (frozenset, lambda value: frozenset(_strings(value))),
    (tuple, _strings),
)


def _bounded(name: str, value: Any) -> tuple[Any, tuple[str, ...]]:
    if name not in SEARCH_BOUNDS:
        return value, ()
    low, high = SEARCH_BOUNDS[name]
    inside = type(value)(min(max(value, low), high))
    if inside == value:
        return value, ()
    return inside, (f"`search.{name}` = {value} is outside {low:g} to {high:g}: {inside} is used",)


def _rules(value: Any) -> Iterable[AccessRule]:
    """`"glob" = ["group", ...]`, `"glob" = "public"`, or `"glob" = []` for nobody."""
    if not isinstance(value, Mapping):
        raise ValueError('access is a table of globs: `"internal/**" = ["admin"]`')
    for glob, groups in value.items():
        if groups == "public":
            yield AccessRule(glob=str(glob), public=True)
        elif isinstance(groups, list):
            yield AccessRule(glob=str(glob), groups=frozenset(map(str, groups)))
        else:
            raise ValueError(f'`{glob}`: give a list of groups, or "public"')


def _finish(config: Config) -> Config:
    if config.budget < MIN_BUDGET:
        raise ConfigError(
            f"`budget` = {config.budget} tokens is too small", hint="give 200 or more"
        )
    return config


MIN_BUDGET = 200
"""Tokens below which no useful answer fits."""
