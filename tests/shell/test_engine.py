"""Sessions, limits, and what a caller can rely on."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from disk import FilesStore, view_of
from gnu_oracle import CONFIG, SECRET

from tadoru.config import ShellConfig
from tadoru.errors import BadInput, PathNotFound
from tadoru.shell import run

FILES = {"README.md": b"# read\n", "docs/a.md": b"one\ntwo\n", "docs/b.md": b"three\n"}


def test_a_session_keeps_directory_variables_functions_and_tmp(shell):
    first = shell("cd docs; x='a b'; arr=(1 2); f() { echo f:$1; }; echo t > /tmp/t", FILES)
    assert first.cwd == "/docs"
    second = shell('pwd; echo "$x ${arr[1]}"; f 1; cat /tmp/t', FILES, state=first.state)
    assert second.stdout == "/docs\na b 2\nf:1\nt\n"


def test_a_new_session_starts_where_it_is_told(shell):
    assert shell("pwd; ls", FILES, cwd="/docs").stdout == "/docs\na.md\nb.md\n"
    with pytest.raises(BadInput):
        shell("ls", FILES, cwd="/nowhere")


def test_a_state_of_another_principal_or_server_or_altered_is_refused():
    store = FilesStore(FILES)
    state = run(view_of(store, "staff"), "cd docs", config=CONFIG, secret=SECRET).state
    for view, secret, given in (
        (view_of(store), SECRET, state),
        (view_of(store, "staff", "more"), SECRET, state),
        (view_of(store, "staff"), b"another", state),
        (view_of(store, "staff"), SECRET, state[:-1] + bytes([state[-1] ^ 1])),
        (view_of(store, "staff"), SECRET, b"rubbish"),
    ):
        with pytest.raises(BadInput) as caught:
            run(view, "pwd", config=CONFIG, secret=secret, state=given)
        assert caught.value.hint


def test_an_unusable_command_is_bad_input(shell):
    for command in ("echo \0", "echo " + "x" * (CONFIG.max_command_bytes + 1), "echo \ud800"):
        with pytest.raises(BadInput):
            shell(command, FILES)
    with pytest.raises(BadInput):
        shell("true", FILES, secret=b"")


def test_a_megabyte_of_command_line_is_run_or_refused_in_bounded_time(shell):
    start = time.monotonic()
    result = shell("echo " + "x" * (CONFIG.max_command_bytes - 100), FILES)
    assert time.monotonic() - start < 10
    assert result.exit_code == 0 or result.stderr


def test_output_over_the_limit_is_cut_at_a_line_and_says_how_to_go_on(shell):
    config = ShellConfig(max_output_bytes=1000, timeout_seconds=10)
    result = shell("cat big", {"big": b"0123456789\n" * 500}, config=config)
    lines = result.stdout.splitlines()
    assert result.truncated and set(lines) == {"0123456789"} and len(lines) == 90
    assert "cut after 990 bytes (90 lines)" in result.stderr and "tail -n +91" in result.stderr
    whole = shell("cat big", {"big": b"x\n" * 500}, config=config)
    assert not whole.truncated and whole.stderr == ""


def test_a_long_stderr_is_cut_and_says_so(shell):
    config = ShellConfig(max_output_bytes=500, timeout_seconds=10)
    result = shell("for i in {1..100}; do cat nope$i; done", FILES, config=config)
    assert result.truncated and "stderr cut after" in result.stderr


def test_five_thousand_calls_in_one_session(shell):
    view = view_of(FilesStore(FILES))
    state = b""
    for _ in range(5_000 // 50):
        # the counters of the interpreter travel in the state: 50 commands for one call each
        result = shell("; ".join(["true"] * 50), view, state=state or None)
        assert result.exit_code == 0, result.stderr
        state = result.state
    assert len(state) < 4_096


@pytest.mark.slow
def test_five_thousand_single_calls_in_one_session(shell):
    view = view_of(FilesStore(FILES))
    state = shell("n=0", view).state
    for _ in range(5_000):
        state = shell("n=$((n+1))", view, state=state).state
    assert shell("echo $n", view, state=state).stdout == "5000\n"


def test_inside_a_running_event_loop_and_from_many_threads(shell):
    view = view_of(FilesStore(FILES))

    async def inside() -> bytes:
        return run(view, "ls docs | wc -l", config=CONFIG, secret=SECRET).stdout_bytes

    assert asyncio.run(inside()) == b"2\n"
    results: list[str] = []
    threads = [
        threading.Thread(target=lambda: results.append(shell("cat docs/*.md | wc -l", view).stdout))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["3\n"] * 12


def test_commands_handed_in_can_be_piped_and_fail(shell):
    def search(argv: list[str], stdin: bytes, cwd: str) -> tuple[bytes, bytes, int]:
        return f"{argv} {stdin!r} {cwd}\n".encode(), b"note\n", 3

    result = shell(
        "cd docs; echo in | search 'a b' c | cat; echo ${PIPESTATUS[1]}",
        FILES,
        tools={"search": search},
    )
    assert result.stdout == "['a b', 'c'] b'in\\n' /docs\n3\n"
    assert result.stderr == "note\n"


def test_a_handed_in_command_may_use_an_event_loop_of_its_own(shell):
    def loops(argv: list[str], stdin: bytes, cwd: str) -> tuple[bytes, bytes, int]:
        return asyncio.run(asyncio.sleep(0, b"ok\n")), b"", 0

    assert shell("loops", FILES, tools={"loops": loops}).stdout == "ok\n"


def test_a_handed_in_command_that_hangs_ends_with_the_time_limit(shell):
    release = threading.Event()

    def hangs(argv: list[str], stdin: bytes, cwd: str) -> tuple[bytes, bytes, int]:
        release.wait(20)
        return b"", b"", 0

    start = time.monotonic()
    result = shell("hangs", FILES, tools={"hangs": hangs}, config=ShellConfig(timeout_seconds=0.5))
    release.set()
    assert result.exit_code == 124 and time.monotonic() - start < 5


def test_a_handed_in_command_that_fails_says_so(shell):
    def broken(argv: list[str], stdin: bytes, cwd: str) -> tuple[bytes, bytes, int]:
        raise PathNotFound("x: not here", hint="try y")

    def buggy(argv: list[str], stdin: bytes, cwd: str) -> tuple[bytes, bytes, int]:
        raise KeyError("oops")

    result = shell(
        "broken; echo $?; buggy; echo $?", FILES, tools={"broken": broken, "buggy": buggy}
    )
    assert result.stdout == "1\n1\n"
    assert result.stderr.splitlines() == [
        "broken: x: not here (try y)",
        "buggy: internal error: KeyError",
    ]


def test_a_missing_file_is_followed_by_a_suggestion_at_most_twice(shell):
    asked: list[str] = []

    def suggest(path: str) -> str | None:
        asked.append(path)
        return f"tadoru: did you mean {path}x?"

    result = shell("cd docs; cat x.md y.md z.md; ls q", FILES, suggest=suggest)
    assert asked == ["/docs/x.md", "/docs/y.md"]
    assert result.stderr.splitlines()[:3] == [
        "cat: x.md: No such file or directory",
        "tadoru: did you mean /docs/x.mdx?",
        "cat: y.md: No such file or directory",
    ]
    assert shell("cat < nope", FILES, suggest=lambda path: None).stderr.count("\n") == 1


def test_syntax_errors_have_the_code_and_words_of_bash(shell):
    result = shell("if true; then echo", FILES)
    assert result.exit_code == 2 and "syntax error: unexpected end of file" in result.stderr
    assert shell("nosuch", FILES).stderr == "bash: line 1: nosuch: command not found\n"


@pytest.mark.parametrize("command", ["cat", "sort", "cut -c1-9", "sed ''", "awk 1", "tac | tac"])
def test_bytes_that_are_no_text_pass_unchanged(shell, command):
    data = b"caf\xe9\nb\xff\xfe \xf4\x8f\xbe\x80\n\x80\n"
    result = shell(f"{command} < f", {"f": data})
    assert sorted(result.stdout_bytes.split(b"\n")) == sorted(data.split(b"\n"))
    through = shell(f"cat f | {command} > /tmp/out; cat /tmp/out", {"f": data})
    assert sorted(through.stdout_bytes.split(b"\n")) == sorted(data.split(b"\n"))


def test_digests_see_the_bytes_of_the_file(shell):
    import hashlib

    data = bytes(range(256)) * 3
    digest = hashlib.md5(data).hexdigest()
    assert shell("md5sum f", {"f": data}).stdout == f"{digest}  f\n"
    assert shell("cat f | md5sum", {"f": data}).stdout == f"{digest}  -\n"
    assert shell("base64 f | base64 -d", {"f": data}).stdout_bytes == data
    assert shell("gzip -c f | gunzip -c", {"f": data}).stdout_bytes == data


def test_what_never_ends_upstream_ends_with_its_reader(shell):
    files = {f"d/f{i:05d}": b"x\n" for i in range(20_000)}
    assert shell("find . | head -2; echo ${PIPESTATUS[0]}", files).stdout == ".\n./d\n141\n"
    assert shell("cat /dev/zero | head -c 3 | wc -c", files).stdout == "3\n"


def test_a_name_that_is_not_utf8_is_shown_accepted_and_spoils_nothing_around_it(shell):
    files = {"d/caf\\xe9.txt": b"latin\n", "d/caf.txt": b"plain\n"}
    assert shell("ls d", files).stdout == "caf.txt\ncaf\\xe9.txt\n"
    for command in (
        "cat 'd/caf\\xe9.txt'",
        'cd d; for f in caf?*9.txt; do cat "$f"; done',
        "find . -name '*xe9*' -exec cat {} \\;",
        "find . -name '*9.txt' -print0 | xargs -0 cat",
        "cat < 'd/caf\\xe9.txt'",
    ):
        assert shell(command, files).stdout == "latin\n"
    assert shell("cat d/*.txt; cat d/caf.txt", files).stdout == "plain\nlatin\nplain\n"


def test_a_full_tmp_is_said_by_the_command_that_fills_it(shell):
    config = ShellConfig(timeout_seconds=10, max_tmp_bytes=1_000)
    result = shell("cat f > /tmp/f; echo $?", {"f": b"x" * 5_000}, config=config)
    assert result.stdout == "1\n" and result.stderr == "cat: write error: No space left on device\n"


@pytest.mark.parametrize("name", ["ls", "head", "tail", "wc", "stat", "du", "tree", "cp", "find"])
def test_help_is_given_on_stdout(shell, name):
    result = shell(f"{name} --help", FILES)
    assert result.exit_code == 0 and result.stderr == ""
    assert result.stdout.startswith(f"Usage: {name} [")


def test_a_loop_reads_from_a_descriptor_of_its_own(shell):
    script = "while read -r a b <&3; do echo \"$b-$a\"; done 3< f; echo 'read x <&3'"
    assert shell(script, {"f": b"1 x\n2 y\n"}).stdout == "x-1\ny-2\nread x <&3\n"


def test_printf_makes_nul_bytes(shell):
    assert shell(r"printf 'a\x00b' | od -An -c", {}).stdout == "   a  \\0   b\n"


def test_commands_that_commands_start_inherit_the_environment_and_directory(shell):
    script = "export X=1; Y=2; cd docs; find a.md -exec sh -c 'echo $X-$Y-$PWD' \\;"
    assert shell(script, FILES).stdout == "1--/docs\n"
