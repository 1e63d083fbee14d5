"""What the manifests of a tree say about names: aliases, package names, module roots.

Reads `tsconfig.json`/`jsconfig.json`, `package.json`, `go.mod`, `Cargo.toml` and `composer.json`.
A manifest that cannot be understood says nothing.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import Any

_JSON_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_GO_MODULE = re.compile(r"^[ \t]*module[ \t]+\"?([^\s\"]+)", re.MULTILINE)
MAX_EXTENDS = 8


class Manifests:
    """Manifests by directory, each read once and when first needed."""

    def __init__(self, paths: Collection[str], read: Callable[[str], str | None]) -> None:
        self._paths = paths
        self._read = read

    def _all(self, name: str) -> list[str]:
        """Return the directories that hold a manifest of this name, sorted."""
        tail = "/" + name
        return sorted(
            path[: -len(name)].rstrip("/")
            for path in self._paths
            if path == name or path.endswith(tail)
        )

    def _json(self, path: str) -> dict[str, Any]:
        text = self._read(path) or ""
        text = _JSON_COMMENT.sub(lambda m: m.group(1) or " ", text)
        text = _TRAILING_COMMA.sub(lambda m: m.group(1) or "", text)
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            return {}
        return parsed if isinstance(parsed, dict) else {}

    # -- JavaScript, TypeScript ------------------------------------------------------------------

    @cached_property
    def _aliases(self) -> list[tuple[str, list[tuple[str, list[str]]]]]:
        """(directory of the configuration, [(pattern, places)]), deepest first."""
        found: list[tuple[str, list[tuple[str, list[str]]]]] = []
        for name in ("tsconfig.json", "jsconfig.json"):
            for directory in self._all(name):
                rules = self._alias_rules(_join(directory, name))
                if rules:
                    found.append((directory, rules))
        return sorted(found, key=lambda pair: (-pair[0].count("/"), -len(pair[0]), pair[0]))

    def _alias_rules(self, path: str) -> list[tuple[str, list[str]]]:
        for _ in range(MAX_EXTENDS):
            config = self._json(path)
            options = config.get("compilerOptions")
            options = options if isinstance(options, dict) else {}
            here = path.rpartition("/")[0]
            base = options.get("baseUrl")
            paths = options.get("paths")
            if isinstance(base, str) or isinstance(paths, dict):
                start = _normal(here, base if isinstance(base, str) else ".")
                rules = [
                    (pattern, [_normal(start, place) for place in places if isinstance(place, str)])
                    for pattern, places in (paths if isinstance(paths, dict) else {}).items()
                    if isinstance(places, list)
                ]
                rules.sort(key=lambda rule: -len(rule[0].partition("*")[0]))
                return [*rules, ("*", [_join(start, "*")])] if isinstance(base, str) else rules
            parent = config.get("extends")
            if not isinstance(parent, str) or not parent.startswith("."):
                return []
            path = _normal(here, parent if parent.endswith(".json") else parent + ".json")
        return []

    @cached_property
    def _packages(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Package name -> (directory, manifest)."""
        found: dict[str, tuple[str, dict[str, Any]]] = {}
        for directory in self._all("package.json"):
            manifest = self._json(_join(directory, "package.json"))
            name = manifest.get("name")
            if isinstance(name, str) and name:
                found.setdefault(name, (directory, manifest))
        return found

    def script_paths(self, module: str, directory: str) -> Iterator[str]:
        """Yield the places that a bare module name may stand for, the most specific first."""
        for holder, rules in self._aliases:
            if holder and directory != holder and not directory.startswith(holder + "/"):
                continue
            for pattern, places in rules:
                head, star, tail = pattern.partition("*")
                if module == pattern or (
                    star
                    and module.startswith(head)
                    and module.endswith(tail)
                    and len(module) >= len(head) + len(tail)
                ):
                    middle = module[len(head) : len(module) - len(tail)] if star else ""
                    yield from (place.replace("*", middle) for place in places)
            break  # the nearest configuration decides
        parts = module.split("/")
        name = "/".join(parts[: 2 if module.startswith("@") else 1])
        if name in self._packages:
            where, manifest = self._packages[name]
            yield from self._exported(where, manifest, "/".join(parts[name.count("/") + 1 :]))

    def _exported(self, where: str, manifest: dict[str, Any], rest: str) -> Iterator[str]:
        exports = manifest.get("exports")
        key = f"./{rest}" if rest else "."
        for place in _conditions(exports, key):
            yield _normal(where, place)
            # a built file stands for its source
            yield re.sub(r"(^|/)(?:dist|lib|build)/", r"\1src/", _normal(where, place), count=1)
        if rest:
            yield _normal(where, rest)
            yield _normal(where, f"src/{rest}")
            return
        for field in ("source", "types", "module", "main"):
            if isinstance(manifest.get(field), str):
                yield _normal(where, manifest[field])
        yield _normal(where, "src/index")
        yield _join(where, "index")

    # -- Go --------------------------------------------------------------------------------------

    @cached_property
    def _go_modules(self) -> list[tuple[str, str]]:
        """(module path, directory), the longest module path first."""
        found: list[tuple[str, str]] = []
        for directory in self._all("go.mod"):
            match = _GO_MODULE.search(self._read(_join(directory, "go.mod")) or "")
            if match:
                found.append((match.group(1), directory))
        return sorted(found, key=lambda pair: (-len(pair[0]), pair))

    def go_directory(self, module: str, importer: str) -> str | None:
        """Return the directory of a package of this tree; None when it lies elsewhere."""
        for name, directory in self._go_modules:
            if module == name or module.startswith(name + "/"):
                return _join(directory, module[len(name) + 1 :])
        return None

    # -- Rust ------------------------------------------------------------------------------------

    @cached_property
    def _crates(self) -> dict[str, str]:
        """Crate name -> directory of its Cargo.toml."""
        found: dict[str, str] = {}
        for directory in self._all("Cargo.toml"):
            try:
                manifest = tomllib.loads(self._read(_join(directory, "Cargo.toml")) or "")
            except (tomllib.TOMLDecodeError, RecursionError):
                continue
            package = manifest.get("package")
            name = package.get("name") if isinstance(package, dict) else None
            if isinstance(name, str):
                found.setdefault(name.replace("-", "_"), directory)
        return found

    def crate_source(self, path: str) -> str:
        """Return the `src` directory of the crate that a file belongs to."""
        holders = set(self._crates.values())
        directory = path.rpartition("/")[0]
        while True:
            if directory in holders or not directory:
                return _join(directory, "src")
            directory = directory.rpartition("/")[0]

    def crate_named(self, name: str) -> str | None:
        directory = self._crates.get(name)
        return None if directory is None else _join(directory, "src")

    # -- PHP -------------------------------------------------------------------------------------

    @cached_property
    def _namespaces(self) -> list[tuple[str, str]]:
        """(namespace prefix, directory), the longest prefix first."""
        found: list[tuple[str, str]] = []
        for directory in self._all("composer.json"):
            manifest = self._json(_join(directory, "composer.json"))
            for section in ("autoload", "autoload-dev"):
                autoload = manifest.get(section)
                rules = autoload.get("psr-4") if isinstance(autoload, dict) else None
                for prefix, places in (rules if isinstance(rules, dict) else {}).items():
                    for place in places if isinstance(places, list) else [places]:
                        if isinstance(place, str):
                            found.append((prefix, _normal(directory, place or ".")))
        return sorted(found, key=lambda pair: (-len(pair[0]), pair))

    def php_files(self, name: str) -> Iterator[str]:
        for prefix, directory in self._namespaces:
            if name.startswith(prefix):
                yield _join(directory, name[len(prefix) :].replace("\\", "/") + ".php")


def _conditions(exports: Any, key: str) -> Iterator[str]:
    """Yield the files that `exports` of a package.json names for a subpath."""
    if isinstance(exports, dict) and any(str(k).startswith(".") for k in exports):
        chosen = exports.get(key)
        if chosen is None:
            for pattern, value in exports.items():
                head, star, tail = str(pattern).partition("*")
                if star and key.startswith(head) and key.endswith(tail):
                    middle = key[len(head) : len(key) - len(tail)]
                    yield from (p.replace("*", middle) for p in _conditions(value, "."))
            return
        exports = chosen
    elif key != ".":
        return
    pending = [exports]
    for _ in range(100):
        if not pending:
            return
        value = pending.pop(0)
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory and name else directory or name


def _normal(directory: str, relative: str) -> str:
    path = os.path.normpath(f"{directory}/{relative}" if directory else relative)
    return "" if path == "." else path.lstrip("/")
