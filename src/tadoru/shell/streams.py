"""The streams between bashkit and what is ours: bytes in, bytes out, nothing lost on the way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from tadoru.errors import StoreFull
from tadoru.shell.commands.context import BrokenPipe
from tadoru.shell.lossless import Escaper, escape, unescape

if TYPE_CHECKING:
    from bashkit import FileSystem

MAX_NESTED_BYTES = 64 << 20
"""What the output of one nested script may hold."""


class Pusher:
    """One output of a command, on its way into the interpreter."""

    def __init__(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        self._write = write
        self._escaper = Escaper()
        self.total = 0

    async def push(self, data: bytes, *, final: bool = False) -> None:
        data = self._escaper.feed(data, final=final)
        self.total += len(data)
        if data:
            try:
                await self._write(data)
            except BrokenPipeError:
                raise BrokenPipe from None
            except RuntimeError as error:
                # a redirection into a file below /tmp that cannot grow any more
                raise StoreFull(f"write error: {error}") from None

    async def finish(self) -> None:
        """Write what was held back: an unfinished character at the very end."""
        await self.push(b"", final=True)


class Pipes:
    """Both ends of process substitutions, as raw bytes."""

    def __init__(self, files: FileSystem) -> None:
        self._files = files

    def exists(self, path: str) -> bool:
        return self._files.exists(path)

    def read_file(self, path: str) -> bytes:
        return unescape(self._files.read_file(path))

    def append_file(self, path: str, content: bytes) -> None:
        self._files.append_file(path, escape(content))


class Buffer:
    """Gathers the output of a nested run, up to a limit that stops it."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._held = 0

    async def take(self, data: bytes) -> None:
        self._held += len(data)
        if self._held > MAX_NESTED_BYTES:
            raise BrokenPipeError
        self._pieces.append(data)

    def value(self) -> bytes:
        return b"".join(self._pieces)
