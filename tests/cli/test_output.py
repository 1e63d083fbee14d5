"""What leaves the process: harmless for terminals, exact for pipes, valid for JSON."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from tadoru.cli.output import out_json, shown, shown_text
from tadoru.types import to_json

if TYPE_CHECKING:
    from conftest import Run

pytestmark = pytest.mark.slow  # each test starts processes


def test_escape_sequences_in_file_names_are_shown_not_sent(cli: Run, repository: Path) -> None:
    name = "evil\x1b]0;owned\x07\x1b[31m.py"
    (repository / name).write_text("def harmless(): ...\n")
    for arguments in (
        ("list-files",),
        ("definition", "harmless", "--brief"),
        ("resolve", "evil.py"),
        ("index",),
        ("search", "harmless", "--files"),
    ):
        done = cli(*arguments, cwd=repository)
        assert "\x1b" not in done.stdout + done.stderr, arguments
        assert "\x07" not in done.stdout + done.stderr, arguments
    paths = [file["path"] for file in json.loads(cli("list-files", "--json", cwd=repository).stdout)["files"]]  # fmt: skip  # noqa: E501
    assert name in paths


def test_names_stay_on_one_line() -> None:
    assert shown("a\nb\tc\r\x9b\u202e") == r"a\nb\tc\x0d\x9b\u202e"
    assert shown_text("a\nb\tc\x1b") == "a\nb\tc\\x1b"
    assert shown("辿る é") == "辿る é"


def test_json_with_a_name_that_is_no_utf8_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    out_json({"path": os.fsdecode(b"caf\xe9.py"), "other": "辿る"})
    text = capsys.readouterr().out
    assert text.isascii()
    assert json.loads(text)["path"] == os.fsdecode(b"caf\xe9.py")


def test_json_keeps_what_people_write(capsys: pytest.CaptureFixture[str]) -> None:
    out_json({"path": "辿る"})
    assert capsys.readouterr().out == '{"path": "辿る"}\n'
    assert to_json({}) == {}


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_output_is_utf8_whatever_the_locale(cli: Run, repository: Path, locale: str) -> None:
    (repository / "辿る.md").write_text("# 辿る\n")
    done = cli("list-files", cwd=repository, env={"LC_ALL": locale, "PYTHONUTF8": "0"})
    assert "辿る.md" in done.stdout


@pytest.mark.parametrize("arguments", [("list-files",), ("sh", "yes | head -100000"), ("--help",)])
def test_a_reader_that_leaves_is_no_fault(
    tadoru_command: list[str], shared_repository: Path, arguments: tuple[str, ...]
) -> None:
    process = subprocess.Popen(
        [*tadoru_command, *arguments],
        cwd=shared_repository,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 141


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_fault(
    tadoru_command: list[str], shared_repository: Path, closed: str
) -> None:
    for arguments in ("status", "sh 'cat README.md'", "sh"):
        line = f"{' '.join(tadoru_command)} {arguments} {closed}"
        if arguments == "sh" and "<&-" not in closed:
            continue
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=shared_repository,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_a_full_disk_behind_stdout_is_told(
    tadoru_command: list[str], shared_repository: Path
) -> None:
    for arguments in ("list-files", "list-files --json", "sh 'cat README.md'"):
        line = f"{' '.join(tadoru_command)} {arguments} > /dev/full"
        done = subprocess.run(
            ["bash", "-c", line], cwd=shared_repository, capture_output=True, text=True
        )
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert "No space left on device" in done.stderr


def test_help_names_every_option_and_an_example(cli: Run) -> None:
    from tadoru.cli.app import COMMANDS, LazyGroup, tadoru

    assert isinstance(tadoru, LazyGroup)
    for name in COMMANDS:
        done = cli(name, "--help")
        assert done.returncode == 0
        assert "Example: " in done.stdout, name
        assert COMMANDS[name].summary.rstrip(".").split(";")[0][:12] in done.stdout, name


def helps() -> Iterator[tuple[str, str]]:
    """Yield every command with its help on a terminal of 80 columns."""
    from tadoru.cli.app import tadoru

    waiting: list[tuple[click.Command, click.Context]] = [
        (tadoru, click.Context(tadoru, info_name="tadoru", terminal_width=80))
    ]
    while waiting:
        command, context = waiting.pop()
        yield context.command_path, command.get_help(context)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                waiting.append((inner, click.Context(inner, context, name, terminal_width=80)))


def test_every_help_fits_a_screen_and_has_an_example() -> None:
    lengths = {}
    for path, text in helps():
        lengths[path] = len(text.splitlines())
        assert "Example: " in text, path
        assert max(map(len, text.splitlines())) <= 84, path
    assert len(lengths) > 25
    assert {path: length for path, length in lengths.items() if length > 40} == {}
    assert lengths["tadoru"] <= 36


def test_every_command_takes_the_shared_options(cli: Run) -> None:
    from tadoru.cli.app import COMMANDS

    grouped = {"explain": "search", "config": "list"}
    for name in COMMANDS:
        if name in ("hook", "completion"):
            continue  # they look at no tree
        more = (grouped[name],) if name in grouped else ()
        text = cli(name, *more, "--help").stdout
        for option in ("--root", "--json", "--no-index", "--as", "--yes"):
            assert option in text, (name, option)


def test_config_list_masks_keys(cli: Run) -> None:
    done = cli("config", "list", env={"EMBEDDINGS_API_KEY": "sk-very-secret"})
    assert "sk-very-secret" not in done.stdout + done.stderr
    assert "models.embeddings_api_key = ********" in done.stdout
    values = json.loads(cli("config", "list", "--json").stdout)["values"]
    assert values["search.w_vec"] == 0.6


def test_version(cli: Run) -> None:
    import tadoru

    assert cli("--version").stdout == f"tadoru {tadoru.__version__}\n"
    assert json.loads(cli("--version", "--json").stdout) == {"version": tadoru.__version__}
