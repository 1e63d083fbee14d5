"""Where obstore comes in: signed addresses for S3, and whole requests for GCS, Azure and files.

obstore knows how each store is addressed and where its credentials lie (environment, profile of the
machine, the user's options). It follows redirects wherever they lead, so what goes over HTTP to a
host that a user may choose freely is signed here and fetched by `web`, which follows none; GCS and
Azure are asked by obstore itself, at the provider's own host.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from tadoru.errors import ConfigError, StoreError, Unavailable
from tadoru.stores.objects.answer import Answer, StoreAway, gone
from tadoru.stores.objects.pointer import Location

SIGNED_SECONDS = 300
"""How long a signed address holds: longer than any read, and than clocks are wrong."""
STORES_KEPT = 256
Options = tuple[tuple[str, str], ...]
"""Settings, sorted, as what a store is made from and found again by."""


def frozen(options: Mapping[str, str]) -> Options:
    return tuple(sorted(options.items()))


def signed(place: Location, options: Options) -> str:
    """Return the address of an object in S3, signed to be read.

    Raises: `Unavailable` without credentials, `ConfigError` for settings that make no sense.
    """
    import obstore

    public = dict(options).get("skip_signature", "").lower() in ("1", "true", "yes", "on")
    if public:  # an address without its signature is what anybody asks for
        left = [(name, value) for name, value in options if name != "skip_signature"]
        options = (*left, ("access_key_id", "none"), ("secret_access_key", "none"))
    try:
        store = _store(f"s3://{place.host}", options, 1.0)
        url: str = obstore.sign(store, "GET", place.key, timedelta(seconds=SIGNED_SECONDS))
    except obstore.exceptions.BaseError as error:
        raise Unavailable(
            f"{place.scheme}://{place.host} cannot be asked: {type(error).__name__}",
            hint="check the credentials (AWS_*, or objects.options)",
        ) from None
    return url.partition("?")[0] if public else url


def ask(
    place: Location,
    root: Location,
    options: Options,
    *,
    wish: tuple[int, int] | None,
    limit: int,
    seconds: float,
) -> Answer:
    """Read bytes of an object in GCS, Azure or a directory: `wish` is a half-open range.

    Raises: `StoreError` when it is gone or has more than `limit` bytes to give, `Unavailable` when
    there is no answer.
    """
    import obstore

    errors = obstore.exceptions
    try:
        if place.scheme == "file":
            store, key = _directory(place, root)
        else:
            store, key = _store(f"{place.scheme}://{place.host}", options, seconds), place.key
        result = obstore.get(store, key, options={"range": wish} if wish else {})
        if result.range[1] - result.range[0] > limit:
            raise Unavailable(f"{place}: the object store sends more than {limit} bytes at once")
        return Answer(
            data=bytes(result.bytes()),
            start=result.range[0],
            total=result.meta["size"],
            etag=result.meta["e_tag"] or "",
        )
    except FileNotFoundError:
        raise gone(place) from None
    except (errors.PermissionDeniedError, errors.UnauthenticatedError):
        raise Unavailable(f"{place}: the store refuses it", hint="check the credentials") from None
    except (errors.BaseError, OSError) as error:
        raise StoreAway(place, type(error).__name__) from None


def _directory(place: Location, root: Location) -> tuple[Any, str]:
    """Return a store of the allowed directory, and the file below it, links resolved."""
    from obstore.store import LocalStore

    top = os.path.realpath("/" + root.key)
    real = os.path.realpath("/" + place.key)
    if real != top and not real.startswith(top.rstrip("/") + "/"):
        raise StoreError(f"{place}: leads out of the directory that is allowed")
    if not Path(real).is_file():  # a pipe or a device would never end
        raise gone(place)
    return LocalStore("/"), real.lstrip("/")


@lru_cache(maxsize=STORES_KEPT)
def _store(url: str, options: Options, seconds: float) -> Any:
    """Return one store for each bucket and its settings; it keeps connections and credentials."""
    import obstore
    from obstore.store import from_url

    patience = timedelta(seconds=seconds)
    settings: dict[str, Any] = {
        "config": dict(options),
        # without TLS only where a user's own settings say so
        "client_options": {"timeout": patience, "connect_timeout": patience, "allow_http": True},
        "retry_config": {"max_retries": 1, "retry_timeout": patience},
    }
    try:
        return from_url(url, **settings)
    except (obstore.exceptions.UnknownConfigurationKeyError, TypeError, ValueError):
        raise ConfigError(
            f"`objects.options` of {url}: a key is not known there",
            hint="keys are those of obstore: endpoint, region, access_key_id, ...",
        ) from None
