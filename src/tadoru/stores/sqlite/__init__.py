"""The embedded store: one SQLite database per root, with disposable segments beside it."""

from tadoru.stores.sqlite.records import FileRecord, FileStat
from tadoru.stores.sqlite.rows import Delta, Known
from tadoru.stores.sqlite.store import SqliteStore
from tadoru.stores.sqlite.writer import Writer

__all__ = ["Delta", "FileRecord", "FileStat", "Known", "SqliteStore", "Writer"]
