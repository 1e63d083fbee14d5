"""Which language a file is in, by its name; and which languages have symbols of our own.

One table for the indexer, filters, reports and `--type` of the shell's rg.
"""

from __future__ import annotations

import re

CORE = (
    "python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "csharp",
    "ruby", "php",
)  # fmt: skip
"""Parsed with their own grammar wheel and our own queries: symbols and imports."""

_EXTENSIONS: dict[str, str] = {
    "py": "python", "pyi": "python", "pyw": "python", "pyx": "cython", "pxd": "cython",
    "js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript",
    "ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx",
    "go": "go", "rs": "rust", "java": "java",
    "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "c++": "cpp", "hpp": "cpp",
    "hh": "cpp", "hxx": "cpp", "h++": "cpp", "ipp": "cpp", "tpp": "cpp", "inl": "cpp", "cu": "cpp",
    "cs": "csharp", "rb": "ruby", "rake": "ruby", "gemspec": "ruby", "php": "php", "phtml": "php",
    "kt": "kotlin", "kts": "kotlin", "swift": "swift", "scala": "scala", "sc": "scala",
    "lua": "lua", "r": "r", "dart": "dart", "ex": "elixir", "exs": "elixir", "erl": "erlang",
    "hrl": "erlang", "hs": "haskell", "ml": "ocaml", "mli": "ocaml", "clj": "clojure",
    "cljs": "clojure", "cljc": "clojure", "jl": "julia", "pl": "perl", "pm": "perl", "m": "objc",
    "mm": "objc", "zig": "zig", "nim": "nim", "v": "verilog", "sv": "verilog", "vhd": "vhdl",
    "f90": "fortran", "f": "fortran", "pas": "pascal", "groovy": "groovy", "gradle": "groovy",
    "sh": "shell", "bash": "shell", "zsh": "shell", "fish": "fish", "ps1": "powershell",
    "bat": "batch", "cmd": "batch", "awk": "awk", "tcl": "tcl", "vim": "vim", "el": "elisp",
    "sql": "sql", "graphql": "graphql", "gql": "graphql", "proto": "proto", "thrift": "thrift",
    "html": "html", "htm": "html", "xhtml": "html", "css": "css", "scss": "scss", "sass": "sass",
    "less": "less", "vue": "vue", "svelte": "svelte", "astro": "astro", "xml": "xml",
    "xsd": "xml", "xsl": "xml", "svg": "xml", "json": "json", "jsonc": "json", "json5": "json",
    "jsonl": "jsonl", "ndjson": "jsonl", "yaml": "yaml", "yml": "yaml", "toml": "toml",
    "ini": "ini", "cfg": "ini", "conf": "ini", "properties": "properties", "env": "dotenv",
    "md": "markdown", "markdown": "markdown", "mdx": "markdown", "rst": "rst", "adoc": "asciidoc",
    "asciidoc": "asciidoc", "org": "org", "tex": "latex", "txt": "text", "text": "text",
    "log": "text", "csv": "csv", "tsv": "csv", "ipynb": "notebook", "tf": "terraform",
    "tfvars": "terraform", "hcl": "terraform", "nix": "nix", "cmake": "cmake", "mk": "make",
    "dockerfile": "dockerfile", "diff": "diff", "patch": "diff", "po": "gettext",
    "bats": "shell", "jinja": "jinja", "j2": "jinja", "erb": "erb", "twig": "twig",
}  # fmt: skip

_NAMES: dict[str, str] = {
    "makefile": "make", "gnumakefile": "make", "dockerfile": "dockerfile",
    "containerfile": "dockerfile", "cmakelists.txt": "cmake", "gemfile": "ruby",
    "rakefile": "ruby", "vagrantfile": "ruby", "podfile": "ruby", "jenkinsfile": "groovy",
    "justfile": "make", "build.bazel": "starlark", "build": "starlark", "workspace": "starlark",
    "readme": "text", "license": "text", "copying": "text", "authors": "text", "changes": "text",
    "changelog": "text", ".bashrc": "shell", ".profile": "shell", ".gitignore": "ini",
    ".gitattributes": "ini", ".editorconfig": "ini", "go.mod": "gomod", "go.sum": "gomod",
}  # fmt: skip

_SHEBANGS = (
    ("python", "python"), ("node", "javascript"), ("ruby", "ruby"), ("perl", "perl"),
    ("php", "php"), ("bash", "shell"), ("zsh", "shell"), ("/sh", "shell"), (" sh", "shell"),
    ("lua", "lua"), ("awk", "awk"),
)  # fmt: skip


def language_of(path: str, first_line: str = "") -> str:
    """Return the language of a file by name, else by its `#!` line, else `""`."""
    name = path.rpartition("/")[2].lower()
    if name in _NAMES:
        return _NAMES[name]
    extension = name.rpartition(".")[2] if "." in name else ""
    if extension in _EXTENSIONS:
        return _EXTENSIONS[extension]
    if name.startswith("dockerfile"):
        return "dockerfile"
    if first_line.startswith("#!"):
        for mark, language in _SHEBANGS:
            if mark in first_line:
                return language
    return ""


_CPP = re.compile(
    r"^[ \t]*(?:namespace\b|template\s*<|(?:public|private|protected)\s*:|class\s+\w+[^;\n]*$"
    r"|using\s+\w)|\w::\w|^[ \t]*#[ \t]*include[ \t]*<\w+>",
    re.MULTILINE,
)
REFINED_CHARS = 20_000


def refined(language: str, path: str, text: str) -> str:
    """Correct a language that the name alone cannot tell: `.h` is C++ where it looks like it."""
    name = path.lower()
    if language == "c" and name.endswith(".h") and _CPP.search(text[:REFINED_CHARS]):
        return "cpp"
    if language == "typescript" and text.lstrip().startswith("<?xml"):
        return "xml"  # translations of Qt
    return language


def extensions_of(language: str) -> tuple[str, ...]:
    """Return the extensions of a language, without the dot."""
    return tuple(ext for ext, name in _EXTENSIONS.items() if name == language)


def known_languages() -> frozenset[str]:
    return frozenset(_EXTENSIONS.values()) | frozenset(_NAMES.values())
