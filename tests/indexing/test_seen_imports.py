"""What a file imports, and who imports it, is told as if hidden files had never been there."""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

import tadoru
from tadoru.config import AccessRule
from tadoru.indexing.sync import index
from tadoru.sources import LocalSource
from tadoru.stores.sqlite import SqliteStore
from tadoru.views import View

ROOMY = {
    "pkg/__init__.py": "",
    "pkg/a.py": "def fa(): ...\n",
    "pkg/b.py": "def fb(): ...\n",
    "pkg/b/__init__.py": "",
    "lib/pkg/b.py": "B = 1\n",
    "use.py": "from pkg import b, a, fa\nfrom pkg.b import fb\nimport pkg.a\nimport util\n",
    "deep/use.py": "from pkg import a, b\nimport util\nfrom . import near\n",
    "deep/near.py": "",
    "util.py": "",
    "other/util.py": "",
    "tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["web/*"]}}}',
    "web/x.ts": "import y from './y'; import z from '@/z'; import w from '@/y';\n",
    "web/y.ts": "",
    "web/y/index.ts": "import x from '../x';\n",
    "web/z.tsx": "",
    "web/z.js": "",
    "go.mod": "module example.com/m\n",
    "g/main.go": 'package main\nimport "example.com/m/h"\n',
    "h/h.go": "package h\n",
    "h/i.go": "package h\n",
    "README.md": "[a](docs) [b](docs/b.md) [c](pkg/a.py)\n",
    "docs/README.md": "[up](../README.md)\n",
    "docs/index.md": "",
    "docs/b.md": "[a](./index.md)\n",
}


def told(root: Path, home: Path, files: Mapping[str, str], hidden: frozenset[str]) -> object:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    rules = (AccessRule("**", public=True),)
    rules += tuple(AccessRule("/" + path, groups=frozenset({"staff"})) for path in sorted(hidden))
    config = tadoru.Config(home=str(home), access=rules)
    source = LocalSource(root, config)
    with closing(SqliteStore.open(source.directory, root=root, create=True)) as store:
        index(store, root, config)
    with closing(source):
        view = View({"": source.store}, tadoru.Principal())
        visible = sorted(set(files) - hidden)
        return (
            {path: view.imports(path) for path in visible},
            {path: view.importers(path) for path in visible},
            view.import_counts(),
        )


@pytest.mark.parametrize("seed", range(6))
def test_imports_are_those_of_a_tree_without_the_hidden_files(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    hidden = frozenset(path for path in ROOMY if dice.random() < 0.3)
    rest = {path: text for path, text in ROOMY.items() if path not in hidden}
    whole = told(tmp_path / "whole" / "r", tmp_path / "home1", ROOMY, hidden)
    assert whole == told(tmp_path / "rest" / "r", tmp_path / "home2", rest, hidden)
