"""`rm`, `rmdir`, `unlink`: they work below `/tmp`; the tree is read-only, file by file."""

from __future__ import annotations

from collections.abc import Iterator

from tadoru.errors import PathNotFound, TadoruError
from tadoru.shell import writes
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.facts import quoted
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.space import strerror
from tadoru.types import Entry

RM = Options(
    Option("force", "f", "force"),
    Option("recursive", "rR", "recursive"),
    Option("directory", "d", "dir"),
    Option("verbose", "v", "verbose"),
    Option("ask", "iI", "interactive", "maybe"),
    Option("ignored", "", "one-file-system preserve-root no-preserve-root", "maybe"),
)
RMDIR = Options(
    Option("parents", "p", "parents"),
    Option("verbose", "v", "verbose"),
    Option("quiet", "", "ignore-fail-on-non-empty"),
)
MAX_COMPLAINTS = 1_000
"""Files of which `rm -r` says one by one that they cannot be removed."""


async def main(ctx: Context) -> int:
    if ctx.name == "rmdir":
        return await _rmdir(ctx)
    if ctx.name == "unlink":
        return await _unlink(ctx)
    parsed, operands = RM.parse(ctx.name, ctx.argv, usage_code=1)
    flags = {key for key, _ in parsed}
    if not operands:
        if "force" in flags:
            return 0
        raise UsageError("missing operand\nTry 'rm --help' for more information.", 1)
    code = 0
    for operand in operands:
        code |= await _remove(ctx, operand, flags)
    return code


async def _remove(ctx: Context, operand: str, flags: set[str]) -> int:
    try:
        entry = ctx.lookup(operand, follow=False)
    except TadoruError as error:
        if "force" in flags and error.errno_name in ("ENOENT", "ENOTDIR"):
            return 0
        await ctx.error(f"cannot remove {quoted(operand)}: {strerror(error)}")
        return 1
    recursive = "recursive" in flags
    if not entry.path and recursive:
        await ctx.error("it is dangerous to operate recursively on '/'")
        await ctx.error("use --no-preserve-root to override this failsafe")
        return 1
    if operand.rstrip("/").rpartition("/")[2] in (".", ".."):
        await ctx.error(f"refusing to remove '.' or '..' directory: skipping {quoted(operand)}")
        return 1
    if entry.is_dir and not recursive and "directory" not in flags:
        await ctx.error(f"cannot remove {quoted(operand)}: Is a directory")
        return 1
    try:
        writes.remove(ctx.space, entry.path, recursive=recursive)
    except TadoruError as error:
        return await _complain(ctx, operand, entry, error, recursive=recursive)
    if "verbose" in flags:
        kind = "removed directory" if entry.is_dir else "removed"
        await ctx.write(f"{kind} {quoted(operand)}\n".encode())
    return 0


async def _complain(
    ctx: Context, operand: str, entry: Entry, error: TadoruError, *, recursive: bool
) -> int:
    if error.errno_name == "EROFS" and entry.is_dir:
        if not recursive and ctx.space.children(entry.path):
            await ctx.error(f"cannot remove {quoted(operand)}: Directory not empty")
            return 1
        leaves = _leaves(ctx, operand.rstrip("/"), entry)
        for count, name in enumerate(leaves):
            if count >= MAX_COMPLAINTS:
                await ctx.error(f"cannot remove the rest below {quoted(operand)} either")
                return 1
            await ctx.error(f"cannot remove {quoted(name)}: {strerror(error)}")
        return 1
    await ctx.error(f"cannot remove {quoted(operand)}: {strerror(error)}")
    return 1


def _leaves(ctx: Context, shown: str, entry: Entry) -> Iterator[str]:
    """Yield what `rm -r` would try to remove first: files and empty directories."""
    stack = [(shown, entry.path, True)]
    while stack:
        name, path, directory = stack.pop()
        below = list(ctx.space.entries(path)) if directory else []
        if not below:
            yield name
        stack.extend((f"{name}/{e.name}", e.path, e.is_dir) for e in reversed(below))


async def _rmdir(ctx: Context) -> int:
    parsed, operands = RMDIR.parse(ctx.name, ctx.argv, usage_code=1)
    flags = {key for key, _ in parsed}
    if not operands:
        raise UsageError("missing operand\nTry 'rmdir --help' for more information.", 1)
    code = 0
    for operand in operands:
        path = ctx.resolve_path(operand)
        try:
            writes.require_writable(ctx.space, path)
            if not ctx.lookup(operand).is_dir:
                await ctx.error(f"failed to remove {quoted(operand)}: Not a directory")
                code = 1
                continue
            writes.remove(ctx.space, path)
            while "parents" in flags and "/" in path.removeprefix("tmp/"):
                path = path.rpartition("/")[0]
                writes.remove(ctx.space, path)
        except TadoruError as error:
            if error.errno_name == "ENOTEMPTY" and "quiet" in flags:
                continue
            await ctx.error(f"failed to remove {quoted(operand)}: {strerror(error)}")
            code = 1
    return code


async def _unlink(ctx: Context) -> int:
    if len(ctx.argv) != 1:
        words = "missing operand" if not ctx.argv else f"extra operand {quoted(ctx.argv[1])}"
        raise UsageError(f"{words}\nTry 'unlink --help' for more information.", 1)
    operand = ctx.argv[0]
    path = ctx.resolve_path(operand)
    try:
        writes.require_writable(ctx.space, path)
        entry = ctx.space.find(path, follow=False)
        if entry is None:
            raise PathNotFound(path)
        if entry.is_dir:
            await ctx.error(f"cannot unlink {quoted(operand)}: Is a directory")
            return 1
        writes.remove(ctx.space, path)
    except TadoruError as error:
        await ctx.error(f"cannot unlink {quoted(operand)}: {strerror(error)}")
        return 1
    return 0
