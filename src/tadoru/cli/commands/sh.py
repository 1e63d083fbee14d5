"""`tadoru sh`: one command line, a script on stdin, or a prompt."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from tadoru.cli.options import Session, shared_options
from tadoru.cli.output import note, note_state, out_json, shown_text
from tadoru.errors import BadInput

if TYPE_CHECKING:
    from tadoru.types import RunResult

MAX_SCRIPT_READ = 16 * 1024 * 1024
"""Bytes taken from stdin; the shell has its own, smaller limit and says so."""
_WITH_VALUE = frozenset({"--root", "--as", "--cwd", "-c"})
_OURS = frozenset({"--json", "--no-index", "--yes"}) | (_WITH_VALUE - {"-c"})


class _CommandLine(click.Command):
    """Our options may follow a whole command line, but what follows a bare word is the word's own.

    `tadoru sh 'ls | wc' --json` asks for JSON; `tadoru sh grep -c x file` counts.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = _first_word(args)
        if first is not None:
            rest = args[first + 1 :]
            if any(map(str.isspace, args[first])) or (rest and _all_ours(rest)):
                args = [*args[:first], *rest, "--", args[first]]
            else:
                args = [*args[:first], "--", *args[first:]]
        return super().parse_args(ctx, args)


def _first_word(args: list[str]) -> int | None:
    position = 0
    while position < len(args):
        arg = args[position]
        if arg == "--":
            return None
        if not arg.startswith("-"):
            return position
        position += 2 if arg in _WITH_VALUE else 1
    return None


def _all_ours(args: list[str]) -> bool:
    position = 0
    while position < len(args):
        name = args[position].partition("=")[0]
        if name not in _OURS:
            return False
        position += 2 if args[position] in _WITH_VALUE else 1
    return True


@click.command(cls=_CommandLine)
@click.argument("words", nargs=-1, metavar="[COMMAND]")
@click.option("-c", "command", metavar="COMMAND", help="The command line, as an option.")
@click.option("--cwd", default=None, metavar="DIR", help="Directory of the tree to start in.")
@shared_options
def sh(session: Session, words: tuple[str, ...], command: str | None, cwd: str | None) -> int:
    """Run a command line in the read-only shell and return its exit code; alone: a prompt.

    Without a command, a script is read from stdin unless that is a terminal.

    Example: tadoru sh 'grep -rn "def open_session" src | head -3'
    """
    if command is not None and words:
        raise BadInput("a command twice", hint="give it after -c or as an argument")
    if words:
        command = words[0] if len(words) == 1 else shlex.join(words)
    start = cwd if cwd is not None else session.cwd
    if command is None and sys.stdin.isatty():
        from tadoru.cli.prompt import Prompt

        return Prompt(session.open(), start).run()
    if command is None:
        command = sys.stdin.buffer.read(MAX_SCRIPT_READ).decode("utf-8", "surrogateescape")
    result = session.open().run(command, cwd=start)
    if session.as_json:
        out_json({"stdout": result.stdout, "exit_code": result.exit_code, **_without_bytes(result)})
    else:
        print_run(result)
    note_state(result.index)
    return result.exit_code


def _without_bytes(result: RunResult) -> dict[str, object]:
    """Return the rest of a result; its bytes are in the JSON as the text of `stdout` already."""
    names = ("stderr", "cwd", "truncated", "index")
    return {name: getattr(result, name) for name in names}


def print_run(result: RunResult) -> None:
    """Pass on stdout and stderr: bytes into a pipe, harmless text on a terminal."""
    if sys.stdout.isatty():
        sys.stdout.write(shown_text(result.stdout))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(result.stdout_bytes)
    sys.stdout.flush()
    if result.stderr:
        sys.stderr.write(shown_text(result.stderr))
        sys.stderr.flush()
    if result.truncated:
        note("tadoru: the output was cut; narrow the command, or page with head and tail")
