"""A wrong path becomes ranked real paths, or an honest "absent"."""

from tadoru.resolve.answer import Renames, resolve
from tadoru.resolve.history import History
from tadoru.resolve.index import PathIndex, path_index
from tadoru.resolve.reply import AMBIGUOUS, RESOLVED, RETRY

__all__ = [
    "AMBIGUOUS",
    "RESOLVED",
    "RETRY",
    "History",
    "PathIndex",
    "Renames",
    "path_index",
    "resolve",
]
