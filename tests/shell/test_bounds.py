"""Whatever is typed ends: in time, memory and output, with words that say why."""

from __future__ import annotations

import time

import pytest

from tadoru.config import ShellConfig
from tadoru.errors import BadInput

FILES = {"a.txt": b"a\n", "etc/own": b"ours\n", "self.sh": b"source self.sh; bash self.sh\n"}
BOUNDS = ShellConfig(timeout_seconds=1.0, max_commands=5_000, max_loop_iterations=20_000)


@pytest.mark.parametrize(
    "command",
    [
        ":(){ :|:& };:",
        "f() { f; }; f",
        "while true; do :; done",
        "for ((;;)); do echo x; done",
        "awk 'BEGIN{while(1){}}'",
        "jq -n 'def f: f; f'",
        "jq -n '[range(1e12)]|length'",
        "echo {1..1000000000}",
        "x=a; while true; do x=$x$x; done",
        "sleep 100",
        "printf '%1000000000d' 1",
        "cat /dev/zero",
        "yes",
        "echo $(yes)",
        "dd if=/dev/zero bs=1M count=10000 | wc -c",
        "$(printf '(%.0s' {1..5000})",
        "eval \"$(printf 'eval %.0s' {1..500})\" while :; do :; done",
        'x=\'eval "$x"\'; eval "$x"',
        "source self.sh",
        "bash self.sh",
        "jq -n \"$(printf '[%.0s' {1..20000})\"",
        "printf '(%.0s' {1..20000} | bc",
        r"find . -exec find . -exec echo {} \; \;; while :; do find . -exec true \; ; done",
        "head -c 500M /dev/zero | wc -c",
        "seq 1 99999999999 | tail -1",
        "echo a | sed ':a;ba'",
    ],
)
def test_it_ends(shell, command):
    start = time.monotonic()
    result = shell(command, FILES, config=BOUNDS)
    assert time.monotonic() - start < 6
    assert len(result.stdout_bytes) <= BOUNDS.max_output_bytes
    assert result.exit_code or result.stderr or result.truncated or "seq" in command
    assert "internal error" not in result.stderr


def test_a_long_chain_of_prefix_commands_is_refused(shell):
    for word in ("env", "command", "eval", "exec", "timeout 1", "builtin"):
        with pytest.raises(BadInput):
            shell(f"{word} " * 3_000 + "true", FILES)
    assert shell("env " * 20 + "echo hi", FILES).stdout == "hi\n"


def test_the_machine_is_usable_after_a_stopped_command(shell):
    state = shell("x=1", FILES).state
    stopped = shell("x=2; while true; do :; done", FILES, config=BOUNDS, state=state)
    assert stopped.exit_code
    assert shell("echo $x", FILES, state=stopped.state or state).stdout in ("1\n", "2\n")


def test_three_hundred_levels_of_directories(shell):
    deep = "/".join(["d"] * 300)
    files = {f"{deep}/leaf.txt": b"leaf\n"}
    assert shell("find . -name leaf.txt", files).stdout == f"./{deep}/leaf.txt\n"
    assert shell("ls -R | wc -l", files).exit_code == 0
    assert shell("tree | tail -1", files).stdout == "301 directories, 1 file\n"
    assert shell("du -s", files).exit_code == 0


def test_the_host_is_not_reachable(shell):
    for path in ("/etc/passwd", "../../../etc/passwd", "/proc/self/environ", "/root", "/home"):
        result = shell(
            f"cat {path}; ls {path}; head {path}; find {path}; [ -e {path} ] && echo", FILES
        )
        assert result.stdout == "" and "No such file" in result.stderr
    assert shell("cd /; cd ..; pwd; cat etc/own", FILES).stdout == "/\nours\n"
    assert "curl" in shell("curl http://localhost/", FILES).stderr


def test_tmp_is_bounded(shell):
    config = ShellConfig(timeout_seconds=10, max_tmp_bytes=10_000)
    result = shell("cat big > /tmp/a; echo $?; ls /tmp", {"big": b"x" * 20_000}, config=config)
    assert result.stdout.startswith("1\n") and "No space left on device" in result.stderr
    many = shell("for i in {1..1000}; do : > /tmp/f$i; done; ls /tmp | wc -l", FILES, config=config)
    assert int(many.stdout) < 200 and "No space left" in many.stderr


def test_devices_behave(shell):
    result = shell(
        "echo x > /dev/null; echo $?; cat /dev/null | wc -c; head -c 2 /dev/zero | od -An -c", FILES
    )
    assert result.stdout == "0\n0\n  \\0  \\0\n"
    assert shell("ls /dev/null /tmp -d", FILES).stdout == "/dev/null\n/tmp\n"
    assert shell("ls /", FILES).stdout == "a.txt\netc\nself.sh\n"


def test_a_tmp_and_dev_of_the_tree_are_the_trees(shell):
    files = {"tmp/notes": b"n\n", "dev/setup.sh": b"s\n"}
    assert shell("ls / /tmp /dev; cat /tmp/notes", files).stdout == (
        "/:\ndev\ntmp\n\n/dev:\nsetup.sh\n\n/tmp:\nnotes\nn\n"
    )
    result = shell("echo x > /tmp/notes; echo $?; echo y > /tmp/new; cat /tmp/new", files)
    assert result.stdout == "1\ny\n" and "Read-only file system" in result.stderr


def test_what_bashkit_cuts_silently_is_said(shell):
    result = shell("echo " + "{a,b}" * 20 + " | wc -w", FILES)
    assert "a brace expansion of 1048576 words may be incomplete" in result.stderr
    assert shell("echo {1..100}{a,b} | wc -w", FILES).stderr == ""
    assert shell("awk '{print $1} {print $2}' a.txt", FILES).stderr == ""
