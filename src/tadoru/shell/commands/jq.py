"""`jq`: bashkit's, with its files read as one stream where jq does so.

`-R` reads lines across the ends of files, and `-` is stdin among files; both are put right here by
handing bashkit's jq one input.
"""

from __future__ import annotations

from collections.abc import Sequence

from tadoru.errors import TadoruError
from tadoru.shell.commands.context import STDIN, Context
from tadoru.shell.commands.native import boxed
from tadoru.shell.space import strerror

_TAKES = {"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--argfile": 2}
_TAKES |= {"--indent": 1, "-L": 1, "--from-file": 1}
UNREADABLE = 2


async def main(ctx: Context) -> int:
    files, rest, raw = _split(ctx.argv)
    if not files or not (raw or STDIN & {*files}):
        return await boxed(ctx, ctx.argv, b"" if files else await ctx.read_all())
    pieces, code = [], 0
    for name in files:
        try:
            pieces.append(await ctx.read_operand(name))
        except TadoruError as error:
            await ctx.error(f"error: Could not open {name}: {strerror(error)}")
            code = UNREADABLE
    return await boxed(ctx, rest, b"".join(pieces)) or code


def _split(argv: Sequence[str]) -> tuple[list[str], list[str], bool]:
    """Return the files, the other words, and whether the input is raw."""
    files: list[str] = []
    rest: list[str] = []
    raw = has_filter = False
    words = iter(argv)
    for word in words:
        if word in ("--args", "--jsonargs", "--"):
            rest.append(word)
            rest.extend(words)
        elif word.startswith("-") and word != "-":
            rest.append(word)
            short = not word.startswith("--")
            raw = raw or word == "--raw-input" or (short and "R" in word)
            from_file = word == "--from-file" or (short and "f" in word)
            has_filter = has_filter or from_file
            for _ in range(_TAKES.get(word, int(short and from_file))):
                rest.append(next(words, ""))
        elif not has_filter:
            has_filter = True
            rest.append(word)
        else:
            files.append(word)
    return files, rest, raw
