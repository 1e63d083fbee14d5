"""What a command of ours is given: its words, its streams, the files that the asker may see.

Streams are bytes. Output is gathered into writes of 64 KiB, because one write costs about 140 us;
a reader that has gone away ends the command through BrokenPipe, which the engine turns into
status 141. Nothing in here knows bashkit: a test can build a Context from plain functions.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tadoru.errors import TadoruError
from tadoru.shell.limits import Deadline
from tadoru.shell.space import Space, normalize, strerror
from tadoru.tree import Tree
from tadoru.types import Entry, Kind
from tadoru.views import View

logger = logging.getLogger(__name__)

STDIN = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
"""Operands that stand for what is read."""
BATCH_BYTES = 64 << 10
"""Bytes gathered before they are written."""

Command = Callable[["Context"], Awaitable[int]]
"""A command: takes its context, returns its exit code."""


class RunScript(Protocol):
    """Runs a script in a fresh interpreter over the same files."""

    def __call__(
        self, script: str, cwd: str, *, native: str = ""
    ) -> Awaitable[tuple[bytes, bytes, int]]:
        """Return stdout, stderr and exit code. The command `native` is bashkit's own there, and
        sees bytes that are not UTF-8 as they are."""
        ...


class BrokenPipe(Exception):
    """The reader of our output has gone away: stop at once, and quietly."""


class UsageError(Exception):
    """A wrong option or operand: the message goes to stderr, `code` is the exit code."""

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


class Pipes(Protocol):
    """The interpreter's own files: `<(...)` and `>(...)` appear as `/dev/fd/63` and so on."""

    def exists(self, path: str) -> bool: ...
    def read_file(self, path: str) -> bytes: ...
    def append_file(self, path: str, content: bytes) -> None: ...


class Answer(Exception):
    """What `--help` and `--version` print on stdout, before anything else is done."""


@dataclass(slots=True)
class Context:
    """One call of one command.

    Use `argv` (without the name), `read`/`read_all`/`has_stdin` for stdin, `write` for stdout,
    `error` for a message in GNU's form, `resolve_path` and `read_file` for operands, and
    `deadline.check()` in every loop whose length the user decides.
    """

    name: str
    argv: list[str]
    cwd: str
    """Absolute, with a leading slash."""
    env: Mapping[str, str]
    space: Space
    deadline: Deadline
    pull: Callable[[], Awaitable[bytes]]
    """Gives the next piece of stdin, empty at the end."""
    push: Callable[[bytes], Awaitable[None]]
    push_error: Callable[[bytes], Awaitable[None]]
    run_script: RunScript
    pipes: Pipes | None = None
    """What the interpreter keeps below `/dev/fd`: both ends of process substitutions."""
    _out: list[bytes] = field(default_factory=list)
    _held: int = 0
    _peeked: bytes | None = None

    # -- files ---------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        return self.space.view

    @property
    def tree(self) -> Tree:
        return self.space.tree

    def resolve_path(self, operand: str) -> str:
        """Return the tree path (no leading slash, root `""`) of a path as it is written."""
        return normalize(operand, self.cwd)

    def lookup(self, operand: str, *, follow: bool = True) -> Entry:
        """Return the entry of a path as it is written; `name/` must be a directory.

        Raises PathNotFound, NotADirectoryHere.
        """
        if not operand:
            return self.space.lookup("\0")
        path = self.resolve_path(operand)
        if self.is_pipe(path):
            return Entry(path=path, kind=Kind.FILE, mtime_ns=self.space.started_ns)
        entry = self.space.lookup(path, follow=follow or operand[-1] == "/")
        if operand[-1] == "/" and not entry.is_dir:
            return self.space.lookup(f"{entry.path}/x")
        return entry

    def read_file(self, operand: str) -> bytes:
        """Return the bytes of a file as it is written (links followed, `/tmp`, `/dev/null` too).

        Raises PathNotFound, NotADirectoryHere, IsADirectoryHere.
        """
        return self.read_bytes(self.lookup(operand).path)

    def read_bytes(self, path: str, *, start: int = 0, size: int = -1) -> bytes:
        """Return bytes of the file at a tree path, of which `lookup` has said that it is there."""
        if self.is_pipe(path) and self.pipes is not None:
            data = self.pipes.read_file(f"/{path}")
            return data[start:] if size < 0 else data[start : start + size]
        return self.space.read(path, start=start, size=size)

    def is_pipe(self, path: str) -> bool:
        """Tell whether a tree path is one end of a process substitution."""
        if self.pipes is None or not path.startswith("dev/fd/"):
            return False
        return self.pipes.exists(f"/{path}")

    async def read_operand(self, operand: str) -> bytes:
        """Return the bytes of a file, or all of stdin for `-` and `/dev/stdin`."""
        if operand in STDIN:
            return await self.read_all()
        return self.read_file(operand)

    # -- stdin ---------------------------------------------------------------------------------

    async def read(self) -> bytes:
        """Return the next piece of stdin; empty at the end."""
        if self._peeked is not None:
            piece, self._peeked = self._peeked, None
            if piece:
                return piece
        self.deadline.check()
        return await self.pull()

    async def read_all(self) -> bytes:
        """Return all that is left of stdin."""
        pieces = []
        while piece := await self.read():
            pieces.append(piece)
        return b"".join(pieces)

    async def has_stdin(self) -> bool:
        """Tell whether anything can be read from stdin. An empty pipe and none look the same."""
        if not self._peeked:
            self._peeked = await self.pull()
        return bool(self._peeked)

    # -- stdout and stderr ---------------------------------------------------------------------

    async def write(self, data: bytes) -> None:
        """Write to stdout, gathered into large pieces. Raises BrokenPipe."""
        self._out.append(data)
        self._held += len(data)
        if self._held >= BATCH_BYTES:
            await self.flush()

    async def flush(self) -> None:
        if self._held:
            data = b"".join(self._out)
            self._out.clear()
            self._held = 0
            self.deadline.check()
            await self.push(data)

    async def error(self, message: str) -> None:
        """Write `<name>: <message>` and a newline to stderr."""
        await self.push_error(encode(f"{self.name}: {message}\n"))

    async def complain(self, operand: str, error: TadoruError) -> None:
        """Write `<name>: <operand>: <words of the C library>` to stderr."""
        await self.error(f"{operand}: {strerror(error)}")


def encode(text: str) -> bytes:
    """Encode for output; lone surrogates, which bashkit never makes, cannot break it."""
    return text.encode("utf-8", "surrogateescape")


async def run_command(command: Command, ctx: Context) -> int:
    """Run a command to its end: usage errors, limits and a lost reader become exit codes."""
    try:
        code = await command(ctx)
        await ctx.flush()
        return code
    except BrokenPipe:
        return 141
    except Answer as answer:
        await ctx.push(encode(str(answer)))
        return 0
    except UsageError as error:
        await _last_words(ctx, str(error))
        return error.code
    except TadoruError as error:
        await _last_words(ctx, str(error))
        return 124 if error.code == "limit" else 1
    except Exception as error:
        # a fault of ours: it must not end the script, nor show the server's inside to the asker
        logger.exception("command %s failed", ctx.name)
        await _last_words(ctx, f"internal error: {type(error).__name__}")
        return 1


async def _last_words(ctx: Context, message: str) -> None:
    try:
        if not ctx.deadline.passed:
            await ctx.flush()
        await ctx.error(message)
    except BrokenPipe:
        return


def shell_quote(words: Sequence[str]) -> str:
    """Quote words so that the shell gives exactly them back."""
    from shlex import quote

    return " ".join(quote(word) for word in words)
