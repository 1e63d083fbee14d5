"""claude-context 99, contextweaver: the provider was down, and search answered "Found 0".

https://github.com/zilliztech/claude-context/issues/99
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., "subprocess.CompletedProcess[str]"]

AWAY = "http://127.0.0.1:9/v1/embeddings"


@pytest.mark.slow
def test_lexical_results_come_and_say_what_is_missing_and_why(
    repository: Path, tmp_path: Path, cli: Cli
) -> None:
    env = {
        "TADORU_HOME": str(tmp_path / "home"),
        "EMBEDDINGS_BASE_URL": AWAY,
        "EMBEDDINGS_MODEL": "m",
        "EMBEDDINGS_DIMENSIONS": "16",
    }
    done = cli("index", cwd=repository, env=env)
    assert done.returncode == 2
    assert "semantic part away: 9 of 9 files" in done.stderr
    assert "127.0.0.1 did not answer: ConnectionRefusedError" in done.stderr
    done = cli("search", "where is the session cookie signed", "--json", cwd=repository, env=env)
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert answer["hits"][0]["path"] == "src/shop/sessions.py"
    assert answer["index"]["status"] == "fresh" and answer["recall"] == "lexical"
    assert "9 of 9 files have no vectors yet: 127.0.0.1 did not answer" in answer["warnings"][0]
    statistics = json.loads(cli("stats", "--json", cwd=repository, env=env).stdout)["semantic"]
    assert statistics["files_waiting"] == 9 and "did not answer" in statistics["reason"]
    checks = json.loads(cli("doctor", "--json", cwd=repository, env=env).stdout)["checks"]
    (vectors,) = (check for check in checks if check["name"] == "vectors")
    assert vectors["status"] == "warn" and "chunks of 9 files wait" in vectors["detail"]
