"""A small tree that has one of everything, and how suites ask for a store of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from tadoru.stores.base import Store
from tadoru.types import Chunk, Import, Span, Symbol

Labels = Mapping[str, Collection[str] | Literal["public"]]
Files = Mapping[str, str | bytes]
Vectors = Mapping[str, Mapping[tuple[str, int], npt.NDArray[np.float32]]]


class Make(Protocol):
    """Makes a store; the arguments are those of `MemoryStore`."""

    def __call__(
        self,
        files: Mapping[str, str | bytes],
        *,
        labels: Labels | None = None,
        chunks: Mapping[str, Sequence[Chunk]] | None = None,
        symbols: Sequence[Symbol] = (),
        imports: Sequence[Import] = (),
        links: Mapping[str, str] | None = None,
        unindexed: Collection[str] = (),
        vectors: Vectors | None = None,
    ) -> Store: ...


FILES: dict[str, str | bytes] = {
    "README.md": "# Sessions\n\nHow the session cookie is signed.\n",
    "src/app.py": (
        "from src import sessions\n\n\ndef open_app():\n    return sessions.open_session()\n"
    ),
    "src/sessions.py": "def open_session():\n    return sign('cookie')\n" + "# filler\n" * 90,
    "src/secret.py": "def hidden_cookie_key():\n    return 'session cookie session'\n",
    "docs/日本語.md": "# データベース\n\n用户の修正 cookie\r\nsecond line",
    "docs/wide.txt": "\ufeffcookie in two bytes\n".encode("utf-16-le"),
    "img/logo.bin": b"\x00\x01\x02cookie\x00" * 40,
    "empty.txt": "",
}

LABELS: dict[str, Collection[str] | Literal["public"]] = {
    "README.md": "public",
    "src/app.py": "public",
    "src/sessions.py": {"dev", "ops"},
    "src/secret.py": {"ops"},
    "docs/日本語.md": "public",
    "docs/wide.txt": "public",
    "empty.txt": "public",
}
"""`img/logo.bin` has none: nobody sees it."""

SYMBOLS = (
    Symbol("open_app", "function", "src/app.py", Span(4, 5, 26, 77, 26, 77), doc="Open."),
    Symbol("hidden_cookie_key", "function", "src/secret.py", Span(1, 2, 0, 60, 0, 60)),
    Symbol("Open_Session", "class", "src/sessions.py", Span(3, 3, 44, 53, 44, 53), "Outer"),
    Symbol("open_session", "function", "src/sessions.py", Span(1, 2, 0, 44, 0, 44)),
)

IMPORTS = (
    Import("src/app.py", "src", 1, "src/sessions.py", ("sessions",)),
    Import("src/app.py", "secret", 2, "src/secret.py"),
    Import("src/app.py", "os", 3),
    Import("src/secret.py", "src.app", 1, "src/app.py"),
    Import("README.md", "src/app.py", 3, "src/app.py"),
    Import("README.md", "src/app.py", 4, "src/app.py"),
)
