"""`bc`, `expr` and `date` under input that is meant to hurt: bounded, and never an inner error."""

from __future__ import annotations

import time

import pytest

from tadoru.config import ShellConfig

HURTFUL = [
    "echo 'while(1){}' | bc",
    "echo '2^(2^40)' | bc",
    "echo 'define f(x){return f(x)} f(1)' | bc",
    "echo 'define f(x){if(1){if(1){if(1){return f((((x))))}}}} f(1)' | bc",
    "echo 'scale=19000; e(1)' | bc -l",
    "(printf '('%.0s {1..5000}; echo 1) | bc",
    "(printf '{'%.0s {1..5000}; echo 1) | bc",
    "(printf -- '-'%.0s {1..5000}; echo 1) | bc",
    "yes '1+' | head -c 30000 | bc",
    "echo 'for(;;) x+=9^999' | bc",
    "head -c 3000 /dev/urandom | bc",
    "expr $(printf '( %.0s' {1..2000}) 1",
    "expr 9999 '*' $(head -c 5000 /dev/zero | tr '\\0' 9)",
    "expr aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa : '\\(\\(a*\\)*\\)*b'",
    "date -d '9999999 years'; date -d @1e99; date -d 2024-13-45; date +%99999999Y | wc -c",
    "touch -t 999999999999 /tmp/x; touch -d '@1e300' /tmp/y",
    "ln -s /tmp/l /tmp/l; cat /tmp/l; find -L /tmp; ls -laR /tmp; grep -r x /tmp",
    "ln -s /tmp /tmp/self; find -L /tmp -name x; ls -R /tmp/self; du /tmp; cd /tmp/self/self",
]


@pytest.mark.parametrize("command", HURTFUL)
def test_it_ends_in_time_and_in_words(shell, command: str) -> None:
    start = time.monotonic()
    result = shell(command, {"a": b"x\n"}, config=ShellConfig(timeout_seconds=0.5))
    assert time.monotonic() - start < 5
    assert "internal error" not in result.stderr


def test_sums_of_thousands_of_numbers_are_added(shell) -> None:
    assert shell("seq 20000 | paste -sd+ | bc", {}).stdout == "200010000\n"
    assert shell("expr $(seq -s ' + ' 3000)", {}).stdout == "4501500\n"
