"""Files as resources: `tadoru:///src/app.py`, listed in pages, read whole, completed name by name.

Decides addresses and sizes; what exists is what the workspace's principal sees. A resource is one
file, never a directory; what is too large for a model's window is refused with what to do instead.
"""

from __future__ import annotations

import base64
import mimetypes
import os
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from tadoru.errors import LimitExceeded, TadoruError
from tadoru.mcp.answers import sendable
from tadoru.text.decode import decode
from tadoru.text.shown import shown

if TYPE_CHECKING:
    from tadoru.workspace import Workspace

SCHEME = "tadoru:///"
TEMPLATE = SCHEME + "{+path}"
PAGE = 200
"""Files of one page of the list."""
MAX_BYTES = 400_000
"""Of one resource: about 100,000 tokens. `read_file` gives any part of a larger file."""
BYTES = "application/octet-stream"
MAX_COMPLETIONS = 100
"""The protocol's own bound."""


class Resources:
    """The files of a workspace that is opened by the first call."""

    def __init__(self, workspace: Callable[[], Workspace]) -> None:
        self._workspace = workspace

    def list(self, cursor: str | None) -> ListResourcesResult:
        """Return a page of files. Raises: `MCPError` for a cursor that is none of ours."""
        offset = int(cursor) if cursor and cursor.isdecimal() and len(cursor) < 12 else 0
        if cursor and str(offset) != cursor:
            raise MCPError(code=INVALID_PARAMS, message="not a cursor of this list")
        page = self._workspace().list_files(offset=offset, limit=PAGE)
        following = offset + len(page.files)
        return ListResourcesResult(
            resources=[
                Resource(
                    uri=uri_of(row.path),
                    name=sendable(shown(row.path.rpartition("/")[2])),
                    title=sendable(shown(row.path)),
                    mime_type=mime_type_of(row.path),
                    size=row.size,
                )
                for row in page.files
            ],
            next_cursor=str(following) if page.files and following < page.total else None,
        )

    def templates(self) -> ListResourceTemplatesResult:
        """Return the one form that all addresses have."""
        template = ResourceTemplate(
            uri_template=TEMPLATE, name="file", description="A file of the tree, by its path."
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    def read(self, uri: str) -> ReadResourceResult:
        """Return a file, as text or else as bytes. Raises: `MCPError` when it cannot be given."""
        path = path_of(uri)
        try:
            data = self._workspace().read_bytes(path, size=MAX_BYTES + 1)
            if len(data) > MAX_BYTES:
                raise LimitExceeded(
                    f"{path} has more than {MAX_BYTES:,} bytes",
                    hint="read a part of it with read_file or bash",
                )
        except TadoruError as error:
            raise MCPError(
                code=INVALID_PARAMS, message=sendable(shown(str(error))), data={"uri": uri}
            ) from None
        kind = mime_type_of(path)
        content: TextResourceContents | BlobResourceContents
        decoded = decode(data)
        if decoded is None:
            blob = base64.b64encode(data).decode("ascii")
            content = BlobResourceContents(
                uri=uri, blob=blob, mime_type=kind if kind != "text/plain" else BYTES
            )
        else:
            text = sendable(decoded.text)
            content = TextResourceContents(uri=uri, text=text, mime_type=kind)
        return ReadResourceResult(contents=[content])

    def complete(self, params: CompleteRequestParams) -> CompleteResult:
        """Return the names that a half-written path can go on with."""
        matches: list[str] = []
        if getattr(params.ref, "uri", "") == TEMPLATE and params.argument.name == "path":
            matches = self._workspace().names(params.argument.value)
        sent = [name for name in matches[:MAX_COMPLETIONS] if name.isprintable()]
        return CompleteResult(
            completion=Completion(
                values=sent, total=len(matches), has_more=len(matches) > MAX_COMPLETIONS
            )
        )


def uri_of(path: str) -> str:
    """Return the address of a file of the tree, whatever bytes its name has."""
    return SCHEME + quote(os.fsencode(path))


def path_of(uri: str) -> str:
    """Return the path that an address names. Raises: `MCPError` for another kind of address."""
    if not uri.startswith(SCHEME) or len(uri) == len(SCHEME):
        message = f"Unknown resource: {shown(uri[:200])}; addresses are {TEMPLATE}"
        raise MCPError(code=INVALID_PARAMS, message=message, data={"uri": uri})
    return os.fsdecode(unquote_to_bytes(uri[len(SCHEME) :]))


def mime_type_of(path: str) -> str:
    """Return the type of a file by its name, of code and what is not known `text/plain`."""
    guessed, encoding = mimetypes.guess_type(path)
    if encoding or (guessed and guessed.startswith(("image/", "audio/", "video/", "font/"))):
        return guessed if guessed and not encoding else "application/octet-stream"
    known = guessed and guessed.startswith(("text/", "application/json", "application/pdf"))
    return guessed if known and guessed else "text/plain"
