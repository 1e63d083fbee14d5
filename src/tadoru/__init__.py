"""tadoru: one file tree that an AI agent can trust.

    >>> import tadoru
    >>> ws = tadoru.open("path/to/repository")          # doctest: +SKIP
    >>> ws.resolve("src/flask/session.py").path         # doctest: +SKIP
    'src/flask/sessions.py'

`open` gives a `Workspace`; its methods return the value types below and raise the errors below.
Importing this package loads nothing heavy: each method imports what it needs.
"""

TYPE_CHECKING = False  # as checkers know it; `typing` itself costs more than all of this
if TYPE_CHECKING:
    from typing import Any

    from tadoru.config import Config
    from tadoru.errors import (
        BadInput,
        BroadRoot,
        ConfigError,
        CorruptStore,
        IsADirectoryHere,
        LimitExceeded,
        NewerStore,
        NotADirectoryHere,
        NotIndexed,
        OutsideRoots,
        PathNotFound,
        ReadOnly,
        StoreBusy,
        StoreError,
        StoreFull,
        TadoruError,
        TimeUp,
        Unavailable,
    )
    from tadoru.opening import open_workspace as open
    from tadoru.search.memory import SessionMemory
    from tadoru.types import (
        Candidate,
        Chunk,
        EmbeddingReport,
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
    from tadoru.workspace import Workspace

__version__ = "0.1.0"

_LAZY = {
    "Config": ("tadoru.config", "Config"),
    "SessionMemory": ("tadoru.search.memory", "SessionMemory"),
    "Workspace": ("tadoru.workspace", "Workspace"),
    "open": ("tadoru.opening", "open_workspace"),
}

__all__ = [
    "BadInput",
    "BroadRoot",
    "Candidate",
    "Chunk",
    "Config",
    "ConfigError",
    "CorruptStore",
    "EmbeddingReport",
    "Entry",
    "FileList",
    "FileRow",
    "Freshness",
    "Hit",
    "Import",
    "IndexReport",
    "IndexState",
    "IsADirectoryHere",
    "Kind",
    "LimitExceeded",
    "NewerStore",
    "NotADirectoryHere",
    "NotIndexed",
    "OutsideRoots",
    "PackedFile",
    "PathNotFound",
    "Principal",
    "ReadAnswer",
    "ReadOnly",
    "Reference",
    "ReferenceList",
    "Resolution",
    "RetryResult",
    "Role",
    "RunResult",
    "SearchAnswer",
    "Segment",
    "SessionMemory",
    "Span",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "Symbol",
    "SymbolList",
    "TadoruError",
    "TextAnswer",
    "TimeUp",
    "Unavailable",
    "Workspace",
    "__version__",
    "open",
]


def __getattr__(name: str) -> "Any":
    """Load what is asked for when it is first asked for; a hook has no time for the rest."""
    from importlib import import_module

    if name in _LAZY:
        module, attribute = _LAZY[name]
    elif name in __all__:
        places = ("tadoru.errors", "tadoru.types")
        module = next(place for place in places if hasattr(import_module(place), name))
        attribute = name
    else:
        raise AttributeError(f"module 'tadoru' has no attribute {name!r}")
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *globals()]
