"""Which file of the tree an import means.

A `Targets` knows all paths of one tree, and the few files that say how names map to directories
(`tsconfig.json`, `package.json`, `go.mod`, `Cargo.toml`, `composer.json`). The answer depends on
these alone, so a file that did not change can be resolved again when the tree did. Where several
files fit, the one nearest to the importing file wins, then the shorter path, then the alphabet.
What leads out of the tree has no target.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from tadoru.indexing.manifests import Manifests
from tadoru.indexing.tails import Tails
from tadoru.types import Import

MANIFEST_NAMES = frozenset(
    {"tsconfig.json", "jsconfig.json", "package.json", "go.mod", "Cargo.toml", "composer.json"}
)
"""Files whose change can give other files' imports another target."""
CACHE_KEPT = 20_000
"""Answers kept, about 5 MB: files come in order of their directories, which ask the same again."""
_SCRIPTS = (
    "ts", "tsx", "d.ts", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "astro", "json",
)  # fmt: skip
_AS_WRITTEN = {"js": ("ts", "tsx"), "jsx": ("tsx",), "mjs": ("mts",), "cjs": ("cts",)}
"""TypeScript sources are imported by the name that they will have once compiled."""


class Targets:
    """Resolves imports against the paths of one tree."""

    def __init__(self, paths: Collection[str], read: Callable[[str], str | None]) -> None:
        """`read`: text of a file of the tree, asked for manifests only."""
        self.paths = paths if isinstance(paths, (set, frozenset, dict)) else frozenset(paths)
        self._tails = Tails(self.paths)
        self._in_directory: dict[str, list[str]] | None = None
        self._manifests = Manifests(self.paths, read)
        self._cache: dict[tuple[str, str, str], str] = {}

    def resolve(self, edges: Iterable[Import], language: str) -> tuple[Import, ...]:
        """Give edges their targets; one that names several modules becomes one per target."""
        result: list[Import] = []
        for edge in edges:
            if language == "python" or (language == "notebook" and "/" not in edge.module):
                result.extend(self._python_edges(edge))
            else:
                result.append(replace(edge, target=self._cached(edge, language)))
        return tuple(result)

    def _cached(self, edge: Import, language: str) -> str:
        key = (edge.path.rpartition("/")[0], edge.module, language)
        target = self._cache.get(key)
        if target is None:
            target = self._find(edge, language)
            target = self._keep(key, target if target in self.paths else "")
        return "" if target == edge.path else target

    def _keep(self, key: tuple[str, str, str], answer: str) -> str:
        if len(self._cache) >= CACHE_KEPT:
            self._cache.clear()
        self._cache[key] = answer
        return answer

    def _find(self, edge: Import, language: str) -> str:
        directory = edge.path.rpartition("/")[0]
        finder = {
            "javascript": self._script, "typescript": self._script, "tsx": self._script,
            "vue": self._script, "svelte": self._script, "astro": self._script,
            "html": self._script, "go": self._go, "rust": self._rust, "java": self._java,
            "c": self._include, "cpp": self._include, "csharp": self._csharp,
            "ruby": self._ruby, "php": self._php, "markdown": self._link,
        }.get(language)  # fmt: skip
        return finder(edge.module, directory, edge.path) if finder else ""

    # -- looking things up -----------------------------------------------------------------------

    def first(self, candidates: Iterable[str]) -> str:
        """Return the first candidate that is a file of the tree."""
        return next((path for path in candidates if path in self.paths), "")

    def ending(self, suffix: str, near: str) -> str:
        """Return the file whose path ends with `suffix` at a directory's border, nearest first."""
        return nearest(self._tails.ending(suffix), near)

    def files_in(self, directory: str) -> list[str]:
        """Return the files right in a directory, sorted."""
        if self._in_directory is None:
            self._in_directory = {}
            for path in sorted(self.paths):
                self._in_directory.setdefault(path.rpartition("/")[0], []).append(path)
        return self._in_directory.get(directory, [])

    # -- Python ----------------------------------------------------------------------------------

    def _python_edges(self, edge: Import) -> Iterator[Import]:
        base = self._python_base(edge.module, edge)
        own = ""
        if base:
            own = self.first((f"{base}.py", f"{base}.pyi", join(base, "__init__.py")))
        groups: dict[str, list[str]] = {}
        for name in sorted(edge.names):  # what comes of a statement does not depend on its order
            groups.setdefault(self._python_member(edge, base, name) or own, []).append(name)
        for target, names in (groups or {own: []}).items():
            yield replace(edge, target="" if target == edge.path else target, names=tuple(names))

    def _python_member(self, edge: Import, base: str | None, name: str) -> str:
        """Return the file of a name that is a module itself."""
        if base is None:  # a directory without `__init__.py` is a package, too (PEP 420)
            base = self._python_base(f"{edge.module}.{name}", edge)
            return self.first((f"{base}.py", f"{base}.pyi", f"{base}/__init__.py")) if base else ""
        inner = join(base, name)
        return self.first((f"{inner}.py", f"{inner}.pyi", f"{inner}/__init__.py"))

    def _python_base(self, module: str, edge: Import) -> str | None:
        """Return the path of the module without its extension; None when it is not in the tree."""
        directory = edge.path.rpartition("/")[0]
        if module.startswith("."):
            levels = len(module) - len(module.lstrip("."))
            for _ in range(levels - 1):
                directory = directory.rpartition("/")[0]
            return join(directory, module.lstrip(".").replace(".", "/"))
        key = (directory, module, "python")
        found = self._cache.get(key)
        if found is None:
            found = self._keep(key, self._python_module(module.replace(".", "/"), directory))
        return found or None

    def _python_module(self, inner: str, near: str) -> str:
        """Return a module, without its extension, below a directory that can be on the search path.

        A file `a/b/c.py` is no module `c` while `a/b` is a package.
        """
        for tail in (".py", "/__init__.py", ".pyi"):
            suffix = inner + tail
            roots = (
                path
                for path in self._tails.ending(suffix)
                if path == suffix
                or join(root := path[: -len(suffix)].rstrip("/"), "__init__.py") not in self.paths
                or root == near
            )
            if found := nearest(roots, near):
                return found[: -len(tail)]
        return ""

    # -- JavaScript, TypeScript ------------------------------------------------------------------

    def _script(self, module: str, directory: str, _: str) -> str:
        if module.startswith((".", "/")):
            return self.script_file(normal(directory, module))
        for mapped in self._manifests.script_paths(module, directory):
            if found := self.script_file(mapped):
                return found
        return ""

    def script_file(self, base: str) -> str:
        """Return the file that a path without extension, or a directory, stands for."""
        if base in self.paths:
            return base
        stem, _, extension = base.rpartition(".")
        written = _AS_WRITTEN.get(extension, ()) if stem else ()
        return self.first(
            (
                *(f"{stem}.{other}" for other in written),
                *(f"{base}.{extension}" for extension in _SCRIPTS),
                *(join(base, f"index.{extension}") for extension in _SCRIPTS),
            )
        )

    # -- the others ------------------------------------------------------------------------------

    def _go(self, module: str, _: str, path: str) -> str:
        package = self._manifests.go_directory(module, path)
        if package is None:
            return ""
        files = [f for f in self.files_in(package) if f.endswith(".go")]
        files = [f for f in files if not f.endswith("_test.go")] or files
        own = join(package, package.rpartition("/")[2] + ".go")
        return own if own in files else (files[0] if files else "")

    def _rust(self, module: str, directory: str, path: str) -> str:
        parts = module.split("::")
        stem = path.rpartition("/")[2].removesuffix(".rs")
        here = directory if stem in ("mod", "lib", "main") else join(directory, stem)
        if parts[0] == "crate":
            here = self._manifests.crate_source(path)
        elif parts[0] == "super":
            while parts and parts[0] == "super":
                here = here.rpartition("/")[0]
                parts = parts[1:]
            parts = ["", *parts]
        elif parts[0] != "self":
            outside = self._manifests.crate_named(parts[0])
            here = outside if outside is not None else here
            parts = parts if outside is not None else ["", *parts]
        for length in range(len(parts), 1, -1):
            inner = join(here, "/".join(parts[1:length]))
            if found := self.first((f"{inner}.rs", f"{inner}/mod.rs")):
                return found
        if parts[0] in ("", "self"):
            return ""
        return self.first(join(here, name) for name in ("lib.rs", "main.rs"))

    def _java(self, module: str, directory: str, _: str) -> str:
        parts = module.removesuffix(".*").split(".")
        for length in range(len(parts), max(1, len(parts) - 2), -1):
            if found := self.ending("/".join(parts[:length]) + ".java", directory):
                return found
        return ""

    def _include(self, module: str, directory: str, _: str) -> str:
        name = module.strip('<>"')
        if module.startswith('"') and (here := normal(directory, name)) in self.paths:
            return here
        return self.ending(name.removeprefix("./").lstrip("/"), directory) if name else ""

    def _csharp(self, module: str, directory: str, _: str) -> str:
        parts = module.split(".")
        for length in (len(parts), len(parts) - 1):
            if length > 0 and (found := self.ending("/".join(parts[:length]) + ".cs", directory)):
                return found
        return self.ending(parts[-1] + ".cs", directory) if len(parts) > 1 else ""

    def _ruby(self, module: str, directory: str, _: str) -> str:
        if module.startswith("."):
            base = normal(directory, module)
            return self.first((base, f"{base}.rb"))
        name = module.removesuffix(".rb") + ".rb"
        return self.ending(f"lib/{name}", directory) or self.ending(name, directory)

    def _php(self, module: str, directory: str, _: str) -> str:
        if module.startswith("."):
            return self.first((normal(directory, module), module.removeprefix("./")))
        mapped = self.first(self._manifests.php_files(module))
        return mapped or self.ending(module.replace("\\", "/") + ".php", directory)

    def _link(self, module: str, directory: str, _: str) -> str:
        from urllib.parse import unquote

        link = unquote(module)
        base = normal("", link) if link.startswith("/") else normal(directory, link)
        pages = (f"{base}{end}" for end in ("", ".md", ".mdx", ".markdown"))
        inside = (join(base, f"{name}.md") for name in ("README", "index", "_index"))
        return self.first((*pages, *inside))


def join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory and name else directory or name


def normal(directory: str, relative: str) -> str:
    """Return the root-relative path for one that is relative to a directory; never above root."""
    path = os.path.normpath(f"{directory}/{relative}" if directory else relative)
    return "" if path == "." else path.lstrip("/")


def nearest(paths: Iterable[str], near: str) -> str:
    """Return the path that shares most leading directories with `near`; else empty."""

    def distance(path: str) -> tuple[int, int, str]:
        common = 0
        for one, other in zip(path.split("/")[:-1], near.split("/"), strict=False):
            if one != other:
                break
            common += 1
        return (-common, path.count("/"), path)

    return min(paths, key=distance, default="")
