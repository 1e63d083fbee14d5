"""Bytes over HTTP, from exactly the address that was asked: no redirect, no unpacking, no surplus.

A redirect leads to a host that nobody allowed, so it is an error. A server that ignores the range
and sends everything is understood; one that sends more than the whole object may have is not read
to the end.
"""

from __future__ import annotations

import os
import re
import time
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tadoru.errors import StoreError, Unavailable
from tadoru.models.http import is_loopback
from tadoru.stores.objects.answer import Answer, ObjectChanged, StoreAway, bare, gone
from tadoru.stores.objects.pointer import Location

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 2
"""A broken connection or a server error (5xx, 429) is tried once more, within the deadline."""
_RANGE = re.compile(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19})")


def fetch(
    place: Location,
    address: str,
    *,
    wish: tuple[int, int] | None,
    etag: str,
    limit: int,
    seconds: float,
) -> Answer:
    """Read an object, or the half-open range `wish` of it, from a web address.

    `etag`: of the object that is meant, when it is known; `limit`: the most bytes to take;
    `seconds`: in all. Raises: `StoreError` when the object is gone or another one, `Unavailable`
    when there is no good answer.
    """
    import httpx

    end = time.monotonic() + seconds
    headers = {"Accept-Encoding": "identity"}
    if wish is not None:
        headers["Range"] = f"bytes={wish[0]}-{wish[1] - 1}"
    if etag and not etag.startswith("W/"):
        headers["If-Match"] = f'"{bare(etag)}"'
    client = _client(os.getpid(), is_loopback(urlsplit(address).hostname or ""))
    reason = "no time left"
    for _ in range(ATTEMPTS):
        left = end - time.monotonic()
        if left <= 0:
            break
        try:
            with client.stream("GET", address, headers=headers, timeout=left) as response:
                reason = _judged(place, response.status_code)
                if not reason:
                    return _answer(place, response, limit, end)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = type(error).__name__
    raise StoreAway(place, reason)


@cache
def _client(process: int, direct: bool) -> httpx.Client:
    """Return a client, which keeps connections open: a fork has its own, and what goes to this
    machine goes through no proxy."""
    import httpx

    headers = {"User-Agent": "tadoru"}
    return httpx.Client(follow_redirects=False, headers=headers, trust_env=not direct)


def _judged(place: Location, status: int) -> str:
    """Return why to try again; empty for an answer. Raises: for what another try won't change."""
    if status in (200, 206):
        return ""
    if status in (404, 410):
        raise gone(place)
    if status in (412, 416):
        raise ObjectChanged(place, "the store has another one")
    if 300 <= status < 400:
        raise Unavailable(
            f"{place}: the object store sends its readers elsewhere (status {status})",
            hint="redirects are not followed; check endpoint and region",
        )
    if status in (401, 403):
        raise Unavailable(f"{place}: the store refuses it", hint="check the credentials")
    if status in (408, 425, 429) or status >= 500:
        return f"status {status}"
    raise Unavailable(f"{place}: the object store answered with status {status}")


def _answer(place: Location, response: httpx.Response, limit: int, end: float) -> Answer:
    start, stop, total = _extent(place, response)
    if stop - start > limit:
        raise Unavailable(f"{place}: the object store sends more than {limit} bytes at once")
    data = bytearray()
    for piece in response.iter_raw():
        data += piece
        if len(data) > stop - start:
            raise StoreError(f"{place}: the object store sent more than it said")
        if time.monotonic() > end:
            raise StoreAway(place, "it is too slow")
    if len(data) != stop - start:
        raise Unavailable(f"{place}: the object store sent less than it said")
    return Answer(bytes(data), start, total, response.headers.get("etag", ""))


def _extent(place: Location, response: httpx.Response) -> tuple[int, int, int]:
    """Return where an answer begins and ends in the object, and how large that is."""
    if response.status_code == 206:
        matched = _RANGE.fullmatch(response.headers.get("content-range", ""))
        if matched is not None:
            start, last, total = map(int, matched.groups())
            if start <= last < total:
                return start, last + 1, total
        raise Unavailable(f"{place}: the object store does not say which part it sent")
    length = response.headers.get("content-length", "")
    if not length.isascii() or not length.isdigit() or len(length) > 19:
        raise Unavailable(f"{place}: the object store does not say how much it sends")
    return 0, int(length), int(length)
