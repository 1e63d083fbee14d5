"""Processes that share a Redis before one document store: who asks it what, and who sees what."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from chroma_server import ChromaServer
from redis_server import RedisServer

pytest.importorskip("redis")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

PAGES = {f"guide/{number}.mdx": f"# Page {number}\n\nneedle {number}\n" for number in range(40)}
STAFF = {"staff/pay.mdx": "# Pay\n\nneedle of staff\n"}


class Counter:
    """Stands before a server, passes everything on, and counts what is asked of it."""

    def __init__(self, port: int) -> None:
        self._far = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.gets = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        try:
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._far))
                threading.Thread(target=self._pump, args=(near, far, True), daemon=True).start()
                threading.Thread(target=self._pump, args=(far, near, False), daemon=True).start()
        except OSError:
            return

    def _pump(self, source: socket.socket, target: socket.socket, asks: bool) -> None:
        try:
            while data := source.recv(65_536):
                if asks:
                    self.gets += len(re.findall(rb"POST /\S+/get HTTP", data))
                target.sendall(data)
        except OSError:
            pass
        for side in (source, target):
            side.close()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    folder = tmp_path_factory.mktemp("shared-cache")
    redis, chroma = RedisServer(folder), ChromaServer(folder / "chroma")
    tree = {page: {"isPublic": True, "groups": [], "chunks": 1} for page in PAGES}
    tree |= {page: {"isPublic": False, "groups": ["staff"], "chunks": 1} for page in STAFF}
    rows = [
        (f"{page}#0", text, {"page": page, "chunk_index": 0})
        for page, text in {**PAGES, **STAFF}.items()
    ]
    address = chroma.docs(tree, rows)
    counter = Counter(chroma.port)
    where = address.text.replace(f":{chroma.port}/", f":{counter.port}/")
    root = folder / "root"
    root.mkdir()
    (root / "notes.md").write_text("# Notes\n")
    own = folder / "config.toml"
    own.write_text(f'[mounts]\n"/docs" = "{where}"\n[cache]\nurl = "{redis.url}"\n')

    def run(command: str, groups: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command line in a process of its own; they share an index of terms, and Redis."""
        return subprocess.run(
            [sys.executable, "-m", "tadoru", "sh", command],
            cwd=root, capture_output=True, text=True, timeout=120,
            env={**os.environ, "TADORU_CONFIG": str(own), "TADORU_HOME": str(folder / "home"),
                 "TADORU_GROUPS": groups},
        )  # fmt: skip

    yield SimpleNamespace(run=run, counter=counter, redis=redis, own=own, root=root)
    counter.close()
    redis.thaw()
    redis.kill()
    chroma.process.kill()  # type: ignore[union-attr]
    chroma.process.wait()  # type: ignore[union-attr]


def asked(place: SimpleNamespace, command: str, groups: str = "") -> tuple[int, str]:
    """Return how often the store was asked for documents, and what was printed."""
    before = place.counter.gets
    done = place.run(command, groups)
    assert done.returncode == 0, done.stderr
    return place.counter.gets - before, done.stdout


def test_the_second_process_asks_the_store_for_no_page(place: SimpleNamespace) -> None:
    tree_alone, _ = asked(place, "ls /docs/guide")
    first, text = asked(place, "cat /docs/guide/*")
    assert first > tree_alone
    assert asked(place, "cat /docs/guide/*") == (tree_alone, text)
    assert all(page in text for page in PAGES.values())


def test_what_is_cached_for_some_is_hidden_from_others(place: SimpleNamespace) -> None:
    path = "/docs/staff/pay.mdx"
    assert place.run(f"cat {path}", "staff").stdout == STAFF["staff/pay.mdx"]
    hidden, missing = place.run(f"cat {path}"), place.run("cat /docs/staff/paz.mdx")
    assert hidden.stdout == missing.stdout == ""
    assert hidden.stderr.replace("pay", "paz") == missing.stderr
    # other groups that may see it share what is cached
    tree_alone, _ = asked(place, "ls /docs/guide", "staff,other")
    assert asked(place, f"cat {path}", "staff,other") == (tree_alone, STAFF["staff/pay.mdx"])


@pytest.mark.parametrize("fault", ["stopped", "killed", "rubbish"])
def test_whatever_becomes_of_redis_the_answers_stay(place: SimpleNamespace, fault: str) -> None:
    import redis

    command = "cat /docs/guide/7.mdx /docs/staff/pay.mdx; grep -rl needle /docs | wc -l"
    expected = PAGES["guide/7.mdx"] + STAFF["staff/pay.mdx"] + f"{len(PAGES) + len(STAFF)}\n"
    assert place.run(command, "staff").stdout == expected
    client = redis.Redis.from_url(place.redis.url)
    if fault == "stopped":
        place.redis.freeze()
    elif fault == "killed":
        place.redis.kill()
    else:
        for key in client.scan_iter():
            client.set(key, b"\xff rubbish " * 20)
    try:
        assert place.run(command, "staff").stdout == expected
    finally:
        client.close()
        if fault == "stopped":
            place.redis.thaw()
        elif fault == "killed":
            place.redis.start()
