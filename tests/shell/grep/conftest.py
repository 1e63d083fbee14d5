"""A tree with what grep must tell apart, for GNU's grep and for ours."""

from __future__ import annotations

from pathlib import Path

import pytest
from disk import load_tree, view_of
from gnu_oracle import Both

FILES = {
    "t.txt": b"hello world\nfoo bar\nHello World\nfoobar\n\nbar foo\nbaz\nHELLO\nend",
    "a.txt": b"alpha\nfoo one\nbeta\ngamma\ndelta\nfoo two\nepsilon\nzeta\neta\nfoo three\n",
    "b.txt": b"nothing\nhere\n",
    "empty.txt": b"",
    "blank.txt": b"\n\n\n",
    "utf8.txt": "größe\nGRÖSSE\nnaïve foo\n日本語\nſmall\nstraße_foo\nfoo日本\n".encode(),
    "latin.txt": b"ok foo\ncaf\xe9 foo\nfoo last\n",
    "null.bin": b"foo\0bar\nfoo baz\n",
    "late.bin": b"foo early\n" * 12_000 + b"foo\0late\n",
    "crlf.txt": b"foo\r\nbar\r\n",
    "records": b"one foo\ntwo\0three\0foo\nfour\0",
    "words.txt": b"foo foo_bar foo-bar foobar barfoo\nfoo.\n-foo\nfoo1 foo\nxfoo foo\n",
    "pats": b"foo\nwor\n",
    "nopats": b"",
    "sub/x.py": b"import os\ndef foo():\n    return os\n",
    "sub/x.js": b"function foo() { return 1 }\n",
    "sub/deep/y.py": b"from foo import bar\nclass Foo: pass\n",
    "sub/deep/z.md": b"# foo\n\nhttps://foo.example/a?b=c\n",
    "sub-2/w.py": b"foo = 2\n",
    "sub.txt": b"foo in sub.txt\n",
    ".hidden/h.txt": b"foo hidden\n",
    "node_modules/m.js": b"foo module\n",
}


@pytest.fixture(scope="session")
def rg_both(grep_both: Both, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """The same tree for ripgrep, which has to go through it in order."""
    settings = tmp_path_factory.mktemp("rg") / "ripgreprc"
    settings.write_text("--threads=1\n--no-mmap\n")
    environment = grep_both.environment | {
        "RIPGREP_CONFIG_PATH": str(settings),
        "TERM": "xterm",
    }
    return Both(grep_both.root, grep_both.view, environment)


@pytest.fixture(scope="session")
def grep_both(both: Both, tmp_path_factory: pytest.TempPathFactory) -> Both:
    root = tmp_path_factory.mktemp("grep") / "tree"
    for name, data in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "link.txt").symlink_to("t.txt")
    (root / "linkdir").symlink_to("sub")
    return Both(Path(root), view_of(load_tree(root)), both.environment)
