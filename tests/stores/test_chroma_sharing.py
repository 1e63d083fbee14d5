"""What is fetched once: sizes in bulk, pages for all who may see them, trees for all sessions."""

from __future__ import annotations

import subprocess
import sys

import pytest
from chroma_server import MARKS, Counting, counting_store, packed

import tadoru
from tadoru.config import CacheConfig, Config, ObjectsConfig
from tadoru.documents import ChromaSource
from tadoru.stores.cache import MemoryCache
from tadoru.stores.chroma import ChromaStore, newest
from tadoru.testing.suites.store import access_of
from tadoru.types import Principal
from tadoru.views import View
from tadoru.workspace import Workspace

pytestmark = MARKS
PUBLIC = {"isPublic": True}
PAGES = {f"{folder}/p{n}.md": f"{folder} {n} " + "x" * n + "\n"
         for folder in ("a", "b") for n in range(20)}  # fmt: skip
STAFF = {path for path in PAGES if path.endswith("7.md")}


def site(chroma, **facts):
    tree = {
        path: ({"groups": ["staff", "ops"]} if path in STAFF else PUBLIC)
        | {name: value(text) for name, value in facts.items()}
        for path, text in PAGES.items()
    }
    rows = [(f"{path}:0", text, {"page": path, "chunk_index": 0}) for path, text in PAGES.items()]
    return chroma.docs(tree, rows)


class _Source:
    place = "chroma"
    away = ""

    def __init__(self, store):
        self.store = store

    def freshen(self):
        pass

    def state(self, stored, principal):
        return stored

    def close(self):
        pass


def test_sizes_that_the_tree_lacks_are_fetched_in_bulk_when_a_command_asks(chroma):
    store, counted = counting_store(site(chroma))
    workspace = Workspace({"docs": _Source(store)}, Config(), Principal())
    counted.asked.clear()
    names = workspace.run("ls /docs/a; find /docs -name 'p1*' | wc -l; tree /docs > /dev/null")
    assert names.stderr == ""
    assert counted.asked == [], "names need no sizes"
    listing = workspace.run("ls -l /docs/a")
    assert len(counted.asked) == 1
    sizes = {line.split()[-1]: int(line.split()[4]) for line in listing.stdout.splitlines()[1:]}
    public = {path: text for path, text in PAGES.items() if path not in STAFF}
    assert sizes == {path[2:]: len(t) for path, t in public.items() if path.startswith("a/")}
    found = workspace.run(r"find /docs -type f \( -size -6c -o -size +22c \) | sort").stdout.split()
    expected = [f"/docs/{p}" for p, t in public.items() if len(t) < 6 or len(t) > 22]
    assert found == sorted(expected)
    assert len(counted.asked) == 2
    total = workspace.run("du -b /docs | tail -1; find /docs -type f -printf '%s\\n'").stdout
    assert sum(map(int, total.split()[2:])) == sum(map(len, public.values()))
    assert len(counted.asked) == 2


def test_known_sizes_are_not_asked_for(chroma):
    store, counted = counting_store(site(chroma, size=len))
    workspace = Workspace({"": _Source(store)}, Config(), Principal())
    counted.asked.clear()
    workspace.run("ls -lR /; find / -size +10c; du -b /")
    assert counted.asked == []


def test_a_page_is_fetched_once_for_all_who_may_see_it(chroma):
    store, counted = counting_store(site(chroma, size=len))
    groups = (frozenset(), frozenset({"staff"}), frozenset({"ops"}), frozenset({"ops", "dev"}))
    for each in groups:
        assert View({"": store}, Principal(each)).read("a/p3.md") == PAGES["a/p3.md"].encode()
    pages = counted.asked.count("get")
    for each in groups[1:]:
        assert View({"": store}, Principal(each)).read("a/p7.md") == PAGES["a/p7.md"].encode()
    assert counted.asked.count("get") == pages + 1
    assert View({"": store}, Principal()).read("a/p7.md") is None


def test_another_process_finds_pages_in_the_cache_they_share(chroma):
    address, shared = site(chroma, size=len), MemoryCache(1 << 20)
    first, counted = counting_store(address, cache=shared)
    everything = dict(first.read_many(sorted(PAGES), access=access_of(first, "ops")))
    assert len(everything) == len(PAGES)
    second, counted = counting_store(address, cache=shared)
    counted.asked.clear()
    assert dict(second.read_many(sorted(PAGES), access=access_of(second, "ops"))) == everything
    assert counted.asked == []


def test_a_label_that_changes_leaves_its_page_in_nobodys_reach(chroma, monkeypatch):
    monkeypatch.setattr(newest, "CHECK_SECONDS", -1.0)
    address = chroma.docs({"a.md": PUBLIC}, [("a", "text", {"page": "a.md", "chunk_index": 0})])
    shared = MemoryCache(1 << 20)
    store = ChromaStore.open(address, cache=shared)
    outsider = access_of(store)
    assert store.read("a.md", access=outsider) == b"text"
    chroma.official(address).update(
        ids=["__path_tree__"], documents=[packed({"a.md": {"groups": ["ops"]}})],
        embeddings=[[1.0, 0.0]],
    )  # fmt: skip
    assert store.read("a.md", access=outsider) is None
    assert store.read("a.md", access=access_of(store)) is None
    assert store.read("a.md", access=access_of(store, "ops")) == b"text"


def test_the_tree_is_read_once_for_all_sessions(chroma):
    address = site(chroma, size=len).text
    sources = [ChromaSource(address, Config(cache=CacheConfig())) for _ in range(3)]
    assert len({id(source.store) for source in sources}) == 1
    with (
        tadoru.open(None, mounts={"/d": address}) as one,
        tadoru.open(None, mounts={"/d": address}) as two,
    ):
        assert one.run("ls /d").stdout == two.run("ls /d").stdout == "a\nb\n"
        assert one._mounts._sources["d"].store is two._mounts._sources["d"].store


def test_a_mount_over_http_needs_no_client_of_chroma(chroma_server):
    address = site(chroma_server, size=len).text
    code = (
        "import sys, tadoru\n"
        f"with tadoru.open(None, mounts={{'/d': {address!r}}}) as w:\n"
        "    assert w.run('cat /d/a/p1.md').exit_code == 0\n"
        "assert 'chromadb' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_pointer_leads_to_an_object_that_the_user_allows(chroma, tmp_path):
    pytest.importorskip("obstore")
    large = tmp_path / "openapi.json"
    large.write_text("".join(f'{{"line": {n}}}\n' for n in range(60_000)))
    size = large.stat().st_size
    pointer = {"url": f"file://{large}", "size": size}
    tree = {"api/openapi.json": {**PUBLIC, "pointer": pointer}, "a.md": PUBLIC,
            "hidden.json": {"groups": ["ops"], "pointer": pointer},
            "broken.json": {**PUBLIC, "pointer": {"url": 3}}}  # fmt: skip
    row = [("a", "line\n", {"page": "a.md", "chunk_index": 0})]
    address = chroma.docs(tree, row).text

    def workspace(*allow):
        config = Config(objects=ObjectsConfig(allow=allow))
        return Workspace({"docs": ChromaSource(address, config)}, config, Principal())

    allowed = workspace(f"file://{tmp_path}/")
    assert allowed.run("head -1 /docs/api/openapi.json").stdout == '{"line": 0}\n'
    assert allowed.run("tail -1 /docs/api/openapi.json").stdout == '{"line": 59999}\n'
    assert str(size) in allowed.run("ls -l /docs/api").stdout
    grep = allowed.run("grep -rn 'line.*59998' /docs")
    assert grep.stdout == '/docs/api/openapi.json:59999:{"line": 59998}\n'
    assert "broken.json" in str(grep.index)
    assert "hidden" not in allowed.run("ls /docs; cat /docs/hidden.json").stdout
    refused = workspace()
    answer = refused.run("cat /docs/api/openapi.json; grep -rn line /docs")
    assert "/docs/a.md:1:line" in answer.stdout
    assert "59998" not in answer.stdout
    assert "not allowed" in str(answer.index)
    large.write_text("other\n")
    changed = workspace(f"file://{tmp_path}/").run("cat /docs/api/openapi.json")
    assert changed.exit_code == 1
    assert changed.stdout == ""


def test_counting_passes_everything_on(chroma):
    address = site(chroma, size=len)
    store, counted = counting_store(address)
    assert isinstance(counted, Counting)
    assert counted.id in store.id
