"""Languages go by name, then by the `#!` line."""

from __future__ import annotations

import pytest

from tadoru.text.languages import extensions_of, known_languages, language_of


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
