"""Check with real agents that a hook's suggestion reaches the model.

Runs `claude`, `codex` and `gemini`, as far as they are on the PATH, in a home of their own that
`tadoru install` has set up, against a model on this machine that is told what to say: first to read
a path that does not exist, then that it is done. Prints, for each agent, whether its next request
held the right path. Needs no account and no network.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

RIGHT, WRONG = "src/shop/sessions.py", "src/shop/session.py"
SECONDS = 120
Event = tuple[str, dict[str, Any]]


class Model(BaseHTTPRequestHandler):
    """Speaks three protocols, as much of them as this takes."""

    wrong = ""
    heard = False

    def log_message(self, *_: object) -> None:
        """Keep the terminal for the results."""

    def do_GET(self) -> None:
        self._send([("", {"data": [], "models": []})], "application/json")

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        body = json.loads(text or "{}")
        done = any(mark in text for mark in ('"tool_result"', '_call_output"', "functionResponse"))
        if done and f"Did you mean: {RIGHT}" in text:
            Model.heard = True
        if "messages" in self.path:
            self._send(list(claude(self.wrong, done, body)), "text/event-stream")
        elif "enerateContent" in self.path:
            self._send([("", gemini(self.wrong, done))], "text/event-stream")
        else:
            self._send(list(codex(self.wrong, done)), "text/event-stream")

    def _send(self, events: list[Event], kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        for name, data in events:
            line = json.dumps(data)
            if kind != "application/json":
                line = (f"event: {name}\n" if name else "") + f"data: {line}\n\n"
            self.wfile.write(line.encode())


def claude(wrong: str, done: bool, body: dict[str, Any]) -> Iterator[Event]:
    """Answer in the events of Anthropic's Messages API."""
    reads = "Read" in [tool.get("name") for tool in body.get("tools", [])] and not done
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": "done"}
    if reads:
        block = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}}
        asked = json.dumps({"file_path": wrong})
        delta = {"type": "input_json_delta", "partial_json": asked}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    stop = {"stop_reason": "tool_use" if reads else "end_turn", "stop_sequence": None}
    yield "message_start", {"type": "message_start", "message": message}
    yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}
    yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    yield "message_delta", {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}}
    yield "message_stop", {"type": "message_stop"}


def codex(wrong: str, done: bool) -> Iterator[Event]:
    """Answer in the events of OpenAI's Responses API."""
    item: dict[str, Any] = {"type": "message", "id": "m1", "role": "assistant",
                            "content": [{"type": "output_text", "text": "done"}]}  # fmt: skip
    if not done:
        asked = json.dumps({"cmd": f"cat {wrong}"})
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1",
                "name": "exec_command", "arguments": asked}  # fmt: skip
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1,
             "output_tokens_details": None, "total_tokens": 2}  # fmt: skip
    response = {"id": "resp_1", "output": [item], "usage": usage}
    yield "response.created", {"type": "response.created", "response": {"id": "resp_1"}}
    added = {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield "response.output_item.done", added
    yield "response.completed", {"type": "response.completed", "response": response}


def gemini(wrong: str, done: bool) -> dict[str, Any]:
    """Answer as Google's streamGenerateContent does."""
    part: dict[str, Any] = {"text": "done"}
    if not done:
        part = {"functionCall": {"name": "read_file", "args": {"file_path": wrong}}}
    content = {"role": "model", "parts": [part]}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}


def commands(address: str) -> dict[str, list[str]]:
    """Return how each agent is asked one question at no terminal."""
    provider = f'{{name="scripted",base_url="{address}/v1",env_key="FAKE",wire_api="responses"}}'
    return {
        "claude": ["claude", "-p", "go on", "--allowedTools", "Read"],
        "codex": ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust",
                  "--dangerously-bypass-approvals-and-sandbox", "-c", "model=scripted",
                  "-c", "model_provider=scripted", "-c", f"model_providers.scripted={provider}",
                  "go on"],
        "gemini": ["gemini", "-m", "gemini-2.5-pro", "-p", "go on", "--yolo"],
    }  # fmt: skip


def main() -> int:
    """Return 1 when an agent did not hand the suggestion on."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    failed = False
    for name, command in commands(address).items():
        if shutil.which(name) is None:
            sys.stdout.write(f"{name:<8} is not on the PATH\n")
            continue
        heard = ask(name, command, address)
        failed |= not heard
        sys.stdout.write(f"{name:<8} {'sent the suggestion' if heard else 'did NOT send it'}\n")
    return int(failed)


def ask(name: str, command: list[str], address: str) -> bool:
    """Run one agent in a repository and a home of its own."""
    with tempfile.TemporaryDirectory() as place:
        home, repository = Path(place, "home"), Path(place, "repository")
        (repository / RIGHT).parent.mkdir(parents=True)
        (repository / RIGHT).write_text("def open_session(): ...\n")
        subprocess.run(["git", "init", "-q", str(repository)], check=True)
        (home / ".gemini").mkdir(parents=True)
        auth = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        (home / ".gemini/settings.json").write_text(json.dumps(auth))
        trust = {str(repository): "TRUST_FOLDER"}
        (home / ".gemini/trustedFolders.json").write_text(json.dumps(trust))
        env = {**os.environ, "HOME": str(home), "TADORU_HOME": str(home / "tadoru"), "FAKE": "x",
               "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "x", "GEMINI_API_KEY": "x",
               "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
               "GOOGLE_GEMINI_BASE_URL": address}  # fmt: skip
        install = [sys.executable, "-m", "tadoru", "install", name, "--via", "installed"]
        subprocess.run(install, check=True, env=env, cwd=repository, capture_output=True)
        Model.heard, Model.wrong = False, str(repository / WRONG)
        subprocess.run(command, env=env, cwd=repository, capture_output=True, timeout=SECONDS,
                       stdin=subprocess.DEVNULL)  # fmt: skip
    return Model.heard


if __name__ == "__main__":
    sys.exit(main())
