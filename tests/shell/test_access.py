"""What is hidden answers like what does not exist, whatever command asks."""

from __future__ import annotations

import pytest
from disk import FilesStore, view_of
from gnu_oracle import CONFIG, SECRET

from tadoru.shell import complete, run
from tadoru.types import AccessRow

SEEN = {
    "README.md": b"public words\n",
    "docs/open.md": b"open words\n",
    "internal/notes.md": b"shared words\n",
}
HIDDEN = {
    "docs/secret.md": b"TOPSECRET words\n",
    "internal/pay.md": b"TOPSECRET pay\n",
    "vault/deep/key.md": b"TOPSECRET key\n",
    "tmp/plan.md": b"TOPSECRET plan\n",
    "dev/null": b"TOPSECRET device\n",
}
PATHS = ("docs/secret.md", "vault", "vault/deep/key.md", "internal/pay.md", "/tmp/plan.md", "nope")

COMMANDS = [
    template.format(path)
    for path in PATHS
    for template in (
        "cat {0}",
        "ls {0}",
        "ls -la {0}",
        "head {0}",
        "tail {0}",
        "wc {0}",
        "stat {0}",
        "du {0}",
        "tree {0}",
        "find {0}",
        "grep -r TOP {0}",
        "cd {0}; pwd",
        "[ -e {0} ]; echo $?",
        "cat < {0}",
        "cp {0} /tmp/x; ls /tmp",
        "rm -rf {0}; echo $?",
        "touch {0}; echo $?",
        "mkdir {0}; echo $?",
        "echo {0}*",
        "find . -newer {0}",
        "awk 1 {0}",
        "sed p {0}",
        "sort {0}",
        "file {0}",
        "diff README.md {0}",
        "source {0}",
    )
] + [
    "ls -laR",
    "ls -la",
    "ls",
    "tree -a",
    "find .",
    "find . -type d -empty",
    "find . -ls",
    "find . | wc -l",
    "du -a",
    "du -sb",
    "wc -c $(find . -type f)",
    "grep -rn TOPSECRET .",
    "grep -rc words .",
    "grep -rL words .",
    "echo * */* */*/*",
    "shopt -s globstar; echo **",
    "for f in */*.md; do cat $f; done",
    "ls vau* internal/p*",
    "cat docs/*",
    "ls -l internal vault",
    "stat -c '%h %n' . docs internal vault",
    "cd vault/deep && ls",
    "ls /tmp /dev; cat /dev/null; echo x > /tmp/plan.md; cat /tmp/plan.md",
    "find / -name '*.md' -exec cat {} +",
    "ls -d */ | wc -l",
]


@pytest.fixture(scope="module")
def views():
    rows = (AccessRow(1, True), AccessRow(2, False, frozenset({"staff"})), AccessRow(0, False))
    labels = dict.fromkeys(HIDDEN, 2) | {"vault/deep/key.md": 0}
    hidden = FilesStore(SEEN | HIDDEN, labels=labels, rows=rows)
    return view_of(hidden, "guest"), view_of(FilesStore(SEEN))


def suggest(path: str) -> str | None:
    return f"tadoru: nothing for {path}"


@pytest.mark.parametrize("command", COMMANDS)
def test_hidden_answers_like_missing(views, command):
    outsider, without = (
        run(view, command, config=CONFIG, secret=SECRET, suggest=suggest) for view in views
    )
    assert outsider.stdout_bytes == without.stdout_bytes
    assert outsider.stderr == without.stderr
    assert outsider.exit_code == without.exit_code
    assert outsider.truncated == without.truncated
    assert b"TOPSECRET" not in outsider.stdout_bytes + outsider.stderr.encode()


@pytest.mark.parametrize("line", ["ls ", "cat docs/", "cat internal/p", "ls v", "cd ", "cat /tmp/"])
def test_hidden_names_are_not_completed(views, line):
    outsider, without = (complete(view, line, "/") for view in views)
    assert outsider == without
    assert not any("vault" in name or "secret" in name for name in outsider)


def test_the_insider_sees_them():
    rows = (AccessRow(1, True), AccessRow(2, False, frozenset({"staff"})))
    store = FilesStore(SEEN | HIDDEN, labels=dict.fromkeys(HIDDEN, 2), rows=rows)
    result = run(view_of(store, "staff"), "cat docs/secret.md", config=CONFIG, secret=SECRET)
    assert result.stdout == "TOPSECRET words\n"


def test_a_tightened_label_holds_from_the_next_call():
    rows = (AccessRow(1, True), AccessRow(2, False, frozenset({"staff"})))
    store = FilesStore(SEEN, rows=rows)
    first = run(view_of(store), "cat docs/open.md", config=CONFIG, secret=SECRET)
    assert first.stdout == "open words\n"
    store.labels["docs/open.md"] = 2
    store.generation += 1
    second = run(
        view_of(store), "cat docs/open.md; ls", config=CONFIG, secret=SECRET, state=first.state
    )
    assert second.stdout == "README.md\ninternal\n"
