"""Reads one payload on stdin, writes one answer on stdout, or nothing; always exits 0.

A server that runs for the directory is asked; without one the hook looks by itself. Every path that
is offered exists when it is offered.
"""

# pathlib would cost a sixth of the time that a hook has
# ruff: noqa: PTH109, PTH110

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from tadoru.hooks.agents import AGENTS, agent_of, cwd_of
from tadoru.hooks.calls import Wanted, look
from tadoru.hooks.server import consult

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
    adapter = AGENTS[agent if agent in AGENTS else agent_of(payload)]
    cwd = cwd_of(payload) or os.getcwd()
    seen = look(adapter.calls(payload), cwd)
    if not seen.missing and not seen.touched:
        return ""
    missing = seen.missing[:MAX_PATHS]
    answers = consult(missing, seen.touched, cwd)
    lines = list(dict.fromkeys(_lines(missing, answers, cwd)))
    return json.dumps(adapter.reply(payload, "\n".join(lines))) if lines else ""


def _lines(missing: Sequence[Wanted], answers: list[Any] | None, cwd: str) -> Iterator[str]:
    """Yield a sentence for each missing path about which there is something to say."""
    if not missing:
        return
    from tadoru.hooks.suggest import nearby, sentence  # most payloads have no use for it

    for number, wanted in enumerate(missing):
        kind = ""
        if answers is None:
            found = nearby(wanted.path, wanted.cwd)
        else:
            answer = answers[number] if number < len(answers) else {}
            found, kind = _offered(answer)
        if found:
            yield sentence(wanted.path, found, cwd, kind=kind)


def _offered(answer: Any) -> tuple[list[str], str]:
    """Return the existing paths in a server's answer, and what kind of mistake it saw."""
    if not isinstance(answer, dict) or not isinstance(answer.get("paths"), list):
        return [], ""
    paths = [p for p in answer["paths"] if isinstance(p, str) and os.path.exists(p)]
    return paths, str(answer.get("kind", ""))


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
