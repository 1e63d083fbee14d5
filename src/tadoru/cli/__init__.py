"""The command line: parse words, call a Workspace, print what it answers. Decides nothing else.

This module is what the console script imports, so it stays bare: an agent's hook runs through it
after every tool call and must not pay for click.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see `tadoru.errors` and the README)."""
    args = list(sys.argv[1:] if argv is None else argv)
    if args[:1] == ["hook"] and not {"--help", "-h"} & set(args):
        from tadoru.hooks.main import main as hook

        return hook(args[1:])
    from tadoru.cli.app import run

    return run(args)
