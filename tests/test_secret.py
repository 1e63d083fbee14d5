"""The key that signs shell states."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from tadoru.secret import secret


def test_a_key_is_made_once_and_kept_to_its_owner(tmp_path: Path) -> None:
    key = secret(tmp_path / "home")
    assert len(key) == 32
    assert secret(tmp_path / "home") == key
    assert stat.S_IMODE((tmp_path / "home" / "secret").stat().st_mode) == 0o600
    assert [p.name for p in (tmp_path / "home").iterdir()] == ["secret"]


def test_first_uses_at_the_same_time_agree(tmp_path: Path) -> None:
    keys: list[bytes] = []
    threads = [threading.Thread(target=lambda: keys.append(secret(tmp_path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(keys)) == 1


def test_a_cut_key_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"short")
    assert len(secret(tmp_path)) == 32


def test_replicas_share_one_through_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TADORU_SECRET", "shared")
    assert secret(tmp_path / "a") == secret(tmp_path / "b")
    assert not (tmp_path / "a").exists()


def test_where_none_can_be_kept_a_key_of_the_process_serves(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    key = secret(tmp_path / "home")
    assert len(key) == 32
    assert secret(tmp_path / "home") == key
