"""The documents are true: Python blocks run, commands exist, links lead somewhere."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
_BLOCK = re.compile(r"^(`{3,})(\w+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")


def blocks(language: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for number, match in enumerate(_BLOCK.finditer(page.read_text()), 1):
            if match[2] == language:
                yield f"{page.name}-{number}", match[3]


def parametrized(language: str) -> pytest.MarkDecorator:
    found = list(blocks(language))
    return pytest.mark.parametrize("code", [b for _, b in found], ids=[name for name, _ in found])


@parametrized("python")
def test_python_blocks_run(
    code: str,
    tmp_path: Path,
    new_repository: Callable[[Path], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    new_repository(tmp_path / "path/to/repository")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "<block>", "exec"), {"__name__": "__main__"})
    assert "Traceback" not in capsys.readouterr().err


@parametrized("json")
def test_json_blocks_can_be_read(code: str) -> None:
    assert json.loads(code)


@parametrized("toml")
def test_toml_blocks_can_be_read(code: str) -> None:
    assert tomllib.loads(code)


def test_a_configuration_from_the_documents_is_valid(tmp_path: Path) -> None:
    from tadoru.config import load

    code = next(code for name, code in blocks("toml") if name.startswith("configuration"))
    (tmp_path / "config.toml").write_text(code)
    assert load(env={"TADORU_CONFIG": str(tmp_path / "config.toml")}).warnings == ()


def commands() -> Iterator[str]:
    for _, code in blocks("console"):
        for line in code.splitlines():
            if line.startswith("$ "):
                yield line[2:]
    for page in PAGES:
        yield from re.findall(r"`(tadoru [^`]+)`", page.read_text())


@pytest.mark.parametrize("line", sorted(set(commands())))
def test_commands_in_the_documents_parse(line: str) -> None:
    from tadoru.cli.app import tadoru

    words = shlex.split(line)
    assert words[0] == "tadoru", line
    command: click.Command = tadoru
    context = click.Context(tadoru, info_name="tadoru")
    rest = words[1:]
    while isinstance(command, click.Group) and rest:
        inner = command.get_command(context, rest[0])
        assert inner is not None, line
        command, rest = inner, rest[1:]
    command.make_context(words[-1], rest, parent=context, resilient_parsing="..." in line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text()):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/docs.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}run `make docs`"


def test_every_page_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    for page in PAGES:
        assert page.name == "README.md" or page.name in readme, page.name


def test_the_readme_names_every_command() -> None:
    from tadoru.cli.app import COMMANDS

    readme = (ROOT / "README.md").read_text()
    assert [name for name in COMMANDS if f"`{name}`" not in readme] == []


def test_verbs_of_the_makefile_are_those_that_the_documents_name() -> None:
    makefile = (ROOT / "Makefile").read_text()
    verbs = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    named = {
        verb
        for page in PAGES
        for verb in re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(), re.M)
    }
    assert named <= verbs
