"""`git`: there is no repository in the tree, and git's own words say so.

What git knows is in the index already; a `.git` directory is never part of a tree.
"""

from __future__ import annotations

from tadoru.shell.commands.context import Context

NOT_A_REPOSITORY = 128


async def main(ctx: Context) -> int:
    await ctx.push_error(b"fatal: not a git repository (or any of the parent directories): .git\n")
    return NOT_A_REPOSITORY
