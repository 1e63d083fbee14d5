"""How an agent is told to start tadoru: the exact version through `uvx`, or this installation.

An agent's server may take a moment to start; its hook may not, and uses this installation wherever
that will still be there tomorrow. A hook never stands in the way: whatever happens, it exits 0.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal

from tadoru.errors import Unavailable

Via = Literal["auto", "uvx", "installed"]
_PASSING = re.compile(r"/(?:archive|environments|builds)-v\d+/")
"""Directories of uv's cache: what runs from there is gone after the next clean-up."""
_OURS = re.compile(r"\btadoru\S* hook --agent ([a-z-]+)")


@dataclass(frozen=True, slots=True)
class Invocation:
    """The words before a command, for a server and for a hook."""

    server: tuple[str, ...]
    hook: tuple[str, ...]

    def server_command(self) -> tuple[str, list[str]]:
        """Return program and arguments that serve over stdio."""
        return self.server[0], [*self.server[1:], "mcp"]

    def hook_command(self, agent: str) -> str:
        """Return a shell command that never fails, also when tadoru is gone."""
        return f"{shlex.join(self.hook)} hook --agent {agent} 2>/dev/null || true"


def is_ours(command: object, agent: str) -> bool:
    """Tell whether a hook's command is one that was written here for an agent."""
    found = _OURS.search(command) if isinstance(command, str) else None
    return found is not None and found[1] == agent


def invocation(via: Via, *, shared: bool, path: str | None = None) -> Invocation:
    """Decide how tadoru is started. `shared`: in files that others will use on their machines.

    Raises: `Unavailable` when `uvx` is wanted and not there.
    """
    pinned = _pinned(path)
    here = ("tadoru",) if shared else _executable(path)
    if via == "uvx" and pinned is None:
        raise Unavailable("uvx is not installed", hint="install uv, or use --via installed")
    if via == "installed":
        pinned = None
    elif via == "auto" and not (_passing() or from_index()):
        pinned = None  # an index may not have what was installed from elsewhere
    if pinned is None:
        return Invocation(here, here)
    return Invocation(pinned, pinned if _passing() and not shared else here)


def _pinned(path: str | None) -> tuple[str, ...] | None:
    import tadoru

    if shutil.which("uvx", path=path) is None:
        return None
    return ("uvx", "--from", f"tadoru=={tadoru.__version__}", "tadoru")


def _executable(path: str | None) -> tuple[str, ...]:
    """Return this installation's command; in full, since an agent has a PATH of its own."""
    beside = Path(sys.executable).with_name("tadoru")
    called = Path(sys.argv[0])
    for candidate in (called if called.name == "tadoru" else beside, beside):
        if os.access(candidate, os.X_OK) and candidate.is_file():
            return (os.path.abspath(candidate),)  # noqa: PTH100 - a link stays one
    found = shutil.which("tadoru", path=path)
    return (found,) if found else (sys.executable, "-P", "-m", "tadoru")


def _passing() -> bool:
    return _PASSING.search(f"{sys.prefix}/") is not None


def from_index() -> bool:
    """Tell whether this installation came from a package index (PEP 610)."""
    try:
        return distribution("tadoru").read_text("direct_url.json") is None
    except PackageNotFoundError:
        return False
