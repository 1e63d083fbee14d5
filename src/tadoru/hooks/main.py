"""Reads one payload on stdin, writes one answer on stdout, or nothing; always exits 0."""

# pathlib would cost a sixth of the time that a hook has
# ruff: noqa: PTH109, PTH117

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from tadoru.hooks.payloads import AGENTS, agent_of, reply, wanted_paths
from tadoru.hooks.suggest import suggestion

MAX_PAYLOAD = 8 * 1024 * 1024
"""Bytes; a larger payload is not read to its end and gets no answer."""
MAX_PATHS = 4
"""Missing paths of one payload that get a suggestion."""


def main(argv: Sequence[str]) -> int:
    """Run the hook. A hook that failed loudly would block the agent, so it never does."""
    try:
        answer = respond(sys.stdin.buffer.read(MAX_PAYLOAD), _agent(argv))
        if answer:
            sys.stdout.write(answer + "\n")
            sys.stdout.flush()
    except BaseException:
        _silence()
    return 0


def respond(data: bytes, agent: str = "") -> str:
    """Return the answer to one payload as JSON; empty when there is nothing to say.

    Raises: `ValueError` for a payload that is no JSON object.
    """
    payload: Any = json.loads(data)
    if not isinstance(payload, dict):
        raise ValueError("the payload is no object")
    agent = agent if agent in AGENTS else agent_of(payload)
    cwd = payload.get("cwd")
    cwd = cwd if isinstance(cwd, str) and os.path.isabs(cwd) else os.getcwd()
    said: list[str] = []
    for path in wanted_paths(agent, payload):
        if len(said) == MAX_PATHS:
            break
        text = suggestion(path, cwd)
        if text and text not in said:
            said.append(text)
    if not said:
        return ""
    return json.dumps(reply(agent, payload, "\n".join(said)))


def _agent(argv: Sequence[str]) -> str:
    for position, word in enumerate(argv):
        if word == "--agent" and position + 1 < len(argv):
            return argv[position + 1]
        if word.startswith("--agent="):
            return word[len("--agent=") :]
    return ""


def _silence() -> None:
    """Point stdout at nothing: a closed pipe must not be complained about at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
