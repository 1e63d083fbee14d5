"""Loops over many lines: as bash has them, however long."""

from __future__ import annotations

import subprocess

import pytest

from tadoru.shell.looped import shielded

LINES = 4_000
FILES = {
    "list": b"".join(b"name-%06d and some words behind it\n" % i for i in range(LINES)),
    "few": b"a\nb\nc\nd\n",
    "two": b"1 x\n2 y\n",
}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ('while read -r a b; do echo "$a"; done < list | wc -l', LINES),
        ("while read -r a; do wc -l few; done < list | tail -1", "4 few"),
        ("cat list | while read -r a; do grep -c a few; done | wc -l", LINES),
        ("n=0; while read -r a; do n=$((n+1)); true; done < list; echo $n", LINES),
        ('while read -r a; do echo "$a" | cut -c1-4; done < <(head -2500 list) | wc -l', 2500),
        (
            'while read -r a; do if [ -e few ]; then echo y; fi; done <<< "$(cat list)" | wc -l',
            LINES,
        ),
    ],
)
def test_thousands_of_turns(shell, command, expected):
    result = shell(command, FILES)
    assert result.stdout == f"{expected}\n", result.stderr


@pytest.mark.parametrize(
    "command",
    [
        "while read -r x; do read -r y; echo $x$y; done < few",
        "while read -r x; do echo $x; head -n 1; done < few",
        "while read -r x; do echo $x; break; done < few",
        "while read -r x; do\n  echo $x\n  cat <<E\n$x-\nE\ndone < few",
        "while read -r x; do while read -r y; do echo $x$y; done < two; done < few",
        "while read -r x; do for i in 1 2; do echo $x$i; done; done < few | tail -2",
        'while read -r x; do case $x in a) echo A;; *) echo "$x";; esac; done < few',
        "while read -r x; do x=$x$x; done < few; echo $x",
        "while read -r x; do echo $x & done < few; wait",
        "while read -r x; do { echo $x; }; (echo s); done < few",
        "while read -r a b; do echo $b; done < two; echo 'while read x; do cat x; done'",
    ],
)
def test_as_bash(shell, command, tmp_path):
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    expected = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True).stdout
    result = shell(command, FILES)
    assert sorted(result.stdout_bytes.split()) == sorted(expected.split()), result.stderr


@pytest.mark.parametrize(
    "command",
    [
        "while read x; do cat; done < l",
        "while read x; do read y; done < l",
        "while read x; do $x; done < l",
        "while read x; do eval ls; done < l",
        "while sleep 1; do read x; done",
        "echo 'while read x; do ls; done'",
        "while read x; do ls;",
    ],
)
def test_what_may_read_is_left_alone(command):
    assert shielded(command) == command
