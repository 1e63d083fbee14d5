# ruff: noqa: E501 - samples and tables read better unwrapped
"""The tree is what git lists, plus what is said to overrule it, minus what must not be served."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tadoru.config import IndexConfig
from tadoru.indexing.walk import Walk, ignored_rule, walk

CLEAN = {
    **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


@pytest.fixture(autouse=True)
def clean_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "protocol.file.allow=always", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, check=True, env=CLEAN)
    return os.fsdecode(done.stdout)


def put(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def repository(root: Path, files: dict[str, str]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q")
    return put(root, files)


def listed_by_git(root: Path) -> set[str]:
    names = git(root, "ls-files", "-co", "--exclude-standard", "-z").split("\0")
    return {name for name in names if name and os.path.lexists(root / name)}


def names(root: Path, config: IndexConfig | None = None) -> set[str]:
    return set(walk(str(root), config or IndexConfig()).stats)


def skipped(found: Walk) -> dict[str, list[str]]:
    return found.skipped


# -- git's own answer ------------------------------------------------------------------------------


def test_nested_ignore_files_count(tmp_path: Path) -> None:
    repository(
        tmp_path,
        {
            ".gitignore": "dist/\n",
            "web/.gitignore": ".output\n",
            "web/.output/b.js": "x",
            "web/a.js": "x",
            "dist/c.js": "x",
        },
    )
    assert names(tmp_path) == listed_by_git(tmp_path)
    assert names(tmp_path) == {".gitignore", "web/.gitignore", "web/a.js"}


def test_info_exclude_and_global_excludes_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "r", {"keep/a.py": "x", "skip/b.py": "x", "c.tmp": "x"})
    (root / ".git/info/exclude").write_text("skip/\n")
    excludes = tmp_path / "excludes"
    excludes.write_text("*.tmp\n")
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\n\texcludesFile = {excludes}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert names(root) == {"keep/a.py"}


def test_tracked_files_stay_though_ignored_and_deleted_ones_go(tmp_path: Path) -> None:
    root = repository(tmp_path, {"a.log": "x", "b.py": "x", "gone.py": "x"})
    git(root, "add", "-f", ".")
    put(root, {".gitignore": "*.log\n", "c.log": "x"})
    (root / "gone.py").unlink()
    assert names(root) == {"a.log", "b.py", ".gitignore"}


def test_a_subdirectory_obeys_the_rules_above_it(tmp_path: Path) -> None:
    root = repository(
        tmp_path, {".gitignore": "*.gen\nsub/out/\n", "sub/a.py": "", "sub/b.gen": ""}
    )
    put(root, {"sub/out/c.py": ""})
    assert names(root / "sub") == {"a.py"}


def test_an_ignored_directory_that_is_asked_for_is_not_empty(tmp_path: Path) -> None:
    root = repository(tmp_path, {".gitignore": "build/\n", "build/a.py": "", "build/b/c.py": ""})
    assert names(root / "build") == {"a.py", "b/c.py"}


def test_submodules_and_nested_repositories_belong_to_the_tree(tmp_path: Path) -> None:
    library = repository(tmp_path / "lib", {"l.py": "x", ".gitignore": "*.o\n"})
    git(library, "add", ".")
    git(library, "commit", "-qm", "x")
    root = repository(tmp_path / "r", {"a.py": "x"})
    git(root, "submodule", "add", "-q", str(library), "vendor/lib")
    put(root, {"vendor/lib/x.o": "", "vendor/lib/new.py": ""})
    repository(root / "nested", {"n.py": "", ".gitignore": "m.py\n", "m.py": ""})
    found = walk(str(root), IndexConfig())
    assert set(found.stats) == {
        ".gitmodules", "a.py", "vendor/lib/l.py", "vendor/lib/.gitignore", "vendor/lib/new.py",
        "nested/n.py", "nested/.gitignore",
    }  # fmt: skip
    assert sorted(found.repositories) == ["nested", "vendor/lib"]
    git(root, "commit", "-qm", "x")
    git(tmp_path, "clone", "-q", str(root), "clone")
    clone = walk(str(tmp_path / "clone"), IndexConfig())
    assert clone.skipped == {"a submodule that is not checked out": ["vendor/lib"]}


def test_several_repositories_below_a_plain_directory(tmp_path: Path) -> None:
    for name in ("r1", "r2"):
        repository(tmp_path / name, {".gitignore": "out/\n", "src/.gitignore": "gen.ts\n"})
        put(tmp_path / name, {"src/gen.ts": "", "src/a.ts": "", "out/b.ts": "", "src/out/c.ts": ""})
    put(tmp_path, {"top.md": "", "node_modules/x/i.js": ""})
    expected = {"top.md"}
    for name in ("r1", "r2"):
        expected |= {f"{name}/{path}" for path in listed_by_git(tmp_path / name)}
    assert names(tmp_path) == expected


def test_worktrees_of_the_same_repository_are_left_out_and_named(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "x"})
    git(root, "add", ".")
    git(root, "commit", "-qm", "x")
    git(root, "worktree", "add", "-q", ".worktrees/one", "-b", "one")
    found = walk(str(root), IndexConfig())
    assert set(found.stats) == {"a.py"}
    assert found.skipped["another worktree of a repository in this tree"] == [".worktrees/one"]
    assert names(root / ".worktrees/one") == {"a.py"}


def test_a_directory_in_place_of_a_tracked_file(tmp_path: Path) -> None:
    root = repository(tmp_path, {"a": "x", "d/b": "x"})
    git(root, "add", ".")
    (root / "a").unlink()
    put(root, {"a/new.py": "x"})
    (root / "d/b").unlink()
    (root / "d").rmdir()
    put(root, {"d": "x"})
    assert names(root) == {"a/new.py", "d"}


PARTS = st.sampled_from(["a", "b", "build", "x.py", "y.log", "[z]", "sp ace", "é", "#h", "!n"])
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
LINES = st.sampled_from(
    [
        "a", "b/", "/build", "*.log", "!y.log", "**/a", "a/**", "a/**/b", "!b/", "build/*",
        "!build/x.py", "[ab]", "[!a]*", "\\#h", "#h", "\\!n", "!!n", "sp ace", "sp\\ ace ", "é",
        "*", "!*/", "x.??", "[[:alpha:]]", "\\[z\\]", "[z", "[]-a]", "a\\", "?", "**", "/*", "{a,b}",
        "[[:nope:]]", "a//b", "/", "!", "**a", "a**", "b/a*/**", "**/x.py/", "x.py  ", "[^b]", "*/a",
        "[a-", "[\\a]", "/**/b", "[!/]x.py", "a/../b", "./a", "\\a", "**/**/b", "***", "a***b", "b/**/",
    ]
)  # fmt: skip


def _safe(paths: list[str]) -> list[str]:
    """Drop paths that need a directory where another path has a file."""
    kept: list[str] = []
    for path in sorted(set(paths), key=len):
        if not any(path.startswith(other + "/") or other.startswith(path + "/") for other in kept):
            kept.append(path)
    return kept


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    paths=st.lists(PATHS, min_size=1, max_size=12),
    rules=st.dictionaries(
        st.sampled_from(["", "a", "b", "build", "a/b"]), st.lists(LINES, max_size=5), max_size=3
    ),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_generated_trees_equal_gits_list_with_and_without_git(
    tmp_path_factory: pytest.TempPathFactory,
    paths: list[str],
    rules: dict[str, list[str]],
    line_end: str,
) -> None:
    root = repository(tmp_path_factory.mktemp("tree"), dict.fromkeys(_safe(paths), "x"))
    for directory, lines in rules.items():
        if not any((root / part).is_file() for part in (directory, directory.partition("/")[0])):
            (root / directory).mkdir(parents=True, exist_ok=True)
            text = line_end.join(lines) + line_end
            (root / directory / ".gitignore").write_bytes(text.encode())
    expected = listed_by_git(root)
    assert names(root) == expected
    (root / ".git").rename(root.parent / f"{root.name}-git")
    assert names(root) == expected


# -- overruling ------------------------------------------------------------------------------------


def test_what_git_ignores_comes_back_on_request_only(tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        {
            ".gitignore": "customer/\n*.gen\n",
            "customer/x.py": "",
            "customer/d/y.gen": "",
            "a.gen": "",
        },
    )
    assert names(root) == {".gitignore"}
    included = names(root, IndexConfig(include=("customer",)))
    assert included == {".gitignore", "customer/x.py", "customer/d/y.gen"}
    assert names(root, IndexConfig(include=("customer/*.py",))) == {".gitignore", "customer/x.py"}
    put(root, {".tadoruignore": "!*.gen\n"})
    assert names(root) >= {"a.gen", "customer/d/y.gen"}


def test_ignored_nested_clones_come_back_on_request(tmp_path: Path) -> None:
    root = repository(tmp_path, {".gitignore": "clones/\n", "a.py": ""})
    for number in range(3):
        repository(root / f"clones/c{number}", {"m.py": "", ".gitignore": "o/\n", "o/x": ""})
    assert names(root) == {".gitignore", "a.py"}
    found = names(root, IndexConfig(include=("clones",)))
    assert {f"clones/c{n}/m.py" for n in range(3)} <= found
    assert not any("/o/" in name for name in found)


def test_tadoruignore_and_ignore_leave_out_more(tmp_path: Path) -> None:
    root = repository(tmp_path, {"a.py": "", "b/c.py": "", "b/d.md": "", "e/f.md": ""})
    put(root, {"b/.tadoruignore": "*.md\n"})
    assert names(root) == {"a.py", "b/c.py", "b/.tadoruignore", "e/f.md"}
    assert names(root, IndexConfig(ignore=("/e", "a.py"))) == {"b/c.py", "b/.tadoruignore"}
    found = walk(str(root), IndexConfig(ignore=("/e",)))
    assert found.skipped["ignored by the configured ignore: /e"] == ["e/f.md"]


def test_defaults_count_outside_git_and_can_be_overruled(tmp_path: Path) -> None:
    put(
        tmp_path,
        {"a.py": "", "node_modules/m/i.js": "", ".venv/x.py": "", "s/__pycache__/a.pyc": ""},
    )
    assert names(tmp_path) == {"a.py"}
    assert names(tmp_path, IndexConfig(include=("node_modules/m",))) == {
        "a.py",
        "node_modules/m/i.js",
    }
    put(tmp_path, {".gitignore": "!.venv/\n"})
    assert ".venv/x.py" in names(tmp_path)


# -- what a tree never holds -----------------------------------------------------------------------


@pytest.mark.parametrize("in_git", [True, False])
def test_links_stay_inside_and_special_files_are_named(tmp_path: Path, in_git: bool) -> None:
    root = tmp_path / "r"
    root.mkdir()
    if in_git:
        git(root, "init", "-q")
    put(root, {"a/b.py": "x"})
    (root / "file").symlink_to("a/b.py")
    (root / "dir").symlink_to("a")
    (root / "loop").symlink_to("loop")
    (root / "a/up").symlink_to("..")
    (root / "out").symlink_to("/etc")
    (root / "outfile").symlink_to("/etc/passwd")
    (root / "dead").symlink_to("nothing")
    os.mkfifo(root / "fifo")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(root / "sock"))
    found = walk(str(root), IndexConfig())
    server.close()
    assert set(found.stats) == {"a/b.py", "file", "dir"}
    assert found.targets == {"file": "a/b.py", "dir": "a"}
    said = {path for paths in found.skipped.values() for path in paths}
    assert said >= {"loop", "out", "outfile", "dead", "a/up"}
    if not in_git:  # git does not list them at all
        assert said >= {"fifo", "sock"}


def test_names_that_are_not_utf8_keep_their_bytes(tmp_path: Path) -> None:
    root = repository(tmp_path, {"ok.py": "", "日本.md": "", "new\nline": ""})
    Path(os.fsdecode(os.fsencode(root) + b"/b\xff.py")).write_text("x")
    found = walk(str(root), IndexConfig())
    assert set(found.stats) == {"ok.py", "日本.md", "new\nline", "b\\xff.py"}
    assert found.raw == {"b\\xff.py": b"b\xff.py"}
    assert found.file_stat("b\\xff.py").raw == b"b\xff.py"


def test_secret_like_files_are_served_on_request_only(tmp_path: Path) -> None:
    secrets = {".env", ".env.local", "key.pem", "id_rsa", "d/.netrc", ".npmrc", "id_ed25519"}
    plain = {".env.example", "id_rsa.pub", "id_utils.py", "environment.py"}
    root = repository(tmp_path, dict.fromkeys(secrets | plain, "x"))
    found = walk(str(root), IndexConfig())
    assert set(found.stats) == plain
    assert set(found.skipped["secret-like"]) == secrets
    assert names(root, IndexConfig(serve_secrets=True)) == secrets | plain


def test_a_hostile_repository_runs_nothing(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "x", ".gitattributes": "* filter=evil diff=evil\n"})
    marker = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {marker}\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "filter.evil.clean", "core.editor",
                "diff.evil.textconv", "diff.external", "credential.helper", "alias.ls-files"):  # fmt: skip
        git(root, "config", key, str(script))
    git(root, "config", "core.hooksPath", str(tmp_path))
    (tmp_path / "post-index-change").write_text(script.read_text())
    (tmp_path / "post-index-change").chmod(0o755)
    assert names(root) == {"a.py", ".gitattributes"}
    assert ignored_rule(root, IndexConfig())("b.py") == ""
    assert not marker.exists()


def test_a_work_tree_that_points_elsewhere_shows_nothing_of_it(tmp_path: Path) -> None:
    other = put(tmp_path / "other", {"private.txt": "x"})
    root = repository(tmp_path / "r", {"a.py": "x"})
    git(root, "config", "core.worktree", str(other))
    assert names(root) == {"a.py"}


def test_a_broken_repository_is_still_walked(tmp_path: Path) -> None:
    put(tmp_path, {"a.py": "", "b.log": "", ".gitignore": "*.log\n", ".git/HEAD": "nonsense"})
    found = walk(str(tmp_path), IndexConfig())
    assert set(found.stats) == {"a.py", ".gitignore"}
    assert found.notes


def test_without_git_its_rules_still_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(
        tmp_path / "r", {".gitignore": "*.log\n", "a.py": "", "b.log": "", "s/c.log": ""}
    )
    put(root, {"s/d.py": "", "s/e.tmp": ""})
    (root / ".git/info/exclude").write_text("*.tmp\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert names(root) == {".gitignore", "a.py", "s/d.py"}
    assert names(root / "s") == {"d.py"}


def test_a_missing_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        walk(str(tmp_path / "nope"), IndexConfig())


# -- reasons ---------------------------------------------------------------------------------------


def test_the_rule_that_leaves_a_path_out_is_named(tmp_path: Path) -> None:
    root = repository(tmp_path, {".gitignore": "dist/\n", "web/.gitignore": "*.map\n", "a.py": ""})
    put(root, {".tadoruignore": "*.big\n", "dist/b.js": ""})
    repository(root / "nested", {".gitignore": "gen/\n"})
    rule = ignored_rule(root, IndexConfig(ignore=("scratch/",)))
    assert rule("dist/b.js") == "ignored by .gitignore: dist/"
    assert rule("dist/not/there.js") == "ignored by .gitignore: dist/"
    assert rule("web/x.map") == "ignored by web/.gitignore: *.map"
    assert rule("nested/gen/x") == "ignored by nested/.gitignore: gen/"
    assert rule("x.big") == "ignored by .tadoruignore: *.big"
    assert rule("scratch/a") == "ignored by the configured ignore: scratch/"
    assert rule(".git/config") == "inside .git"
    assert rule(".env") == "secret-like name: .env"
    assert rule("a.py") == rule("nope.py") == rule("../x") == rule("") == ""


def test_the_rule_is_named_outside_git_too(tmp_path: Path) -> None:
    put(tmp_path, {".gitignore": "*.log\n", "s/.gitignore": "!k.log\n"})
    rule = ignored_rule(tmp_path, IndexConfig())
    assert rule("s/x.log") == "ignored by .gitignore: *.log"
    assert rule("s/k.log") == ""
    assert rule("a/node_modules/b/c.js") == "ignored by defaults: node_modules/"


@pytest.mark.parametrize(
    "where", [".git/info/exclude", "deep/.gitignore", "core.excludesFile", "include.path"]
)
def test_a_fifo_where_an_ignore_file_belongs_holds_nobody_up(tmp_path: Path, where: str) -> None:
    root = tmp_path / "r"
    (root / "deep").mkdir(parents=True)
    (root / "a.py").write_text("x = 1\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    if where in ("core.excludesFile", "include.path"):
        os.mkfifo(tmp_path / "fifo")
        subprocess.run(["git", "config", where, tmp_path / "fifo"], cwd=root, check=True)
    else:
        (root / where).unlink(missing_ok=True)
        os.mkfifo(root / where)
    began = time.monotonic()
    found = walk(str(root), IndexConfig())
    assert "a.py" in found.stats
    assert "git cannot list the root; its ignore files were read instead" in found.notes
    assert time.monotonic() - began < 20
    began = time.monotonic()
    assert "a.py" in walk(str(root), IndexConfig()).stats
    assert time.monotonic() - began < 1, "it is remembered"
    if where == "core.excludesFile":
        assert ignored_rule(root, IndexConfig())("b.py") == ""


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "/dev/null"])
def test_a_device_where_an_ignore_file_belongs_says_nothing(tmp_path: Path, device: str) -> None:
    root = repository(tmp_path, {"a.py": "x = 1\n"})
    git(root, "config", "core.excludesFile", device)
    began = time.monotonic()
    assert names(root) == {"a.py"}
    assert time.monotonic() - began < 5


def test_a_slow_git_is_given_its_input_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "r", {".gitignore": "*.log\n", "a.py": ""})
    real = shutil.which("git")
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nsleep 0.3\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    assert ignored_rule(root, IndexConfig())("b.log") == "ignored by .gitignore: *.log"
