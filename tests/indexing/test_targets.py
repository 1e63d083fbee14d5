# ruff: noqa: E501 - samples and tables read better unwrapped
"""Imports lead to the files that the language's own rules would load."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tadoru.indexing.extract import extract
from tadoru.indexing.targets import Targets
from tadoru.text.languages import language_of


def edges(files: Mapping[str, str], path: str) -> list[tuple[str, str]]:
    """Return (module, target) of the imports of one file of a tree."""
    targets = Targets(files.keys(), lambda name: files.get(name))
    language = language_of(path)
    found = extract(path, language, files[path])
    return [(e.module, e.target) for e in targets.resolve(found.imports, language)]


def test_python_absolute_relative_and_submodules() -> None:
    files = {
        "src/shop/__init__.py": "",
        "src/shop/cart.py": "",
        "src/shop/db/__init__.py": "",
        "src/shop/db/models.py": "",
        "src/shop/db/base.pyi": "",
        "src/shop/api.py": (
            "import os, shop.cart as c\nfrom . import cart, missing\nfrom .db import models, Model\n"
            "from .db.base import X\nfrom shop.db.models import (\n  A,\n  B as C,\n)\n"
            "from .. import nothing\nimport requests\nfrom shop import *\n"
        ),
        "tests/test_api.py": "from shop.api import x\nfrom helpers import y\n",
        "tests/helpers.py": "",
        "other/helpers.py": "",
    }
    assert edges(files, "src/shop/api.py") == [
        ("os", ""),
        ("shop.cart", "src/shop/cart.py"),
        (".", "src/shop/cart.py"),
        (".", "src/shop/__init__.py"),
        (".db", "src/shop/db/__init__.py"),
        (".db", "src/shop/db/models.py"),
        (".db.base", "src/shop/db/base.pyi"),
        ("shop.db.models", "src/shop/db/models.py"),
        ("..", ""),
        ("requests", ""),
        ("shop", "src/shop/__init__.py"),
    ]
    assert edges(files, "tests/test_api.py") == [
        ("shop.api", "src/shop/api.py"),
        ("helpers", "tests/helpers.py"),
    ]


def test_a_directory_without_init_is_a_package_too() -> None:
    files = {"shop/cart.py": "", "app.py": "from shop import cart, other\nimport shop.cart\n"}
    assert edges(files, "app.py") == [
        ("shop", "shop/cart.py"),
        ("shop", ""),
        ("shop.cart", "shop/cart.py"),
    ]


def test_a_file_inside_a_package_is_no_top_level_module() -> None:
    files = {"pkg/__init__.py": "", "pkg/json.py": "", "app.py": "import json\n"}
    assert edges(files, "app.py") == [("json", "")]


def test_typescript_relative_index_aliases_and_packages() -> None:
    files = {
        "tsconfig.json": '{ // c\n"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"],}}}',
        "packages/ui/package.json": '{"name": "@acme/ui", "exports": {".": {"import": "./dist/index.js"},'
        ' "./button": "./src/button.tsx", "./x/*": "./src/x/*.ts"}}',
        "packages/ui/src/index.ts": "",
        "packages/ui/src/button.tsx": "",
        "packages/ui/src/x/deep.ts": "",
        "src/lib/index.ts": "",
        "src/util.ts": "",
        "src/data.json": "{}",
        "src/B.vue": "",
        "src/a.ts": (
            "import { x as y, type Z } from './lib'\nimport u from './util.js'\nimport '@/util'\n"
            "export * from './lib/index'\nimport d from './data.json'\nimport B from './B.vue'\n"
            "const m = await import('./util')\nconst r = require('../src/lib')\n"
            "import ui from '@acme/ui'\nimport b from '@acme/ui/button'\nimport e from '@acme/ui/x/deep'\n"
            "import react from 'react'\nimport f = require('./util')\nimport g from 'src/lib'\n"
        ),
    }
    assert edges(files, "src/a.ts") == [
        ("./lib", "src/lib/index.ts"),
        ("./util.js", "src/util.ts"),
        ("@/util", "src/util.ts"),
        ("./lib/index", "src/lib/index.ts"),
        ("./data.json", "src/data.json"),
        ("./B.vue", "src/B.vue"),
        ("./util", "src/util.ts"),
        ("../src/lib", "src/lib/index.ts"),
        ("@acme/ui", "packages/ui/src/index.ts"),
        ("@acme/ui/button", "packages/ui/src/button.tsx"),
        ("@acme/ui/x/deep", "packages/ui/src/x/deep.ts"),
        ("react", ""),
        ("./util", "src/util.ts"),
        ("src/lib", "src/lib/index.ts"),
    ]


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        (
            {
                "go.mod": "module example.com/shop\n",
                "cart/cart.go": "",
                "cart/a_test.go": "",
                "db/z.go": "",
                "db/b.go": "",
                "main.go": 'package main\nimport (\n "fmt"\n c "example.com/shop/cart"\n'
                ' _ "example.com/shop/db"\n)\n',
            },
            "main.go",
            [("fmt", ""), ("example.com/shop/cart", "cart/cart.go"),
             ("example.com/shop/db", "db/b.go")],
        ),
        (
            {
                "src/main/java/shop/Cart.java": "",
                "src/main/java/shop/App.java": "package shop;\nimport shop.Cart;\n"
                "import static shop.Cart.open;\nimport java.util.*;\nimport shop.*;\n",
            },
            "src/main/java/shop/App.java",
            [("shop.Cart", "src/main/java/shop/Cart.java"),
             ("shop.Cart.open", "src/main/java/shop/Cart.java"), ("java.util.*", ""), ("shop.*", "")],
        ),
        (
            {
                "Cargo.toml": '[package]\nname = "shop-core"\n',
                "src/lib.rs": "pub mod cart;\nuse crate::db::{self, models::Line as L, *};\n"
                "use self::cart::Cart;\nuse std::fmt;\n",
                "src/cart.rs": "use super::db;\nuse crate::cart;\n",
                "src/db/mod.rs": "",
                "src/db/models.rs": "",
                "tests/t.rs": "use shop_core::cart::Cart;\n",
            },
            "src/lib.rs",
            [("self::cart", "src/cart.rs"), ("crate::db", "src/db/mod.rs"),
             ("crate::db::models::Line", "src/db/models.rs"), ("self::cart::Cart", "src/cart.rs"),
             ("std::fmt", "")],
        ),
        (
            {
                "include/shop/cart.h": "",
                "src/util.h": "",
                "src/a.cpp": '#include "util.h"\n#include <shop/cart.h>\n#include <vector>\n'
                '#include "../include/shop/cart.h"\n',
            },
            "src/a.cpp",
            [('"util.h"', "src/util.h"), ("<shop/cart.h>", "include/shop/cart.h"), ("<vector>", ""),
             ('"../include/shop/cart.h"', "include/shop/cart.h")],
        ),
        (
            {
                "Shop/Models/Cart.cs": "",
                "Shop/Program.cs": "using System;\nusing static Shop.Models.Cart;\n"
                "using C = Shop.Models.Cart;\n",
            },
            "Shop/Program.cs",
            [("System", ""), ("Shop.Models.Cart", "Shop/Models/Cart.cs"),
             ("Shop.Models.Cart", "Shop/Models/Cart.cs")],
        ),
        (
            {
                "lib/shop/cart.rb": "",
                "lib/shop.rb": "require 'shop/cart'\nrequire_relative 'shop/cart'\nrequire 'json'\n",
            },
            "lib/shop.rb",
            [("shop/cart", "lib/shop/cart.rb"), ("./shop/cart", "lib/shop/cart.rb"), ("json", "")],
        ),
        (
            {
                "composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}',
                "src/Models/Cart.php": "",
                "src/Models/Line.php": "",
                "config.php": "",
                "index.php": "<?php\nuse App\\Models\\{Cart, Line as L};\nuse Psr\\Log;\n"
                "require_once __DIR__ . '/config.php';\n",
            },
            "index.php",
            [("App\\Models\\Cart", "src/Models/Cart.php"), ("App\\Models\\Line", "src/Models/Line.php"),
             ("Psr\\Log", ""), ("./config.php", "config.php")],
        ),
        (
            {
                "docs/a.md": "See [b](b.md#x) and [r](../README.md), [d](guide/), [n](b)\n"
                "[w](https://x.org) `[c](b.md)`\n\n```\n[f](b.md)\n```\n[ref]: ./b.md\n[s](/docs/s%20p.md)\n",
                "docs/b.md": "",
                "docs/s p.md": "",
                "docs/guide/index.md": "",
                "README.md": "",
            },
            "docs/a.md",
            [("b.md", "docs/b.md"), ("../README.md", "README.md"), ("guide/", "docs/guide/index.md"),
             ("b", "docs/b.md"), ("./b.md", "docs/b.md"), ("/docs/s%20p.md", "docs/s p.md")],
        ),
    ],
    ids=["go", "java", "rust", "cpp", "csharp", "ruby", "php", "markdown"],
)  # fmt: skip
def test_the_other_languages(
    files: dict[str, str], path: str, expected: list[tuple[str, str]]
) -> None:
    assert edges(files, path) == expected


def test_rust_reaches_its_crate_from_beside_it() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "shop-core"\n',
        "src/lib.rs": "",
        "src/cart.rs": "use super::db;\n",
        "src/db/mod.rs": "",
        "tests/t.rs": "use shop_core::cart::Cart;\n",
    }
    assert edges(files, "tests/t.rs") == [("shop_core::cart::Cart", "src/cart.rs")]
    assert edges(files, "src/cart.rs") == [("super::db", "src/db/mod.rs")]


def test_paths_cannot_lead_above_the_root() -> None:
    files = {"a.md": "[x](../../../etc/passwd) [y](../b.md)\n", "b.md": "", "etc/passwd": ""}
    assert all(target in ("", *files) for _, target in edges(files, "a.md"))
    assert edges({"d/a.ts": "import '../../b'\n", "b.ts": ""}, "d/a.ts") == [("../../b", "")]


@pytest.mark.parametrize(
    "broken", ["{", "[]", '{"compilerOptions": 3}', '{"compilerOptions": {"paths": {"@/*": "x"}}}',
               '{"extends": "./tsconfig.json"}']
)  # fmt: skip
def test_a_broken_manifest_says_nothing(broken: str) -> None:
    files = {"tsconfig.json": broken, "package.json": broken, "a.ts": "import '@/b'\n", "b.ts": ""}
    assert edges(files, "a.ts") == [("@/b", "")]


def test_a_name_that_many_files_share_goes_to_the_nearest() -> None:
    files = {f"p{i}/util.h": "" for i in range(50)} | {"p7/a.c": "#include <util.h>\n"}
    assert edges(files, "p7/a.c") == [("<util.h>", "p7/util.h")]
