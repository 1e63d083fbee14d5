"""`path:line` as terminals link it: plain text, and an OSC 8 hyperlink where that is understood.

Decides when: stdout is a terminal (`FORCE_HYPERLINK` overrides, 0 or 1), `NO_COLOR` is not set, and
the terminal is none that would print the sequence. The line travels in the link only where that
is known to work: VS Code, kitty.
"""

from __future__ import annotations

import os
import socket
import sys
from urllib.parse import quote

from tadoru.text.shown import shown

_PLAIN_TERMINALS = ("", "dumb", "linux", "screen")


def located(path: str, line: int, host_path: str = "") -> str:
    """Return `path:line`; it leads to `host_path` where the terminal links."""
    text = f"{shown(path)}:{line}"
    if not host_path or not linking():
        return text
    return f"\x1b]8;;{_address(host_path, line)}\x1b\\{text}\x1b]8;;\x1b\\"


def linking() -> bool:
    """Tell whether hyperlinks are wanted and understood."""
    forced = os.environ.get("FORCE_HYPERLINK", "")
    if forced:
        return forced != "0"
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return False
    return os.environ.get("TERM", "") not in _PLAIN_TERMINALS


def _address(host_path: str, line: int) -> str:
    path = quote(os.fsencode(host_path))
    if os.environ.get("TERM_PROGRAM") == "vscode":
        return f"vscode://file{path}:{line}"
    fragment = f"#{line}" if os.environ.get("KITTY_WINDOW_ID") else ""
    return f"file://{socket.gethostname()}{path}{fragment}"
