"""Real servers that the tests of stores share."""

from __future__ import annotations

import pytest
from chroma_server import ChromaServer, EmbeddedChroma


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory):
    """`chroma run`, for those who leave it running."""
    server = ChromaServer(tmp_path_factory.mktemp("chroma-run"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def embedded_chroma(tmp_path_factory):
    return EmbeddedChroma(tmp_path_factory.mktemp("chroma-embedded"))


@pytest.fixture(params=["embedded", "server"])
def chroma(request):
    """Chroma both ways: in a directory, and over HTTP."""
    name = {"embedded": "embedded_chroma", "server": "chroma_server"}[request.param]
    return request.getfixturevalue(name)
