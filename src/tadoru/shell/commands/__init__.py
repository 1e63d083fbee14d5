"""Commands of our own: those whose speed or meaning depends on the tree, and those of which
bashkit's version differs from GNU's.

To add a command, write `commands/<module>.py` with `async def main(ctx: Context) -> int` and name
it in `MODULES`. See `context.Context` for what `ctx` offers. A module is imported when its command
is first called, so that a session starts in well under a millisecond. Options are read with
`options.parse`, which knows GNU's rules (clusters, `--long=value`, abbreviations, `--`).
Errors: raise `UsageError(message, code)`, or any `TadoruError`; or write with `ctx.error` and
return a code. Let BrokenPipe through.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from tadoru.shell.commands.context import (
    BrokenPipe,
    Command,
    Context,
    UsageError,
    encode,
    run_command,
    shell_quote,
)

__all__ = [
    "MODULES",
    "UNLISTED",
    "BrokenPipe",
    "Command",
    "Context",
    "UsageError",
    "encode",
    "load",
    "run_command",
    "shell_quote",
]

MODULES: dict[str, str] = {
    "base32": "native",
    "base64": "native",
    "bc": "bc",
    "bunzip2": "native",
    "bzip2": "native",
    "cat": "cat",
    "chgrp": "chmod",
    "chmod": "chmod",
    "chown": "chmod",
    "cksum": "native",
    "cmp": "cmp",
    "comm": "comm",
    "cp": "cp",
    "date": "date",
    "dd": "native",
    "diff": "diff",
    "du": "du",
    "egrep": "grep",
    "expr": "expr",
    "fgrep": "grep",
    "file": "file",
    "find": "find",
    "git": "git",
    "grep": "grep",
    "gunzip": "native",
    "gzip": "native",
    "head": "head",
    "hexdump": "native",
    "iconv": "native",
    "jq": "jq",
    "ln": "cp",
    "ls": "ls",
    "md5sum": "native",
    "mkdir": "mkdir",
    "mv": "cp",
    "od": "native",
    "realpath": "realpath",
    "rg": "rg",
    "rm": "rm",
    "rmdir": "rm",
    "sed-lines": "sed",
    "seq": "seq",
    "sha1sum": "native",
    "sha224sum": "native",
    "sha256sum": "native",
    "sha384sum": "native",
    "sha512sum": "native",
    "split": "native",
    "stat": "stat",
    "strings": "native",
    "sum": "native",
    "tail": "tail",
    "tar": "native",
    "tee": "tee",
    "touch": "mkdir",
    "tree": "tree",
    "truncate": "tee",
    "unlink": "rm",
    "unzip": "native",
    "wc": "wc",
    "xxd": "native",
    "yes": "yes",
    "zcat": "native",
    "zip": "native",
}
"""Name of a command -> module in this folder."""
UNLISTED = frozenset({"sed-lines"})
"""What `mend` alone calls, and nobody is told of."""


def load(name: str) -> Command:
    """Return the command of this name."""
    module = import_module(f"tadoru.shell.commands.{MODULES[name]}")
    return cast("Command", module.main)
