"""A document store beside a repository, in one tree."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest

import tadoru
from tadoru import BadInput, Principal, Unavailable

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
def test_a_mount_that_is_away_costs_its_own_place_only_and_every_answer_says_so(
    shared_repository: Path, collection: str
) -> None:
    address = collection.replace("#docs", "#nothing")
    with tadoru.open(shared_repository, mounts={"/manual": address}) as workspace:
        answer = workspace.run("ls /; ls /manual")
        assert "src" in answer.stdout.split()
        assert "No such file or directory" in answer.stderr
        assert str(answer.index).startswith("partial: /manual is left out: ")
        assert "nothing" in str(answer.index)
        assert "partial" in str(workspace.search("session cookie").index)
    with (
        tadoru.open(None, mounts={"/manual": address}) as workspace,
        pytest.raises(Unavailable, match="nothing"),
    ):
        workspace.run("ls")


@pytest.mark.slow
def test_mounts_need_no_directory(collection: str) -> None:
    with tadoru.open(None, mounts={"/": collection}) as workspace:
        assert workspace.run("ls").stdout == "auth\n"
        assert workspace.read("auth/oauth.mdx").text == "".join(PAGES["auth/oauth.mdx"])


def test_a_place_holds_one_thing(shared_repository: Path, tmp_path: Path) -> None:
    address = f"chroma+file:{tmp_path}#docs"
    with pytest.raises(BadInput, match="is a root"):
        tadoru.open(shared_repository, mounts={"/": address})
    with pytest.raises(BadInput, match="no root and no mount"):
        tadoru.open(None)
    for place in ("/a/../b", "a\0b", "/" + "x" * 2_000):
        with pytest.raises(BadInput, match="no place"):
            tadoru.open(shared_repository, mounts={place: address})
