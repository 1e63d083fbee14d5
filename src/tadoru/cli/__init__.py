"""The command line: parse words, call a Workspace, print what it answers. Decides nothing else.

This module is what the console script imports, so it stays bare: an agent's hook runs through it
after every tool call and must not pay for click, and Ctrl-C is quiet only once `main` runs.
"""

import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cw", "main", "pathfinder"]

INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""
COLLECTED = (50_000, 20, 20)
"""New objects before a search for cycles: while modules load there are none. With the end without
one, a search as a process takes .34 s of CPU where it took .41."""


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run one command and return its exit code (see `tadoru.errors` and the README)."""
    if argv is None:
        return _process(sys.argv[1:])
    return _run(list(argv))


def cw() -> int:
    """Run `cw` as ContextWeaver's users type it: the same commands, its tools for `mcp`."""
    args = sys.argv[1:]
    if args[:1] == ["mcp"] and not any(arg.partition("=")[0] == "--tools" for arg in args):
        args[1:1] = ["--tools", "contextweaver"]
    return _process(args)


def pathfinder() -> int:
    """Run `pathfinder [--root DIR]...`: a server with pathfinder's tools."""
    return _process(["mcp", "--tools", "pathfinder", *sys.argv[1:]])


def _process(args: list[str]) -> int:
    """Run as a process of its own: Ctrl-C is quiet from the first import to the last thread."""
    try:
        if args[:1] == ["hook"]:  # which has no threads, and no time for an import
            return _run(args)
        gc.set_threshold(*COLLECTED)
        from tadoru.cli import interrupts

        interrupts.begin()
    except KeyboardInterrupt:
        return INTERRUPTED
    try:
        return _run(args)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        interrupts.end()
        gc.freeze()  # a process that ends need not look for cycles once more


def _run(args: list[str]) -> int:
    if args[:1] == ["hook"] and not {"--help", "-h"} & set(args):
        from tadoru.hooks.main import main as hook

        return hook(args[1:])
    from tadoru.cli.app import run

    return run(args)
