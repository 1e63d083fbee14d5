"""Nothing is cut silently: large data pass whole, or stderr says what was left out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from disk import FilesStore, view_of
from gnu_oracle import SECRET

from tadoru.config import ShellConfig
from tadoru.shell import run

LINE = b"%07d some words and numbers to fill a line of sixty-four bytes..\n"
SIZES = {"small": 1 << 20, "large": 8 << 20}
LARGE_OUTPUT = ShellConfig(timeout_seconds=60, max_output_bytes=1 << 28)

EXACT = """
while read -r l; do echo "$l"; done < small | tail -1
cat small | while read -r l; do echo "$l"; done | tail -1
yes | head -c 2000000
yes a b | head -n 300000 | tail -1
seq 1 300000
seq 1000000 | tail -1
seq 0 0.5 100000 | tail -1
seq -w 1 150000
head -c 5000000 /dev/zero
cat large
sort -r large
sort large | uniq | wc -l
cat large large large | wc -c
tac large | md5sum
sed 's/words/WORDS/' large | md5sum
awk '{print $1}' large
cut -c1-20 large
tr a-z A-Z < large
nl large | tail -1
rev small
paste small small | wc -c
fold -w 7 small | wc -l
base64 small | base64 -d | md5sum
gzip -c large | zcat | md5sum
sha256sum large
grep -c words large
grep -o words small | wc -l
head -c 6000000 large
tail -c 6000000 large | md5sum
tail -n +100 large | wc -c
x=$(cat small); echo ${#x}
x=$(cat large); echo ${#x}
printf '%s' "$(cat small)" | wc -c
cat <(cat large) | wc -c
cat large | tee /dev/null | wc -c
for i in $(seq 30000); do echo $i; done | tail -1
{ cat large; cat large; } | wc -c
( cat large; cat small ) | wc -c
mapfile -t a < small; echo ${#a[@]}
comm small small | wc -l
join small small | wc -l
""".strip().splitlines()

NOTED = """
cat large > /tmp/copy && wc -c < /tmp/copy
xxd large | wc -c
hexdump -C large | tail -1
od -An -tx1 large | wc -c
echo large large | xargs cat | wc -c
timeout 9 cat large large | wc -c
env cat large large | wc -c
command cat large large | wc -c
cat <(cat large large) | wc -c
cat large large large | md5sum
echo {1..20000} | wc -w
echo {1..200000} | wc -w
echo {1..300}{1..300} | wc -w
head -c 3000000 < /dev/zero | wc -c
tr '\\0' x < /dev/zero | wc -c
x=$(cat large large); echo ${#x}
printf '%s\\n' $(cat large) | wc -l
mapfile -t a < <(seq 300000); echo ${#a[@]}
awk '{print; print}' large | wc -c
printf '%200000d' 1 | wc -c
expand large | wc -c
""".strip().splitlines()


@pytest.fixture(scope="module")
def data() -> dict[str, bytes]:
    return {
        name: b"".join(LINE % (i * 7919 % 9_999_991) for i in range(size // len(LINE % 0)))
        for name, size in SIZES.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("command", EXACT)
def test_large_data_pass_whole(data: dict[str, bytes], tmp_path: Path, command: str) -> None:
    for name, content in data.items():
        (tmp_path / name).write_bytes(content)
    expected = subprocess.run(
        ["bash", "-c", command.replace("/tmp/copy", "copy")],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    ).stdout
    config = ShellConfig(timeout_seconds=60, max_output_bytes=1 << 28, max_tmp_bytes=16 << 20)
    result = run(view_of(FilesStore(data)), command, config=config, secret=SECRET)
    assert result.stdout_bytes == expected, result.stderr
    assert not result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", NOTED)
def test_what_does_not_fit_is_said(data: dict[str, bytes], command: str) -> None:
    result = run(view_of(FilesStore(data)), command, config=LARGE_OUTPUT, secret=SECRET)
    assert result.stderr.strip(), result.stdout[:100]


def test_output_over_the_limit_is_cut_at_a_line_with_the_way_on(shell, data) -> None:
    result = shell("cat small", data, config=ShellConfig(max_output_bytes=10_000))
    assert result.truncated and len(result.stdout_bytes) <= 10_000
    assert result.stdout.endswith("\n")
    lines = result.stdout.count("\n")
    assert f"`| tail -n +{lines + 1}`" in result.stderr
    rest = shell(f"cat small | tail -n +{lines + 1} | head -1", data)
    assert rest.stdout_bytes == data["small"].splitlines(keepends=True)[lines]
