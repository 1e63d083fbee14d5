"""What a file is for, by its path and its first lines. Every heuristic has a name here."""

from __future__ import annotations

import re

from tadoru.types import Role

VENDORED = frozenset(
    {"vendor", "vendored", "_vendor", "third_party", "third-party", "thirdparty", "external",
     "node_modules", "bower_components", "site-packages", "deps", "3rdparty"}
)  # fmt: skip
TESTS = frozenset(
    {"test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "test_data",
     "fixtures", "__mocks__", "e2e", "integration_tests", "unittests", "cypress"}
)  # fmt: skip
EXAMPLES = frozenset(
    {"example", "examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials",
     "playground"}
)  # fmt: skip
DOCS = frozenset({"doc", "docs", "documentation", "man", "wiki"})

_TEST_NAME = re.compile(
    r"test_.*\.py|.*_tests?\.(?:py|go|rb|rs|cc|cpp|c|dart|exs)|conftest\.py"
    r"|.*[._-](?:test|spec|stories)\.[cm]?[jt]sx?|.*(?:Tests?|TestCase|Spec|IT)\.(?:java|kt|cs|php|swift|scala)"
    r"|.*_spec\.rb|.*Test\.php"
)
_GENERATED_NAME = re.compile(
    r".*_pb2(?:_grpc)?\.pyi?|.*\.pb\.(?:go|cc|h|cs)|.*\.g\.(?:dart|cs)|.*\.designer\.cs"
    r"|.*\.(?:generated|gen)\.\w+|.*_generated\.\w+|zz_generated.*|.*\.freezed\.dart"
    r"|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?"
    r"|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|Cargo\.lock|composer\.lock|Gemfile\.lock"
    r"|go\.sum|flake\.lock|mix\.lock|pubspec\.lock|Podfile\.lock|gradle\.lockfile",
    re.IGNORECASE,
)
_GENERATED_MARK = re.compile(
    r"@generated\b|\bdo not edit\b.{0,80}\bgenerated\b"
    r"|\bgenerated\b.{0,120}\bdo not (?:edit|modify)\b"
    r"|\b(?:auto[- ]?generated|automatically generated|machine[- ]generated)\b",
    re.IGNORECASE | re.DOTALL,
)
MARK_CHARS = 1_000
"""A file says at its start that it was generated."""
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|<!--|--|;|\"\"\"|%)")

_MINIFIED_NAME = re.compile(
    r".*[.-]min\.(?:[cm]?js|css)|.*\.(?:bundle|chunk)\.js|.*\.(?:js|css)\.map"
)
_MINIFIABLE = frozenset({"javascript", "typescript", "css"})
MINIFIED_CHARS = 20_000
MINIFIED_MEAN_LINE = 500
MINIFIED_BLANKS = 0.05
"""A script of this size, with lines so long on average and so few blanks, is the output of a
minifier: those of ten libraries have 0.9% to 2.5%, functions on one line 5.6% and more."""

_CONFIG = frozenset(
    {"toml", "ini", "yaml", "properties", "dotenv", "terraform", "make", "cmake", "dockerfile",
     "starlark", "gomod", "nix"}
)  # fmt: skip
_DATA = frozenset({"json", "jsonl", "csv", "xml", "gettext", "diff"})
_DOCUMENTS = frozenset({"markdown", "rst", "asciidoc", "org", "latex", "text"})
_CONFIG_NAME = re.compile(
    r"(?:package|tsconfig.*|jsconfig|composer|deno|angular|nx|turbo|lerna|\..*rc|.*\.config)\.jsonc?"
    r"|pom\.xml|\..*rc|requirements.*\.txt|.*\.csproj|setup\.cfg|CMakeLists\.txt"
)


def role_of(path: str, language: str, text: str) -> Role:
    """Return the role of a file with text."""
    *directories, name = path.split("/")
    folders = {directory.lower() for directory in directories}
    if is_minified(name, language, text):
        return Role.MINIFIED
    if is_generated(name, text):
        return Role.GENERATED
    if folders & VENDORED:
        return Role.VENDORED
    if folders & TESTS or _TEST_NAME.fullmatch(name):
        return Role.TEST
    if folders & EXAMPLES:
        return Role.EXAMPLE
    if language in _CONFIG or _CONFIG_NAME.fullmatch(name):
        return Role.CONFIG
    if language in _DOCUMENTS or (folders & DOCS and language in ("html", "notebook", "")):
        return Role.DOCS
    return Role.DATA if language in _DATA else Role.SOURCE


def is_minified(name: str, language: str, text: str) -> bool:
    if _MINIFIED_NAME.fullmatch(name):
        return True
    if language not in _MINIFIABLE or len(text) < MINIFIED_CHARS:
        return False
    if len(text) / (text.count("\n") + 1) <= MINIFIED_MEAN_LINE:
        return False
    blanks = sum(map(text.count, " \t\n"))
    return language == "css" or blanks < MINIFIED_BLANKS * len(text)


def is_generated(name: str, text: str) -> bool:
    """Tell it by the name, or by a comment at the start that says so."""
    if _GENERATED_NAME.fullmatch(name):
        return True
    head = text[:MARK_CHARS]
    match = _GENERATED_MARK.search(head)
    if match is None:
        return False
    line_start = head.rfind("\n", 0, match.start()) + 1
    return bool(_COMMENT.match(head, line_start))


_DATA_NAME = re.compile(r".*\.(?:po|pot|json|jsonl|svg|csv|tsv|txt|lock|xml|snap|map|log)", re.I)
_DOCUMENT_NAME = re.compile(r".*\.(?:md|mdx|rst|adoc|org|tex|html?|ipynb)", re.I)


def urgency(path: str) -> tuple[int, int, str]:
    """Return the place of a file in the order of a first run, by its path alone.

    Code before tests, examples and documents, those before data and what others wrote, and what
    lies shallow before what lies deep: early questions are about that.
    """
    *directories, name = path.split("/")
    folders = {directory.lower() for directory in directories}
    if folders & VENDORED or _DATA_NAME.fullmatch(name) or _GENERATED_NAME.fullmatch(name):
        rank = 2
    elif folders & (TESTS | EXAMPLES | DOCS) or _TEST_NAME.fullmatch(name):
        rank = 1
    else:
        rank = 1 if _DOCUMENT_NAME.fullmatch(name) else 0
    return rank, len(directories), path
