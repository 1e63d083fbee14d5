"""Two replicas behind one real Chroma and one real Redis: any of them answers any call."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served_process import Served
from token_issuer import AUDIENCE, ISSUER, Issuer, token

sys.path.insert(0, str(Path(__file__).parent.parent / "stores"))
from chroma_server import MARKS, ChromaServer
from redis_server import RedisServer

pytestmark = MARKS

PAGES = {
    "guide/start.md": ("# Start\n\nHow to begin with the shop.\n", {"isPublic": True}),
    "guide/payment.md": ("# Payment\n\nPayment is by invoice.\n", {"groups": ["finance"]}),
    "guide/setup.md": ("# Setup\n\nInstall the shop on a server.\n", {"groups": ["staff"]}),
    "api/orders.md": ("# Orders\n\nPOST /orders makes an order.\n", {"isPublic": True}),
    "api/client.md": ("# Client\n\nA client of the API.\n", {"isPublic": True}),
    "guide/client.md": ("# Client\n\nA client in the shop.\n", {"isPublic": True}),
}
STAFF = token("ann", groups=["staff"])
FINANCE = token("fred", groups=["finance"])


@pytest.fixture(scope="module")
def replicas(
    tmp_path_factory: pytest.TempPathFactory, issuer: Issuer
) -> Iterator[tuple[Served, Served]]:
    chroma = ChromaServer(tmp_path_factory.mktemp("chroma"))
    redis = RedisServer(tmp_path_factory.mktemp("redis"))
    tree = {path: labels for path, (_, labels) in PAGES.items()}
    rows = [
        (f"{path}#0", text, {"page": path, "chunk_index": 0}) for path, (text, _) in PAGES.items()
    ]
    address = chroma.docs(tree, rows)
    config = f'[mounts]\n"/docs" = "chroma://127.0.0.1:{chroma.port}/{address.collection}"\n'
    made = []
    try:
        for number in (1, 2):
            place = tmp_path_factory.mktemp(f"replica-{number}")
            (place / "empty").mkdir()
            made.append(
                Served(
                    place / "empty", "--issuer", ISSUER, "--audience", AUDIENCE,
                    "--keys", issuer.url, home=place / "home", config=config,
                    env={"TADORU_SECRET": "shared by replicas", "TADORU_CACHE_URL": redis.url},
                )
            )  # fmt: skip
        yield made[0], made[1]
    finally:
        for served in made:
            served.stop()
        redis.kill()
        chroma.stop()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            chroma.client = None  # the official client leaves its sockets open
            gc.collect()


def test_a_session_goes_from_one_replica_to_the_other(replicas: tuple[Served, Served]) -> None:
    session = ""
    for number, (command, told) in enumerate(
        [
            ("cd /docs/guide; x=1", ""),
            ("pwd; x=$((x + 1)); echo $x", "/docs/guide\n2\n"),
            ("cd ..; echo $x; echo note > /tmp/kept", "2\n"),
            ("pwd; cat /tmp/kept", "/docs\nnote\n"),
        ]
    ):
        answer = replicas[number % 2].ask("bash", STAFF, command=command, session=session)
        assert answer.get("stdout", "") == told, answer
        session = answer["session"]


def test_history_goes_from_one_replica_to_the_other(replicas: tuple[Served, Served]) -> None:
    one, two = replicas
    read = one.ask("read", STAFF, path="docs/guide/start.md", session="")
    with_history = two.ask("resolve", STAFF, path="client.md", session=read["session"])
    assert with_history["candidates"][0]["path"] == "docs/guide/client.md"


def test_a_session_of_one_is_no_other_persons_on_any_replica(
    replicas: tuple[Served, Served],
) -> None:
    session = replicas[0].ask("bash", STAFF, command="x=1", session="")["session"]
    for served in replicas:
        with served.client(FINANCE) as client:
            given = {"command": "echo $x", "session": session}
            assert client.post("/api/bash", json=given).status_code == 400


def test_both_answer_alike_and_each_asker_sees_his_own(replicas: tuple[Served, Served]) -> None:
    def told(served: Served, proof: str) -> list[Any]:
        question = {"question": "payment by invoice"}
        rows = served.ask("search", proof, **question)["hits"]
        return [
            [(row["path"], row["score"]) for row in rows],
            served.ask("bash", proof, command="grep -rn . /docs | sort")["stdout"],
            [row["path"] for row in served.ask("list-files", proof)["files"]],
        ]

    for proof, hidden in ((STAFF, "docs/guide/payment.md"), (FINANCE, "docs/guide/setup.md")):
        one, two = (told(served, proof) for served in replicas)
        assert one == two
        assert hidden not in one[2]
        assert "Payment is by invoice" in one[1] or proof == STAFF


def test_a_page_that_one_replica_cached_is_not_offered_to_another_asker(
    replicas: tuple[Served, Served],
) -> None:
    one, two = replicas
    read = {"path": "docs/guide/payment.md", "recover": False}
    assert "invoice" in one.ask("read", FINANCE, **read)["text"]
    for served in replicas:
        with served.client(STAFF) as client:
            answer = client.post("/api/read", json=read)
        assert answer.status_code == 404
        assert "invoice" not in answer.text
    assert "invoice" in two.ask("read", FINANCE, **read)["text"]


def test_one_replica_may_die(replicas: tuple[Served, Served]) -> None:
    one, two = replicas
    session = one.ask("bash", STAFF, command="x=alive", session="")["session"]
    one.process.kill()
    answer = two.ask("bash", STAFF, command="echo $x", session=session)
    assert answer["stdout"] == "alive\n"
