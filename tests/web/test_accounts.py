"""Accounts of principals: buckets that fill, slots that are held by work, and what is forgotten."""

from __future__ import annotations

import pytest

from tadoru.config import MIB, ServeConfig
from tadoru.web import limits
from tadoru.web.identity import LOCAL, Identity, Refused
from tadoru.web.limits import Limits

ANN, BOB = Identity("idp", "ann"), Identity("idp", "bob")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def made(clock: Clock, **how: float) -> Limits:
    settings = {"rate": 2.0, "burst": 4, "concurrency": 100, "output_megabytes": 1, **how}
    return Limits(ServeConfig(**settings), clock)  # type: ignore[arg-type]


def admitted(accounts: Limits, identity: Identity, times: int) -> int:
    count = 0
    for _ in range(times):
        try:
            accounts.admit(identity).release()
        except Refused:
            continue
        count += 1
    return count


def test_a_burst_is_let_in_and_then_the_rate() -> None:
    clock = Clock()
    accounts = made(clock)
    assert admitted(accounts, ANN, 10) == 4
    clock.now += 1
    assert admitted(accounts, ANN, 10) == 2
    clock.now += 1_000
    assert admitted(accounts, ANN, 10) == 4


def test_one_principal_does_not_pay_for_another() -> None:
    accounts = made(Clock())
    admitted(accounts, ANN, 10)
    assert admitted(accounts, BOB, 10) == 4
    assert admitted(accounts, Identity("another idp", "ann"), 10) == 4


def test_a_slot_is_free_when_request_and_all_its_threads_are_done() -> None:
    accounts = made(Clock(), concurrency=1)
    slot = accounts.admit(ANN)
    slot.hold()
    slot.release()
    with pytest.raises(Refused) as caught:
        accounts.admit(ANN)
    assert caught.value.status == 429
    slot.release()
    accounts.admit(ANN).release()


def test_output_is_owed_and_paid_by_time() -> None:
    clock = Clock()
    accounts = made(clock, rate=1_000, burst=1_000)
    slot = accounts.admit(ANN)
    slot.sent(2 * MIB)
    slot.release()
    with pytest.raises(Refused) as caught:
        accounts.admit(ANN)
    assert caught.value.headers["Retry-After"] == "60"
    clock.now += 61
    accounts.admit(ANN).release()


def test_the_person_at_the_keyboard_is_not_limited() -> None:
    accounts = made(Clock(), concurrency=1)
    assert admitted(accounts, Identity(LOCAL, "local"), 1_000) == 1_000


def test_accounts_do_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KEPT", 10)
    accounts = made(Clock())
    held = accounts.admit(ANN)
    for number in range(100):
        admitted(accounts, Identity("idp", f"p{number}"), 1)
    assert len(accounts) <= 11
    held.release()
    admitted(accounts, ANN, 10)
    assert admitted(accounts, ANN, 10) == 0
