"""The group of all commands: knows their names and one-line helps, imports one when it runs.

`tadoru --help` is drawn from the table below without importing a single command. Every error ends
here as one line on stderr; a traceback is shown only with `TADORU_DEBUG=1`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from tadoru.cli import INTERRUPTED
from tadoru.cli.families import Family, with_shared_line
from tadoru.cli.options import Options, root_options
from tadoru.cli.output import complain, error_object, out, out_json, prepare_streams
from tadoru.errors import BadInput, TadoruError

BROKEN_PIPE = 141
"""128 + SIGPIPE: the reader left, which is no fault and gets no words."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A command as `--help` shows it: where it lives, and what it does in a few words."""

    module: str
    summary: str
    section: str


ASK, LOOK, KEEP, SERVE = "Ask", "Look around", "Keep the index", "Serve and check"

COMMANDS: dict[str, Listed] = {
    "search": Listed("search", "Find the code and documents that answer a question.", ASK),
    "more": Listed("follow", "Print a hit of a search whole, with what lies around it.", ASK),
    "related": Listed("follow", "Find what is about the same as a hit of a search.", ASK),
    "resolve": Listed("resolve", "Find the real path for one that does not exist.", ASK),
    "retry": Listed(
        "resolve", "Repeat a failed read, list, stat or search on the right path.", ASK
    ),
    "sh": Listed("sh", "Run a command line in the read-only shell; alone: a prompt.", ASK),
    "explain": Listed("explain", "Show how a search or a resolve came to its answer.", ASK),
    "read": Listed("read", "Print a file, or a window of its lines.", LOOK),
    "list-files": Listed("files", "List files by glob, language or directory.", LOOK),
    "map": Listed("files", "Draw a directory with its most important symbols.", LOOK),
    "outline": Listed("files", "Print the outline of a file or directory.", LOOK),
    "symbols": Listed("symbols", "List definitions.", LOOK),
    "definition": Listed("symbols", "Show where a name is defined.", LOOK),
    "references": Listed("symbols", "Show where a name is used.", LOOK),
    "index": Listed("index", "Bring the index up to date and report what was done.", KEEP),
    "reindex": Listed("index", "Build the index anew.", KEEP),
    "watch": Listed("index", "Keep the index up to date until Ctrl-C.", KEEP),
    "status": Listed("status", "Tell how fresh the index is.", KEEP),
    "stats": Listed("status", "Print what the index holds.", KEEP),
    "roots": Listed("status", "List the roots that are served.", KEEP),
    "mount": Listed("mount", "Mount a document store; alone: list what is mounted.", SERVE),
    "unmount": Listed("mount", "Take a mount out of your configuration.", SERVE),
    "publish": Listed("publish", "Publish a directory as a document store for mounts.", SERVE),
    "mcp": Listed("mcp", "Serve an AI agent over stdio (Model Context Protocol).", SERVE),
    "serve": Listed("serve", "Serve MCP, a JSON API and a page over HTTP.", SERVE),
    "hook": Listed(
        "hook", "Turn an agent's failed read into a suggestion (stdin to stdout).", SERVE
    ),
    "install": Listed("install", "Install into Claude Code, Codex, Cursor, VS Code, ...", SERVE),
    "uninstall": Listed("install", "Take tadoru out of agents again.", SERVE),
    "config": Listed("config", "List, set or validate the configuration.", SERVE),
    "completion": Listed(
        "completion", "Print the script that completes words in bash, zsh or fish.", SERVE
    ),
    "doctor": Listed("doctor", "Check the installation and the index; exit 1 on a fault.", SERVE),
}

REPLACED = {
    "init": "nothing needs to be set up; `tadoru config list` shows what can be set",
    "migrate": "use `tadoru doctor` to check an index and `tadoru index --rebuild` to make it anew",
    "pathfinder": "use `tadoru mcp --tools pathfinder`",
    "update": "upgrade it as you installed it: `pipx upgrade tadoru`, `uv tool upgrade tadoru`",
    "wizard": "use `tadoru config set KEY VALUE`; `tadoru config list` shows the keys",
}
"""Commands of the tools that tadoru replaces, and what to use instead."""


class LazyGroup(Family):
    """A group that knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        listed = COMMANDS.get(cmd_name)
        if listed is None:
            return None
        module = import_module(f"tadoru.cli.commands.{listed.module}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return with_shared_line(command)

    def instead_of(self, name: str) -> str:
        return REPLACED.get(name) or super().instead_of(name)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [
            CompletionItem(name, help=listed.summary)
            for name, listed in COMMANDS.items()
            if name.startswith(incomplete)
        ]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(ASK):
            formatter.write_dl([(n, c.summary) for n, c in COMMANDS.items() if c.section == ASK])
        with formatter.section("More, each with its own --help"):
            formatter.write_dl(
                [
                    (section, ", ".join(n for n, c in COMMANDS.items() if c.section == section))
                    for section in (LOOK, KEEP, SERVE)
                ]
            )


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='Example: tadoru search "where is the session cookie signed"',
)
@root_options
@click.option("--version", is_flag=True, help="Print the version.")
@click.pass_context
def tadoru(ctx: click.Context, /, version: bool, **shared: Any) -> None:
    """One file tree that an AI agent can trust: search it, resolve wrong paths, explore it."""
    ctx.obj = Options.from_flags(**shared)
    if version:
        from importlib.metadata import version as installed

        if ctx.obj.as_json:
            out_json({"version": installed("tadoru")})
        else:
            out(f"tadoru {installed('tadoru')}")
    elif ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(args: Sequence[str]) -> int:
    """Run the command line; every outcome becomes an exit code."""
    prepare_streams()
    code: int = 2
    try:
        result = tadoru.main(list(args), prog_name="tadoru", standalone_mode=False)
        code = result if isinstance(result, int) else 0
        sys.stdout.flush()
    except click.exceptions.Abort:
        code = INTERRUPTED
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        _abandon_stdout()
        code = BROKEN_PIPE
    except SystemExit as leave:  # click has swallowed a broken pipe, or has completed a word
        completed = "_TADORU_COMPLETE" in os.environ
        code = int(leave.code or 0) if completed else BROKEN_PIPE
    except click.ClickException as error:
        code = _report(_from_click(error), args)
    except TadoruError as error:
        code = _report(error, args)
    except Exception as error:
        code = _report_unexpected(error, args)
    return code


def _from_click(error: click.ClickException) -> TadoruError:
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "tadoru"
    if isinstance(error, click.NoSuchOption):
        near = " or ".join(f"`{name}`" for name in error.possibilities or ())
        hint = f"did you mean {near}?" if near else f"see `{where} --help`"
        return BadInput(f"no such option: {error.option_name}", hint=hint)
    message = error.format_message().rstrip(".")
    return BadInput(message[:1].lower() + message[1:], hint=f"see `{where} --help`")


def _report(error: TadoruError, args: Sequence[str]) -> int:
    if os.environ.get("TADORU_DEBUG"):
        import traceback

        traceback.print_exception(error)
    complain(str(error))
    if "--json" in args:
        _print_error_object(error.code, error.message, error.hint)
    return error.exit_code


def _report_unexpected(error: Exception, args: Sequence[str]) -> int:
    """Name an error that nobody planned; the traceback is one variable away."""
    if os.environ.get("TADORU_DEBUG"):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, OSError) and error.strerror:
        message = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        message = f"unexpected {type(error).__name__}: {error}"
    hint = "TADORU_DEBUG=1 shows the traceback"
    complain(f"{message} ({hint})")
    if "--json" in args:
        _print_error_object("unexpected", message, hint)
    return 2


def _print_error_object(code: str, message: str, hint: str) -> None:
    try:
        error_object(code, message, hint)
        sys.stdout.flush()
    except OSError:
        _abandon_stdout()


def _abandon_stdout() -> None:
    """Let the interpreter flush at exit into nothing, so that it has nothing to complain about."""
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
    finally:
        os.close(null)
