"""What `tadoru doctor` looks at around document stores: the shared cache and lazy files.

Asks a configured Redis whether it is there, since nothing else would ever say that it is not; asks
no object store anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from tadoru.cli.checks import Check
from tadoru.config import CacheConfig, Config, ObjectsConfig
from tadoru.errors import TadoruError

PROBE = "doctor"
"""A key that nothing is ever put under."""


def check_stores(config: Config) -> Iterator[Check]:
    """Yield the checks of what is configured; nothing for what is not."""
    if config.cache.url:
        yield _cache(config.cache)
    if config.objects.allow or config.objects.options:
        yield _objects(config.objects)


def _cache(settings: CacheConfig) -> Check:
    try:
        from tadoru.stores.cache.redis import RedisCache

        cache = RedisCache(settings.url)
    except TadoruError as error:
        return Check("cache", "fail", error.message, error.hint)
    cache.get(PROBE)
    away = cache.away or ("" if cache.ready else "no answer yet")
    cache.close()
    if away:
        fix = "start it, or correct cache.url; without it everything works, and slower"
        return Check("cache", "warn", f"Redis is not used: {away}", fix)
    return Check("cache", "ok", "Redis answers")


def _objects(settings: ObjectsConfig) -> Check:
    missing = [name for name in ("obstore", "httpx") if find_spec(name) is None]
    if missing:
        fix = "pip install 'tadoru[objects]'"
        return Check("objects", "fail", f"{' and '.join(missing)} not installed", fix)
    from tadoru.stores.objects import ObjectReader

    try:
        ObjectReader(settings)
    except TadoruError as error:
        return Check("objects", "fail", error.message, error.hint)
    allowed = ", ".join(settings.allow) or "nothing: objects.allow is empty"
    return Check("objects", "ok" if settings.allow else "warn", f"allowed: {allowed}")
