"""Ctrl-C of a process of its own: never lost, and quiet to the last thread.

Python raises `KeyboardInterrupt` wherever it happens to be. In the middle of an import that can be
a callback of the import system, which drops it: the command would go on, a watch for ever. Here it
waits until the import is done. A second one does not wait. Where Ctrl-C is ignored it stays so.
"""

from __future__ import annotations

import signal
from types import FrameType

AGAIN_SECONDS = 0.02
"""How soon an interrupt that came during an import is tried again."""
_IMPORTING = "<frozen importlib._bootstrap"


def begin() -> None:
    """Take over Ctrl-C, as far as it is Python's own."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGALRM, _interrupt)
            signal.signal(signal.SIGINT, _interrupt)
    except ValueError:
        return  # not the main thread


def hand_back() -> None:
    """Give Ctrl-C back to Python: event loops take it over only from there."""
    if signal.getsignal(signal.SIGINT) is _interrupt:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def end() -> None:
    """Let Ctrl-C end what is left (threads that are waited for) without a word."""
    try:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    except (ValueError, KeyboardInterrupt):
        return  # not the main thread, or one more of them


def _interrupt(number: int, frame: FrameType | None) -> None:
    again = number == signal.SIGINT and signal.getitimer(signal.ITIMER_REAL)[0] > 0
    if not again and _importing(frame):
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    raise KeyboardInterrupt


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False
