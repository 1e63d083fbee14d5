"""`cp`, `mv`, `ln`: from anywhere in the tree into `/tmp`; never into the tree."""

from __future__ import annotations

from dataclasses import dataclass

from tadoru.errors import TadoruError
from tadoru.shell import writes
from tadoru.shell.commands.context import Context, UsageError
from tadoru.shell.commands.facts import quoted
from tadoru.shell.commands.options import Option, Options
from tadoru.shell.space import strerror
from tadoru.types import Entry

OPTIONS = Options(
    Option("recursive", "rRa", "recursive archive"),
    Option("force", "f", "force"),
    Option("no-clobber", "n", "no-clobber"),
    Option("verbose", "v", "verbose"),
    Option("target", "t", "target-directory", "value"),
    Option("no-target", "T", "no-target-directory"),
    Option("update", "u", "update"),
    Option("symbolic", "s", "symbolic symbolic-link"),
    Option("ignored", "pdHLPilx", "no-preserve preserve dereference interactive link", "maybe"),
    Option("ignored", "bZ", "backup reflink sparse strip-trailing-slashes relative", "maybe"),
)


@dataclass(slots=True)
class _Job:
    ctx: Context
    flags: set[str]
    code: int = 0

    async def fail(self, message: str) -> None:
        await self.ctx.error(message)
        self.code = 1

    async def say(self, source: str, target: str, word: str = "") -> None:
        if "verbose" in self.flags:
            await self.ctx.write(f"{word}{quoted(source)} -> {quoted(target)}\n".encode())


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    job = _Job(ctx, {key for key, _ in parsed})
    target = next((value for key, value in parsed if key == "target"), "")
    hint = f"\nTry '{ctx.name} --help' for more information."
    if not operands:
        raise UsageError(f"missing file operand{hint}", 1)
    if not target:
        if len(operands) == 1 and ctx.name == "ln":
            operands.append(operands[0].rstrip("/").rpartition("/")[2])
        if len(operands) == 1:
            message = f"missing destination file operand after {quoted(operands[0])}"
            raise UsageError(message + hint, 1)
        target = operands.pop()
    into = ctx.space.is_directory(ctx.resolve_path(target)) and "no-target" not in job.flags
    if len(operands) > 1 and not into:
        found = ctx.space.find(ctx.resolve_path(target)) is not None
        words = "Not a directory" if found else "No such file or directory"
        raise UsageError(f"target {quoted(target)}: {words}", 1)
    for source in operands:
        name = source.rstrip("/").rpartition("/")[2]
        await _one(job, source, f"{target.rstrip('/')}/{name}" if into else target)
    return job.code


async def _one(job: _Job, source: str, target: str) -> None:
    ctx = job.ctx
    if ctx.name == "ln":
        await _link(job, source, target)
        return
    try:
        entry = ctx.lookup(source, follow=ctx.name == "cp")
    except TadoruError as error:
        await job.fail(f"cannot stat {quoted(source)}: {strerror(error)}")
        return
    if "no-clobber" in job.flags and ctx.space.find(ctx.resolve_path(target)) is not None:
        return
    if ctx.name == "mv":
        await _move(job, source, entry, target)
    elif entry.is_dir and "recursive" not in job.flags:
        await job.fail(f"-r not specified; omitting directory {quoted(source)}")
    elif entry.is_dir:
        await _copy_directory(job, source, entry, target)
    else:
        await _copy_file(job, source, entry, target)


async def _link(job: _Job, source: str, target: str) -> None:
    symbolic = "symbolic" in job.flags
    space, path = job.ctx.space, job.ctx.resolve_path(target)
    try:
        if "force" in job.flags and space.find(path, follow=False) is not None:
            writes.remove(space, path)
        if symbolic:
            writes.make_link(space, path, source)
        else:
            entry = job.ctx.lookup(source, follow=False)
            if entry.is_dir:
                await job.fail(f"{source}: hard link not allowed for directory")
                return
            writes.make_name(space, entry.path, path)
        await job.say(target, source)
    except TadoruError as error:
        words = strerror(error)
        if error.errno_name == "ENOENT" and not symbolic and not _there(job.ctx, source):
            await job.fail(f"failed to access {quoted(source)}: {words}")
            return
        also = f" => {quoted(source)}" if error.errno_name == "EXDEV" else ""
        kind = "symbolic" if symbolic else "hard"
        await job.fail(f"failed to create {kind} link {quoted(target)}{also}: {words}")


def _there(ctx: Context, operand: str) -> bool:
    return ctx.space.find(ctx.resolve_path(operand), follow=False) is not None


async def _move(job: _Job, source: str, entry: Entry, target: str) -> None:
    space, path = job.ctx.space, job.ctx.resolve_path(target)
    try:
        writes.rename(space, entry.path, path)
        await job.say(source, target, "renamed ")
    except TadoruError as error:
        shown = f"cannot move {quoted(source)} to {quoted(target)}"
        await job.fail(f"{shown}: {strerror(error)}")


async def _copy_file(job: _Job, source: str, entry: Entry, target: str) -> None:
    space, path = job.ctx.space, job.ctx.resolve_path(target)
    if path == entry.path:
        await job.fail(f"{quoted(source)} and {quoted(target)} are the same file")
        return
    await job.say(source, target)
    try:
        if not writes.writable(space, path):
            writes.write(space, path, b"")
        writes.write(space, path, job.ctx.read_bytes(entry.path))
        if entry.executable:
            writes.change_mode(space, path, 0o755)
    except TadoruError as error:
        await job.fail(f"cannot create regular file {quoted(target)}: {strerror(error)}")


async def _copy_directory(job: _Job, source: str, entry: Entry, target: str) -> None:
    space = job.ctx.space
    if job.ctx.resolve_path(target).startswith(entry.path + "/"):
        await job.fail(f"cannot copy a directory, {quoted(source)}, into itself, {quoted(target)}")
        return
    stack = [(source.rstrip("/"), entry, target)]
    while stack:
        job.ctx.deadline.check()
        shown, directory, place = stack.pop()
        path = job.ctx.resolve_path(place)
        if not space.is_directory(path):
            try:
                writes.make_directory(space, path)
                await job.say(shown, place)
            except TadoruError as error:
                await job.fail(f"cannot create directory {quoted(place)}: {strerror(error)}")
                continue
        below = []
        for child in space.entries(directory.path):
            found = space.find(child.path) or child
            names = (f"{shown}/{child.name}", found, f"{place}/{child.name}")
            if found.is_dir:
                below.append(names)
            else:
                await _copy_file(job, *names)
        stack.extend(reversed(below))
