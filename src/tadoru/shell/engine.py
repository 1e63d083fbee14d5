"""A command line to stdout, stderr and an exit code: bashkit over the view's tree.

The interpreter is made anew for each call from the session's signed state, and gone after it. What
runs in it is bashkit's, except for the commands in `commands/` and those that the workspace hands
in. Every call is bounded in time, commands, loop turns, output and scratch. Nothing is written but
`/tmp`, nothing of the host is reachable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from tadoru.config import ShellConfig
from tadoru.errors import BadInput
from tadoru.shell import loops
from tadoru.shell.limits import Deadline
from tadoru.shell.machine import CAPTURE_BYTES, Machine, Tool
from tadoru.shell.mend import aborted_code, brace_note, capture_note, recalled
from tadoru.shell.output import Collector, cut_note, finish_stderr
from tadoru.shell.session import Session, derive_key, open_state, seal
from tadoru.shell.space import Space, normalize
from tadoru.shell.stack import check_prefixes, max_commands
from tadoru.types import RunResult
from tadoru.views import View

if TYPE_CHECKING:
    from bashkit import Bash, ShellState

Suggest = Callable[[str], str | None]
"""Tree path that does not exist -> a line for stderr, or None."""

_Values = tuple[object, ...]
POOL_THREADS = 32
"""Command lines that run at once for callers that are inside an event loop of their own."""


def run(
    view: View,
    command: str,
    *,
    cwd: str = "/",
    state: bytes | None = None,
    config: ShellConfig,
    secret: bytes,
    tools: Mapping[str, Tool] | None = None,
    suggest: Suggest | None = None,
) -> RunResult:
    """Run one command line over a view's tree.

    `cwd`: where a new session starts; a `state` brings its own. `state`: what the last call of
    the session returned. `secret`: signs states, with the principal. `tools`: further commands,
    (argv, stdin, cwd) -> (stdout, stderr, code). `suggest`: asked for a missing path (given as an
    absolute one), prints its answer under bash's complaint. Whoever made the view adds the state of
    its index. Blocks; any thread may call it, also one in which an event loop runs. Raises BadInput
    for a command that cannot be run at all, and for a state of another server or principal.
    """
    check_command(command, config)
    key = derive_key(secret, view.principal)
    session = open_state(state, key, config, cwd)
    if not session.snapshot and not Space(view, session.scratch).is_directory(normalize(cwd, "/")):
        raise BadInput(f"{cwd}: no such directory", hint="give a directory of the tree, or /")
    check_prefixes(command)
    job = _Job(view, session, config, dict(tools or {}), suggest, command)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return loops.run(job.run(key))
    return _pool().submit(loops.run, job.run(key)).result()


def check_command(command: str, config: ShellConfig) -> None:
    """Raise BadInput for a command line that no shell could take."""
    if "\0" in command:
        raise BadInput("the command contains a NUL byte", hint="remove it")
    try:
        size = len(command.encode("utf-8"))
    except UnicodeEncodeError:
        raise BadInput("the command is not valid Unicode", hint="send it as UTF-8") from None
    if size > config.max_command_bytes:
        raise BadInput(
            f"the command is {size} bytes long, more than {config.max_command_bytes}",
            hint="split it, or put data into a file below /tmp",
        )


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(POOL_THREADS, thread_name_prefix="tadoru-shell")


class _Job:
    """One call: from the opened session to the result."""

    def __init__(
        self,
        view: View,
        session: Session,
        config: ShellConfig,
        tools: dict[str, Tool],
        suggest: Suggest | None,
        command: str,
    ) -> None:
        self._command = command
        self._session = session
        self._config = config
        self._suggest = suggest
        self._space = Space(view, session.scratch)
        self._machine = Machine(
            self._space,
            config,
            Deadline(config.timeout_seconds),
            tools,
        )
        if view.deadline is not None:
            view.deadline.on_cancel(self._machine.leave)
        self._before: _Values | None = None

    async def run(self, key: bytes) -> RunResult:
        session = self._session
        machine, look = self._machine, self._machine.look(self._command)
        session.plain = session.plain and look.calls is not None
        session.dark = session.dark or look.dark
        machine.max_commands = max_commands(self._config, dark=session.dark, plain=session.plain)
        bash = machine.interpreter(session.cwd)
        machine.equip(bash, look.calls if session.plain else None)
        if session.snapshot:
            _restore(bash, session.snapshot)
        if session.plain:
            self._before = _values(bash.shell_state())
        out = Collector(self._config.max_output_bytes)
        err = Collector(self._config.max_output_bytes)
        code, trouble = await self._machine.execute(
            bash, recalled(self._command, session.codes), _sink(out, bash), _sink(err, bash)
        )
        code = aborted_code(self._command, code, err.value())
        notes = (
            brace_note(self._command),
            capture_note(self._command, self._machine.longest_output, CAPTURE_BYTES),
            *self._space.notes,
        )
        return self._result(bash, key, out, err, code, trouble + "".join(notes))

    def _result(
        self,
        bash: Bash,
        key: bytes,
        out: Collector,
        err: Collector,
        code: int,
        trouble: str,
    ) -> RunResult:
        cwd, state, note = self._leave(bash, key, code)
        stdout = out.value()
        stderr = finish_stderr(err.value(), self._suggestion(cwd))
        if stderr and (trouble or note or out.truncated) and not stderr.endswith("\n"):
            stderr += "\n"
        stderr += trouble + note
        if err.truncated:
            stderr += cut_note(err.value(), "stderr")
        if out.truncated:
            stderr += cut_note(stdout, "stdout")
        return RunResult(
            stdout_bytes=stdout,
            stderr=stderr,
            exit_code=code,
            cwd=cwd,
            state=state,
            truncated=out.truncated or err.truncated,
        )

    def _leave(self, bash: Bash, key: bytes, code: int) -> tuple[str, bytes, str]:
        """Return where the session is now, its state, and a note when it could not be kept."""
        try:
            state = bash.shell_state()
            cwd = state.cwd
            self._session.codes = _codes(state, code)
            if self._before is None or self._before != _values(state):
                self._session.snapshot = bash.snapshot(exclude_filesystem=True)
                self._session.cwd = cwd
            return cwd, seal(self._session, key), ""
        except BadInput as error:
            return cwd, b"", f"tadoru: {error.message}; {error.hint}\n"
        except Exception:
            # an interpreter that was stopped by force cannot be asked any more
            return self._session.cwd, b"", "tadoru: the session's state was lost; start a new one\n"

    def _suggestion(self, cwd: str) -> Suggest | None:
        ask = self._suggest
        if ask is None:
            return None
        return lambda path: ask("/" + normalize(path, cwd))


def _values(state: ShellState) -> _Values:
    """Return all that a plain command line can change of the interpreter, but for exit codes."""
    variables, arrays = dict(state.variables), dict(state.arrays)
    variables.pop("_", None)
    arrays.pop("PIPESTATUS", None)
    return state.cwd, dict(state.env), variables, arrays, dict(state.assoc_arrays)


def _codes(state: ShellState, code: int) -> bytes:
    """Return the exit codes of the last pipeline; that of the script alone when it had none."""
    pipeline = [int(text) & 255 for _, text in sorted(state.arrays.get("PIPESTATUS", {}).items())]
    return bytes(pipeline if code in pipeline else (code & 255,))


def _restore(bash: Bash, snapshot: bytes) -> None:
    """Restore what `seal` has signed; bashkit's own keyed form would sign it a second time."""
    from bashkit import BashError

    try:
        bash.restore_snapshot(snapshot)
    except (BashError, ValueError) as error:
        raise BadInput(
            f"the session state cannot be restored: {error}",
            hint="start a new session: leave the state out",
        ) from None


def _sink(collector: Collector, bash: Bash) -> Callable[[bytes], Awaitable[None]]:
    async def take(data: bytes) -> None:
        collector.take(data)
        if collector.flooded:
            bash.cancel()

    return take
