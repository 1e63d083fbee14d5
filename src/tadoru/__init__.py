"""tadoru: one file tree that an AI agent can trust.

    >>> import tadoru
    >>> ws = tadoru.open("path/to/repository")          # doctest: +SKIP
    >>> ws.resolve("src/flask/session.py").path         # doctest: +SKIP
    'src/flask/sessions.py'

`open` gives a `Workspace`; its methods return the value types below and raise the errors below.
Importing this package loads nothing heavy: each method imports what it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tadoru import errors
from tadoru.errors import *  # noqa: F403
from tadoru.types import (
    Candidate,
    Chunk,
    Entry,
    FileList,
    FileRow,
    Freshness,
    Hit,
    Import,
    IndexReport,
    IndexState,
    Kind,
    PackedFile,
    Principal,
    ReadAnswer,
    Reference,
    ReferenceList,
    Resolution,
    RetryResult,
    Role,
    RunResult,
    SearchAnswer,
    Segment,
    Span,
    Symbol,
    SymbolList,
    TextAnswer,
)

if TYPE_CHECKING:
    from tadoru.config import Config
    from tadoru.workspace import Workspace
    from tadoru.workspace import open_workspace as open

__version__ = "0.1.0"

_LAZY = {
    "Config": ("tadoru.config", "Config"),
    "Workspace": ("tadoru.workspace", "Workspace"),
    "open": ("tadoru.workspace", "open_workspace"),
}

__all__ = sorted(
    [
        *errors.__all__,
        *_LAZY,
        "Candidate",
        "Chunk",
        "Entry",
        "FileList",
        "FileRow",
        "Freshness",
        "Hit",
        "Import",
        "IndexReport",
        "IndexState",
        "Kind",
        "PackedFile",
        "Principal",
        "ReadAnswer",
        "Reference",
        "ReferenceList",
        "Resolution",
        "RetryResult",
        "Role",
        "RunResult",
        "SearchAnswer",
        "Segment",
        "Span",
        "Symbol",
        "SymbolList",
        "TextAnswer",
        "__version__",
    ]
)


def __getattr__(name: str) -> Any:
    """Load the workspace and the configuration when they are first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module 'tadoru' has no attribute {name!r}")
    module, attribute = _LAZY[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value
