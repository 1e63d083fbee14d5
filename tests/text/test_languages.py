"""Languages go by name, then by the `#!` line."""

from __future__ import annotations

import pytest

from tadoru.text.languages import extensions_of, known_languages, language_of, refined


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
    [
        ("a/b.py", "", "python"), ("A.PY", "", "python"), ("x.d.ts", "", "typescript"),
        ("Makefile", "", "make"), ("Dockerfile.dev", "", "dockerfile"), ("go.mod", "", "gomod"),
        ("bin/run", "#!/usr/bin/env python3", "python"), ("bin/run", "#!/bin/sh", "shell"),
        ("bin/run", "#!/usr/bin/env node", "javascript"), ("bin/run", "hello", ""),
        ("noext", "", ""), (".bashrc", "", "shell"), ("a.unknown", "", ""),
    ],
)  # fmt: skip
def test_language_of(path: str, first_line: str, language: str) -> None:
    assert language_of(path, first_line) == language


def test_every_extension_leads_back_to_its_language() -> None:
    for language in known_languages():
        for extension in extensions_of(language):
            assert language_of(f"x.{extension}") == language


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.h", "#ifndef A\nint f(void);\nstruct s { int class_id; };\n", "c"),
        ("a.h", "#include <stdio.h>\n/* public: not code */\nint f(void);\n", "c"),
        ("a.h", "#pragma once\nnamespace x {\n", "cpp"),
        ("a.h", "class Cart {\n public:\n};\n", "cpp"),
        ("a.h", "#include <vector>\n", "cpp"),
        ("a.h", "std::string f();\n", "cpp"),
        ("a.c", "int a::b;\n", "c"),
    ],
)
def test_headers_are_told_apart_by_their_text(path: str, text: str, language: str) -> None:
    assert refined(language_of(path), path, text) == language
