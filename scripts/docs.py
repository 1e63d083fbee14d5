"""Write the reference pages that are generated from the code: `docs/cli.md`, `docs/tools.md`.

With `--check`, write nothing and exit 1 when a page is not what it should be.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import click

from tadoru.cli.app import COMMANDS, tadoru
from tadoru.mcp.calls import Toolset, name_of
from tadoru.mcp.contextweaver import ContextWeaverTools
from tadoru.mcp.pathfinder import PathfinderTools
from tadoru.mcp.tools import Tools

DOCS = Path(__file__).parent.parent / "docs"
MADE = "<!-- Made by `make docs` from the code; change it there. -->"
WIDTH = 88


def cli_page() -> str:
    """Return the help of every command, in the order of `tadoru --help`."""
    parts = ["# Command line", MADE, INTRODUCTION, block(tadoru, "tadoru", None)]
    parent = click.Context(tadoru, info_name="tadoru")
    for name in COMMANDS:
        command = tadoru.get_command(parent, name)
        assert command is not None
        parts += [f"## {name}", block(command, name, parent)]
        if isinstance(command, click.Group):
            inside = click.Context(command, info_name=name, parent=parent)
            for inner in command.list_commands(inside):
                below = command.get_command(inside, inner)
                assert below is not None
                parts += [f"### {name} {inner}", block(below, inner, inside)]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """\
Results go to stdout, everything else to stderr. `--json` prints one object with the names of the
library's values; an error is then `{"error": {"code", "message", "hint"}}`. The shared options may
stand before or after the command.

| exit code | meaning |
|---|---|
| 0 | found (for `resolve`: one path, or several candidates) |
| 1 | nothing found, or a check failed |
| 2 | an error, or wrong usage |
| 3 | no index, and `--no-index` forbade to make one |
| 4 | outside all roots |
| 130 | interrupted |
| 141 | the reader of a pipe left |

As with grep, 0 means that it is there. A `search` whose best hit is a guess (`low confidence` on
stderr) prints it and exits 1, so that `tadoru search ... && ...` goes on with answers only.
`tadoru sh` returns the code of the command line that it ran.

- **`path:line`** in answers is what terminals and editors link. A terminal that knows hyperlinks
  (OSC 8) gets one to the file; `FORCE_HYPERLINK=0` or `1` decides.
- **`NO_COLOR`** switches off colours and links. A progress bar with rate and time left is drawn on
  a terminal only.
- **Completion** of commands, options, choices and paths: `eval "$(tadoru completion bash)"`, and
  `zsh`, `fish`.
- **The log** of the day is `TADORU_HOME/logs/tadoru.YYYY-MM-DD.log` (mode 0600, seven days kept):
  what ran, on which root, how it ended, how long it took; no question, no path asked for, no text.
  `LOG_LEVEL` is `debug`, `info` (default), `warning`, `error` or `off`.
- **A fault** that nobody planned is one line; `TADORU_DEBUG=1` shows its traceback.

Those who come from ContextWeaver or pathfinder go on typing what they know; `cw` and `pathfinder`
are commands of this package.

| you typed | now |
|---|---|
| `cw index [PATH] --force`, `watch [PATH] --debounce MS` | the same |
| `cw search --information-request TEXT --technical-terms A,B` | the same |
| `cw list-files`, `definition`, `references`, `stats`, `config list` | the same |
| `cw mcp` | the same: `tadoru mcp --tools contextweaver` |
| `cw init`, `config wizard` | not needed; `tadoru config set KEY VALUE` |
| `cw migrate`, `migrate --reset` | `tadoru doctor`; `tadoru index --rebuild` |
| `pathfinder --root DIR` | the same: `tadoru mcp --tools pathfinder --root DIR` |"""


def block(command: click.Command, name: str, parent: click.Context | None) -> str:
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH)
    return f"```text\n{command.get_help(context)}\n```"


def tools_page() -> str:
    """Return name, parameters and description of every MCP tool."""
    parts = ["# Tools for agents (MCP)", MADE, TOOLS_INTRODUCTION]
    parts += described(Tools(lambda: None))  # type: ignore[arg-type, return-value]
    parts += ["# With `--tools contextweaver`", CONTEXTWEAVER_INTRODUCTION]
    parts += described(ContextWeaverTools(lambda: None))  # type: ignore[arg-type, return-value]
    parts += ["# With `--tools pathfinder`", PATHFINDER_INTRODUCTION]
    parts += described(PathfinderTools(lambda: None))  # type: ignore[arg-type, return-value]
    return "\n\n".join(parts) + "\n"


def described(tools: Toolset) -> list[str]:
    """Return a section for each tool of a set."""
    parts: list[str] = []
    for tool in tools.all():
        parts += [f"## {name_of(tool)}", " ".join((tool.__doc__ or "").split())]
        rows = ["| parameter | type | default |", "|---|---|---|"]
        for parameter in inspect.signature(tool).parameters.values():
            required = parameter.default is inspect.Parameter.empty
            default = "required" if required else f"`{parameter.default!r}`"
            kind = str(parameter.annotation).replace("|", "\\|")
            rows.append(f"| `{parameter.name}` | `{kind}` | {default} |")
        if len(rows) > 2:
            parts.append("\n".join(rows))
    return parts


CONTEXTWEAVER_INTRODUCTION = """\
The names, parameters and answers of ContextWeaver, see [mcp.md](mcp.md). All of them only read."""

PATHFINDER_INTRODUCTION = """\
The names, parameters and answers of pathfinder, see [mcp.md](mcp.md). All of them only read."""

TOOLS_INTRODUCTION = """\
All tools only read, and say so to the client. Answers are text: file content stands inside fences
that it cannot close, and the last line is the state of the index (`index: fresh`). Defaults are
plain values, since some clients refuse nullable types: 0 or `""` means "as configured"."""


def main(check: bool) -> int:
    stale = []
    for name, text in (("cli.md", cli_page()), ("tools.md", tools_page())):
        path = DOCS / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text)
    sys.stdout.write(f"docs: {', '.join(stale) or 'nothing'} {'stale' if check else 'written'}\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
