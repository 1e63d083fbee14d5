"""The options that every command takes, and the session that a command gets from them.

They may stand before or after the command's name. Decides which directory is meant when none is
given: the repository around the working directory, else the directory itself.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tadoru.errors import BadInput, TadoruError

if TYPE_CHECKING:
    from tadoru.config import Config
    from tadoru.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])


class SharedOption(click.Option):
    """An option that the help of `tadoru` explains; that of a command names all in one line."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        return super().get_help_record(ctx) if ctx.parent is None else None


_option = functools.partial(click.option, cls=SharedOption)
_SHARED = (
    _option(
        "--yes",
        is_flag=True,
        help="Agree: to a broad root, to models of yours elsewhere.",
    ),
    _option("--as", "groups", metavar="GROUPS", help="Ask as a member of these groups (a,b)."),
    _option("--no-index", is_flag=True, help="Never index; exit 3 if there is no index."),
    _option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    _option(
        "--root",
        "roots",
        multiple=True,
        metavar="DIR",
        shell_complete=lambda ctx, param, word: complete_directory(ctx, param, word),
        help="Serve this (repeatable), not the repository you are in.",
    ),
)


@dataclass(frozen=True, slots=True)
class Options:
    """The shared options, merged from before and after the command's name."""

    roots: tuple[str, ...] = ()
    as_json: bool = False
    no_index: bool = False
    groups: tuple[str, ...] = ()
    yes: bool = False

    @classmethod
    def from_flags(
        cls, *, roots: tuple[str, ...], as_json: bool, no_index: bool, groups: str | None, yes: bool
    ) -> Options:
        named = tuple(name.strip() for name in (groups or "").split(",") if name.strip())
        if groups is not None and not named:
            raise BadInput("--as names no group", hint="give names with commas: --as staff,admin")
        return cls(roots=roots, as_json=as_json, no_index=no_index, groups=named, yes=yes)

    def merged(self, later: Options) -> Options:
        return Options(
            roots=self.roots + later.roots,
            as_json=self.as_json or later.as_json,
            no_index=self.no_index or later.no_index,
            groups=later.groups or self.groups,
            yes=self.yes or later.yes,
        )


@dataclass(slots=True)
class Session:
    """What a command works with: its options, and the workspace they mean."""

    options: Options
    context: click.Context
    _opened: Workspace | None = field(default=None)

    @property
    def as_json(self) -> bool:
        return self.options.as_json

    @property
    def roots(self) -> tuple[Path, ...]:
        """The directories to serve."""
        if self.options.roots:
            return tuple(Path(root) for root in self.options.roots)
        return (repository_around(working_directory()),)

    def root_names(self) -> str:
        """Return the roots as the log names them."""
        try:
            return ":".join(os.path.realpath(root) for root in self.roots)
        except (TadoruError, OSError, ValueError):
            return "?"

    def host_path(self, path: str) -> str:
        """Return where a path of the tree lies on this machine; empty when it does not."""
        roots, full = self.open().roots, f"/{path}"
        for place in sorted(roots, key=len, reverse=True):
            inside = full.removeprefix(place.rstrip("/"))
            if inside.startswith("/") and (inside != full or place == "/"):
                return f"{roots[place].rstrip('/')}{inside}" if roots[place][:1] == "/" else ""
        return ""

    def open(self, path: str | None = None, config: Config | None = None) -> Workspace:
        """Open the workspace (of `path` when given); it is closed when the command ends."""
        if self._opened is None:
            import tadoru
            from tadoru.types import Principal

            roots = (Path(path),) if path else self.roots
            options = self.options
            principal = Principal(frozenset(options.groups)) if options.groups else None
            common: dict[str, Any] = {
                "principal": principal,
                "config": config,
                "index": not options.no_index,
                "yes": options.yes,
            }
            if len(roots) == 1:
                workspace = tadoru.open(str(roots[0]), **common)
            else:
                workspace = tadoru.open(roots=[str(root) for root in roots], **common)
            self._opened = self.context.with_resource(workspace)
            if options.yes:
                workspace.agree()
        return self._opened

    @property
    def cwd(self) -> str:
        """Where a relative path starts: the working directory as a place of the tree, else `/`."""
        if self.options.roots:
            return "/"
        here = working_directory()
        below = here.relative_to(repository_around(here))
        return str(PurePosixPath("/", below.as_posix()))

    def tree_path(self, path: str) -> str:
        """Return a path as the workspace takes it: relative to the root.

        A relative path starts in the working directory when it exists there; an absolute one may
        be of this machine. What exists nowhere is handed on, so that errors name what was typed.
        """
        if not path or "\0" in path:
            return path
        if path.startswith("/"):
            return self._from_host(path)
        if (working_directory() / path).exists():
            return _normal(f"{self.cwd}/{path}", otherwise=path)
        return _normal(path, otherwise=path)

    def _from_host(self, path: str) -> str:
        full = (Path(os.path.normpath(path)), Path(os.path.realpath(path)))
        for place, directory in self.open().roots.items():
            for each in full if directory.startswith("/") else ():
                if each.is_relative_to(directory):
                    return _normal(f"{place}/{each.relative_to(directory)}", otherwise=path)
        return path


def _normal(path: str, *, otherwise: str) -> str:
    """Return a tree path without `.` and `..`; `otherwise` when it leads out of the root."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return otherwise
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def home_of_indexes() -> Path:
    """Return `TADORU_HOME`. Raises: `TadoruError` when there is none."""
    from tadoru.config import load
    from tadoru.roots import home

    return home(load())


def working_directory() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise BadInput("the working directory is gone", hint="change to one that exists") from None


def repository_around(directory: Path) -> Path:
    """Return the repository around a directory; else the directory itself."""
    from tadoru.roots import repository_of

    return repository_of(directory)


def complete_file(_ctx: click.Context, _param: click.Parameter, word: str) -> list[Any]:
    """Let the shell complete file names, which is what it does best."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word, type="file")]


def complete_directory(_ctx: click.Context, _param: click.Parameter, word: str) -> list[Any]:
    """Let the shell complete directories."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word, type="dir")]


def root_options(command: F) -> F:
    """Add the shared options to the group itself."""
    for option in _SHARED:
        command = option(command)
    return command


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options to a command, which then gets a `Session` as its first argument."""

    @functools.wraps(command)
    @click.pass_context
    def wrapper(ctx: click.Context, /, **values: Any) -> Any:
        names = ("roots", "as_json", "no_index", "groups", "yes")
        own = Options.from_flags(**{name: values.pop(name) for name in names})
        before = ctx.obj if isinstance(ctx.obj, Options) else Options()
        from tadoru.cli import journal

        session = Session(before.merged(own), ctx)
        journal.start(home_of_indexes)
        return journal.logged(
            ctx.command_path, session.root_names, lambda: command(session, **values)
        )

    return root_options(wrapper)
