"""From directories and mounts to a Workspace: names, checks, configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tadoru.config import Config, load
from tadoru.sources import ChromaSource, LocalSource, Source, check_root
from tadoru.types import Principal
from tadoru.workspace import Workspace


def open_workspace(
    path: str | os.PathLike[str] = ".",
    *,
    roots: Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]] | None = None,
    mounts: Mapping[str, str] | None = None,
    principal: Principal | None = None,
    config: Config | None = None,
    index: bool = True,
    yes: bool = False,
) -> Workspace:
    """Open a directory, or several, as one tree.

    `path`: the root, unless `roots` names some; one root lies at `/`, several at `/<name>`.
    `mounts`: further stores by place, as `{"/docs": "chroma://host:8000/collection"}`.
    `principal`: who asks; by default one with the groups of the configuration.
    `index=False` forbids building or updating an index; `yes` allows `/` and the home directory.

    Raises: `BadInput` (no directory), `BroadRoot`, `ConfigError`. Nothing is indexed before the
    first question.
    """
    given = list(roots.values()) if isinstance(roots, Mapping) else list(roots or [path])
    checked = [check_root(root, yes=yes) for root in given]
    names = list(roots) if isinstance(roots, Mapping) else _names(checked)
    settings = config if config is not None else load(checked[0])
    sources = {
        name.strip("/"): LocalSource(root, settings, indexes=index)
        for name, root in zip(names, checked, strict=True)
    }
    if principal is None:
        principal = Principal(settings.groups)
    return Workspace(
        {**sources, **_mounted({**settings.mounts, **(mounts or {})})}, settings, principal
    )


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


def _mounted(mounts: Mapping[str, str]) -> dict[str, Source]:
    return {place.strip("/"): ChromaSource(address) for place, address in mounts.items()}
