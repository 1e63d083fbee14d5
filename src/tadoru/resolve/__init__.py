"""A wrong path becomes ranked real paths, or an honest "absent".

What answers is loaded when it is first asked for: every workspace has a history, and few questions
are about a path.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tadoru.resolve.history import History

if TYPE_CHECKING:
    from tadoru.resolve.answer import Renames, resolve
    from tadoru.resolve.index import PathIndex, path_index
    from tadoru.resolve.measure import Measure, of_retry
    from tadoru.resolve.mentions import mentioned
    from tadoru.resolve.renamed import renames
    from tadoru.resolve.reply import AMBIGUOUS, RESOLVED, RETRY
    from tadoru.resolve.retrying import Strategy, retry

__all__ = [
    "AMBIGUOUS",
    "RESOLVED",
    "RETRY",
    "History",
    "Measure",
    "PathIndex",
    "Renames",
    "Strategy",
    "mentioned",
    "of_retry",
    "path_index",
    "renames",
    "resolve",
    "retry",
]

# No module may have the name of what is offered here: once imported, it would stand in its place.
_HOMES = {
    "answer": ("Renames", "resolve"),
    "index": ("PathIndex", "path_index"),
    "measure": ("Measure", "of_retry"),
    "mentions": ("mentioned",),
    "renamed": ("renames",),
    "reply": ("AMBIGUOUS", "RESOLVED", "RETRY"),
    "retrying": ("Strategy", "retry"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
