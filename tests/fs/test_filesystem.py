"""The fsspec face against the local filesystem of the same directory, and for who may see what."""

from __future__ import annotations

import errno
import gc
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem

import tadoru
from tadoru.config import AccessRule, load
from tadoru.fs import TadoruFileSystem


@pytest.fixture(scope="module")
def fs(shared_repository: Path) -> Iterator[TadoruFileSystem]:
    with tadoru.open(shared_repository) as workspace:
        yield TadoruFileSystem(workspace=workspace)


def test_files_and_bytes_are_those_on_disk(fs: TadoruFileSystem, shared_repository: Path) -> None:
    local = LocalFileSystem()
    for path in fs.find(""):
        on_disk = shared_repository / path
        assert fs.info(path)["size"] == local.size(str(on_disk))
        assert fs.cat_file(path) == on_disk.read_bytes()
        apart = fs.modified(path) - local.modified(str(on_disk))
        assert abs(apart) <= timedelta(microseconds=2)  # seconds as a float round differently
    assert "src/shop/cart.py" in fs.find("")
    assert not any(path.startswith("ignored/") for path in fs.find(""))


def test_directories_are_listed(fs: TadoruFileSystem) -> None:
    assert fs.ls("src", detail=False) == ["src/shop"]
    assert fs.isdir("src/shop")
    assert fs.isdir("")
    assert fs.isfile("README.md")
    assert not fs.exists("src/none.py")
    assert not fs.exists("README.md/below")
    assert [row["type"] for row in fs.ls("docs")] == ["file"]
    assert fs.ls("README.md", detail=False) == ["README.md"]
    walked = {directory: sorted(files) for directory, _, files in fs.walk("docs")}
    assert walked == {"docs": ["guide.md"]}
    assert fs.du("docs") == fs.info("docs/guide.md")["size"]


@pytest.mark.parametrize("form", ["docs/guide.md", "/docs/guide.md", "tadoru://docs/guide.md",
                                  "tadoru:///docs/guide.md"])  # fmt: skip
def test_every_form_of_a_path_is_the_same_file(fs: TadoruFileSystem, form: str) -> None:
    assert fs.info(form)["name"] == "docs/guide.md"
    assert fs.cat(form).startswith(b"# Guide")
    assert fs.cat([form]) == {"docs/guide.md": fs.cat_file(form)}


def test_globs_and_ranges(fs: TadoruFileSystem, shared_repository: Path) -> None:
    assert fs.glob("src/**/c*.py") == ["src/shop/cart.py", "src/shop/config.py"]
    data = (shared_repository / "README.md").read_bytes()
    assert fs.cat_file("README.md", start=2, end=9) == data[2:9]
    assert fs.cat_file("README.md", start=-5) == data[-5:]
    assert fs.cat_ranges(["README.md"] * 2, [0, 4], [3, 8]) == [data[0:3], data[4:8]]
    assert fs.head("README.md", 4) == data[:4]
    assert fs.tail("README.md", 4) == data[-4:]
    with fs.open("README.md") as file:
        file.seek(3)
        assert file.read(4) == data[3:7]
    with fs.open("README.md", "r") as file:
        assert file.readline() == "# Shop\n"


def test_large_and_binary_files_are_exact(repository: Path) -> None:
    data = bytes(range(256)) * 80_000
    (repository / "it's big.bin").write_bytes(data)
    with tadoru.open(repository) as workspace:
        workspace.index()
        fs = TadoruFileSystem(workspace=workspace)
        assert fs.cat_file("it's big.bin") == data
        with fs.open("it's big.bin") as file:
            file.seek(17_000_001)
            assert file.read(300_000) == data[17_000_001:17_300_001]


def test_links_are_what_they_lead_to(repository: Path) -> None:
    (repository / "link.md").symlink_to("docs/guide.md")
    (repository / "src" / "manual").symlink_to("../docs")
    (repository / "docs" / "loop").symlink_to("../src")
    with tadoru.open(repository) as workspace:
        workspace.index()
        fs = TadoruFileSystem(workspace=workspace)
        assert fs.cat_file("link.md") == (repository / "docs/guide.md").read_bytes()
        assert fs.info("link.md")["size"] == (repository / "docs/guide.md").stat().st_size
        assert fs.isdir("src/manual")
        assert fs.ls("src/manual", detail=False) == ["src/manual/guide.md"]
        assert fs.cat_file("src/manual/loop/shop/cart.py").startswith(b'"""The cart')
        assert "link.md" in fs.find("")
        assert not any("manual" in path or "loop" in path for path in fs.find(""))


def test_missing_paths_are_errors_of_python(fs: TadoruFileSystem) -> None:
    for ask in (fs.info, fs.ls, fs.cat_file, fs.open, fs.size):
        with pytest.raises(FileNotFoundError) as caught:
            ask("src/none.py")
        assert caught.value.errno == errno.ENOENT
    for ask in (fs.cat_file, fs.open):
        with pytest.raises(IsADirectoryError):
            ask("src")
    with pytest.raises(FileNotFoundError):
        fs.cat_file("../outside")


WRITES = {
    "open": lambda fs: fs.open("README.md", "wb"),
    "append": lambda fs: fs.open("README.md", "ab"),
    "create": lambda fs: fs.open("new.md", "xb"),
    "text": lambda fs: fs.open("new.md", "w"),
    "update": lambda fs: fs.open("README.md", "r+b"),
    "mkdir": lambda fs: fs.mkdir("new"),
    "makedirs": lambda fs: fs.makedirs("new/deep", exist_ok=True),
    "rmdir": lambda fs: fs.rmdir("docs"),
    "rm": lambda fs: fs.rm("README.md"),
    "rm all": lambda fs: fs.rm("docs", recursive=True),
    "rm_file": lambda fs: fs.rm_file("README.md"),
    "delete": lambda fs: fs.delete("README.md"),
    "touch": lambda fs: fs.touch("README.md"),
    "pipe": lambda fs: fs.pipe("new.md", b"x"),
    "pipe many": lambda fs: fs.pipe({"new.md": b"x"}),
    "pipe_file": lambda fs: fs.pipe_file("new.md", b"x"),
    "write_text": lambda fs: fs.write_text("new.md", "x"),
    "write_bytes": lambda fs: fs.write_bytes("new.md", b"x"),
    "put": lambda fs: fs.put(__file__, "new.md"),
    "put_file": lambda fs: fs.put_file(__file__, "new.md"),
    "upload": lambda fs: fs.upload(__file__, "new.md"),
    "copy": lambda fs: fs.copy("README.md", "new.md"),
    "cp": lambda fs: fs.cp("README.md", "new.md"),
    "cp_file": lambda fs: fs.cp_file("README.md", "new.md"),
    "mv": lambda fs: fs.mv("README.md", "new.md"),
    "move": lambda fs: fs.move("README.md", "new.md"),
    "rename": lambda fs: fs.rename("README.md", "new.md"),
}


@pytest.mark.parametrize("name", WRITES)
def test_every_write_is_refused_by_errno(
    fs: TadoruFileSystem, shared_repository: Path, name: str
) -> None:
    before = sorted(shared_repository.rglob("*"))
    with pytest.raises(tadoru.ReadOnly, match="read-only") as caught:
        WRITES[name](fs)
    assert isinstance(caught.value, OSError)
    assert caught.value.errno == errno.EROFS
    assert sorted(shared_repository.rglob("*")) == before


def test_it_is_found_by_its_protocol(shared_repository: Path) -> None:
    fs = fsspec.filesystem("tadoru", root=str(shared_repository))
    assert isinstance(fs, TadoruFileSystem)
    assert fs.cat_file("src/shop/config.py") == b"TAX = 0.19\n"
    with fsspec.open("tadoru:///docs/guide.md", "rt", root=str(shared_repository)) as file:
        assert file.readline() == "# Guide\n"
    found, paths = fsspec.core.url_to_fs("tadoru://src/shop", root=str(shared_repository))
    assert "src/shop/cart.py" in found.find(paths)
    several = fsspec.open_files("tadoru://src/shop/c*.py", root=str(shared_repository))
    assert [file.path for file in several] == ["src/shop/cart.py", "src/shop/config.py"]


def test_the_current_directory_is_the_default(
    shared_repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shared_repository)
    with fsspec.open("tadoru:///src/shop/config.py") as file:
        assert file.read() == b"TAX = 0.19\n"


def test_what_it_opened_is_closed_with_it(shared_repository: Path) -> None:
    def opened() -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    fsspec.filesystem("tadoru", root=str(shared_repository)).find("")
    gc.collect()
    before = opened()
    for _ in range(5):
        fsspec.filesystem("tadoru", root=str(shared_repository)).find("")
        gc.collect()
    assert opened() <= before


def test_it_chains_with_other_filesystems(shared_repository: Path, tmp_path: Path) -> None:
    url = "simplecache::tadoru:///docs/guide.md"
    options = {"tadoru": {"root": str(shared_repository)}}
    cache = {"cache_storage": str(tmp_path)}
    with fsspec.open(url, tadoru=options["tadoru"], simplecache=cache) as file:
        assert file.read().startswith(b"# Guide")


def test_fifty_threads_read_through_one(fs: TadoruFileSystem, shared_repository: Path) -> None:
    paths = fs.find("")
    expected = {path: (shared_repository / path).read_bytes() for path in paths}

    def read(number: int) -> bool:
        path = paths[number % len(paths)]
        with fs.open(path) as file:
            return file.read() == fs.cat_file(path) == expected[path]

    with ThreadPoolExecutor(50) as pool:
        assert all(pool.map(read, range(200)))


def test_it_travels_to_another_process_by_its_arguments(shared_repository: Path) -> None:
    fs = fsspec.filesystem("tadoru", root=str(shared_repository), groups=["staff"])
    again = pickle.loads(pickle.dumps(fs))
    assert again.cat_file("src/shop/config.py") == b"TAX = 0.19\n"
    assert again.storage_options == fs.storage_options
    mapper = fs.get_mapper("docs")
    assert list(mapper) == ["guide.md"]
    assert mapper["guide.md"].startswith(b"# Guide")
    with pytest.raises(tadoru.ReadOnly):
        mapper["new.md"] = b"x"


def test_a_change_is_seen(repository: Path) -> None:
    with tadoru.open(repository) as workspace:
        workspace.index()
        fs = TadoruFileSystem(workspace=workspace)
        assert not fs.exists("new.txt")
        (repository / "new.txt").write_text("new\n")
        assert fs.cat_file("new.txt") == b"new\n"
        (repository / "new.txt").write_text("newer\n")
        assert fs.cat_file("new.txt") == b"newer\n"
        (repository / "new.txt").unlink()
        assert not fs.exists("new.txt")


# -- who may see what ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def labelled(
    shared_repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, object]:
    from dataclasses import replace

    rules = (
        AccessRule("**", public=True),
        AccessRule("docs/**", groups=frozenset({"staff"})),
        AccessRule("src/shop/sessions.py", groups=frozenset({"security"})),
    )
    config = replace(load(), access=rules, home=str(tmp_path_factory.mktemp("labelled")))
    return str(shared_repository), config


@pytest.mark.parametrize("groups", [[], ["staff"], "staff, other", ["security", "staff"]])
def test_what_the_groups_may_not_see_is_not_there(
    labelled: tuple[str, object], groups: object
) -> None:
    root, config = labelled
    fs = fsspec.filesystem("tadoru", root=root, config=config, groups=groups)
    staff = "staff" in groups  # type: ignore[operator]
    security = "security" in groups  # type: ignore[operator]
    assert fs.exists("docs") is fs.exists("docs/guide.md") is staff
    assert ("docs" in fs.ls("", detail=False)) is staff
    assert ("src/shop/sessions.py" in fs.find("")) is security
    assert bool(fs.glob("**/sessions.py")) is security
    for path, seen in (("docs/guide.md", staff), ("src/shop/sessions.py", security)):
        if seen:
            assert fs.cat_file(path)
            continue
        for ask in (fs.cat_file, fs.info, fs.open, fs.ls):
            with pytest.raises(FileNotFoundError) as hidden:
                ask(path)
            with pytest.raises(FileNotFoundError) as missing:
                ask(path + "x")
            assert str(hidden.value).replace(path, "P") == str(missing.value).replace(
                path + "x", "P"
            )


def test_nobody_inherits_the_eyes_of_another(labelled: tuple[str, object]) -> None:
    """fsspec keeps instances by their arguments; ours are made anew."""
    root, config = labelled
    first = fsspec.filesystem("tadoru", root=root, config=config, groups=["staff"])
    second = fsspec.filesystem("tadoru", root=root, config=config, groups=[])
    again = fsspec.filesystem("tadoru", root=root, config=config, groups=["staff"])
    assert first is not again
    assert first.exists("docs/guide.md")
    assert not second.exists("docs/guide.md")


def test_an_open_workspace_is_seen_by_the_given_groups(labelled: tuple[str, object]) -> None:
    root, config = labelled
    with tadoru.open(root, config=config, principal=tadoru.Principal(frozenset({"staff"}))) as ws:  # type: ignore[arg-type]
        assert TadoruFileSystem(workspace=ws).exists("docs/guide.md")
        assert not TadoruFileSystem(workspace=ws, groups=[]).exists("docs/guide.md")
