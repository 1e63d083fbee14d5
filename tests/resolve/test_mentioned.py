"""Which paths a command line names."""

from __future__ import annotations

import pytest

from tadoru.resolve import mentioned
from tadoru.views import View


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("cat README.md", ["README.md"]),
        ("cat ./README.md go.mod | head -5", ["README.md", "go.mod"]),
        ("sed -n '1,20p' internal/config/config.go", ["internal/config/config.go"]),
        ("grep -rn TODO internal/http", ["internal/http"]),
        ('cat "scripts/build docs.sh"', ["scripts/build docs.sh"]),
        (r"cat scripts/build\ docs.sh", ["scripts/build docs.sh"]),
        ("cd internal/config && cat loader.go", ["internal/config", "internal/config/loader.go"]),
        ("cat /web/package.json>out", ["web/package.json"]),
        ("wc -l <Makefile;ls cmd/shop/", ["Makefile", "cmd/shop"]),
        ("echo README", []),
        ("cat -- -n ../../etc/passwd", []),
        ("ls", []),
        ("cat 'unclosed README.md", ["README.md"]),
        ("", []),
    ],
)
def test_words_that_are_paths_are_found(shop: View, command: str, paths: list[str]) -> None:
    assert list(mentioned(shop.tree, command, "/")) == paths


def test_the_working_directory_counts(shop: View) -> None:
    assert mentioned(shop.tree, "cat loader.go ../http/router.go", "/internal/config") == (
        "internal/config/loader.go",
        "internal/http/router.go",
    )


def test_the_number_is_bounded(shop: View) -> None:
    everything = " ".join(path for path in shop.tree.files if " " not in path)
    assert len(mentioned(shop.tree, f"cat {everything}", "/")) == 5
    assert mentioned(shop.tree, "x" * 5_000 + " README.md", "/") == ()
