"""The workspace's own commands inside the shell: search, resolve, outline, definition, ...

They answer from the view of the command line they stand in, print plain lines that can be piped,
and take few options. Exit codes are the command line's: 0 found, 1 nothing, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import posixpath
from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, NoReturn

from tadoru.errors import PathNotFound, TadoruError
from tadoru.reading import read
from tadoru.types import Op, Symbol

if TYPE_CHECKING:
    from tadoru.views import View
    from tadoru.workspace import Workspace

Outcome = tuple[bytes, bytes, int]
Tool = Callable[[list[str], bytes, str], Outcome]
"""(arguments, standard input, working directory) -> (stdout, stderr, exit code)."""


NAMES = ("search", "resolve", "outline", "definition", "references", "map")


class _Usage(Exception):
    pass


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Usage(f"{self.prog}: {message}\n{self.format_usage()}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise _Usage(message or self.format_help())


def shell_tools(workspace: Workspace, view: View) -> Mapping[str, Tool]:
    """Return the commands by name, bound to one view."""
    commands = _Commands(workspace, view)
    return {name: getattr(commands, name) for name in NAMES}


def _guarded(
    method: Callable[[_Commands, list[str], str], tuple[str, int]],
) -> Callable[..., Outcome]:
    def run(self: _Commands, argv: list[str], stdin: bytes, cwd: str) -> Outcome:
        try:
            text, code = method(self, argv, cwd)
        except _Usage as usage:
            return b"", f"{usage}".encode(), 2
        except TadoruError as error:
            return b"", f"{method.__name__}: {error}\n".encode(), error.exit_code
        return text.encode("utf-8", "surrogateescape"), b"", code

    return run


class _Commands:
    def __init__(self, workspace: Workspace, view: View) -> None:
        self._workspace = workspace
        self._view = view

    @_guarded
    def search(self, argv: list[str], cwd: str) -> tuple[str, int]:
        parser = _Parser(prog="search", add_help=True)
        parser.add_argument("question", nargs="+")
        parser.add_argument("-n", "--top", type=int, default=10)
        parser.add_argument("-t", "--term", action="append", default=[])
        parser.add_argument("-C", "--context", action="store_true", help="print packed text")
        parser.add_argument("--budget", type=int, default=self._workspace.config.budget)
        options = parser.parse_args(argv)
        answer = self._workspace.search_in(
            self._view,
            " ".join(options.question),
            terms=tuple(options.term),
            top=options.top,
            under=cwd.strip("/"),
            budget=options.budget,
        )
        if options.context:
            return answer.text, 0 if answer.hits else 1
        lines = [
            f"{_seen_from(cwd, hit.path)}:{hit.start_line}-{hit.end_line}: {hit.breadcrumb}".rstrip(
                ": "
            )
            for hit in answer.hits
        ]
        return _block(lines), 0 if lines else 1

    @_guarded
    def resolve(self, argv: list[str], cwd: str) -> tuple[str, int]:
        parser = _Parser(prog="resolve")
        parser.add_argument("path")
        parser.add_argument("--intent", default="")
        parser.add_argument("-n", "--top", type=int, default=3)
        options = parser.parse_args(argv)
        answer = self._workspace.resolve_in(
            self._view, options.path, intent=options.intent, cwd=cwd.strip("/"), top=options.top
        )
        if answer.status == "resolved":
            return _block([_seen_from(cwd, answer.path)]), 0
        return _block(
            [_seen_from(cwd, c.path) for c in answer.candidates]
        ), 0 if answer.candidates else 1

    @_guarded
    def outline(self, argv: list[str], cwd: str) -> tuple[str, int]:
        from tadoru.search import outline

        path, budget = self._place("outline", argv, cwd)
        text = outline(self._view, path, budget=budget, counter=self._workspace.counter).text
        return text, 0 if text else 1

    @_guarded
    def map(self, argv: list[str], cwd: str) -> tuple[str, int]:
        from tadoru.search import repo_map

        path, budget = self._place("map", argv, cwd)
        text = repo_map(self._view, path, budget=budget, counter=self._workspace.counter).text
        return text, 0 if text else 1

    def _place(self, name: str, argv: list[str], cwd: str) -> tuple[str, int]:
        parser = _Parser(prog=name)
        parser.add_argument("path", nargs="?", default=".")
        parser.add_argument("--budget", type=int, default=self._workspace.config.budget)
        options = parser.parse_args(argv)
        path = posixpath.normpath(posixpath.join("/", cwd, options.path)).strip("/")
        if self._view.entry(path) is None:
            raise _Usage(f"{name}: {options.path}: No such file or directory\n")
        return path, options.budget

    @_guarded
    def definition(self, argv: list[str], cwd: str) -> tuple[str, int]:
        from tadoru.search import definition

        parser = _Parser(prog="definition")
        parser.add_argument("name")
        parser.add_argument("-n", "--top", type=int, default=10)
        options = parser.parse_args(argv)
        found = definition(self._view, options.name, hint_path=cwd.strip("/"), top=options.top)
        return _block(_located(found.symbols, cwd)), 0 if found.symbols else 1

    @_guarded
    def references(self, argv: list[str], cwd: str) -> tuple[str, int]:
        from tadoru.search import references

        parser = _Parser(prog="references")
        parser.add_argument("name")
        parser.add_argument("-n", "--top", type=int, default=50)
        options = parser.parse_args(argv)
        found = references(self._view, options.name, exclude_definition=False, top=options.top)
        lines = [
            f"{_seen_from(cwd, r.path)}:{r.line}:{r.kind}: {r.text.strip()}"
            for r in found.references
        ]
        return _block(lines), 0 if lines else 1


def perform(workspace: Workspace, view: View, op: Op, intent: str, path: str) -> tuple[str, bool]:
    """Do a reading operation on one path, for retry: its text, its listing, its status, or the
    lines below it that contain `intent`. Returns the result, and whether it was cut.

    Raises: `TadoruError` when the operation does not fit the path.
    """
    if op == "read":
        budget = workspace.config.budget
        answer = read(view, path, counter=workspace.counter, budget=budget)
        return answer.text, answer.truncated
    place = quote("/" + path)
    if op == "search":
        command = f"grep -rnF -e {quote(intent or '.')} -- {place}"
        found = workspace.run_in(view, command)
        return found.stdout, found.truncated
    done = workspace.run_in(view, f"stat -- {place}" if op == "stat" else f"ls -la -- {place}")
    if done.exit_code:
        raise PathNotFound(done.stderr.strip() or f"{path}: cannot be listed")
    return done.stdout, done.truncated


def _located(symbols: Sequence[Symbol], cwd: str) -> list[str]:
    return [
        f"{_seen_from(cwd, s.path)}:{s.span.start_line}:{s.kind}: {s.signature or s.name}"
        for s in symbols
    ]


def _seen_from(cwd: str, path: str) -> str:
    """Return a path as the next command of a pipe can use it."""
    return path if cwd == "/" else posixpath.relpath("/" + path, cwd)


def _block(lines: Sequence[str]) -> str:
    return "".join(line + "\n" for line in lines)
