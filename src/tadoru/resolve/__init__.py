"""A wrong path becomes ranked real paths, or an honest "absent"."""

from tadoru.resolve.answer import Renames, resolve
from tadoru.resolve.history import History
from tadoru.resolve.index import PathIndex, path_index
from tadoru.resolve.measure import Measure, of_retry
from tadoru.resolve.mentioned import mentioned
from tadoru.resolve.renames import renames
from tadoru.resolve.reply import AMBIGUOUS, RESOLVED, RETRY
from tadoru.resolve.retry import Strategy, retry

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
