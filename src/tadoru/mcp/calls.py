"""Runs the tools: a call in a thread of its own, its answer as text, its faults as text too.

Decides what a model reads when something goes wrong: our own errors in our own words, a fault of
ours by its kind alone (the log has the details). Knows nothing of what the tools do.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import anyio
import anyio.to_thread
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent, Tool, ToolAnnotations

from tadoru.errors import TadoruError
from tadoru.mcp import progress
from tadoru.mcp.answers import sendable
from tadoru.parameters import Parameter, arguments_of, parameters_of, schema_of
from tadoru.text.shown import shown

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

log = logging.getLogger(__name__)

AT_ONCE = 16
"""Calls that run at the same time; further ones wait."""

Run = Callable[[Callable[[], Any], str], Awaitable[Any]]
"""Calls a function, in the name of a tool or of nothing (`""`), without holding up the loop."""

Text = str | Sequence[str]
"""An answer: one block of text, or several."""


class Toolset(Protocol):
    """Some tools over one workspace."""

    def all(self) -> tuple[Callable[..., Text], ...]: ...


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a tool: that of its function, unless it is no identifier."""
    return str(getattr(function, "tool_name", function.__name__))


@dataclass(frozen=True, slots=True)
class _Registered:
    function: Callable[..., Text]
    parameters: tuple[Parameter, ...]
    tool: Tool


class InThreads:
    """Runs functions in threads, `AT_ONCE` at a time."""

    def __init__(self) -> None:
        self._limiter: anyio.CapacityLimiter | None = None

    async def __call__(self, function: Callable[[], Any], tool: str = "") -> Any:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(AT_ONCE)
        return await anyio.to_thread.run_sync(
            function, abandon_on_cancel=True, limiter=self._limiter
        )


class Calls:
    """The tools of one server."""

    def __init__(self, tools: Toolset, run: Run | None = None) -> None:
        """`run`: does the work of a call; by default in a thread, a bounded number at a time."""
        self._tools = {name_of(function): _registered(function) for function in tools.all()}
        self._run = run or InThreads()

    def list(self) -> list[Tool]:
        """Return the tools as a client sees them."""
        return [registered.tool for registered in self._tools.values()]

    def schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the input schema of a tool; None when there is no such tool."""
        registered = self._tools.get(name)
        return registered.tool.input_schema if registered is not None else None

    async def call(
        self, ctx: ServerRequestContext[Any, Any], name: str, given: Mapping[str, Any]
    ) -> CallToolResult:
        """Run one tool. Raises: `MCPError` when there is none of this name."""
        registered = self._tools.get(name)
        if registered is None:
            hint = f"Unknown tool: {name[:80]}; there are {', '.join(self._tools)}"
            raise MCPError(code=INVALID_PARAMS, message=sendable(shown(hint)))
        told = progress.begin(name)
        async with anyio.create_task_group() as group:
            # the session drops what a client has not asked for
            group.start_soon(progress.tell_on, told, ctx.session.report_progress, anyio.sleep)
            blocks, failed = await self._answered(registered, given)
            group.cancel_scope.cancel()
        content: Any = [TextContent(type="text", text=block) for block in blocks]
        return CallToolResult(content=content, is_error=failed)

    async def _answered(
        self, registered: _Registered, given: Mapping[str, Any]
    ) -> tuple[Sequence[str], bool]:
        """Return the blocks of an answer, and whether it is an error."""
        name = registered.tool.name
        try:
            arguments = arguments_of(registered.parameters, given)
            answer = await self._run(partial(registered.function, **arguments), name)
        except TadoruError as error:
            return [sendable(shown(str(error)))], True
        except Exception as error:
            log.exception("%s failed", name)
            kind = type(error).__name__
            return [f"a fault in tadoru ({kind}); its log has the details"], True
        blocks = [answer] if isinstance(answer, str) else list(answer)
        return [sendable(block) for block in blocks], False


def _registered(function: Callable[..., Text]) -> _Registered:
    parameters = parameters_of(function)
    tool = Tool(
        name=name_of(function),
        description=" ".join((function.__doc__ or "").split()),
        input_schema=schema_of(parameters),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )
    return _Registered(function, parameters, tool)
