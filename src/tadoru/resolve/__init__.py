"""A wrong path becomes ranked real paths, or an honest "absent"."""

from tadoru.resolve.answer import Renames, resolve
from tadoru.resolve.history import History
from tadoru.resolve.index import PathIndex, path_index
from tadoru.resolve.renames import renames
from tadoru.resolve.reply import AMBIGUOUS, RESOLVED, RETRY
from tadoru.resolve.retry import Strategy, retry

__all__ = [
    "AMBIGUOUS",
    "RESOLVED",
    "RETRY",
    "History",
    "PathIndex",
    "Renames",
    "Strategy",
    "path_index",
    "renames",
    "resolve",
    "retry",
]
