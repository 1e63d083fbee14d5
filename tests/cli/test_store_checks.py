"""`tadoru doctor` on the shared cache and on lazy files."""

from __future__ import annotations

import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tadoru.cli.checks import Check
from tadoru.cli.store_checks import check_stores
from tadoru.config import CacheConfig, Config, ObjectsConfig

sys.path.insert(0, str(Path(__file__).parents[1] / "stores"))
from redis_server import RedisServer


def found(**sections: object) -> list[Check]:
    return list(check_stores(replace(Config(), **sections)))  # type: ignore[arg-type]


def test_what_is_not_configured_is_not_mentioned() -> None:
    assert found() == []


def test_a_redis_that_is_away_is_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("redis")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        (check,) = found(cache=CacheConfig(url=f"redis://127.0.0.1:{silent.getsockname()[1]}"))
        assert check.status == "warn"
        assert "not used" in check.detail
    server = RedisServer(tmp_path)
    try:
        (check,) = found(cache=CacheConfig(url=server.url))
        assert (check.name, check.status) == ("cache", "ok")
    finally:
        server.kill()


def test_an_address_that_is_none_is_a_fault_and_is_not_repeated() -> None:
    pytest.importorskip("redis")
    (check,) = found(cache=CacheConfig(url="http://:secret@host"))
    assert check.status == "fail"
    assert "secret" not in check.detail + check.fix


def test_prefixes_of_objects_are_checked() -> None:
    pytest.importorskip("obstore")
    (check,) = found(objects=ObjectsConfig(allow=("s3://specs/",)))
    assert (check.status, check.detail) == ("ok", "allowed: s3://specs/")
    (check,) = found(objects=ObjectsConfig(allow=("specs",)))
    assert check.status == "fail"
    (check,) = found(objects=ObjectsConfig(options={"s3://specs/": {"region": "x"}}))
    assert check.status == "warn"


def test_a_missing_extra_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tadoru.cli.store_checks.find_spec", lambda name: None)
    (check,) = found(objects=ObjectsConfig(allow=("s3://specs/",)))
    assert check.status == "fail"
    assert "tadoru[objects]" in check.fix
    monkeypatch.setitem(sys.modules, "redis", None)
    (check,) = found(cache=CacheConfig(url="redis://host"))
    assert check.status == "fail"
    assert "tadoru[redis]" in check.fix
