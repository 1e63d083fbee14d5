"""The daily log of commands: `TADORU_HOME/logs/tadoru.YYYY-MM-DD.log`, kept for seven days.

A line says what ran, on which root, how it ended and how long it took: no question, no path that
was asked for, no text of a file. It is written only where `TADORU_HOME` exists already, and a log
that cannot be written is no reason to fail. `LOG_LEVEL` is one of `LEVELS`.
"""

from __future__ import annotations

import logging
import os
import time
import traceback
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from tadoru.cli import INTERRUPTED
from tadoru.cli.output import note
from tadoru.errors import TadoruError

LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "off": logging.CRITICAL + 10,
}
DAYS_KEPT = 7

logger = logging.getLogger("tadoru.cli")


class DailyFile(logging.Handler):
    """Appends to the file of the day, private to its owner; a process may live for weeks."""

    def __init__(self, home: Callable[[], Path]) -> None:
        super().__init__()
        self._home = home

    def emit(self, record: logging.LogRecord) -> None:
        try:
            directory = self._home() / "logs"
            if directory.parent.is_dir():
                self._append(directory, self.format(record))
        except (OSError, TadoruError):
            return  # a full disk, a read-only or missing home

    def _append(self, directory: Path, line: str) -> None:
        directory.mkdir(mode=0o700, exist_ok=True)
        path = directory / f"tadoru.{datetime.now(UTC).date().isoformat()}.log"
        fresh = not path.exists()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(path, flags, 0o600)
        try:
            os.write(handle, f"{line}\n".encode(errors="backslashreplace"))
        finally:
            os.close(handle)
        if fresh:
            _drop_old(directory)

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        text = record.getMessage().replace("\n", "\\n")
        return f"{moment} {record.levelname} {record.process} {record.name} {text}"


def _drop_old(directory: Path) -> None:
    """Remove the files of days that are no longer kept; nothing else in the directory."""
    oldest = datetime.now(UTC).date() - timedelta(days=DAYS_KEPT - 1)
    for path in directory.glob("tadoru.*.log"):
        try:
            if date.fromisoformat(path.name.split(".")[1]) < oldest:
                path.unlink()
        except (ValueError, OSError):
            continue


def start(home: Callable[[], Path]) -> None:
    """Let all of tadoru's loggers write to the file of the day, as `LOG_LEVEL` says."""
    root = logging.getLogger("tadoru")
    if any(isinstance(handler, DailyFile) for handler in root.handlers):
        return
    named = os.environ.get("LOG_LEVEL", "").strip().lower()
    if named and named not in LEVELS:
        note(f"tadoru: LOG_LEVEL={named} is unknown, info is used (one of {', '.join(LEVELS)})")
    root.setLevel(LEVELS.get(named, logging.INFO))
    root.addHandler(DailyFile(home))
    root.propagate = False


def logged(command: str, roots: Callable[[], str], run: Callable[[], Any]) -> Any:
    """Run a command and write how it ended."""
    began = time.monotonic()
    logger.debug("%s begins", command)
    ended, level = "exit=0", logging.INFO
    try:
        result = run()
        ended = f"exit={result if isinstance(result, int) else 0}"
    except TadoruError as error:
        ended = f"exit={error.exit_code} error={error.code}"
        raise
    except KeyboardInterrupt:
        ended = f"exit={INTERRUPTED}"
        raise
    except BrokenPipeError:
        ended = "the reader left"
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
        ended, level = f"{type(error).__name__} at {where}", logging.ERROR
        raise
    finally:
        spent = (time.monotonic() - began) * 1000
        if logger.isEnabledFor(level):
            logger.log(level, "%s %s ms=%.0f root=%s", command, ended, spent, roots())
    return result
