"""Completion of a half-typed line."""

from __future__ import annotations

import pytest
from disk import FilesStore, view_of

from tadoru.shell import complete

FILES = {
    "README.md": b"",
    "docs/a b.md": b"",
    "docs/guide/x.md": b"",
    "src/main.py": b"",
    ".env": b"",
}


@pytest.mark.parametrize(
    ("line", "cwd", "expected"),
    [
        ("cat R", "/", ["README.md"]),
        ("cat ", "/", ["README.md", "docs/", "src/"]),
        ("cat docs/", "/", ["docs/a\\ b.md", "docs/guide/"]),
        ("cat docs/a\\ ", "/", ["docs/a\\ b.md"]),
        ("cat 'docs/a ", "/", ["docs/a\\ b.md"]),
        ("cat ../s", "/docs", ["../src/"]),
        ("cat /docs/g", "/src", ["/docs/guide/"]),
        ("cd ", "/", ["docs/", "src/"]),
        ("cd docs/", "/", ["docs/guide/"]),
        ("ls .", "/", [".env"]),
        ("ls | hea", "/", ["head"]),
        ("true && unl", "/", ["unlink"]),
        ("ls nope/", "/", []),
        ("cat < R", "/", ["README.md"]),
        ("sea", "/", ["search"]),
    ],
)
def test_completion(line, cwd, expected):
    assert complete(view_of(FilesStore(FILES)), line, cwd, tools=("search",)) == expected


def test_the_first_word_is_a_command_or_a_path():
    view = view_of(FilesStore(FILES))
    assert {"grep", "ls", "cat"} <= set(complete(view, "", "/"))
    assert complete(view, "docs/", "/") == ["docs/a\\ b.md", "docs/guide/"]
