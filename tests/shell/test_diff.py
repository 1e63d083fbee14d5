"""`diff` against GNU diff, over random edits and over what scripts ask for."""

from __future__ import annotations

import random
import subprocess

import pytest

FILES = {
    "a": b"one\ntwo\nthree\n",
    "b": b"one\n2\nthree\nfour\n",
    "noend": b"one\ntwo\nthree",
    "spaces": b"one\n two\nTHREE\n\n",
    "bin": b"a\0b\n",
    "d1/same": b"s\n",
    "d2/same": b"s\n",
    "d1/x": b"1\n",
    "d2/x": b"2\n",
    "d1/only1": b"",
    "d2/sub/only2": b"o\n",
    "d1/sub/y": b"y\n",
    "d1/mixed/z": b"",
    "d2/mixed": b"f\n",
}
COMMANDS = [
    "diff a b",
    "diff a a; echo $?",
    "diff -q a b",
    "diff -s a a",
    "diff a noend",
    "diff noend b",
    "diff -u --label a --label b a noend",
    "diff -U1 --label a --label b a b",
    "diff -u0 --label a --label b a b",
    "diff -w a spaces",
    "diff -i a spaces",
    "diff -wiB a spaces",
    "diff -b a spaces",
    "diff a bin; echo $?",
    "diff -a a bin",
    "diff d1 d2",
    "diff -r d1 d2",
    "diff -rq d1 d2",
    "diff -rqN d1 d2",
    "diff a d1/same",
    "diff a nope; echo $?",
    "diff d1/x d2",
    "diff - b < a",
    "diff <(sort a) <(sort b)",
    "diff a; echo $?",
    "diff a b a; echo $?",
]


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    root = tmp_path_factory.mktemp("diff")
    for name, data in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


@pytest.mark.parametrize("command", COMMANDS)
def test_like_gnu(shell, needs, disk, command):
    needs("diff")
    real = subprocess.run(["bash", "-c", command], cwd=disk, capture_output=True, text=True)
    result = shell(command, FILES)
    assert (result.stdout, result.exit_code) == (real.stdout, real.returncode)


@pytest.mark.parametrize("option", ["", "-u", "-U1"])
def test_random_edits_give_the_same_hunks(shell, needs, tmp_path, option):
    needs("diff")
    chance = random.Random(17)
    labels = "--label a --label b" if option else ""
    for _ in range(40):
        old = [chance.choice("abcdefgh") * 3 for _ in range(chance.randrange(25))]
        new = list(old)
        for _ in range(chance.randrange(5)):
            place = chance.randrange(len(new) + 1)
            new[place : place + chance.randrange(2)] = chance.choice([[], ["new"], ["x", "y"]])
        files = {
            name: "".join(line + "\n" for line in lines).encode()
            for name, lines in (("a", old), ("b", new))
        }
        for name, data in files.items():
            (tmp_path / name).write_bytes(data)
        command = f"diff {option} {labels} a b"
        real = subprocess.run(command.split(), cwd=tmp_path, capture_output=True)
        assert shell(command, files).stdout_bytes == real.stdout
