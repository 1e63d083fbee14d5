"""From directories and mounts to a Workspace: names, checks, configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tadoru.config import Config, load
from tadoru.documents import ChromaSource
from tadoru.errors import BadInput
from tadoru.roots import check_root, home
from tadoru.sources import LocalSource, Source
from tadoru.types import Principal
from tadoru.workspace import Workspace

MAX_PLACE = 1_000
"""Characters of the place of a mount."""


def open_workspace(
    path: str | os.PathLike[str] | None = ".",
    *,
    roots: Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]] | None = None,
    mounts: Mapping[str, str] | None = None,
    principal: Principal | None = None,
    config: Config | None = None,
    index: bool = True,
    yes: bool = False,
) -> Workspace:
    """Open a directory, or several, as one tree.

    `path`: the root, unless `roots` names some; one root lies at `/`, several at `/<name>`. None:
    mounts alone. `mounts`: further stores by place, as `{"/docs": "chroma://host:8000/docs"}`.
    `principal`: who asks; by default one with the groups of the configuration.
    `index=False` forbids building or updating an index; `yes` allows `/` and the home directory.

    Raises: `BadInput` (no directory), `BroadRoot`, `ConfigError`. Nothing is indexed before the
    first question.
    """
    given = list(roots.values()) if isinstance(roots, Mapping) else list(roots or ())
    if not given and path is not None:
        given = [path]
    checked = [check_root(root, yes=yes) for root in given]
    names = list(roots) if isinstance(roots, Mapping) and roots else _names(checked)
    settings = config if config is not None else load(checked[0] if checked else None)
    sources = {
        name.strip("/"): LocalSource(root, settings, indexes=index)
        for name, root in zip(names, checked, strict=True)
    }
    if principal is None:
        principal = Principal(settings.groups)
    mounted = _mounted({**settings.mounts, **(mounts or {})}, settings)
    for place in sources.keys() & mounted.keys():
        raise BadInput(f"/{place} is a root, and something else is mounted there")
    if not (sources or mounted):
        raise BadInput("there is no root and no mount", hint="give a directory or a mount")
    return Workspace({**sources, **mounted}, settings, principal)


def _names(roots: Sequence[Path]) -> list[str]:
    """Name several roots by their last part, told apart by a number where they are the same."""
    if len(roots) == 1:
        return [""]
    names: list[str] = []
    for root in roots:
        name, count = root.name or "root", 2
        while name in names:
            name, count = f"{root.name or 'root'}-{count}", count + 1
        names.append(name)
    return names


def place_of(text: str) -> str:
    """Return a place of the tree without slashes around it. Raises: `BadInput`."""
    parts = [part for part in text.split("/") if part]
    if "\0" in text or {".", ".."} & set(parts) or len(text) > MAX_PLACE:
        raise BadInput(f"{text!r} is no place in the tree", hint="such as /docs")
    return "/".join(parts)


def _mounted(mounts: Mapping[str, str], config: Config) -> dict[str, Source]:
    directory = home(config) / "mounts" if mounts else None
    return {
        place_of(place): ChromaSource(address, config, directory=directory)
        for place, address in mounts.items()
    }
