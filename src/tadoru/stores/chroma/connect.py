"""From an address to its collection: over HTTP, or in a directory through Chroma's own client."""

from __future__ import annotations

from collections.abc import Callable

from tadoru.stores.chroma.address import Address
from tadoru.stores.chroma.collection import Collection


def connector(address: Address, *, create: bool = False) -> Callable[[], Collection]:
    """Return what finds the collection of an address, or makes it; connections are kept."""
    if not address.is_server:
        from tadoru.stores.chroma.embedded import EmbeddedCollection

        return lambda: EmbeddedCollection.open(address, create=create)
    from tadoru.stores.chroma.server import Server, ServerCollection

    servers: list[Server] = []

    def connect() -> Collection:
        if not servers:
            servers.append(Server(address))
        return ServerCollection.open(servers[0], address, create=create)

    return connect
