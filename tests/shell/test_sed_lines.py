"""`sed -n 'A,Bp' FILE` prints what GNU sed prints, and reads no more of the file than that."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tadoru.config import ShellConfig
from tadoru.shell import run
from tadoru.shell.mend import mend
from tadoru.testing import MemoryStore
from tadoru.types import Principal
from tadoru.views import View

LONG = "".join(f"line {number} ü\n" for number in range(1, 60_001)).encode()
FILES = {
    "five": b"1\n2\n3\n4\n5\n",
    "open": b"1\n2\n3",
    "empty": b"",
    "bytes": b"\xff\xfe\n\0x\r\ny\n",
    "dir/a b.txt": b"a\nb\n",
    "long": LONG,
    "wide": b"x" * 600_000 + b"\ny\n" + b"z" * 300_000,
}
SCRIPTS = ("'1p'", "2p", "'1,3p'", '"2,4p"', "'3,$p'", "'4,2p'", "'2,9p'", "'9,12p'")


class Noting(View):
    """Notes how much of each file is read."""

    read_bytes = 0

    def read(self, path: str, *, start: int = 0, size: int = -1) -> bytes | None:
        data = super().read(path, start=start, size=size)
        self.read_bytes += len(data or b"")
        return data


@pytest.fixture
def view() -> Noting:
    return Noting({"": MemoryStore(FILES)}, Principal())


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("sed")
    for path, data in FILES.items():
        (top / path).parent.mkdir(exist_ok=True)
        (top / path).write_bytes(data)
    return top


def check(view: View, disk: Path, command: str) -> None:
    if shutil.which("sed") is None:
        pytest.skip("needs the program sed")
    expected = subprocess.run(
        ["bash", "-c", command], cwd=disk, capture_output=True, stdin=subprocess.DEVNULL
    )
    result = run(view, command, config=ShellConfig(), secret=b"s" * 32)
    assert result.stdout_bytes == expected.stdout, command
    assert result.exit_code == expected.returncode, command
    assert bool(result.stderr) is bool(expected.stderr), command


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("file", ["five", "open", "empty", "bytes", "'dir/a b.txt'", "wide"])
def test_lines_are_those_of_gnu_sed(view: Noting, disk: Path, script: str, file: str) -> None:
    check(view, disk, f"sed -n {script} {file}")


@pytest.mark.parametrize(
    "command",
    [
        "sed -n '59990,60010p' long",
        "sed -n '2,3p' five | tr 23 ab",
        "sed -n '2,3p' five 2>/dev/null && echo yes",
        'x=$(sed -n 2p five); echo "[$x]"',
        "for f in five open; do sed -n '1,2p' \"$f\"; done",
        "f=five; sed -n '1,2p' $f",
        "f='five open'; sed -n '1,5p' $f",
        "sed -n '1,5p' {five,open}",
        "sed -n '2,3p' < five",
        "cat five | sed -n '2,3p'",
        "cat five | sed -n '2,3p' -",
        "sed -n '2,3p' /dev/null",
        "sed -n '1,2p' <(cat five)",
        "sed -n '1,2p' none || echo failed",
        "sed -n '1,2p' none five",
        "sed -n -e '1,2p' five",
        "if sed -n 1p five; then echo ok; fi",
        "cat <<'E'\nsed -n '1,2p' five\nE",
        "echo \"sed -n '1,2p' five\"",
        "printf '%s\\n' five | xargs sed -n '1,2p'",
    ],
)
def test_where_it_stands_in_a_script_does_not_matter(
    view: Noting, disk: Path, command: str
) -> None:
    check(view, disk, command)


def test_a_directory_is_an_error(view: Noting) -> None:
    result = run(view, "sed -n 1p dir", config=ShellConfig(), secret=b"s" * 32)
    assert result.stdout == ""
    assert result.stderr == "sed: can't read dir: Is a directory\n"
    assert result.exit_code == 2


def test_no_more_of_the_file_is_read_than_its_lines_need(view: Noting) -> None:
    result = run(view, "sed -n '10,12p' long", config=ShellConfig(), secret=b"s" * 32)
    assert result.stdout == "line 10 ü\nline 11 ü\nline 12 ü\n"
    assert 0 < view.read_bytes <= 256 * 1024 < len(LONG)


@pytest.mark.parametrize(
    "command",
    ["sed -n '/a/p' f", "sed -n \"1,$p\" f", "sed '1,2p' f", "sed -n '0p' f", "sed -n '1,2p' f g",
     "sed -n '1,2p' -i f", "echo sed -n '1,2p' f", "sed -n '1,2p;2q' f", "used -n 1p f"],
)  # fmt: skip
def test_every_other_form_is_left_as_it_is(command: str) -> None:
    assert mend(command) == command
