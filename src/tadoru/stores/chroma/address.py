"""Where a collection lies and how it calls things: the address of a mount, with its settings.

`chroma://host:port/collection`, `chroma+https://host/collection`, or
`chroma+file:DIRECTORY#collection`, each with settings behind a `?`:
`chroma://host/docs?page=slug&joiner=%0A`. A secret never stands in an address: `token_env` names
the variable that holds it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, fields, replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from tadoru.errors import BadInput, Unavailable

DEFAULT_PORT = 8000
_SCHEMES = {"chroma": "http", "chroma+http": "http", "chroma+https": "https"}
_EXAMPLE = "chroma://host:port/collection, or chroma+file:DIRECTORY#collection"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{1,510})[A-Za-z0-9]\Z")
"""What Chroma takes as the name of a collection."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """How a collection calls things; an existing one is mounted as it is."""

    tree: str = "__path_tree__"
    """Id of the document that holds the tree."""
    page: str = "page"
    """Metadata: which page a chunk belongs to, as the tree names it."""
    chunk_index: str = "chunk_index"
    """Metadata: the position of a chunk in its page."""
    title: str = "title"
    """Metadata that becomes the breadcrumb of a chunk; in the tree, the title of a page."""
    public: str = "isPublic"
    groups: str = "groups"
    size: str = "size"
    """In the tree: bytes of a page. Give an empty name where it means something else."""
    chunks: str = "chunks"
    """In the tree: how many chunks a page has."""
    modified: str = "modified"
    """In the tree: when a page changed, seconds since 1970 or a date of ISO 8601."""
    pointer: str = "pointer"
    """In the tree: an object with `url`, `size`, `etag` instead of chunks."""
    ids: str = ""
    """How ids of chunks are made (`{page}#{index}`), so that a page whose count is known is fetched
    by them: about ten times as fast as by a filter."""
    start: str = ""
    """Metadata: the character of the page at which a chunk begins (`start_index` of LangChain).
    Chunks that overlap are put together by it exactly."""
    overlap: str = ""
    """Metadata: how many characters a chunk repeats of the one before it; or that number itself,
    where it is the same for all chunks."""
    joiner: str = ""
    """What stood between two chunks of a page, if whoever cut it took that away."""
    vectors: str = ""
    """Fingerprint of the model that made the collection's vectors (`tadoru stats --json` names
    that of the configured one). Without it, or with another one, search over it is lexical."""


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed address."""

    text: str
    """As it was given, for people."""
    where: str
    """`http://host:port`, `https://host:port`, or a directory."""
    collection: str
    names: FieldNames = FieldNames()
    tenant: str = "default_tenant"
    database: str = "default_database"
    token_env: str = ""
    """Name of the environment variable that holds the server's token."""

    @property
    def is_server(self) -> bool:
        return self.where.startswith(("http://", "https://"))

    def token(self) -> str:
        """Return the token. Raises: `Unavailable` when its variable is not set."""
        if not self.token_env:
            return ""
        token = os.environ.get(self.token_env, "")
        if not token:
            raise Unavailable(
                f"{self.text} needs a token, and {self.token_env} is not set",
                hint=f"set {self.token_env}",
            )
        return token


_OWN = ("tenant", "database", "token_env")
_NAMES = tuple(field.name for field in fields(FieldNames))


def parse_address(address: str) -> Address:
    """Return the parts of an address. Raises: `BadInput` for what is none."""
    scheme, _, rest = address.partition(":")
    if scheme == "chroma+file":
        directory, _, named = rest.rpartition("#")
        collection, _, query = named.partition("?")
        where = directory and str(Path(directory).expanduser().absolute())
    elif scheme in _SCHEMES and rest.startswith("//"):
        rest, _, query = rest.partition("?")
        where, collection = _server(_SCHEMES[scheme], rest, address)
    else:
        raise BadInput(f"{address!r} cannot be mounted", hint=_EXAMPLE)
    if not where or not collection:
        raise BadInput(f"{address!r} names no collection", hint=_EXAMPLE)
    if not _NAME.match(collection):
        raise BadInput(
            f"{collection!r} cannot be the name of a collection",
            hint="3 to 512 characters: letters, digits, `.`, `_` and `-`",
        )
    return _with_settings(Address(address, where, collection), query)


def _server(protocol: str, rest: str, address: str) -> tuple[str, str]:
    try:
        url = urlsplit(f"{protocol}:{rest}")
        port = url.port or (443 if protocol == "https" else DEFAULT_PORT)
    except ValueError:
        raise BadInput(f"{address!r} has no port that can be one", hint=_EXAMPLE) from None
    if url.username or url.password:
        raise BadInput(
            "an address holds no password: it is shown to whoever asks for the mounts",
            hint="put the token into a variable and name it: ?token_env=NAME",
        )
    if url.fragment:
        raise BadInput(f"{address!r} cannot be mounted", hint=_EXAMPLE)
    host = url.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return (f"{protocol}://{host}:{port}" if host else "", url.path.strip("/"))


def _with_settings(address: Address, query: str) -> Address:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError:
        raise BadInput(f"{address.text!r}: settings are written name=value&...") from None
    names: dict[str, str] = {}
    own: dict[str, str] = {}
    for name, value in pairs:
        if name in _NAMES:
            names[name] = value
        elif name in _OWN:
            own[name] = value
        else:
            raise BadInput(
                f"{address.text!r} has no setting {name!r}", hint=", ".join((*_NAMES, *_OWN))
            )
    for name in ("tree", "page", "chunk_index", "public", "groups"):
        if names.get(name, "x") == "":
            raise BadInput(f"{address.text!r}: {name} cannot be empty")
    return replace(address, names=replace(address.names, **names), **own)
