"""`cat`: bytes as they are, with GNU's ways of numbering and showing them."""

from __future__ import annotations

from dataclasses import dataclass

from tadoru.errors import TadoruError
from tadoru.shell.commands.context import Context
from tadoru.shell.commands.operands import pieces, report
from tadoru.shell.commands.options import Option, Options

OPTIONS = Options(
    Option("n", "n", "number"),
    Option("b", "b", "number-nonblank"),
    Option("s", "s", "squeeze-blank"),
    Option("E", "E", "show-ends"),
    Option("T", "T", "show-tabs"),
    Option("v", "v", "show-nonprinting"),
    Option("A", "A", "show-all"),
    Option("e", "e"),
    Option("t", "t"),
    Option("u", "u"),
)
_MEANS = {"A": "vET", "e": "vE", "t": "vT", "b": "bn"}


@dataclass(slots=True)
class _Lines:
    """The state that runs through all operands: line number, blank lines, an open line."""

    flags: frozenset[str]
    number: int = 0
    blanks: int = 0
    open_line: bool = False

    def render(self, data: bytes) -> bytes:
        out: list[bytes] = []
        for line in _lines(data):
            fresh = not self.open_line
            self.open_line = not line.endswith(b"\n")
            if fresh:
                blank = line == b"\n"
                self.blanks = self.blanks + 1 if blank else 0
                if "s" in self.flags and self.blanks > 1:
                    continue
                if "n" in self.flags and not (blank and "b" in self.flags):
                    self.number += 1
                    out.append(b"%6d\t" % self.number)
            out.append(self._shown(line))
        return b"".join(out)

    def _shown(self, line: bytes) -> bytes:
        body, end = (line[:-1], b"\n") if line.endswith(b"\n") else (line, b"")
        if "v" in self.flags:
            body = b"".join(_VISIBLE[byte] for byte in body)
        if "T" in self.flags:
            body = body.replace(b"\t", b"^I")
        if "E" in self.flags and end:
            if body.endswith(b"\r"):
                body = body[:-1] + b"^M"
            end = b"$\n"
        return body + end


def _lines(data: bytes) -> list[bytes]:
    """Split after newlines only: `splitlines` would split at carriage returns too."""
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _visible(byte: int) -> bytes:
    """Show one byte as `-v` does; tab and newline stay, but not with the high bit."""
    if byte in (9, 10):
        return bytes([byte])
    if byte >= 128:
        return b"M-" + _caret(byte - 128)
    return _caret(byte)


def _caret(byte: int) -> bytes:
    if byte < 32:
        return b"^" + bytes([byte + 64])
    return b"^?" if byte == 127 else bytes([byte])


_VISIBLE = [_visible(byte) for byte in range(256)]


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    flags = frozenset("".join(_MEANS.get(key, key) for key, _ in parsed)) - {"u"}
    lines = _Lines(flags)
    code = 0
    for operand in operands or ["-"]:
        try:
            async for piece in pieces(ctx, operand):
                await ctx.write(lines.render(piece) if flags else piece)
        except TadoruError as error:
            if error.code == "limit":
                raise
            await ctx.flush()
            await report(ctx, operand, error)
            code = 1
    return code
