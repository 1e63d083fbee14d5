"""What a tool call wanted and what it touched, told from its parameters, its words and the disk.

The disk decides: a path that a call named and that is not there failed, whatever the agent says
about it; one that is there was touched. Only shell commands are listened to, because their
working directory is not known for sure. Refuses to run or to interpret anything.
"""

# pathlib would cost a sixth of the time that a hook has
# ruff: noqa: PTH112, PTH113, PTH118, PTH119

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tadoru.hooks.agents import Call

MAX_WORDS = 64
"""Words of a command line that are looked up on disk."""
MAX_PATH = 4_096

_PATH_KEYS = (
    "file_path",
    "filePath",
    "absolute_path",
    "target_file",
    "path",
    "notebook_path",
    "dir_path",
    "directory",
    "target_directory",
)
"""Parameters that name what a tool works on, in the order in which they are believed."""
_PATTERN_KEYS = ("pattern", "glob", "glob_pattern")
_COMMAND_KEYS = ("command", "cmd")
_WRITES = frozenset({"write", "write_file", "notebookedit", "create_file", "create", "apply_patch"})
"""Tools that make the file: a missing path is no mistake."""
_LISTS = frozenset({"ls", "list", "list_dir", "list_directory", "glob", "grep", "search"})
_GLOBS = frozenset({"glob", "file_search", "find_files", "glob_file_search"})
_LISTING_COMMANDS = frozenset({"ls", "cd", "find", "tree", "du", "pushd"})
_SAYS_MISSING = "no such file or directory"
_BEFORE_NAME = (
    "cannot access ",
    "cannot open ",
    "can't open file ",
    "can't open ",
    "can't read ",
    "IO error for operation on ",
    "Failed to read file to update ",
)


class Wanted(NamedTuple):
    """A path that a call named, as it was written, with the directory it starts from."""

    path: str
    op: str
    cwd: str


class Seen(NamedTuple):
    """What a payload's calls come to."""

    missing: list[Wanted]
    touched: list[str]
    """Absolute paths that exist."""


def look(calls: list[Call], cwd: str) -> Seen:
    """Tell which paths of the calls are missing, and which were touched. `cwd`: absolute."""
    missing: dict[Wanted, None] = {}
    touched: dict[str, None] = {}
    for call in calls:
        for wanted in _wanted(call, cwd):
            full = os.path.normpath(os.path.join(wanted.cwd, wanted.path))
            if len(full) > MAX_PATH or "\0" in full:
                continue
            if not os.path.lexists(full):
                if wanted.op != "write":
                    missing[wanted] = None
            elif wanted.op == "read" and os.path.isdir(full) and _says_directory(call):
                missing[wanted] = None
            else:
                touched[full] = None
    return Seen(list(missing), list(touched))


def _wanted(call: Call, cwd: str) -> Iterator[Wanted]:
    tool = call.tool.lower()
    command = _command(call.arguments)
    if command:
        yield from _of_shell(command, call.said, cwd)
        return
    op = "write" if tool in _WRITES else "list" if tool in _LISTS else "read"
    path = next((p for p in map(call.arguments.get, _PATH_KEYS) if isinstance(p, str) and p), "")
    if path:
        yield Wanted(path, op, cwd)
    if tool in _GLOBS:
        pattern = next(
            (p for p in map(call.arguments.get, _PATTERN_KEYS) if isinstance(p, str)), ""
        )
        directory = _fixed_part(pattern)
        if directory:
            yield Wanted(directory, "list", os.path.join(cwd, path) if path else cwd)


def _command(arguments: Mapping[str, Any]) -> str:
    for key in _COMMAND_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list):  # Codex: ["bash", "-lc", "cat a"]
            words = [word for word in value if isinstance(word, str)]
            shell = len(words) > 2 and words[1] in ("-c", "-lc")
            return words[2] if shell else " ".join(words)
    return ""


def _fixed_part(pattern: str) -> str:
    """Return the directory before the first component of a glob that holds a wildcard."""
    parts = pattern.split("/")
    fixed = []
    for part in parts[:-1]:
        if any(char in part for char in "*?[{"):
            break
        fixed.append(part)
    return "/".join(fixed)


def _says_directory(call: Call) -> bool:
    said = call.said.lower()
    return "eisdir" in said or "is a directory" in said


def _of_shell(command: str, said: str, cwd: str) -> Iterator[Wanted]:
    """Yield what a command said is missing, and the words of it that are there."""
    here = cwd
    words = command.replace(";", " ").split()[:MAX_WORDS]
    for before, raw in zip(["", *words], words, strict=False):
        word = raw.strip("'\"`()&|<>")
        if not word or word.startswith("-"):
            continue
        full = os.path.join(here, word)
        if before == "cd" and os.path.isdir(full):
            here = os.path.normpath(full)
        elif ("/" in word or "." in word) and word.strip("./") and os.path.isfile(full):
            yield Wanted(word, "write", here)  # named and there: touched, and never a mistake
    for path, program in missing_in(said):
        if os.path.basename(path.rstrip("/")) in command:
            yield Wanted(path, "list" if program in _LISTING_COMMANDS else "read", here)


def missing_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield (path, program) for each line in which a program says that a path is not there.

    Known: `cat: PATH: No such file or directory` with GNU's and BSD's words around the path, and
    what Python, Node and Rust print: `[Errno 2] No such file or directory: 'PATH'`, `ENOENT: no
    such file or directory, open 'PATH'`, `PATH: No such file or directory (os error 2)`.
    """
    if _SAYS_MISSING not in text.lower():
        return
    for line in text.splitlines():
        end = line.lower().find(_SAYS_MISSING)
        if end < 0:
            continue
        path = _quoted_after(line[end + len(_SAYS_MISSING) :]) or _named_before(line[:end])
        if path:
            yield path, line.partition(":")[0].strip().rpartition("/")[2]


def _quoted_after(rest: str) -> str:
    for quote in "'\"":
        parts = rest.split(quote)
        if len(parts) > 2 and rest[:1] in ":,":
            return parts[1]
    return ""


def _named_before(start: str) -> str:
    if not start.rstrip().endswith(("]", ":")):
        return ""
    name = start.rstrip().removesuffix("[Errno 2]").rstrip().removesuffix(":")
    name = name.rpartition(": ")[2].strip()
    for marker in _BEFORE_NAME:
        name = name.removeprefix(marker)
    return name.removesuffix(" for reading").strip("'\"‘’`")
