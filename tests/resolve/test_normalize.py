"""What a request says: the path, the line, the directory, the place outside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadoru.errors import BadInput
from tadoru.resolve import resolve
from tadoru.resolve.normalize import find_base, normalize
from tadoru.views import View

LOADER = "internal/config/loader.go"


@pytest.mark.parametrize(
    "written",
    [
        LOADER,
        "./" + LOADER,
        "/" + LOADER,
        "//internal//config///loader.go",
        "internal/./config/../config/loader.go",
        f'"{LOADER}"',
        f"`{LOADER}`",
        f"'{LOADER}' ",
        f"<{LOADER}>",
        "internal\\config\\loader.go",
        ".\\internal\\config\\loader.go",
        "@/" + LOADER,
        "@./" + LOADER,
        f"{LOADER}:12",
        f"{LOADER}:12:5",
        f"{LOADER}#L12-L30",
        f"{LOADER}(12,4)",
        f"{LOADER} line 12",
        f"{LOADER}::TestLoader::test_it",
        "internal%2Fconfig%2Floader.go",
        f"$PWD/{LOADER}",
        f"${{workspaceFolder}}/{LOADER}",
    ],
)
def test_spellings_of_a_path_that_exists(shop: View, written: str) -> None:
    assert normalize(shop, written).existing == LOADER


@pytest.mark.parametrize(
    ("written", "line"),
    [(":12", 12), (":12:5", 12), ("#L7", 7), ("#L7-9", 7), ("(3,1)", 3), (":0", 0), ("", 0)],
)
def test_the_line_is_kept(shop: View, written: str, line: int) -> None:
    assert normalize(shop, LOADER + written).line == line


@pytest.mark.parametrize(
    "written",
    [
        "/home/me/shop/" + LOADER,
        "file:///home/me/shop/" + LOADER,
        "file://localhost/home/me/shop/" + LOADER + "#L2",
        "/home/me/shop/web/../" + LOADER,
    ],
)
def test_a_path_of_this_machine(local_shop: View, written: str) -> None:
    request = normalize(local_shop, written)
    assert request.existing == LOADER
    assert not request.outside


@pytest.mark.parametrize(
    "written",
    [
        "C:\\src\\shop\\internal\\config\\loader.go",
        "\\\\?\\C:\\shop\\internal\\config\\loader.go",
        "/mnt/c/work/shop/internal/config/loader.go",
        "/workspaces/shop/internal/config/loader.go",
        "/home/you/code/shop/.worktrees/fix/internal/config/loader.go",
    ],
)
def test_a_foreign_root_is_taken_off(shop: View, written: str) -> None:
    assert normalize(shop, written).path == LOADER


@pytest.mark.parametrize(
    ("cwd", "written"),
    [
        ("internal/config", "loader.go"),
        ("internal", "config/loader.go"),
        ("internal/http", "../config/loader.go"),
        ("/home/you/shop/internal/config", "loader.go"),
        ("/home/you/shop", "internal/config/loader.go"),
        ("/home/you/shop", "/home/you/shop/internal/config/loader.go"),
        ("internal/config", "internal/config/loader.go"),
        ("/no/such/place", "internal/config/loader.go"),
    ],
)
def test_the_working_directory(shop: View, cwd: str, written: str) -> None:
    assert normalize(shop, written, cwd).existing == LOADER


def test_the_working_directory_on_another_machine_gives_its_root(shop: View) -> None:
    base = find_base(shop, "/Users/you/shop/internal/config")
    assert (base.path, base.foreign_root) == ("internal/config", "/Users/you/shop")


@pytest.mark.parametrize(
    "written",
    ["~/notes.md", "$HOME/notes.md", "/etc/passwd", "../../../elsewhere/x.py", "/tmp/out.log"],
)
def test_a_path_outside(local_shop: View, written: str) -> None:
    assert normalize(local_shop, written, "/home/me/shop").existing is None


def test_a_home_is_outside(shop: View) -> None:
    assert normalize(shop, "~/.config/tool.toml", "/home/you/shop").outside


def test_names_that_look_like_patterns_are_found_as_they_are(shop: View) -> None:
    assert normalize(shop, "web/src/pages/[id].tsx").existing == "web/src/pages/[id].tsx"


def test_a_name_with_a_space(shop: View) -> None:
    assert normalize(shop, "scripts/build\\ docs.sh").existing == "scripts/build docs.sh"
    assert normalize(shop, "scripts/build%20docs.sh").existing == "scripts/build docs.sh"


def test_decomposed_letters_are_composed(shop: View) -> None:
    assert normalize(shop, "docs/guide/s\u0302losilo.md").existing == "docs/guide/ŝlosilo.md"


@pytest.mark.parametrize(
    ("written", "cwd", "expected"),
    [(".", "", ""), ("./", "web/src", "web/src"), ("..", "web/src", "web"), ("/", "web", "")],
)
def test_dots_are_directories(shop: View, written: str, cwd: str, expected: str) -> None:
    assert normalize(shop, written, cwd).existing == expected


@pytest.mark.parametrize(
    "written", ["", "   ", "a\0b", "x" * 10_000, "a/" * 300, "a\nb", "....", "\t"]
)
def test_what_no_path_can_be(shop: View, written: str) -> None:
    with pytest.raises(BadInput):
        normalize(shop, written)


@given(st.text(max_size=80), st.text(max_size=30))
def test_any_text_is_read_or_refused(shop: View, written: str, cwd: str) -> None:
    try:
        request = normalize(shop, written, cwd)
    except BadInput:
        return
    assert ".." not in request.parts
    if request.existing:
        assert request.existing in shop.tree


@pytest.mark.parametrize(
    ("written", "status", "path"),
    [
        ("/app/README.md", "resolved", "README.md"),
        ("/workspace/go.mod", "resolved", "go.mod"),
        ("/home/kim/shop/Makefile", "resolved", "Makefile"),
        ("C:\\src\\shop\\internal\\config\\loader.go", "resolved", LOADER),
        ("/etc/passwd", "absent", ""),
        ("/etc/hosts.json", "absent", ""),
    ],
)
def test_another_root_is_told_from_the_outside(
    shop: View, written: str, status: str, path: str
) -> None:
    answer = resolve(shop, written)
    assert (answer.status, answer.path) == (status, path)
    if status == "absent":
        assert answer.error_kind == "outside_roots"
