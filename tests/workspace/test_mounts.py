"""A document store beside a repository, in one tree."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest

import tadoru
from tadoru import BadInput, Principal, Unavailable
from tadoru.sources import parse_mount

PAGES = {
    "auth/oauth.mdx": ("# OAuth\n\nTokens are rotated ", "every ninety minutes.\n"),
    "internal/billing.mdx": ("# Billing\n\nInvoices are secret.\n",),
}


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A real Chroma collection on disk, in the form that ChromaFs has."""
    chromadb = pytest.importorskip("chromadb")
    directory = tmp_path_factory.mktemp("chroma")
    client = chromadb.PersistentClient(
        str(directory), settings=chromadb.config.Settings(anonymized_telemetry=False)
    )
    pages = client.create_collection("docs", embedding_function=None)
    tree = {
        "auth/oauth.mdx": {"isPublic": True, "groups": []},
        "internal/billing.mdx": {"isPublic": False, "groups": ["billing"]},
    }
    packed = base64.b64encode(gzip.compress(json.dumps(tree).encode())).decode()
    ids, documents, metadatas = ["__path_tree__"], [packed], [{"page": "__path_tree__"}]
    for page, chunks in PAGES.items():
        for index, text in enumerate(chunks):
            ids.append(f"{page}:{index}")
            documents.append(text)
            metadatas.append({"page": page, "chunk_index": index})  # type: ignore[dict-item]
    pages.add(ids=ids, documents=documents, metadatas=metadatas, embeddings=[[0.0, 1.0]] * len(ids))
    return f"chroma+file:{directory}#docs"


@pytest.mark.slow
def test_documents_and_code_are_one_tree(shared_repository: Path, collection: str) -> None:
    with tadoru.open(shared_repository, mounts={"/manual": collection}) as workspace:
        assert "manual" in workspace.run("ls /").stdout.split()
        assert workspace.run("cat manual/auth/oauth.mdx").stdout == "".join(PAGES["auth/oauth.mdx"])
        grep = workspace.run("grep -rl 'rotated every' manual src")
        assert grep.stdout == "manual/auth/oauth.mdx\n"
        paths = [hit.path for hit in workspace.search("how often are tokens rotated").hits]
        assert paths[0] == "manual/auth/oauth.mdx"
        assert workspace.resolve("manual/oauth.md").path == "manual/auth/oauth.mdx"
        assert workspace.search("where is the session cookie signed").hits[0].path.startswith("src")
        assert "internal" not in workspace.run("ls manual").stdout
        assert workspace.resolve("manual/internal/billing.mdx").status == "absent"
        billing = workspace.seen_by(Principal(frozenset({"billing"})))
        assert "secret" in billing.run("cat manual/internal/billing.mdx").stdout


@pytest.mark.slow
def test_a_collection_that_is_not_there_is_a_clear_error(
    shared_repository: Path, collection: str
) -> None:
    address = collection.replace("#docs", "#nothing")
    with (
        tadoru.open(shared_repository, mounts={"/manual": address}) as workspace,
        pytest.raises(Unavailable, match="nothing"),
    ):
        workspace.run("ls")


@pytest.mark.parametrize(
    ("address", "parsed"),
    [
        ("chroma://host:8000/docs", ("http://host:8000", "docs")),
        ("chroma+https://host/docs", ("https://host", "docs")),
        ("chroma+file:/var/chroma#docs", ("/var/chroma", "docs")),
    ],
)
def test_addresses_of_mounts(address: str, parsed: tuple[str, str]) -> None:
    assert parse_mount(address) == parsed


@pytest.mark.parametrize("address", ["", "chroma://host", "http://host/docs", "chroma+file:/x"])
def test_an_address_that_is_none_is_bad_input(address: str) -> None:
    with pytest.raises(BadInput):
        parse_mount(address)
