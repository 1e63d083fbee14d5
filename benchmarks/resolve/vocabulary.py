"""What agents' mistakes are made of: endings, short words, roots, usual directories."""

from __future__ import annotations

import re

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
CODE = ("py", "ts", "tsx", "js", "go", "rs", "java", "rb", "c", "h", "scala", "kt", "svelte", "vue")
FAMILIES = (
    ("ts", "tsx", "js", "jsx", "mts", "mjs"), ("yml", "yaml"), ("md", "mdx", "rst"), ("c", "h"),
    ("json", "jsonc"), ("css", "scss"), ("java", "kt", "scala"), ("py", "pyi"), ("htm", "html"),
)  # fmt: skip
SHORT = {
    "configuration": "config", "application": "app", "utilities": "utils", "database": "db",
    "authentication": "auth", "repository": "repo", "message": "msg", "request": "req",
    "response": "res", "context": "ctx", "document": "doc", "directory": "dir", "package": "pkg",
    "command": "cmd", "parameters": "params", "environment": "env", "implementation": "impl",
    "administrator": "admin", "specification": "spec", "reference": "ref", "library": "lib",
    "temporary": "tmp", "manager": "mgr", "source": "src", "argument": "arg", "option": "opt",
    "server": "srv", "information": "info", "initialize": "init", "generator": "gen",
}  # fmt: skip
LONG = {short: long for long, short in SHORT.items()}
ROOTS = (
    "/home/dev/{p}/", "/Users/kim/work/{p}/", "/workspace/", "/src/{p}/", "C:\\dev\\{p}\\",
    "/app/", "/private/tmp/wt-42/{p}/", "/mnt/data/repos/{p}/", "/root/{p}/", "/code/",
)  # fmt: skip
MIDDLES = ("src", "lib", "core", "internal", "utils", "app", "main", "common", "modules", "impl")
ENTRIES = ("__init__.py", "mod.rs", "index.ts", "index.js", "index.tsx")
LANGUAGES = {"py": "py", "ts": "ts", "tsx": "tsx", "js": "js", "go": "go", "rb": "rb"}
