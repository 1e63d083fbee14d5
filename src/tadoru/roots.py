"""Directories on this machine: which may be a root, and where the indexes of all roots lie.

Refuses `/` and the home directory without consent. Reads no file and writes none.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from tadoru.config import Config
from tadoru.errors import BadInput, BroadRoot, StoreError


def home(config: Config) -> Path:
    """Return the directory of all indexes. Raises: `StoreError` without a usable home."""
    if config.home:
        return Path(config.home).expanduser().absolute()
    import platformdirs

    path = Path(platformdirs.user_cache_dir("tadoru"))
    if not path.is_absolute():
        raise StoreError("there is no home directory", hint="set TADORU_HOME to a directory")
    return path


def repository_of(directory: Path) -> Path:
    """Return the nearest directory upwards that has a `.git`, else the directory itself."""
    for parent in (directory, *directory.parents):
        if (parent / ".git").exists():
            return parent
    return directory


def check_root(path: str | os.PathLike[str], *, yes: bool = False) -> Path:
    """Return the canonical directory of a root.

    Raises: `BadInput` when it is no directory; `BroadRoot` for `/` and the home directory.
    """
    text = os.fspath(path)
    if "\0" in text:
        raise BadInput("the root has a NUL byte in its name")
    root = Path(os.path.realpath(Path(text).expanduser()))
    if not root.exists():
        raise BadInput(f"{text}: no such directory", hint="give an existing directory with --root")
    if not root.is_dir():
        raise BadInput(f"{text}: not a directory", hint="give a directory with --root")
    broad = {Path("/"), Path(os.path.realpath(Path("~").expanduser()))}
    if root in broad and not yes:
        raise BroadRoot(
            f"{root} as a root would index everything below it",
            hint="give a project's directory, or --yes if you mean it",
        )
    return root


def without_home(root: Path, config: Config) -> Config:
    """Leave the directory of all indexes out of a root that holds it: it is no part of a tree."""
    here = Path(os.path.realpath(home(config)))
    if here == root or not here.is_relative_to(root):
        return config
    rule = "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", here.relative_to(root).as_posix()) + "/"
    index = replace(config.index, ignore=(*config.index.ignore, rule))
    return replace(config, index=index)
