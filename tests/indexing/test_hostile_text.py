"""Text that makes a careless expression try everything twice costs no more than other text."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tadoru.indexing.embedded import MAX_REGIONS
from tadoru.indexing.extract import extract
from tadoru.indexing.imports import MAX_IMPORTS
from tadoru.indexing.patterns import rule_set
from tadoru.indexing.targets import Targets
from tadoru.text.languages import refined
from tadoru.types import Import

SECONDS = 6.0
"""Of the processor; what is slow here takes minutes to years."""


@contextmanager
def bounded() -> Iterator[None]:
    began = time.process_time()
    yield
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 12 + "*b", "a" * 250),
        ("**/a/" * 8 + "**/b", "/".join("a" * 800)),
        ("**/a*a*a*a*/" * 5 + "b", "/".join(["aaaaaaaa"] * 300)),
        ("a*" * 40 + "[b]", "a" * 255),
    ],
)
def test_ignore_patterns_with_many_wildcards(pattern: str, path: str) -> None:
    rules = rule_set([pattern])
    assert rules is not None
    with bounded():
        assert rules.match(path, False) is None
    assert rules.match(pattern.replace("**/", "x/").replace("*", "x").replace("[b]", "b"), False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package.json", "/*" * 250_000),
        ("package.json", '{"name": "x"' + "," * 200_000),
        ("tsconfig.json", '"' + "\\" * 200_001),
        ("go.mod", "\n" * 300_000),
        ("go.mod", "module" + " " * 300_000),
        ("composer.json", "[" * 100_000),
    ],
)
def test_manifests_that_are_none(name: str, text: str) -> None:
    targets = Targets({name, "a.go", "a.ts", "a.php"}, {name: text}.get)
    with bounded():
        for path, language, module in (
            ("a.go", "go", "example.com/x"), ("a.ts", "typescript", "@x"), ("a.php", "php", "A\\B")
        ):  # fmt: skip
            edge = Import(path=path, module=module, line=1)
            assert [each.target for each in targets.resolve([edge], language)] == [""]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("vue", "<script>" * 40_000),
        ("vue", "<script " * 40_000),
        ("html", "<script>a()" + "</script " * 40_000),
        ("markdown", '[a](b "' * 40_000),
        ("markdown", "[" * 200_000),
        ("markdown", ("# a" + " " * 1_000 + "b\n") * 200),
        ("org", ("* a" + " " * 1_000 + "b\n") * 200),
        ("c", "/*" + " " * 200_000 + "*/\nvoid f(void) {}\n"),
        ("c", "/*" + "*" * 200_000 + "/\nvoid f(void) {}\n"),
        ("c", "/*" + "\n" * 200_000 + "*/\nvoid f(void) {}\n"),
        ("python", 'def f():\n    """' + "\n " * 100_000 + '"""\n'),
        ("python", "from a import (" + "\n" * 200_000 + "b)\n"),
        ("python", "from a import " + "b, " * 60_000 + "c\n"),
        ("php", "<?php\nuse A" + " " * 200_000 + "\\B;\n"),
        ("rust", "use a::" + "{b::" * 20_000 + "c" + "}" * 20_000 + ";\n"),
        ("ruby", "/a/ " * 150_000),
        ("shell", "$( " * 150_000),
        ("java", "class A{void f(){x=a" + ".and(x)" * 100_000 + ";}}"),
        ("c", "/*a*/void f(void){} " * 30_000),
        ("javascript", "import {" + "/*" * 15_000 + "*/ a} from './a'\n"),
    ],
    ids=lambda value: value if len(value) < 12 else value[:9].strip(),
)
def test_files_of_one_thing_repeated(language: str, text: str) -> None:
    with bounded():
        found = extract("f", language, text)
    assert found.chunks


def test_only_so_many_scripts_and_imports_of_one_file_count() -> None:
    text = "".join(f"<script>function f{n}() {{}}</script>\n" for n in range(5_000))
    with bounded():
        found = extract("f.vue", "vue", text)
    assert [symbol.name for symbol in found.symbols] == [f"f{n}" for n in range(MAX_REGIONS)]
    many = "".join(f"import m{n}\n" for n in range(2 * MAX_IMPORTS))
    assert len(extract("f.py", "python", many).imports) == MAX_IMPORTS


def test_headers_of_blank_lines() -> None:
    with bounded():
        assert refined("c", "a.h", "\n" * 20_000 + "int a;\n") == "c"
        assert refined("c", "a.h", "class a\n" * 2_500) == "cpp"
