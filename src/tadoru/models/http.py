"""JSON over HTTP to a configured endpoint: deadlines, retries by status, and no word of a key.

Decides by status code alone what is worth another try (429, 5xx, a broken connection) and waits as
long as `Retry-After` says, within the deadline. Refuses redirects, which would carry the key to
another host, and answers larger than a bound. Error texts name host and status, never what the
server wrote, which may repeat what it was sent.
"""

from __future__ import annotations

import email.utils
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from tadoru.errors import ConfigError, Unavailable

ATTEMPTS = 6
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
"""Seconds before the second attempt, doubled for each further one, up to the longest."""
MAX_ANSWER_BYTES = 256 * 1024 * 1024
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Rejected(Unavailable):
    """The endpoint understood and refused (400, 413, 422): another try needs another request."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


@dataclass(slots=True)
class Endpoint:
    """One address of a provider, shared by all threads that talk to it."""

    url: str
    key: str = field(default="", repr=False)
    timeout_seconds: float = 30.0
    """Of one attempt: connecting, and each wait for bytes."""
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    _pause_until: float = field(default=0.0, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(
                f"not an http address: {self.url!r}", hint="give the full URL of the endpoint"
            )
        if any(not " " < char < "\x7f" for char in self.key):
            raise ConfigError("the key has characters that no key has", hint="check for a newline")

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def is_local(self) -> bool:
        return self.host in LOOPBACK

    def post(self, body: dict[str, Any], *, deadline_seconds: float) -> Any:
        """Send JSON and return the JSON that comes back.

        Raises: `Rejected` for 400, 413 and 422, `Unavailable` for everything else that is no
        answer, at the latest after `deadline_seconds`.
        """
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        end = self.clock() + deadline_seconds
        reason = "no answer in time"
        for attempt in range(ATTEMPTS):
            self._wait_for_pause(end)
            left = end - self.clock()
            if left <= 0:
                break
            try:
                return self._once(data, min(self.timeout_seconds, left))
            except urllib.error.HTTPError as error:
                with error:
                    reason = f"status {error.code}"
                    after = error.headers.get("Retry-After") if error.headers else None
                self._refuse_unless_worth_retrying(error.code)
                self._pause(_wait_seconds(after, attempt))
            except (OSError, HTTPException) as error:  # refused, reset, timed out, cut short
                reason = type(getattr(error, "reason", error)).__name__
                self._pause(_wait_seconds(None, attempt))
        raise Unavailable(f"{self.host} did not answer: {reason}", hint="try again later")

    def _once(self, data: bytes, timeout: float) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.url, data, headers, method="POST")
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=timeout) as response:
            answer = response.read(MAX_ANSWER_BYTES + 1)
        if len(answer) > MAX_ANSWER_BYTES:
            raise Unavailable(f"{self.host} answered with more than {MAX_ANSWER_BYTES} bytes")
        try:
            return json.loads(answer)
        except ValueError:
            raise Unavailable(
                f"{self.host} did not answer with JSON", hint="check the URL"
            ) from None

    def _refuse_unless_worth_retrying(self, status: int) -> None:
        if status in (400, 413, 422):
            raise Rejected(f"{self.host} refused the request: status {status}")
        if status in (401, 403):
            raise Unavailable(f"{self.host} refused the key: status {status}", hint="check the key")
        if status not in (408, 425, 429) and status < 500:
            raise Unavailable(f"{self.host} answered with status {status}", hint="check the URL")

    def _pause(self, seconds: float) -> None:
        with self._lock:
            self._pause_until = max(self._pause_until, self.clock() + seconds)

    def _wait_for_pause(self, end: float) -> None:
        """Wait for a pause that any thread was told to make; give up when it outlasts `end`."""
        while True:
            with self._lock:
                wait = self._pause_until - self.clock()
            if wait <= 0:
                return
            if self.clock() + wait > end:
                raise Unavailable(f"{self.host} asks to wait {wait:.0f} s", hint="try again later")
            self.sleep(wait)


def _wait_seconds(retry_after: str | None, attempt: int) -> float:
    """Return the wait: what the server says (seconds or a date, RFC 9110), else doubling."""
    backoff = min(LONGEST_WAIT, FIRST_WAIT * 2.0**attempt)
    if not retry_after:
        return backoff
    value = retry_after.strip()
    if value.isdecimal() and len(value) < 7:
        return float(value)
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return backoff
    return max(0.0, moment.timestamp() - time.time())
