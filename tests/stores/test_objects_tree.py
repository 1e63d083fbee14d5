"""A tree of pointers, walked by everything that reads: a real Chroma, a real S3 protocol server."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import fsspec
import pytest
from chroma_server import EmbeddedChroma
from object_server import S3, openapi

import tadoru
from tadoru.config import MIB, load
from tadoru.stores.objects import reader as objects

pytest.importorskip("obstore")
pytest.importorskip("moto")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

SMALL = b"openapi: 3.1.0\npaths:\n  /pets:\n    get:\n      operationId: listPets\n"
PAGES = {
    "auth/oauth.mdx": "# OAuth\n\nSee the [API](../api/openapi.json) for scopes of tokens.\n",
    "index.mdx": "# Start\n\nEverything about pets and tokens.\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    folder = tmp_path_factory.mktemp("pointers")
    s3 = S3(folder / "log")
    chroma = EmbeddedChroma(folder / "chroma")
    data = openapi()

    def pointed(
        key: str, content: bytes, *, groups: tuple[str, ...] = (), **change: object
    ) -> dict:
        etag = s3.put(key, content)
        facts = {"url": f"s3://specs/{key}", "size": len(content), "etag": etag, **change}
        return {"isPublic": not groups, "groups": list(groups), "pointer": facts}

    tree = {
        **{page: {"isPublic": True, "groups": [], "chunks": 1} for page in PAGES},
        "api/openapi.json": pointed("openapi.json", data),
        "api/pets.yaml": pointed("pets.yaml", SMALL),
        "internal/admin.yaml": pointed("admin.yaml", SMALL, groups=("admin",)),
        "internal/lost.yaml": pointed("lost.yaml", SMALL, groups=("admin",)),
        "broken/changed.yaml": pointed("changed.yaml", SMALL, etag='"another"'),
        "broken/cut.yaml": pointed("cut.yaml", SMALL, size=len(SMALL) + 1),
        "broken/gone.yaml": pointed("gone.yaml", SMALL),
        "broken/foreign.yaml": pointed("foreign.yaml", SMALL, url="s3://elsewhere/x"),
        "broken/metadata.json": pointed("m.json", SMALL, url="http://169.254.169.254/latest/"),
        "broken/local.txt": pointed("l.txt", SMALL, url="file:///etc/passwd"),
        "broken/nonsense.txt": {"isPublic": True, "groups": [], "pointer": "s3://specs/pets.yaml"},
    }
    s3.delete("gone.yaml")
    rows = [(f"{page}#0", text, {"page": page, "chunk_index": 0}) for page, text in PAGES.items()]
    address = chroma.docs(tree, rows)
    root = folder / "root"
    root.mkdir()
    (root / "notes.md").write_text("# Notes\n")
    config = replace(load(), objects=s3.settings(), home=str(folder / "home"))
    mounts = {"/docs": address.text}
    yield SimpleNamespace(root=root, config=config, mounts=mounts, data=data, s3=s3)
    s3.close()


@pytest.fixture(scope="module")
def ws(place: SimpleNamespace) -> Iterator[tadoru.Workspace]:
    with tadoru.open(place.root, config=place.config, mounts=place.mounts) as workspace:
        yield workspace


@pytest.fixture(scope="module")
def on_disk(place: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The readable files of the tree, for the GNU tools."""
    folder = tmp_path_factory.mktemp("disk")
    files = {"api/openapi.json": place.data, "api/pets.yaml": SMALL}
    files |= {page: text.encode() for page, text in PAGES.items()}
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The ranges that the object store is asked for during a test."""
    ranges: list[tuple[int, int]] = []
    fetch = objects.ObjectReader._fetch

    def noted(self, place, wish, etag):  # type: ignore[no-untyped-def]
        ranges.append(wish)
        return fetch(self, place, wish, etag)

    monkeypatch.setattr(objects.ObjectReader, "_fetch", noted)
    return ranges


def test_names_and_sizes_need_no_object(
    ws: tadoru.Workspace, place: SimpleNamespace, asked: list[object]
) -> None:
    listing = ws.run(
        "cd /docs/api; ls -l; stat -c '%s %n' openapi.json; find . -size +1M; du -b pets.yaml"
    )
    assert listing.stderr == ""
    assert f"{len(place.data)} openapi.json" in listing.stdout
    assert "./openapi.json" in listing.stdout
    assert asked == []


def test_the_head_of_a_large_document_is_one_small_request(
    place: SimpleNamespace, asked: list[tuple[int, int]]
) -> None:
    config = replace(place.config, cache=replace(place.config.cache, megabytes=9))
    with tadoru.open(place.root, config=config, mounts=place.mounts) as fresh:
        result = fresh.run("head -5 /docs/api/openapi.json")
        assert result.stdout_bytes == b"".join(place.data.splitlines(keepends=True)[:5])
        middle = fresh.run("sed -n '100,105p' /docs/api/openapi.json")
        assert middle.stdout_bytes == b"".join(place.data.splitlines(keepends=True)[99:105])
        assert len(asked) == 1
        assert asked[0][1] - asked[0][0] <= objects.BLOCK_BYTES
        asked.clear()
        result = fresh.run("tail -c 100 /docs/api/openapi.json; tail -n 3 /docs/api/openapi.json")
        lines = place.data.splitlines(keepends=True)
        assert result.stdout_bytes == place.data[-100:] + b"".join(lines[-3:])
        assert sum(end - start for start, end in asked) <= 3 * objects.BLOCK_BYTES


@pytest.mark.parametrize(
    "command",
    [
        "cat api/pets.yaml auth/oauth.mdx",
        "wc -c api/openapi.json",
        "wc -l api/openapi.json",
        "md5sum api/openapi.json",
        "sed -n '100,105p' api/openapi.json",
        "sed -n '/x-number\": 77,/p' api/openapi.json",
        "head -c 300000 api/openapi.json | tail -c 100",
        "tail -n +20 api/openapi.json | head -n 3",
        "grep -c operationId api/openapi.json",
        "grep -rn listPets api auth",
        "grep -rlE 'listPets|Résumé of 6b86b' api auth index.mdx",
        "grep -n -m 2 '説明' api/openapi.json",
        "cmp api/pets.yaml api/pets.yaml && echo same",
        "awk '/operationId/ {n++} END {print n}' api/openapi.json",
        "sort api/pets.yaml | uniq | tail -2",
        "cat api/openapi.json | head -2",
    ],
)
def test_commands_print_what_the_gnu_tools_print(
    ws: tadoru.Workspace, on_disk: Path, command: str
) -> None:
    expected = subprocess.run(["bash", "-c", command], cwd=on_disk, capture_output=True)
    result = ws.run(command, cwd="/docs")
    assert result.stderr == expected.stderr.decode() == ""
    assert result.exit_code == expected.returncode
    assert sorted(result.stdout_bytes.splitlines()) == sorted(expected.stdout.splitlines())


def test_what_was_read_once_is_not_asked_for_again(
    ws: tadoru.Workspace, place: SimpleNamespace, asked: list[object]
) -> None:
    first = ws.run("grep -c operationId /docs/api/openapi.json")
    asked.clear()
    assert ws.run("grep -c operationId /docs/api/openapi.json").stdout == first.stdout
    assert asked == []


BROKEN = {
    "changed.yaml": "has changed since",
    "cut.yaml": "has changed since",
    "gone.yaml": "is gone",
    "foreign.yaml": "not allowed",
    "metadata.json": "not ",
    "local.txt": "not allowed",
    "nonsense.txt": "",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_had_is_an_error_and_never_content(
    ws: tadoru.Workspace, name: str
) -> None:
    for words in ("cat F", "head -1 F", "tail -1 F", "grep -n . F", "sed -n 1p F", "wc -l < F",
                  "cp F /tmp/x && cat /tmp/x"):  # fmt: skip
        command = words.replace("F", name)
        result = ws.run(command, cwd="/docs/broken")
        assert result.exit_code != 0, command
        assert result.stdout_bytes.strip() in (b"", b"0"), command
        assert BROKEN[name] in result.stderr or "wc" in command, command
    with pytest.raises(tadoru.TadoruError):
        ws.read(f"docs/broken/{name}")
    with pytest.raises((tadoru.TadoruError, OSError)):
        ws.read_bytes(f"docs/broken/{name}")


def test_one_that_cannot_be_had_does_not_keep_the_others_from_being_found(
    ws: tadoru.Workspace,
) -> None:
    result = ws.run("grep -rl listPets /docs")
    assert result.stdout == "/docs/api/pets.yaml\n"
    assert result.index.status is tadoru.types.Freshness.PARTIAL
    assert missed(result) >= 6


def test_a_hidden_file_that_cannot_be_had_is_not_told_of(place: SimpleNamespace) -> None:
    who = tadoru.Principal(frozenset({"admin"}))
    with tadoru.open(place.root, config=place.config, mounts=place.mounts, principal=who) as admin:
        place.s3.delete("lost.yaml")
        assert "lost" in admin.run("grep -r pets /docs/internal").index.detail
        outsider = admin.seen_by(tadoru.Principal())
        assert "lost" not in str(outsider.run("grep -r pets /docs").index)


def missed(answer: tadoru.RunResult) -> int:
    """Return how many files the state of an answer says to be missing."""
    more = re.search(r"and (\d+) more", answer.index.detail)
    return int(more[1]) + 1 if more else int(bool(answer.index.detail))


def test_what_comes_back_is_no_longer_missed(place: SimpleNamespace) -> None:
    with tadoru.open(place.root, config=place.config, mounts=place.mounts) as fresh:
        before = fresh.run("grep -rl listPets /docs")
        place.s3.put("gone.yaml", SMALL)
        try:
            after = fresh.run("grep -rl listPets /docs")
        finally:
            place.s3.delete("gone.yaml")
        assert "/docs/broken/gone.yaml\n" not in before.stdout
        assert "/docs/broken/gone.yaml\n" in after.stdout
        assert missed(after) == missed(before) - 1


def test_a_pointer_of_others_is_not_there(place: SimpleNamespace) -> None:
    who = tadoru.Principal(frozenset({"admin"}))
    with tadoru.open(place.root, config=place.config, mounts=place.mounts, principal=who) as admin:
        assert admin.run("cat /docs/internal/admin.yaml").stdout_bytes == SMALL
        outsider = admin.seen_by(tadoru.Principal())
        hidden = outsider.run("cat /docs/internal/admin.yaml")
        missing = outsider.run("cat /docs/internal/admim.yaml")
        assert hidden.stdout == missing.stdout == ""
        assert hidden.stderr.replace("admin", "admim") == missing.stderr
        with pytest.raises(tadoru.PathNotFound):
            outsider.read_bytes("docs/internal/admin.yaml")
        assert "internal" not in outsider.run("grep -rl listPets /docs; find /docs").stdout


def test_wrong_paths_lead_to_pointers(ws: tadoru.Workspace) -> None:
    assert ws.resolve("docs/openapi.json").path == "docs/api/openapi.json"
    assert ws.resolve("docs/api/pet.yaml").path == "docs/api/pets.yaml"
    assert ws.retry("docs/pets.yaml").path == "docs/api/pets.yaml"


def test_search_names_what_it_knows(ws: tadoru.Workspace) -> None:
    answer = ws.search("scopes of tokens")
    assert answer.hits[0].path == "docs/auth/oauth.mdx"


def test_lines_are_read_by_the_library(ws: tadoru.Workspace, place: SimpleNamespace) -> None:
    assert ws.read("docs/api/pets.yaml", start=2, end=3).text == "paths:\n  /pets:\n"
    assert ws.read_bytes("docs/api/openapi.json", start=1_000, size=50) == place.data[1_000:1_050]


def test_fsspec_reads_a_pointer_by_ranges(
    place: SimpleNamespace, asked: list[tuple[int, int]]
) -> None:
    config = replace(place.config, cache=replace(place.config.cache, megabytes=10))
    options = {"root": str(place.root), "config": config, "mounts": place.mounts}
    with fsspec.open("tadoru:///docs/api/openapi.json", **options) as file:
        file.seek(5 * MIB)
        assert file.read(1_000) == place.data[5 * MIB :][:1_000]
    assert sum(end - start for start, end in asked) <= 3 * objects.BLOCK_BYTES
    with fsspec.open("tadoru:///docs/api/openapi.json", **options) as file:
        assert json.load(file) == json.loads(place.data)
    with fsspec.open("tadoru:///docs/auth/oauth.mdx", "rt", **options) as file:
        assert file.readline() == "# OAuth\n"
