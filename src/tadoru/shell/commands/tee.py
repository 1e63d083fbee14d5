"""`tee` and `truncate`: stdin through, and into files below `/tmp`."""

from __future__ import annotations

import re

from tadoru.errors import TadoruError
from tadoru.shell import writes
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.facts import quoted
from tadoru.shell.commands.operands import number
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.space import strerror

TEE = Options(
    Option("append", "a", "append"),
    Option("ignored", "ip", "ignore-interrupts output-error", "maybe"),
)
TRUNCATE = Options(
    Option("size", "s", "size", "value"),
    Option("no-create", "c", "no-create"),
    Option("reference", "r", "reference", "value"),
)


_STREAMS = {"dev/stdout": "stdout", "dev/fd/1": "stdout"}
_STREAMS |= {"dev/stderr": "stderr", "dev/fd/2": "stderr"}


async def main(ctx: Context) -> int:
    return await (_truncate(ctx) if ctx.name == "truncate" else _tee(ctx))


async def _tee(ctx: Context) -> int:
    parsed, operands = TEE.parse(ctx.name, ctx.argv, usage_code=1)
    append = any(key == "append" for key, _ in parsed)
    code, targets = 0, []
    streams: list[str] = []
    for operand in operands:
        path = ctx.resolve_path(operand)
        if path in _STREAMS:
            streams.append(_STREAMS[path])
            continue
        try:
            _put(ctx, path, b"", append=append)
            targets.append((operand, path))
        except TadoruError as error:
            await ctx.error(f"{operand}: {strerror(error)}")
            code = 1
    while piece := await ctx.read():
        for target in list(targets):
            try:
                _put(ctx, target[1], piece, append=True)
            except TadoruError as error:
                await ctx.error(f"{target[0]}: {strerror(error)}")
                targets.remove(target)
                code = 1
        await ctx.write(piece)
        for stream in streams:
            await (ctx.push_error(piece) if stream == "stderr" else ctx.write(piece))
    return code


def _put(ctx: Context, path: str, data: bytes, *, append: bool) -> None:
    if ctx.pipes is not None and ctx.is_pipe(path):
        ctx.pipes.append_file(f"/{path}", data)
    else:
        writes.write(ctx.space, path, data, append=append)


async def _truncate(ctx: Context) -> int:
    parsed, operands = TRUNCATE.parse(ctx.name, ctx.argv, usage_code=1)
    wishes = dict(parsed)
    hint = "\nTry 'truncate --help' for more information."
    if "size" not in wishes:
        raise UsageError(f"you must specify either ‘--size’ or ‘--reference’{hint}", 1)
    if not operands:
        raise UsageError(f"missing file operand{hint}", 1)
    size = re.fullmatch(r"([-+]?)(.+)", wishes["size"])
    if size is None:
        raise UsageError("Invalid number: ‘’", 1)
    amount, code = number(size[2], "number"), 0
    for operand in operands:
        path = ctx.resolve_path(operand)
        entry = ctx.space.find(path)
        if entry is None and "no-create" in wishes:
            continue
        try:
            if entry is None or not writes.writable(ctx.space, entry.path):
                writes.write(ctx.space, path, b"")
            data = ctx.space.read(path)
            wanted = {"+": len(data) + amount, "-": len(data) - amount}.get(size[1], amount)
            grown = min(max(0, wanted), ctx.space.scratch.max_bytes + 1)
            writes.write(ctx.space, path, data[:grown].ljust(grown, b"\0"))
        except TadoruError as error:
            await ctx.error(f"cannot open {quoted(operand)} for writing: {strerror(error)}")
            code = 1
    return code
