"""Redirections happen in the order in which bash has them."""

from __future__ import annotations

import pytest

from tadoru.shell.redirects import in_order


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("while true; do echo x; break; done > o < nosuch; echo $?; cat o", "1\n"),
        ("for i in 1; do echo $i; done > a < nosuch > b; echo $?; ls", "1\na\nin\n"),
        ("while read l; do echo [$l]; done > a < in > b; cat a; echo -; cat b", "-\n[1]\n[2]\n"),
        ("if true; then cat; fi >> a < in; cat a", "1\n2\n"),
        ("while true; do break; done 2> e < nosuch; grep -c 'No such file' e", "1\n"),
        ("{output}> out; echo \"[$output]\"; ls out", "[]\nout\n"),
        ("exec {fd}< in; read -u $fd l; echo $l", "1\n"),
        ("echo '{x}> y'; echo 'done > a < b'", "{x}> y\ndone > a < b\n"),
        ("n=0; while read l; do ((n++)); done > /dev/null < in; echo $n", "2\n"),
    ],
)  # fmt: skip
def test_redirections_go_from_left_to_right(shell, script: str, expected: str) -> None:
    result = shell(f"mkdir /tmp/w; cd /tmp/w; seq 2 > in; {script}", {})
    assert result.stdout == expected


@pytest.mark.parametrize(
    "script", ["cat < a > b", "{ cat; } < a > b", "for", "done > < }", "x > y < z"]
)
def test_everything_else_stays_as_it_is(script: str) -> None:
    assert in_order(script) == script
