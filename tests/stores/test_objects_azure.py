"""Lazy files in Azure's blob store, as Microsoft's own server of its protocol gives them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from azure_server import Azure
from object_server import openapi

from tadoru.errors import StoreError, Unavailable
from tadoru.stores.objects import ObjectReader, Pointer
from tadoru.stores.objects.reader import BLOCK_BYTES

pytest.importorskip("obstore")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Azure]:
    server = Azure(tmp_path_factory.mktemp("azure"))
    yield server
    server.close()


def test_a_large_document_is_read_whole_and_by_ranges(azure: Azure) -> None:
    data = openapi()
    etag = azure.put("v1/open api.json", data)
    reader = ObjectReader(azure.settings())
    there = reader.describe("az://specs/v1/open api.json")
    assert there == Pointer("az://specs/v1/open api.json", len(data), etag.strip('"'))
    assert reader.read(there, start=0, size=100) == data[:100]
    assert reader.read(there, start=len(data) - 99) == data[-99:]
    middle = 5 * BLOCK_BYTES - 7
    assert reader.read(there, start=middle, size=BLOCK_BYTES) == data[middle:][:BLOCK_BYTES]
    assert ObjectReader(azure.settings()).read(there) == data


def test_an_object_that_changed_or_is_gone_is_an_error(azure: Azure) -> None:
    etag = azure.put("changing.json", b"first " * 100)
    there = Pointer("az://specs/changing.json", 600, etag)
    assert ObjectReader(azure.settings()).read(there) == b"first " * 100
    azure.put("changing.json", b"other " * 100)
    with pytest.raises(StoreError, match="has changed"):
        ObjectReader(azure.settings()).read(there)
    azure.delete("changing.json")
    with pytest.raises(StoreError, match="is gone"):
        ObjectReader(azure.settings()).read(there)


def test_an_empty_object_is_an_empty_file(azure: Azure) -> None:
    azure.put("empty.json", b"")
    reader = ObjectReader(azure.settings())
    there = reader.describe("az://specs/empty.json")
    assert there.size == 0
    assert reader.read(there) == b""


def test_a_key_that_is_refused_is_never_repeated(azure: Azure) -> None:
    etag = azure.put("kept.json", b"kept")
    reader = ObjectReader(azure.settings(account_key="d3Jvbmc="))
    with pytest.raises(Unavailable, match="credentials") as raised:
        reader.read(Pointer("az://specs/kept.json", 4, etag))
    assert "d3Jvbmc" not in str(raised.value)


def test_another_container_is_not_asked(azure: Azure) -> None:
    with pytest.raises(Unavailable, match="not allowed"):
        ObjectReader(azure.settings()).read(Pointer("az://secrets/x", 4))
