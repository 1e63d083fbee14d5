"""The tree: directories exist because of what lies below, links because of what they lead to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadoru.tree import Tree, mounted
from tadoru.types import Entry, Kind


def file(path: str, **more: object) -> Entry:
    return Entry(path=path, kind=Kind.FILE, **more)  # type: ignore[arg-type]


def link(path: str, target: str) -> Entry:
    return Entry(path=path, kind=Kind.LINK, target=target)


def test_directories_come_from_the_files_below_them() -> None:
    tree = Tree([file("a/b/c.py"), file("a/d.py"), file("e.py")])
    assert tree.directories == ["a", "a/b"]
    assert tree.children("") == ["a", "e.py"]
    assert tree.children("a") == ["b", "d.py"]
    assert tree.is_dir("a/b")
    assert not tree.is_dir("a/d.py")
    assert "a/b" in tree
    assert "a/x" not in tree
    assert len(tree) == 3


def test_an_empty_tree_has_a_root_and_nothing_else() -> None:
    tree = Tree([])
    assert tree.is_dir("")
    assert tree.files == []
    assert tree.children("") == []


def test_below_keeps_to_the_directory_and_not_to_its_prefix() -> None:
    tree = Tree([file("src/a.py"), file("src-v2/a.py"), file("src/b/c.py"), file("srcs")])
    assert list(tree.below("src")) == ["src/a.py", "src/b/c.py"]
    assert list(tree.below("")) == ["src-v2/a.py", "src/a.py", "src/b/c.py", "srcs"]


def test_links_are_followed_at_every_step_of_a_path() -> None:
    tree = Tree([file("real/x.py"), link("alias", "real"), link("deep/one", "alias")])
    assert tree.resolve("alias/x.py") == tree.get("real/x.py")
    assert tree.resolve("deep/one/x.py") == tree.get("real/x.py")
    assert tree.resolve("alias/missing") is None
    assert tree.get("alias") == link("alias", "real")


def test_a_link_to_nothing_is_not_there_and_takes_its_directory_with_it() -> None:
    tree = Tree([file("a.py"), link("gone/one", "missing"), link("two", "gone/one")])
    assert tree.files == ["a.py"]
    assert not tree.is_dir("gone")
    assert tree.children("") == ["a.py"]


@pytest.mark.parametrize("target", ["loop", "loop/x", "other"])
def test_a_loop_of_links_is_not_there(target: str) -> None:
    tree = Tree([file("a.py"), link("loop", target), link("other", "loop")])
    assert tree.files == ["a.py"]


def test_mounted_trees_lie_below_their_names() -> None:
    tree = mounted({"one": Tree([file("a.py"), link("l", "a.py")]), "two": Tree([file("a.py")])})
    assert tree.files == ["one/a.py", "one/l", "two/a.py"]
    assert tree.resolve("one/l") == tree.get("one/a.py")


def test_one_root_lies_at_the_root() -> None:
    only = Tree([file("a.py")])
    assert mounted({"": only}) is only


_names = st.sampled_from(["a", "b", "c", "src", "src2"])
_paths = st.lists(_names, min_size=1, max_size=4).map("/".join)


@given(st.sets(_paths, max_size=30))
def test_every_file_is_reached_by_walking_down(paths: set[str]) -> None:
    files = {p for p in paths if not any(other.startswith(p + "/") for other in paths)}
    tree = Tree(file(p) for p in files)
    found: set[str] = set()
    queue = [""]
    while queue:
        directory = queue.pop()
        for name in tree.children(directory):
            path = f"{directory}/{name}" if directory else name
            (queue.append if tree.is_dir(path) else found.add)(path)
    assert found == files
    for directory in ["", *tree.directories]:
        prefix = directory + "/" if directory else ""
        assert list(tree.below(directory)) == sorted(f for f in files if f.startswith(prefix))
