"""The interactive prompt of `tadoru sh`: line editing, history, completion by the tree itself.

Ctrl-C drops the line that is being typed, Ctrl-D leaves. Holds the working directory and the
state of the shell's session between lines.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.cli.commands.sh import print_run
from tadoru.cli.output import complain, note, note_state, shown, shown_text
from tadoru.errors import TadoruError
from tadoru.types import Freshness

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

HISTORY_LINES = 2_000
COLOURED = ("ls", "grep", "egrep", "fgrep", "rg")
BEYOND_A_PIPE = ";&<>(){}`\n$!#"
_LAST_COMMAND = re.compile(rf"\s*(?:{'|'.join(COLOURED)})(?=\s|$)")
_PAINT = re.compile(r"\x1b\[[0-9;]*[mK]")
WORD_BREAKS = " \t\n\"'`><=;|&("


class Prompt:
    """One session at a terminal."""

    def __init__(self, workspace: Workspace, cwd: str) -> None:
        self._workspace = workspace
        self._cwd = cwd
        self._state: bytes = b""
        self._said = Freshness.FRESH
        self._matches: list[str] = []
        self._code = 0
        self._colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self._colours &= os.environ.get("TERM", "dumb") != "dumb"

    def run(self) -> int:
        """Read and run lines until `exit` or Ctrl-D; return the last command's code."""
        history = self._edit_lines()
        note("read-only shell over the tree; `help` lists commands, Ctrl-D leaves")
        try:
            while True:
                try:
                    line = self._read()
                except KeyboardInterrupt:
                    sys.stdout.write("\n")
                    continue
                except EOFError:
                    sys.stdout.write("\n")
                    break
                words = line.split()
                if words[:1] == ["exit"]:
                    if words[1:] and words[1].isdigit():
                        self._code = int(words[1]) & 255
                    break
                if line.strip():
                    self._one(line)
        finally:
            self._save(history)
        return self._code

    def _read(self) -> str:
        """Read a command: one line, or as many as it takes until it is finished."""
        from tadoru.shell import unfinished

        command = input(f"tadoru:{shown(self._cwd)}$ ")
        while command.strip() and unfinished(command):
            try:
                command += "\n" + input("> ")
            except EOFError:
                break  # run what there is, so that the shell says what is missing
        return command

    def _one(self, line: str) -> None:
        command = coloured(line) if self._colours else line
        try:
            result = self._workspace.run(command, cwd=self._cwd, state=self._state or None)
        except KeyboardInterrupt:
            self._code = 130
            sys.stdout.write("\n")
            return
        except TadoruError as error:
            complain(str(error))
            self._code = error.exit_code
            return
        if command != line:
            sys.stdout.write(painted(result.stdout))
            result = replace(result, stdout_bytes=b"")
        print_run(result)
        if result.index.status is not self._said:
            note_state(result.index)
            self._said = result.index.status
        self._cwd, self._state, self._code = result.cwd, result.state, result.exit_code

    def _edit_lines(self) -> Path | None:
        """Switch on line editing where Python has it; return the history file."""
        try:
            import readline
        except ImportError:
            return None
        readline.set_completer_delims(WORD_BREAKS)
        readline.set_completer(self._complete)
        readline.parse_and_bind("tab: complete")
        readline.set_history_length(HISTORY_LINES)
        try:
            path = history_file()
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                readline.read_history_file(path)
        except (OSError, TadoruError):
            return None
        return path

    def _save(self, path: Path | None) -> None:
        if path is None:
            return
        import readline

        try:
            path.touch(mode=0o600)
            readline.write_history_file(path)
        except OSError as error:
            note(f"tadoru: the history was not saved: {error.strerror}")

    def _complete(self, _text: str, number: int) -> str | None:
        if number == 0:
            import readline

            line = readline.get_line_buffer()[: readline.get_endidx()]
            try:
                self._matches = self._workspace.complete(line, cwd=self._cwd)
            except TadoruError:
                self._matches = []
            if len(self._matches) == 1 and not self._matches[0].endswith(("/", " ")):
                self._matches[0] += " "  # as bash does; Python's readline adds nothing
        return self._matches[number] if number < len(self._matches) else None


def coloured(line: str) -> str:
    """Return a line whose last command paints what it prints, as `--color=auto` would at a
    terminal; unchanged when that is not one of `COLOURED`, or the line is more than a pipe."""
    start, quote, position = 0, "", 0
    while position < len(line):
        letter = line[position]
        if letter == "\\" and quote != "'":
            position += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in BEYOND_A_PIPE:
            return line
        elif letter == "|":
            start = position + 1
        position += 1
    found = _LAST_COMMAND.match(line, start)
    if found is None or "--color" in line[start:]:
        return line
    return f"{line[: found.end()]} --color=always{line[found.end() :]}"


def painted(text: str) -> str:
    """Return text that is harmless on a terminal, with its colours kept."""
    pieces = _PAINT.split(text)
    paint = _PAINT.findall(text)
    shown = map(shown_text, pieces)
    return "".join(piece + mark for piece, mark in zip(shown, [*paint, ""], strict=True))


def history_file() -> Path:
    """Return where the prompt's lines are kept: beside the indexes."""
    from tadoru.config import load
    from tadoru.roots import home

    return home(load()) / "history"
