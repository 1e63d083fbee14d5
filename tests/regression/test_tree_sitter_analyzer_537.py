"""tree-sitter-analyzer #537: a language was listed as supported, and its grammar was not there."""

from __future__ import annotations

from tadoru.text import languages

SAMPLES = {
    "python": "def marker_name():\n    pass\n",
    "javascript": "function marker_name() {}\n",
    "typescript": "function marker_name(): void {}\n",
    "tsx": "function marker_name() { return <a/>; }\n",
    "go": "package a\n\nfunc marker_name() {}\n",
    "rust": "fn marker_name() {}\n",
    "java": "class marker_name {}\n",
    "c": "void marker_name(void) {}\n",
    "cpp": "class marker_name {};\n",
    "csharp": "class marker_name {}\n",
    "ruby": "def marker_name\nend\n",
    "php": "<?php\nfunction marker_name() {}\n",
}
"""Where we claim symbols."""


def test_every_extension_that_is_claimed_has_chunks_and_symbols_where_those_are_claimed(new_tree):
    files = {}
    for extension, language in languages._EXTENSIONS.items():
        files[f"x_{extension.replace('+', 'p')}.{extension}"] = SAMPLES.get(
            language, "first words\nmarker_name = 1\nlast words\n"
        )
    tree = new_tree(files)
    workspace = tree.ask()
    report = workspace.index()
    assert report.complete
    assert not [note for note in report.notes if "no grammar" in note], report.notes
    with_text = set(workspace.run("grep -rl marker_name .").stdout.split())
    assert {path.removeprefix("./") for path in with_text} == set(files)
    defined = {path for path, _ in tree.defined("marker_name")}
    claimed = {
        path for path in files
        if languages.language_of(path) in SAMPLES
    }  # fmt: skip
    assert set(SAMPLES) == set(languages.CORE)
    assert claimed <= defined
    for path in files:
        assert workspace.search("marker_name", include=[path]).hits, path
