"""Pointers: where the bytes of an entry lie in an object store, and which URLs may be followed.

A tree comes from others, so a pointer is only a wish: its URL is taken apart strictly, and followed
when it lies below a prefix that the user's own configuration names. Refuses everything that two
readers could understand differently: users, queries, fragments, escapes in a host, dots, doubled
slashes, control characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tadoru.errors import ConfigError, StoreError, Unavailable

SCHEMES = frozenset({"s3", "gs", "az", "https", "http", "file"})
MAX_URL = 4_096
"""Characters of a URL: a host, and a key of 1,024 bytes with every byte escaped."""
MAX_SIZE = 1 << 42
"""Bytes of an object: 4 TiB, the most that a store keeps as one."""
MAX_ETAG = 256

_URL = re.compile(r"([a-z][a-z0-9]*)://([^/]*)(/.*)?", re.DOTALL)
_HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?(:[0-9]{1,5})?|\[[0-9a-f:.]+\](:[0-9]{1,5})?")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\?#]|\ufffd")
_ESCAPED = re.compile(r"%(2e|2f|5c|00|25)", re.IGNORECASE)
"""Escapes in a web address that a server may undo into a separator, a dot or another escape."""
_PORTS = {"https": ":443", "http": ":80"}


@dataclass(frozen=True, slots=True)
class Location:
    """A URL taken apart."""

    scheme: str
    host: str
    """Host and port, bucket or container; empty for `file`."""
    parts: tuple[str, ...]
    """The path, without empty parts; a key of S3 is meant literally, a web path is escaped."""
    below: bool = False
    """The URL ends with a slash: what lies below is meant, not an object of that name."""

    @property
    def key(self) -> str:
        return "/".join(self.parts)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}/{self.key}"

    def covers(self, other: Location) -> bool:
        """Tell whether `other` is this place, or lies below it, part by part."""
        same = (self.scheme, self.host) == (other.scheme, other.host)
        if self.below and len(other.parts) <= len(self.parts):
            return False
        return same and other.parts[: len(self.parts)] == self.parts


def locate(url: str) -> Location:
    """Take a URL apart. Raises: `ValueError` for anything but a plain address of an object."""
    matched = _URL.fullmatch(url) if len(url) <= MAX_URL else None
    if matched is None or _UNSAFE.search(url):
        raise ValueError("it is no plain URL")
    scheme, host, path = matched[1], matched[2].lower(), (matched[3] or "/")[1:]
    if scheme not in SCHEMES:
        raise ValueError(f"no object is read by {scheme}://")
    if host if scheme == "file" else not _HOST.fullmatch(host):
        raise ValueError("its host cannot be one")
    parts = tuple(path.removesuffix("/").split("/")) if path.strip("/") else ()
    if not {"", ".", ".."}.isdisjoint(parts):
        raise ValueError("its path has empty parts or dots")
    if scheme in _PORTS:
        if _ESCAPED.search(path) or not path.isascii() or " " in path:
            raise ValueError("its path is escaped in a way that servers undo differently")
        host = host.removesuffix(_PORTS[scheme])
    return Location(scheme, host, parts, below=path.endswith("/") or not parts)


@dataclass(frozen=True, slots=True)
class Pointer:
    """What a tree says about an object."""

    url: str
    size: int
    """Bytes."""
    etag: str = ""
    """As the store gives it, with or without its quotes; empty when the publisher knew none."""

    @classmethod
    def parse(cls, value: object) -> Pointer:
        """Read the `pointer` of a tree's entry: `{"url": ..., "size": ..., "etag": ...}`.

        Raises: `StoreError` for what cannot be one; whether it may be followed is not asked.
        """
        known: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        url, size, etag = known.get("url"), known.get("size"), known.get("etag", "")
        plain = isinstance(url, str) and isinstance(etag, str) and len(etag) <= MAX_ETAG
        counted = isinstance(size, int) and not isinstance(size, bool) and 0 <= size <= MAX_SIZE
        if not (plain and counted):
            raise StoreError(
                "a pointer of the tree makes no sense", hint="publish it with url, size and etag"
            )
        return cls(str(url), int(str(size)), str(etag))


class AllowList:
    """The prefixes below which pointers are followed; none of them, no pointer."""

    def __init__(
        self, prefixes: Iterable[str], options: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        """`options`: settings of obstore by prefix. Raises: `ConfigError` for a bad prefix."""
        self._prefixes = tuple(_prefix(prefix, "objects.allow") for prefix in prefixes)
        self._options = {
            _prefix(prefix, "objects.options"): dict(table)
            for prefix, table in (options or {}).items()
        }

    def check(self, url: str) -> Location:
        """Return the place of an object. Raises: `Unavailable` when it may not be asked for."""
        try:
            place = locate(url)
        except ValueError as error:
            raise Unavailable(f"the file is a pointer that is not followed: {error}") from None
        if place.below or not any(prefix.covers(place) for prefix in self._prefixes):
            raise Unavailable(
                f"the file is a pointer to {place}, which is not allowed here",
                hint="`objects.allow` in the user's configuration names what may be read",
            )
        return place

    def root(self, place: Location) -> Location:
        """Return the longest prefix that allows a place."""
        found = [prefix for prefix in self._prefixes if prefix.covers(place)]
        return max(found, key=lambda prefix: len(prefix.parts))

    def options(self, place: Location) -> dict[str, str]:
        """Return the settings of the longest prefix that covers a place."""
        found = [prefix for prefix in self._options if prefix.covers(place)]
        return self._options[max(found, key=lambda p: len(p.parts))] if found else {}


def _prefix(url: str, key: str) -> Location:
    try:
        return locate(url)
    except ValueError as error:
        raise ConfigError(
            f"`{key}`: {url!r} is no prefix of URLs: {error}",
            hint='such as "s3://bucket/specs/" or "https://host/specs/"',
        ) from None
