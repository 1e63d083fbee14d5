"""A real Chroma for tests: in a directory, or behind `chroma run` on the loopback interface."""

from __future__ import annotations

import base64
import gzip
import json
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import warnings
from collections.abc import Iterable
from pathlib import Path

import pytest

from tadoru.stores.chroma import Address, ChromaStore, parse_address
from tadoru.stores.chroma.connect import connector

TREE = "__path_tree__"
Row = tuple[str, str, dict]


def chromadb():
    """Return the official client's module: what writes collections here is not our own code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("chromadb")


MARKS = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
"""For modules that use the official client, which leaves sockets open."""


def packed(tree: object) -> str:
    return base64.b64encode(gzip.compress(json.dumps(tree).encode())).decode()


class Counting:
    """A collection that counts what it is asked, in front of a real one."""

    def __init__(self, inner):
        self.inner = inner
        self.asked: list[str] = []

    def __getattr__(self, name):
        value = getattr(self.inner, name)
        if not callable(value):
            return value

        def ask(*args, **kwargs):
            self.asked.append(name)
            return value(*args, **kwargs)

        return ask


def counting_store(address: Address, **how):
    """Return a store and the collection that counts its requests."""
    counted: list[Counting] = []

    def connect():
        counted.append(Counting(connector(address)()))
        return counted[-1]

    store = ChromaStore(connect, address.names, **how)
    _ = store.generation
    return store, counted[0]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class ChromaBackend:
    """Collections, made with the official client; the place is given by a subclass."""

    def __init__(self) -> None:
        self.count = 0
        self.client = None

    def address_of(self, name: str, query: str = "") -> Address:
        raise AssertionError("a subclass says where")

    def collection(self, rows: Iterable[Row], *, name: str = "", space: str = "l2", vectors=None):
        """Make a collection with the official client and return its name."""
        self.count += 1
        name = name or f"docs-{self.count}"
        rows = list(rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = self.client.create_collection(
                name, embedding_function=None, configuration={"hnsw": {"space": space}}
            )
            for start in range(0, len(rows), 2_000):
                ids, documents, metadatas = zip(*rows[start : start + 2_000], strict=True)
                made.add(
                    ids=list(ids), documents=list(documents), metadatas=list(metadatas),
                    embeddings=[(vectors or {}).get(one, [1.0, 0.0]) for one in ids],
                )  # fmt: skip
        return name

    def docs(self, tree: object, rows: Iterable[Row] = (), *, query: str = "", **how) -> Address:
        """Make a collection with a tree, and return its address."""
        rows = list(rows)
        if tree is not None:
            text = tree if isinstance(tree, str) else packed(tree)
            rows.append((TREE, text, {"kind": "tree"}))
        return self.address_of(self.collection(rows, **how), query)

    def official(self, address: Address):
        return self.client.get_collection(address.collection, embedding_function=None)


class EmbeddedChroma(ChromaBackend):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        module = chromadb()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.client = module.PersistentClient(
                path=str(folder), settings=module.config.Settings(anonymized_telemetry=False)
            )

    def address_of(self, name: str, query: str = "") -> Address:
        return parse_address(f"chroma+file:{self.folder}#{name}{query and '?'}{query}")


class ChromaServer(ChromaBackend):
    """`chroma run`, as a process that can be stopped, killed and started again."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen | None = None
        self.start()
        self.connect()

    def connect(self) -> None:
        module = chromadb()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.client = module.HttpClient(
                host="127.0.0.1", port=self.port,
                settings=module.config.Settings(anonymized_telemetry=False),
            )  # fmt: skip

    def start(self) -> None:
        command = Path(sys.executable).with_name("chroma")
        found = str(command) if command.exists() else shutil.which("chroma")
        if found is None:
            pytest.skip("the command `chroma` is not installed")
        self.process = subprocess.Popen(
            [found, "run", "--path", str(self.folder), "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        url = f"http://127.0.0.1:{self.port}/api/v2/heartbeat"
        for _ in range(300):
            try:
                with urllib.request.urlopen(url, timeout=1):
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("chroma run did not come up")

    def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            if how is not signal.SIGSTOP:
                self.process.wait(10)
                self.process = None

    def go_on(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def address_of(self, name: str, query: str = "") -> Address:
        return parse_address(f"chroma://127.0.0.1:{self.port}/{name}{query and '?'}{query}")
