"""Makes interpreters and runs them: our commands registered, limits set, files bridged.

One Machine serves one command line: the interpreter of the session, and further ones that its
commands need (`find -exec`, native versions of commands that ours wrap). All share files, deadline
and budget of nested runs.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Container, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from tadoru.config import ShellConfig
from tadoru.errors import LimitExceeded
from tadoru.shell import commands
from tadoru.shell.bridge import filesystem
from tadoru.shell.commands.context import BrokenPipe, Command, Context, encode, run_command
from tadoru.shell.limits import Deadline
from tadoru.shell.lossless import Unescaper, unescape
from tadoru.shell.memory import MAX_GROWTH, Watch
from tadoru.shell.mend import SYNTAX_ERROR, mend, syntax_error
from tadoru.shell.plain import Look, look
from tadoru.shell.space import Space
from tadoru.shell.stack import DeepStack
from tadoru.shell.streams import Buffer, Pipes, Pusher

if TYPE_CHECKING:
    from bashkit import Bash, CommandContext

Tool = Callable[[list[str], bytes, str], tuple[bytes, bytes, int]]
"""A command handed in by the workspace: (argv, stdin, cwd) -> (stdout, stderr, code)."""
Sink = Callable[[bytes], Awaitable[None]]

CAPTURE_BYTES = 10 << 20
"""What bashkit keeps of the output of a script, and of a command inside `xargs`, `env`, `<(...)`
and the like, of which it says nothing when there was more."""
GRACE_SECONDS = 0.5
"""How long after its own time limit an interpreter may take to come back before it is left."""
MAX_NESTED = 2_000
"""Interpreters that the commands of one command line may start (`find -exec ... \\;` uses one)."""
MAX_DEPTH = 8
"""Interpreters inside interpreters: `find -exec find -exec ...`."""
OUT_OF_MEMORY = 137
TIMED_OUT = 124
BROKEN_PIPE = 141
_TOO_LARGE = f"bash: stopped: it took more than {MAX_GROWTH >> 20} MiB of memory\n"
AGGREGATE_INPUT = "aggregate input bytes"
_LOOP_NOTE = (
    "bash: stopped: commands in a `while read ...; done < file` loop were given more than 100 MB; "
    "write `cat file | while read ...`, or use awk\n"
)
_CUT = f"tadoru: output cut after {CAPTURE_BYTES >> 20} MiB\n"
ENVIRONMENT = {
    "HOME": "/",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TERM": "dumb",
}


class Machine:
    """Interpreters over one Space, until one deadline."""

    def __init__(
        self,
        space: Space,
        config: ShellConfig,
        deadline: Deadline,
        tools: dict[str, Tool],
    ) -> None:
        self._space = space
        self._config = config
        self._deadline = deadline
        self._commands: dict[str, Callable[[], Command]] = {
            name: _loader(name) for name in commands.MODULES
        }
        self._commands.update({name: _wrapper(self, tool) for name, tool in tools.items()})
        self.max_commands = config.max_commands
        """Of each interpreter that is made from now on."""
        self._nested = 0
        self._depth = 0
        self._tools_running = 0
        self._running: list[Bash] = []
        self._too_large = False
        self.longest_output = 0
        """Bytes that the most talkative of our own commands wrote."""

    def interpreter(
        self,
        cwd: str,
        *,
        native: str = "",
        env: Mapping[str, str] | None = None,
    ) -> Bash:
        """Return a new interpreter without our commands, on raw bytes for a `native` one."""
        from bashkit import Bash, ExecutionProfile

        bash = Bash(
            profile=ExecutionProfile.Interactive,
            cwd=cwd,
            env={**ENVIRONMENT, **(env or {})},
            username="agent",
            hostname="tadoru",
            max_commands=self.max_commands,
            max_loop_iterations=self._config.max_loop_iterations,
            timeout_seconds=max(0.001, self._deadline.left()),
        )
        space = self._space
        if native:
            space = Space(space.view, space.scratch, raw=True)
        bash.mount("/", filesystem(space))
        return bash

    def look(self, script: str) -> Look:
        """Return what the text of a script shows of it."""
        return look(mend(script), self._commands)

    def equip(self, bash: Bash, names: Container[str] | None, *, without: str = "") -> None:
        """Register our commands, or those among `names`, but one that stays bashkit's own."""
        for name, load in self._commands.items():
            if name != without and (names is None or name in names):
                bash.add_command(name, self._callback(name, load))

    async def execute(self, bash: Bash, script: str, out: Sink, err: Sink) -> tuple[int, str]:
        """Run a script to its end or its limit: exit code, and what to say on stderr about it."""
        from bashkit import BashError

        watch = Watch(self._grew_too_large, lambda: self._tools_running > 0)
        self._running.append(bash)
        try:
            with DeepStack():
                result = await asyncio.wait_for(
                    bash.execute(mend(script), stdout=out, stderr=err),
                    self._deadline.left() + GRACE_SECONDS,
                )
        except TimeoutError:
            bash.cancel()
            return self._trouble("timeout", TIMED_OUT)
        except asyncio.CancelledError:
            bash.cancel()
            raise
        except BashError as error:
            return self._trouble(str(error), 1)
        finally:
            self._running.remove(bash)
            watch.end()
        if result.error or self._too_large:
            return self._trouble(result.error or "", result.exit_code)
        cut = result.stdout_truncated or result.stderr_truncated
        return result.exit_code, _CUT if cut else ""

    def leave(self) -> None:
        """Stop at once: nobody waits for the command line any more. For any thread."""
        self._deadline.end("nobody waits for it any more")
        self._stop()

    def _grew_too_large(self) -> None:
        self._too_large = True
        self._deadline.end("memory limit exceeded")
        self._stop()

    def _stop(self) -> None:
        """Stop every interpreter: what one command has left unfinished, no other goes on with."""
        for bash in self._running:
            bash.cancel()

    def _trouble(self, message: str, code: int) -> tuple[int, str]:
        """Return the exit code and the words for a script that bashkit gave up."""
        if self._too_large:
            return OUT_OF_MEMORY, _TOO_LARGE
        if self._deadline.passed or "timeout" in message or "timed out" in message:
            return TIMED_OUT, self._time_note()
        if AGGREGATE_INPUT in message:
            return code or 1, _LOOP_NOTE
        words = syntax_error(message)
        if words:
            return SYNTAX_ERROR, words
        return code or 1, f"bash: {message}\n"

    def _time_note(self) -> str:
        seconds = self._config.timeout_seconds
        return f"bash: stopped after {seconds:g} s: narrow the command, or stop early with head\n"

    async def nested(
        self,
        script: str,
        cwd: str,
        *,
        native: str = "",
        env: Mapping[str, str] | None = None,
    ) -> tuple[bytes, bytes, int]:
        """Run a script in an interpreter of its own: stdout, stderr, exit code."""
        self._nested += 1
        if self._nested > MAX_NESTED or self._depth >= MAX_DEPTH:
            raise LimitExceeded("too many commands started by commands", hint="use xargs")
        self._depth += 1
        try:
            out = Buffer()
            err = Buffer()
            bash = self.interpreter(cwd, native=native, env=env)
            self.equip(bash, self.look(script).calls, without=native)
            code, trouble = await self.execute(bash, script, out.take, err.take)
            if native:
                return out.value(), err.value() + encode(trouble), code
            return unescape(out.value()), unescape(err.value()) + encode(trouble), code
        finally:
            self._depth -= 1

    async def call_tool(self, tool: Tool, ctx: Context) -> int:
        """Run a command that was handed in, off the loop: it may block or use a loop itself."""
        stdin = await ctx.read_all()
        call = _in_thread(tool, list(ctx.argv), stdin, ctx.cwd)
        self._tools_running += 1
        try:
            out, err, code = await asyncio.wait_for(call, self._deadline.left())
        except TimeoutError:
            self._deadline.check()
            raise LimitExceeded(f"{ctx.name}: time limit exceeded") from None
        finally:
            self._tools_running -= 1
        if err:
            await ctx.push_error(err)
        await ctx.write(out)
        return code

    def _callback(
        self, name: str, load: Callable[[], Command]
    ) -> Callable[[CommandContext], Awaitable[int]]:
        async def call(given: CommandContext) -> int:
            out, err = Pusher(given.stdout.write), Pusher(given.stderr.write)
            code = await run_command(load(), self._context(name, given, out, err))
            self.longest_output = max(self.longest_output, out.total)
            if self._deadline.passed:
                self._stop()
            try:
                await out.finish()
                await err.finish()
            except BrokenPipe:
                return BROKEN_PIPE
            return code

        return call

    def _context(self, name: str, given: CommandContext, out: Pusher, err: Pusher) -> Context:
        incoming = Unescaper()

        async def pull() -> bytes:
            try:
                while piece := await given.stdin.read_chunk():
                    if data := incoming.feed(piece):
                        return data
            except RuntimeError as error:
                raise LimitExceeded(f"read error: {error}") from None
            return incoming.feed(b"")

        return Context(
            name=name,
            argv=given.argv,
            cwd=given.cwd,
            env=given.env,
            space=self._space,
            deadline=self._deadline,
            pull=pull,
            push=out.push,
            push_error=err.push,
            run_script=partial(self.nested, env=_exported(given.env)),
            pipes=Pipes(given.fs),
        )


def _exported(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a command's own commands inherit."""
    return {name: value for name, value in env.items() if name != "PWD"}


def _loader(name: str) -> Callable[[], Command]:
    return lambda: commands.load(name)


def _wrapper(machine: Machine, tool: Tool) -> Callable[[], Command]:
    async def command(ctx: Context) -> int:
        return await machine.call_tool(tool, ctx)

    return lambda: command


def _in_thread(
    tool: Tool, argv: list[str], stdin: bytes, cwd: str
) -> asyncio.Future[tuple[bytes, bytes, int]]:
    """Run a tool in a thread that nobody waits for when the time is over, nor at the end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[tuple[bytes, bytes, int]] = loop.create_future()

    def settle(result: tuple[bytes, bytes, int] | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        elif result is not None:
            future.set_result(result)

    def work() -> None:
        result, failure = None, None
        try:
            result = tool(argv, stdin, cwd)
        except BaseException as error:
            failure = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=work, name="tadoru-tool", daemon=True).start()
    return future
