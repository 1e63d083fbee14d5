"""`realpath`: where a path leads when every link on the way is followed."""

from __future__ import annotations

import posixpath

from tadoru.errors import TadoruError
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.space import normalize

OPTIONS = Options(
    Option("existing", "e", "canonicalize-existing"),
    Option("missing", "m", "canonicalize-missing"),
    Option("plain", "s", "strip no-symlinks"),
    Option("quiet", "q", "quiet"),
    Option("zero", "z", "zero"),
    Option("relative-to", "", "relative-to", "value"),
    Option("relative-base", "", "relative-base", "value"),
    Option("ignored", "LP", "logical physical"),
)


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    settings = dict(parsed)
    if not operands:
        raise UsageError("missing operand\nTry 'realpath --help' for more information.", 1)
    code = 0
    end = "\0" if "zero" in settings else "\n"
    for operand in operands:
        try:
            path = _shown(ctx, _canonical(ctx, operand, settings), settings)
            await ctx.write((path + end).encode("utf-8", "surrogateescape"))
        except TadoruError as error:
            code = 1
            if "quiet" not in settings:
                await ctx.complain(operand or "''", error)
    return code


def _canonical(ctx: Context, operand: str, settings: dict[str, str]) -> str:
    """Return the tree path of an operand. Raises PathNotFound, NotADirectoryHere."""
    if "existing" in settings or operand.endswith("/") or not operand:
        return ctx.lookup(operand).path
    path = normalize(operand, ctx.cwd)
    if "plain" in settings:
        return path
    found = ctx.space.find(path)
    if found is not None:
        return found.path
    parent, _, name = path.rpartition("/")
    if "missing" in settings:
        return f"{_missing(ctx, parent)}/{name}".strip("/")
    return f"{ctx.space.lookup(parent).path}/{name}".strip("/")


def _missing(ctx: Context, path: str) -> str:
    """Return where the part of a path leads that is there, with the rest behind it."""
    rest = ""
    while path:
        found = ctx.space.find(path)
        if found is not None:
            return f"{found.path}{rest}"
        path, _, name = path.rpartition("/")
        rest = f"/{name}{rest}"
    return rest.strip("/")


def _shown(ctx: Context, path: str, settings: dict[str, str]) -> str:
    base = settings.get("relative-base")
    start = settings.get("relative-to", base)
    if start is None:
        return f"/{path}"
    if base is not None:
        inside = f"/{_canonical(ctx, base, {})}".rstrip("/") + "/"
        if not f"/{path}/".startswith(inside):
            return f"/{path}"
    return posixpath.relpath(f"/{path}", f"/{_canonical(ctx, start, {})}")
