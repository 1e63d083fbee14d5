"""The keys of an identity provider (JWKS, RFC 7517): from a file or a URL, kept, and renewed.

An unknown key id leads to one look at most every `AGAIN_SECONDS`, whoever brings it: nobody can
make this service hammer its provider. While the provider is away the keys that are known serve on
for `STALE_SECONDS`, then nobody is let in. Keys come from nowhere else: what a token says of its
own key (`jku`, `jwk`, `x5u`) is not read.
"""

from __future__ import annotations

import json
import logging
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tadoru.errors import ConfigError

if TYPE_CHECKING:
    from jwt import PyJWK

log = logging.getLogger(__name__)

AGAIN_SECONDS = 10.0
"""Least time between two looks."""
FRESH_SECONDS = 600.0
"""After this time keys are asked for again, so that one that was withdrawn is forgotten."""
STALE_SECONDS = 3_600.0
FETCH_SECONDS = 5.0
MAX_BYTES = 512 * 1024
MAX_KEYS = 100


class KeysAway(Exception):
    """No key is known, or those that are known are too old."""


class Keys:
    """The keys by their id. Threads may share it."""

    def __init__(
        self,
        load: Callable[[], bytes],
        algorithms: tuple[str, ...],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`load`: returns a JWKS document; raises `OSError` when it cannot."""
        self._load = load
        self._algorithms = algorithms
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: Mapping[str, PyJWK] = {}
        self._loaded = -STALE_SECONDS
        self._looked = -AGAIN_SECONDS

    def known(self, kid: str) -> PyJWK | None:
        """Return a key without waiting; None where `find` has to look first.

        While somebody looks, and when that failed a moment ago, keys that are not stale serve on: a
        provider that hangs holds up one request.
        """
        age = self._age()
        looked = self._clock() - self._looked < AGAIN_SECONDS
        return (
            self._kept.get(kid) if age < FRESH_SECONDS or (looked and age < STALE_SECONDS) else None
        )

    def find(self, kid: str) -> PyJWK | None:
        """Return a key, after a look when that is due; None when there is none of this id.

        May wait for the provider. Raises: `KeysAway`.
        """
        with self._lock:
            due = kid not in self._kept or self._age() >= FRESH_SECONDS
            if due and self._clock() - self._looked >= AGAIN_SECONDS:
                self._look()
            if self._age() >= STALE_SECONDS:
                raise KeysAway
            return self._kept.get(kid)

    def _age(self) -> float:
        return self._clock() - self._loaded

    def _look(self) -> None:
        self._looked = self._clock()
        try:
            self._kept = parsed(self._load(), self._algorithms)
            self._loaded = self._clock()
        except (OSError, ValueError, HTTPException) as error:
            log.warning("the keys of the identity provider cannot be read: %s", error)


def parsed(document: bytes, algorithms: tuple[str, ...]) -> dict[str, PyJWK]:
    """Return the keys of a JWKS that can verify signatures of these algorithms, by id.

    A key without an id has the id `""`. Keys for encryption, symmetric ones, and those of an
    algorithm that is not allowed are left out. Raises: `ValueError` for what is no JWKS.
    """
    from jwt import PyJWK
    from jwt.exceptions import PyJWTError

    table = json.loads(document)
    listed = table.get("keys") if isinstance(table, dict) else None
    if not isinstance(listed, list):
        raise ValueError("this is no JWKS")
    keys: dict[str, PyJWK] = {}
    for row in listed[:MAX_KEYS]:
        if not isinstance(row, dict) or row.get("use", "sig") != "sig" or row.get("kty") == "oct":
            continue
        if "verify" not in row.get("key_ops", ["verify"]):
            continue
        try:
            key = PyJWK(row)
        except (PyJWTError, ValueError, TypeError, KeyError):
            continue  # a kind of key that is not known here; the others serve
        if key.key_type == "RSA" or key.algorithm_name in algorithms:
            keys[str(row.get("kid", ""))] = key
    return keys


def loader(place: str) -> Callable[[], bytes]:
    """Return what reads a JWKS from an https URL, or a file. Raises: `ConfigError`."""
    parts = urlsplit(place)
    if parts.scheme in ("https", "http"):
        if parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "::1", "localhost"):
            raise ConfigError(
                "`serve.keys` is fetched without TLS, so anybody could change them",
                hint="give an https URL",
            )
        return lambda: _fetched(place)
    return Path(place).expanduser().read_bytes


class _Unmoved(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _fetched(url: str) -> bytes:
    opener = urllib.request.build_opener(
        _Unmoved, urllib.request.HTTPSHandler(context=ssl.create_default_context())
    )
    request = urllib.request.Request(url, headers={"Accept": "application/json"})
    with opener.open(request, timeout=FETCH_SECONDS) as answer:
        data: bytes = answer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError("the document is too large")
    return data
