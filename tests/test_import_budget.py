"""What must start fast loads nothing heavy. Measured in fresh processes."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numpy", "mcp", "pydantic", "tree_sitter", "bashkit", "rich", "re2", "rapidfuzz")
HELP_CPU_SECONDS = 0.120
HOOK_CPU_SECONDS = 0.040
SLACK = 2.5
"""Shared machines are slower and noisier than the one the promise was made for."""

AFTER = """
import json, sys
sys.stderr.write(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{AFTER}"],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "code",
    [
        "import tadoru",
        "from tadoru.cli import main; main(['--help'])",
        "from tadoru.cli import main; main(['search', '--help'])",
        "from tadoru.cli import main; main(['hook', '--agent', 'claude-code'])",
        "import tadoru.hooks.main",
        "import tadoru.mcp",
        "import tadoru.mcp.tools",
    ],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    assert not loaded_by(code) & set(HEAVY)


def test_a_hook_does_not_pay_for_click() -> None:
    assert "click" not in loaded_by("from tadoru.cli import main; main(['hook'])")


def test_opening_a_workspace_loads_no_mcp() -> None:
    loaded = loaded_by("import tadoru; tadoru.open('.')")
    assert not loaded & {"mcp", "pydantic", "rich"}


def cpu_seconds(*arguments: str, stdin: str = "") -> float:
    """Return the least CPU time of five runs, user and system."""
    best = float("inf")
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "tadoru", *arguments],
            input=stdin,
            text=True,
            capture_output=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, spent)
    return best


def test_help_starts_quickly() -> None:
    assert cpu_seconds("--help") < HELP_CPU_SECONDS * SLACK


def test_a_hook_is_over_quickly(tmp_path: Path) -> None:
    call = {"tool_name": "Read", "tool_input": {"file_path": str(tmp_path)}}
    payload = json.dumps({"hook_event_name": "PostToolBatch", "tool_calls": [call]})
    assert cpu_seconds("hook", stdin=payload) < HOOK_CPU_SECONDS * SLACK
