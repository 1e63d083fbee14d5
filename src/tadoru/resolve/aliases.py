"""Names that packages give to directories: `@scope/ui/button` is `packages/ui/button`.

Reads the manifests that the tree shows (package.json, Cargo.toml, go.mod, pyproject.toml), once per
tree, and only for a request whose first directories do not exist. Refuses files that are not
plainly readable; a broken manifest is no alias, never an error.
"""

from __future__ import annotations

import json
import re
import threading
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tadoru.resolve.index import path_index
from tadoru.resolve.normalize import Request

if TYPE_CHECKING:
    from tadoru.tree import Tree
    from tadoru.views import View

MANIFESTS = ("package.json", "Cargo.toml", "go.mod", "pyproject.toml")
MANIFESTS_READ = 200
"""Manifests read per tree, those nearest to the root first."""
MANIFEST_BYTES = 256 * 1024
_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)

_lock = threading.Lock()
_known: WeakKeyDictionary[Tree, dict[str, str]] = WeakKeyDictionary()


def unalias(view: View, request: Request) -> Request:
    """Return the request with a package name at its front replaced by the package's directory."""
    parts = request.spelled
    if len(parts) < 2 or view.tree.is_dir(parts[0]):
        return request
    names = aliases(view)
    if not names:
        return request
    if parts[0] == "node_modules":
        parts = parts[1:]
    for length in range(min(4, len(parts) - 1), 0, -1):
        directory = names.get("/".join(parts[:length]))
        if directory is not None:
            rest = tuple(filter(None, directory.split("/"))) + parts[length:]
            path = "/".join(rest)
            exists = view.tree.resolve(path) is not None
            return replace(request, parts=rest, existing=path if exists else None, outside=False)
    return request


def aliases(view: View) -> dict[str, str]:
    """Return package name -> directory for the manifests of a tree."""
    tree = view.tree
    with _lock:
        known = _known.get(tree)
    if known is None:
        known = _read(view)
        with _lock:
            _known[tree] = known
    return known


def _read(view: View) -> dict[str, str]:
    by_name = path_index(view.tree).by_name
    paths = [path for name in MANIFESTS for path in by_name.get(name, ())]
    paths = [p for p in paths if "node_modules/" not in p and "/vendor/" not in p]
    found: dict[str, str] = {}
    for path in sorted(paths, key=lambda p: (p.count("/"), p))[:MANIFESTS_READ]:
        directory, _, name = path.rpartition("/")
        data = view.read(path, size=MANIFEST_BYTES)
        package = _package(name, data.decode("utf-8", "replace")) if data else ""
        if package and package not in found:
            found[package] = directory
    return found


def _package(manifest: str, text: str) -> str:
    """Return the name that a manifest gives to its directory; empty when it gives none."""
    if manifest == "go.mod":
        match = _MODULE.search(text)
        return match.group(1).strip('"') if match else ""
    try:
        data: Any = json.loads(text) if manifest == "package.json" else tomllib.loads(text)
    except (ValueError, RecursionError):
        return ""
    table = data
    if manifest != "package.json" and isinstance(data, dict):
        table = data.get("package" if manifest == "Cargo.toml" else "project")
    name = table.get("name") if isinstance(table, dict) else None
    return name.strip("/") if isinstance(name, str) else ""
