"""How answers leave the process: results on stdout, everything else on stderr.

A file name may hold terminal escape sequences; what people read shows them and does not send them.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from tadoru.text.shown import shown, shown_text

if TYPE_CHECKING:
    from tadoru.types import IndexState

__all__ = [
    "complain",
    "error_object",
    "note",
    "note_state",
    "note_warnings",
    "out",
    "out_json",
    "out_text",
    "prepare_streams",
    "shown",
    "shown_text",
]


def prepare_streams() -> None:
    """Write UTF-8 whatever the locale says; bytes of odd file names go out as they came in.

    A stream that the caller has closed becomes an empty one, so that nobody has to ask.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(null, mode, closefd=False))
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="surrogateescape")


def out(text: str) -> None:
    """Print one line of a result."""
    sys.stdout.write(text + "\n")


def out_text(text: str, *, exact: bool = False) -> None:
    """Print text of several lines, harmless on a terminal; `exact`: as it is into a pipe."""
    if not text:
        return
    sys.stdout.write(text if exact and not sys.stdout.isatty() else shown_text(text))
    if not text.endswith("\n"):
        sys.stdout.write("\n")


def note(text: str) -> None:
    """Print one line beside the result."""
    sys.stderr.write(shown(text) + "\n")


def complain(text: str) -> None:
    """Print an error: one line, whatever is in it."""
    note(f"tadoru: {' '.join(text.split())}")


def note_state(state: IndexState) -> None:
    """Say how far the answer may be trusted, unless it is up to date."""
    if state.status != "fresh":  # its type would cost `--help` a fifth of its time
        note(f"tadoru: index {state}")


def note_warnings(warnings: tuple[str, ...]) -> None:
    for warning in warnings:
        note(f"tadoru: {warning}")


def out_json(value: Any) -> None:
    """Print a value as one JSON object with the names of `tadoru.types`."""
    from tadoru.types import to_json

    plain = to_json(value)
    text = json.dumps(plain, ensure_ascii=False)
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = json.dumps(plain)  # a file name that is no UTF-8: lone surrogates need \u escapes
    out(text)


def error_object(code: str, message: str, hint: str) -> None:
    """Print what went wrong for those who read JSON only."""
    fields = {"code": code, "message": message, "hint": hint}
    out_json({"error": {name: value for name, value in fields.items() if value}})
