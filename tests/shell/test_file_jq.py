"""`file` against libmagic on what lies in repositories, and `jq` over several inputs."""

from __future__ import annotations

import subprocess

import pytest

SAMPLES = {
    "a.py": b'"""Doc."""\n\nimport os\n\n\ndef f(x):\n    return x\n',
    "run.sh": b"#!/bin/bash\necho hi\n",
    "posix.sh": b"#!/bin/sh\necho hi\n",
    "tool": b"#!/usr/bin/env python3\nprint(1)\n",
    "app.js": b"import x from 'y';\n\nexport default function f() {}\n",
    "data.json": b'{"a": [1, 2]}\n',
    "page.html": b"<!DOCTYPE html>\n<html><body></body></html>\n",
    "note.txt": b"just some words\nin lines\n",
    "accents.txt": "größe\n".encode(),
    "crlf.txt": b"one line\r\ntwo lines\r\n",
    "open.txt": b"no end of line",
    "main.c": b"#include <stdio.h>\nint main(void) { return 0; }\n",
    "empty": b"",
    "raw.bin": bytes(range(1, 40)) * 3,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_file_says_what_libmagic_says(shell, needs, tmp_path, name):
    needs("file")
    (tmp_path / name).write_bytes(SAMPLES[name])
    real = subprocess.run(["file", name], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shell(f"file {name}", SAMPLES).stdout == real.stdout


def test_file_says_what_is_missing_a_directory_or_binary(shell):
    files = {"d/x": b"x\n", "i.png": b"\x89PNG\r\n\x1a\nrest"}
    result = shell("file nope d i.png; file -b --mime-type i.png", files)
    assert result.stdout == (
        "nope:  cannot open `nope' (No such file or directory)\n"
        "d:     directory\ni.png: PNG image data\nimage/png\n"
    )


@pytest.mark.parametrize(
    "command",
    [
        "jq -R . a.txt b.txt",
        "echo in | jq -R . - a.txt",
        "jq .x one.json two.json",
        "jq -s . one.json two.json",
        "jq --arg v 1 '.x + ($v|tonumber)' one.json",
        "jq -n '$ARGS.positional' --args a b",
        "jq . nope.json; echo $?",
        "cat one.json | jq -c .",
    ],
)
def test_jq_reads_its_files_as_jq_does(shell, needs, tmp_path, command):
    needs("jq")
    files = {
        "a.txt": b"first",
        "b.txt": b"second\n",
        "one.json": b'{"x": 1}\n',
        "two.json": b'{"x": 2}\n',
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    real = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, input=""
    )
    result = shell(command, files)
    assert (result.stdout, result.exit_code) == (real.stdout, real.returncode)
