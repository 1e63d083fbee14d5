"""An outsider over a tree with hidden names and words, beside a tree in which they never existed:
every command, glob, error, count, completion, suggestion, score, hit and MCP answer is equal."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import tadoru
from tadoru import Principal, Workspace
from tadoru.config import AccessRule, load
from tadoru.mcp.tools import Tools
from tadoru.shell.commands import MODULES
from tadoru.types import Freshness, to_json

HIDDEN = {
    "src/shop/sessions.py",
    "docs/guide.md",
    "docs/deep/plan.md",
    "vault/keys/rotation.py",
    "vault/keys/zz_rotation_notes.txt",
    "src/shop/tokens.py",
    ".config/hidden.toml",
}
RULES = (
    AccessRule("**", public=True),
    *(AccessRule(path, groups=frozenset({"staff"})) for path in sorted(HIDDEN)),
)
MORE = {
    "vault/keys/rotation.py": "class RotationSchedule:\n    def rotate_keys(self):\n"
    "        '''Rotate the quarterly credentials.'''\n        return total([])\n",
    "vault/keys/zz_rotation_notes.txt": "rotation of credentials happens quarterly\n" * 40,
    "docs/deep/plan.md": "# Acquisition\n\nThe acquisition of Initech is quarterly news.\n",
    "docs/open.md": "# Open\n\nCarts and prices, and the quarterly total.\n",
    "src/shop/tokens.py": "from shop.cart import total\n\n\n"
    "def mint_token():\n    return total([])\n",
    ".config/hidden.toml": "password = 'quarterly'\n",
    "big.txt": "a line of ordinary words and the total\n" * 60_000,
}
PATHS = [*sorted(HIDDEN), "vault", "vault/keys", "docs/deep", "docs/opne.md", "src/shop/sesions.py"]
NEAR = ["keys", "rotation.py", "vault/key", "docs/guides.md", "src/shop/token.py", "hidden.toml"]
WORDS = ["quarterly", "rotation", "hmac", "Initech", "session", "total", "mint_token", "password"]

ARGUMENTS = dict(
    line.split(" ", 1)
    for line in """
chmod 644 {0}
chown a {0}
chgrp a {0}
grep -n total {0}
ln {0} /tmp/l
egrep 'a|b' {0}
fgrep total {0}
rg total {0}
jq . {0}
cp {0} /tmp/c
mv {0} /tmp/m
bc {0} < README.md
cmp {0} README.md
comm {0} README.md
date -r {0}
expr length {0}
diff {0} README.md
split -l 9 {0}
dd if={0}
tee {0} < README.md
truncate -s 0 {0}
zip x.zip {0}
tar cf - {0}
iconv -f utf8 -t utf8 {0}
git log {0}
yes {0} | head -2
seq {0}
""".strip().splitlines()
)
"""What a command is given, by name; of others one path is the argument."""

TREE = r"""
ls -laR
ls -R
ls -la . src src/shop docs
find .
find . -ls
find . -type d -empty
find . -regex '.*/[a-z_]*\.py'
find . -iregex '.*TOKEN.*'
find . -newer README.md
find . -size +1k
find . -links +2
find . -name '*tok*' -exec wc {} +
tree -a
tree -d
du -a
du -sb . src docs
rg --files
rg --files -g '*.md'
rg -c total
rg -l quarterly
grep -rc total . | sort
grep -rL total . | sort
grep -rlE 'rotat|quart' .
wc -l src/shop/*
grep -rn --include='*.md' quarterly .
grep -rnP 'quarter(?=ly)' .
grep -rniw ROTATION .
echo * */* */*/* .*
shopt -s globstar dotglob; echo **
ls -d */ | wc -l
file */*
for f in src/shop/*; do echo $f; done
stat -c '%n %s %h %i' . src src/shop docs
map
cat docs/* | md5sum
outline src
outline docs
cat big.txt
cat big.txt big.txt | wc
grep -rn ordinary .
find . -type f | xargs wc -l | tail -1
compgen -f src/shop/
git status
tar cf - . | wc -c
ls vault 2>&1; ls nope 2>&1
cd vault
cd docs/deep && pwd
ls -i
ls -lS | head -4
ls -t | head -3
test -e docs/guide.md || echo none
readlink link-out
ls -l link-out link-in
tree -J
tree -Ja src vault docs
diff -rq docs src
diff -y docs/guide.md README.md
ln -s /docs/guide.md /tmp/a; cat /tmp/a; ls -lL /tmp; [ -e /tmp/a ]; echo $?
ln -s / /tmp/r; find -L /tmp; grep -rc quarterly /tmp; ls -R /tmp/r/vault
ln -s /vault /tmp/v; cd /tmp/v; ls /tmp/v/keys; echo /tmp/v/*; touch /tmp/v/x
ln docs/guide.md /tmp/h; ln /vault /tmp/h
touch -r docs/guide.md /tmp/t; touch -r docs/nope.md /tmp/u
md5sum <(cat docs/guide.md); jq . <(cat vault/x)
rg --type-add 'x:*plan*' -tx quarterly
find . -samefile docs/guide.md
cat link-out
cat link-in
[ -L link-out ]; echo $?
find . -type l
""".strip().splitlines()


class Case(NamedTuple):
    name: str
    ask: Callable[[Workspace], object]


def shell(command: str) -> Case:
    def ask(workspace: Workspace) -> object:
        result = workspace.run(command)
        return result.stdout_bytes, result.stderr, result.exit_code, result.truncated, result.cwd

    return Case(command, ask)


def library(method: str, *arguments: Any, **options: Any) -> Case:
    def ask(workspace: Workspace) -> object:
        try:
            answer = getattr(workspace, method)(*arguments, **options)
        except tadoru.TadoruError as error:
            return type(error).__name__, str(error)
        return _settled(to_json(answer))

    return Case(f"{method} {arguments} {options}", ask)


def mcp(tool: str, *arguments: Any, **options: Any) -> Case:
    def ask(workspace: Workspace) -> object:
        try:
            text = getattr(Tools(lambda: workspace), tool)(*arguments, **options)
        except tadoru.TadoruError as error:
            return type(error).__name__, str(error)
        for place in workspace.roots.values():
            text = text.replace(place, "ROOT")
        return MILLISECONDS.sub("N ms", text)

    return Case(f"mcp {tool} {arguments}", ask)


MILLISECONDS = re.compile(r"[\d.]+ ms")


def _settled(value: object) -> object:
    """Leave out what says where a tree lies, and how long an answer took."""
    if isinstance(value, dict):
        left_out = ("host_path", "roots", "seconds", "elapsed_ms", "index")
        return {
            k: _settled(v) for k, v in value.items() if k not in left_out and not k.endswith("_ms")
        }
    return [_settled(item) for item in value] if isinstance(value, list) else value


def cases() -> Iterator[Case]:
    yield from map(shell, TREE)
    for name in sorted(MODULES):
        for path in PATHS:
            yield shell(f"{name} {ARGUMENTS.get(name, '{0}').format(path)}; echo $?")
    for path in PATHS + NEAR:
        yield from (shell(f"{name} {path}") for name in ("outline", "resolve", "source", "sort"))
        yield shell(f"cat {path}* 2>&1 | head -3; [[ -e {path} ]]; echo $? < {path}")
        yield library("resolve", path)
        yield library("resolve", path, intent="where the credentials are rotated")
        yield library("read", path, recover=True)
        yield library("complete", f"cat {path}")
        yield library("complete", f"cat {path[:-3]}")
        yield mcp("resolve_path", path, "rotate the keys")
        yield mcp("read_file", path)
        yield mcp("map", path)
        yield mcp("search", "total", under=path)
        yield mcp("list_files", under=path)
    for word in WORDS:
        yield from (shell(f"{name} {word}") for name in ("search", "definition", "references"))
        yield library("search", f"where is {word} handled", terms=(word,))
        yield library("symbols", name=word)
        yield mcp("search", f"how does {word} work", [word])
        yield mcp("find_definition", word)
        yield mcp("find_references", word)
        yield mcp("list_files", f"**/*{word}*")
        yield mcp("bash", f"grep -rn {word} . | head -3; rg -c {word}")
    for line in [
        "ls ",
        "cat ",
        "cat d",
        "cat docs/",
        "cat src/shop/",
        "cd v",
        "cat .",
        "rot",
        "ls -l vault/",
    ]:
        yield library("complete", line)
    yield from (mcp("map"), mcp("list_files", limit=3), mcp("list_files", language="python"))
    yield from (library("stats"), library("list_files"), library("map"))
    yield Case("mcp index_status", lambda w: mcp("index_status", details=True).ask(w))


@pytest.fixture(scope="module")
def trees(
    tmp_path_factory: pytest.TempPathFactory, new_repository: Callable[[Path], Path]
) -> tuple[Path, Path]:
    """A repository with what is hidden from outsiders, and the same one without it."""
    folder = tmp_path_factory.mktemp("outsider")
    hidden = new_repository(folder / "one" / "shop")
    for path, text in MORE.items():
        (hidden / path).parent.mkdir(parents=True, exist_ok=True)
        (hidden / path).write_text(text)
    (hidden / "link-in").symlink_to("docs/open.md")
    never = folder / "two" / "shop"
    shutil.copytree(hidden, never, symlinks=True)
    (hidden / "link-out").symlink_to("vault/keys/rotation.py")
    for path in HIDDEN:
        (never / path).unlink()
    for folder in ("vault/keys", "vault", "docs/deep", ".config"):
        (never / folder).rmdir()
    return hidden, never


def _opened(root: Path) -> Workspace:
    workspace = tadoru.open(root, config=replace(load(root), access=RULES))
    workspace.index()
    deadline = time.monotonic() + 30
    while workspace.status().status is not Freshness.FRESH:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return workspace


@pytest.fixture(scope="module")
def both(trees: tuple[Path, Path]) -> Iterator[tuple[Workspace, Workspace]]:
    hidden, never = map(_opened, trees)
    with hidden, never:
        guest = Principal(frozenset({"guest"}))
        yield hidden.seen_by(guest), never.seen_by(guest)


@pytest.mark.slow
def test_an_outsider_cannot_tell_hidden_from_missing(both: tuple[Workspace, Workspace]) -> None:
    hidden, never = both
    different = []
    for name, ask in cases():
        one, other = ask(hidden), ask(never)
        if one != other:
            different.append((name, one, other))
    assert not different, "\n".join(map(str, different[:5]))


def test_the_insider_sees_what_is_hidden(trees: tuple[Path, Path], both: object) -> None:
    with _opened(trees[0]) as workspace:
        staff = workspace.seen_by(Principal(frozenset({"staff"})))
        assert "rotate_keys" in staff.run("cat vault/keys/rotation.py link-out").stdout
        assert staff.search("rotate quarterly credentials").hits[0].path.startswith("vault/")


COMMAND_LINES = [
    ["sh", "ls -R; cat docs/guide.md"], ["search", "quarterly rotation"], ["read", "docs/guide.md"],
    ["resolve", "vault/keys/rotation.py"], ["list-files"], ["symbols", "rotat"], ["map"],
    ["references", "total"], ["definition", "mint_token"], ["outline", "src/shop/tokens.py"],
]  # fmt: skip


@pytest.mark.slow
def test_the_command_line_hides_as_much(trees: tuple[Path, Path], tmp_path: Path) -> None:
    rules = "".join(
        f'"{rule.glob}" = {json.dumps("public" if rule.public else sorted(rule.groups))}\n'
        for rule in RULES
    )
    config = tmp_path / "config.toml"
    for command in COMMAND_LINES:
        answers = []
        for root in trees:
            config.write_text(f"[access]\n{rules}")
            done = subprocess.run(
                [sys.executable, "-m", "tadoru", *command, "--as", "guest"],
                cwd=root,
                env={**os.environ, "TADORU_CONFIG": str(config)},
                capture_output=True,
                text=True,
                check=False,
            )
            text = (done.stdout + done.stderr).replace(str(root), "ROOT")
            answers.append((done.returncode, text))
        assert answers[0] == answers[1], command
        assert "config.toml" not in answers[0][1], "the rules are taken"
        assert "Traceback" not in answers[0][1] and "Initech" not in answers[0][1]
