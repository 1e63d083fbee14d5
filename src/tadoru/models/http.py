"""JSON over HTTP to a configured endpoint: deadlines, retries by status, and no word of a key.

Decides by status code alone what is worth another try (429, 5xx, a broken connection) and waits as
long as `Retry-After` says, within the deadline; goes slower after a 429. Refuses redirects, which
would carry the key to another host, and answers larger than a bound. What goes to this machine goes
through no proxy. Error texts name host and status, never what the server wrote, which may repeat
what it was sent.
"""

from __future__ import annotations

import email.utils
import ipaddress
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
from tadoru.models.gate import Gate

ATTEMPTS = 6
HURRIED_ATTEMPTS = 2
LOST_CONNECTIONS = 4
"""Attempts that may end without any answer: nobody listens, the wire is cut, time is over."""
STUMBLES = 2
"""Attempts at a request that the server breaks at (status 500): it may be the request's fault."""
AWAY_SECONDS = 30.0
"""For so long after a failure, one who is in a hurry is not made to wait for another one."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
"""Seconds before the second attempt, doubled for each further one, up to the longest."""
MAX_ANSWER_BYTES = 256 * 1024 * 1024


class Rejected(Unavailable):
    """The endpoint understood and refused (400, 413, 422): another try needs another request."""


class Stumbled(Rejected):
    """The endpoint broke at this request (500): some servers do so at a text that is too long."""


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
    gate: Gate = field(default_factory=Gate, repr=False)
    _pause_until: float = field(default=0.0, repr=False)
    _away_until: float = field(default=0.0, repr=False)
    _away: str = field(default="", repr=False)
    _failed_at: float = field(default=float("-inf"), repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(
                "the address of an endpoint is no http address",
                hint="give its full URL: https://host/v1/embeddings",
            )
        if any(not " " < char < "\x7f" for char in self.key):
            raise ConfigError("the key has characters that no key has", hint="check for a newline")

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def authority(self) -> str:
        """Host, and port where one is given; never a user or a password."""
        port = urlsplit(self.url).port
        return f"{self.host}:{port}" if port else self.host

    @property
    def is_local(self) -> bool:
        """Tell whether what is sent stays on this machine."""
        return is_loopback(self.host)

    def post(self, body: dict[str, Any], *, deadline_seconds: float, hurried: bool = False) -> Any:
        """Send JSON and return the JSON that comes back.

        `hurried`: somebody waits for the answer, so a provider that failed lately is not asked.
        Raises: `Rejected` for 400, 413, 422 and a persistent 500, `Unavailable` for everything
        else that is no answer, at the latest after `deadline_seconds`.
        """
        began = self.clock()
        if hurried and began < self._away_until:
            raise Unavailable(self._away, hint="try again later")
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        with self.gate:
            if self._failed_at > began:  # another thread has found out meanwhile
                raise Unavailable(self._away, hint="try again later")
            attempts = HURRIED_ATTEMPTS if hurried else ATTEMPTS
            try:
                answer = self._persist(data, self.clock() + deadline_seconds, attempts)
            except Rejected:
                raise
            except Unavailable as error:  # noted before the gate opens for those who wait
                self._away, self._failed_at = error.message, self.clock()
                self._away_until = self._failed_at + AWAY_SECONDS
                raise
        self.gate.answered()
        self._away_until = 0.0
        return answer

    def _persist(self, data: bytes, end: float, attempts: int) -> Any:
        """Try until there is an answer, or no sense in going on."""
        reason = "no answer in time"
        lost = 0
        for attempt in range(attempts):
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
                if error.code == 429:
                    self.gate.refused()
                if error.code == 500 and attempt + 1 >= STUMBLES:
                    raise Stumbled(f"{self.host} did not answer: {reason}") from None
                self._pause(_wait_seconds(after, attempt))
            except (OSError, HTTPException) as error:  # refused, reset, timed out, cut short
                reason = type(getattr(error, "reason", error)).__name__
                lost += 1
                if lost >= LOST_CONNECTIONS:
                    break
                self._pause(_wait_seconds(None, attempt))
        raise Unavailable(f"{self.host} did not answer: {reason}", hint="try again later")

    def _once(self, data: bytes, timeout: float) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.url, data, headers, method="POST")
        direct = [urllib.request.ProxyHandler({})] if self.is_local else []
        opener = urllib.request.build_opener(_NoRedirect, *direct)
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


def is_loopback(host: str) -> bool:
    """Tell whether a host name can only mean this machine."""
    if host == "localhost" or host.endswith(".localhost"):  # RFC 6761
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
