"""The server of `tadoru.mcp` over HTTP, for the conformance suite; not a test itself.

    python conformance_server.py DIRECTORY [transport | service]

`service`: as `tadoru serve` has it, behind the gate; `transport`: with sessions, as the SDK has it.
Writes the port to stdout. The suite judges by tools and resources of its own names: those that
this server can have are put beside the real ones, through the same code.
"""

from __future__ import annotations

import base64
import socket
import sys
import time
from pathlib import Path
from typing import Any

import uvicorn

import tadoru
from tadoru.errors import BadInput
from tadoru.mcp import resources, server
from tadoru.mcp.progress import current
from tadoru.mcp.tools import Tools

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
FILES = {
    "static-text": b"This is the content of the static text resource.",
    "static-binary": PIXEL,
    "template/123/data": b'{"id": "123", "templateTest": true, "data": "Data for ID: 123"}',
}


class WithFixtures(Tools):
    """The default tools, and three of the suite's."""

    def all(self):  # type: ignore[no-untyped-def]
        return (
            *super().all(),
            self.test_simple_text,
            self.test_error_handling,
            self.test_tool_with_progress,
        )

    def test_simple_text(self) -> str:
        """Return a text."""
        return "This is a simple text response for testing."

    def test_error_handling(self) -> str:
        """Fail."""
        raise BadInput("This tool intentionally returns an error for testing")

    def test_tool_with_progress(self) -> str:
        """Take a while."""
        for done in range(0, 101, 5):
            current().update(done, 100, "step")
            time.sleep(0.14)
        return "done"


def application(how: str, workspace: tadoru.Workspace, port: int) -> Any:
    if how == "transport":
        return server.build(lambda: workspace).streamable_http_app()
    from tadoru.web import app

    service = app.open_service(workspace, at=f"http://127.0.0.1:{port}")
    built = server.build(service.askers.current, one_client=False, run=service.workers.run)
    over_http = server.over_http(built, path=app.MCP, body_bytes=1 << 20)
    return app.build(
        service, over_http, secret=b"of this test", host="127.0.0.1", log=lambda line: None
    )


def main(directory: Path, how: str = "transport") -> None:
    for path, data in FILES.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)
    resources.SCHEME, resources.TEMPLATE = "test://", "test://{+path}"
    server.TOOLSETS = {**server.TOOLSETS, "tadoru": (WithFixtures, server.INSTRUCTIONS)}
    with tadoru.open(directory) as workspace, socket.socket() as listening:
        workspace.index()
        listening.bind(("127.0.0.1", 0))
        sys.stdout.write(f"{listening.getsockname()[1]}\n")
        sys.stdout.flush()
        config = uvicorn.Config(
            application(how, workspace, listening.getsockname()[1]),
            log_level="warning",
            timeout_graceful_shutdown=1,
        )
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:3])
