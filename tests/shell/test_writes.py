"""Writes: GNU's words and codes on a read-only file system, and a scratch that can be written.

`cases/readonly.json` is what bash 5.2, coreutils 9.1, findutils 4.9, tar 1.34 and gzip 1.12 said on
a tmpfs that was mounted read-only (stdout and stderr together).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FILES = {"docs/a.md": b"x\n", "docs/sub/b.md": b"y\n", "README.md": b"hi\n", "f2": b"z\n"}
CASES = json.loads(Path(__file__).with_name("cases").joinpath("readonly.json").read_text())
WITHOUT_WORDS = {
    "sed -i s/a/b/ README.md": 4,
    "sed -n 'w o' README.md": 4,
    "sort -o README.md README.md": 2,
    "dd if=README.md of=x": 1,
    "uniq README.md o": 1,
    "mktemp -p .": 1,
    "tar czf x.tgz docs": 2,
    "awk '{print > \"o\"}' README.md": 2,
}
"""Commands of bashkit that refuse with GNU's code in words of their own."""


@pytest.mark.parametrize("case", CASES, ids=[case["command"] for case in CASES])
def test_a_write_is_refused_and_the_script_goes_on(shell, case):
    result = shell(f"({case['command']}) 2>&1 < /dev/null; echo rc=$?; echo alive", FILES)
    output, code = case["output"].splitlines(), f"rc={case['code']}"
    got = result.stdout.splitlines()
    assert got[-2:] == [code, "alive"]
    # tee writes its complaint before or after what it passes on, as pipes happen to be read
    assert sorted(got[:-2]) == sorted(output)


@pytest.mark.parametrize(("command", "code"), WITHOUT_WORDS.items())
def test_a_refusal_has_the_code_of_gnu(shell, command, code):
    result = shell(f"{command}; echo rc=$?; echo alive", FILES)
    assert result.stdout.endswith(f"rc={code}\nalive\n") and result.stderr


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("mkdir -p /tmp/a/b; touch /tmp/a/b/c; find /tmp/a", "/tmp/a\n/tmp/a/b\n/tmp/a/b/c\n"),
        ("cp -r docs /tmp; cat /tmp/docs/sub/b.md; ls /tmp", "y\ndocs\n"),
        ("cp README.md /tmp/r; mv /tmp/r /tmp/s; cat /tmp/s; ls /tmp", "hi\ns\n"),
        ("echo a > /tmp/x; echo b >> /tmp/x; cat /tmp/x; rm /tmp/x; ls /tmp", "a\nb\n"),
        ("cd /tmp; echo 1 > q; sed -i s/1/2/ q; cat q; wc -c < q", "2\n2\n"),
        ("mkdir /tmp/d; rmdir /tmp/d; ls /tmp; mkdir /tmp/d; rm -r /tmp/d; ls /tmp", ""),
        ("echo x | tee /tmp/a /tmp/b | cat; cat /tmp/a /tmp/b", "x\nx\nx\n"),
        ("cd /tmp; : > f; chmod 755 f; stat -c %a f; chmod u-x,g=w f; stat -c %a f", "755\n625\n"),
        (
            "cd /tmp; printf abcdef > f; truncate -s 3 f; cat f; truncate -s +2 f; wc -c < f",
            "abc5\n",
        ),
        ("sort f2 > /tmp/s; diff /tmp/s f2 && echo same", "same\n"),
        (
            "cp README.md f2 /tmp; mv -v /tmp/f2 /tmp/f3; ls /tmp",
            "renamed '/tmp/f2' -> '/tmp/f3'\nREADME.md\nf3\n",
        ),
        (
            "mkdir /tmp/d; cp README.md /tmp/d/; cp -n f2 /tmp/d/README.md; cat /tmp/d/README.md",
            "hi\n",
        ),
        ("rm -f /tmp/none; echo $?; rm -r /tmp/none; echo $?", "0\n1\n"),
        (
            "find /tmp -name x -delete; touch /tmp/x; find /tmp -name x -delete; ls /tmp; echo $?",
            "0\n",
        ),
        ("cd /tmp && tar cf t.tar -C / docs && tar tf t.tar | head -1", "docs/\n"),
        ("split -l 1 docs/a.md /tmp/p; ls /tmp", "paa\n"),
    ],
)
def test_tmp_can_be_written(shell, script, expected):
    assert shell(script, FILES).stdout == expected


def test_tmp_travels_with_the_session_and_is_nobody_elses(shell):
    state = shell("echo mine > /tmp/x; mkdir /tmp/d; chmod 700 /tmp/x", FILES).state
    again = shell("cat /tmp/x; ls -ld /tmp/d | cut -c1; stat -c %a /tmp/x", FILES, state=state)
    assert again.stdout == "mine\nd\n700\n"
    assert shell("ls /tmp", FILES).stdout == ""
