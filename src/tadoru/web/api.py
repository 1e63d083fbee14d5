"""The JSON API and the panels over HTTP: a request's words to a call, its answer or error to JSON.

Decides which status an error has, and what travels with a call (`travelling`). Knows nothing of
tokens and limits: who asks is known when a request comes here.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from starlette.requests import Request
from starlette.responses import Response

from tadoru.errors import (
    BadInput,
    IsADirectoryHere,
    LimitExceeded,
    NotADirectoryHere,
    NotIndexed,
    OutsideRoots,
    PathNotFound,
    ReadOnly,
    StoreError,
    TadoruError,
    TimeUp,
    Unavailable,
)
from tadoru.parameters import arguments_of
from tadoru.types import to_json
from tadoru.web.gate import error_body
from tadoru.web.identity import ASKER, Refused
from tadoru.web.operations import Operation, Operations
from tadoru.web.travelling import key_for, opened, sealed

if TYPE_CHECKING:
    from tadoru.web.panels import Panel
    from tadoru.web.workers import Workers
    from tadoru.workspace import Workspace

log = logging.getLogger(__name__)

Handler = Callable[[Request], Awaitable[Response]]
SESSION = "session"
"""The field in which a session travels, in requests and in answers."""
_STATUS: tuple[tuple[type[TadoruError], int], ...] = (
    (TimeUp, 504),
    (LimitExceeded, 422),
    (PathNotFound, 404),
    (OutsideRoots, 404),
    (IsADirectoryHere, 400),
    (NotADirectoryHere, 400),
    (ReadOnly, 400),
    (BadInput, 400),
    (NotIndexed, 503),
    (StoreError, 503),
    (Unavailable, 503),
)


class Workspaces(Protocol):
    """Where the workspace of the request under way comes from."""

    def current(self) -> Workspace: ...


class Api:
    """Handlers of the routes below `/api/`."""

    def __init__(
        self, workspaces: Workspaces, workers: Workers, *, secret: bytes, max_answer_bytes: int
    ) -> None:
        self._workspaces = workspaces
        self._workers = workers
        self._secret = secret
        self._max_answer_bytes = max_answer_bytes

    def operation(self, operation: Operation) -> Handler:
        """Return what answers `POST /api/<name>`."""

        async def handle(request: Request) -> Response:
            try:
                given = _object(await request.body())
                work = partial(self._call, operation, given)
                body = await self._workers.run(work, operation.name)
            except Exception as error:
                return failed(error)
            return self._answer(body)

        return handle

    def panel(self, panel: Panel) -> Handler:
        """Return what answers `GET /api/panels/<name>`."""

        async def handle(request: Request) -> Response:
            given = {name: value for name, value in request.query_params.items() if name != "as"}
            work = partial(self._look, panel, given)
            try:
                body = await self._workers.run(work, f"panel-{panel.name}")
            except Exception as error:
                return failed(error)
            return self._answer(body)

        return handle

    async def me(self, request: Request) -> Response:
        """Answer `GET /api/me`: who asks, as whom he sees, and what is mounted."""
        asker = ASKER.get()
        try:
            mounts = await self._workers.run(lambda: sorted(self._workspaces.current().roots), "me")
        except Exception as error:
            return failed(error)
        told = {
            "name": asker.identity.name or asker.identity.subject,
            "groups": sorted(asker.principal.groups),
            "operator": asker.identity.operator,
            "mounts": mounts,
        }
        return self._answer(written(told))

    def _call(self, operation: Operation, given: dict[str, Any]) -> bytes:
        travels = SESSION in given
        session = given.pop(SESSION, "")
        if not isinstance(session, str):
            raise BadInput(f"`{SESSION}` is text that an answer before gave")
        arguments = arguments_of(operation.parameters, given)
        _in_bounds(arguments)
        workspace, asker = self._workspaces.current(), ASKER.get()
        key = key_for(self._secret, asker.identity, asker.principal)
        before = opened(session, key)
        if travels:
            workspace = workspace.remembering(before.recent)
        calls = Operations(workspace, before.state)
        answer = to_json(operation.answer(calls, **arguments))
        answer.pop("state", None)
        if "stdout_bytes" in answer:
            answer = {"stdout": answer.pop("stdout_bytes"), **answer}
        if travels or operation.name == "bash":
            after = replace(before, state=calls.state, recent=workspace.recent if travels else ())
            answer[SESSION] = sealed(after, key)
        return written(answer)

    def _look(self, panel: Panel, given: Mapping[str, str]) -> bytes:
        return written(panel.answer(self._workspaces.current(), dict(given)))

    def _answer(self, body: bytes) -> Response:
        if len(body) > self._max_answer_bytes:
            return failed(
                LimitExceeded(
                    f"the answer has more than {self._max_answer_bytes:,} bytes",
                    hint="ask for less: a budget, a page, `head`",
                )
            )
        return Response(body, media_type="application/json")


def written(value: Any) -> bytes:
    """Return a value as JSON; the halves of surrogates of odd file names are shown."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def failed(error: Exception) -> Response:
    """Return an error as JSON, with its status; a fault of ours by its kind alone."""
    if isinstance(error, Refused):
        return Response(error_body(error), error.status, media_type="application/json")
    if isinstance(error, TadoruError):
        status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
        told = {"code": error.code, "message": error.message, "hint": error.hint}
    else:
        log.error("a call failed", exc_info=error)
        kind = type(error).__name__
        status, told = 500, {"code": "fault", "message": f"a fault in tadoru ({kind})", "hint": ""}
    return Response(written({"error": told}), status, media_type="application/json")


def _object(body: bytes) -> dict[str, Any]:
    """Return the object in a request's body. Raises: `BadInput`."""
    try:
        given = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise BadInput("the body is no JSON") from None
    if not isinstance(given, dict):
        raise BadInput("the body is no JSON object")
    return given


def _in_bounds(arguments: Mapping[str, Any]) -> None:
    for name, value in arguments.items():
        if isinstance(value, int) and not isinstance(value, bool) and value < 0:
            raise BadInput(f"`{name}` is negative", hint="give 0 or more")
        if isinstance(value, list) and len(value) > 1_000:
            raise BadInput(f"`{name}` has too many items", hint="give at most 1,000")
