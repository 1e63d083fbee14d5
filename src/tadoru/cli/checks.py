"""What `tadoru doctor` looks at. Every check is made for real, and names what to do about a fault.

Only looks: it creates no index, repairs nothing, and talks to nobody but a configured cache.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tadoru.errors import NotIndexed, StoreBusy, TadoruError
from tadoru.types import Freshness

if TYPE_CHECKING:
    from tadoru.sources import LocalSource

OLDEST = (3, 11)
_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report."""

    name: str
    status: Literal["ok", "warn", "fail"]
    detail: str
    fix: str = ""


def check_all(root: Path, *, yes: bool) -> Iterator[Check]:
    """Yield the checks of the installation, then those of one root."""
    yield _python()
    yield _packages()
    yield _grammars()
    yield _git()
    yield from _home_and_index(root, yes=yes)


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST:
        return Check("python", "fail", version, "install Python 3.11 or later")
    return Check("python", "ok", f"{version} ({sys.executable})")


def _packages() -> Check:
    needed = required()
    missing = [name for name in needed if not _installed(name)]
    if missing:
        return Check("packages", "fail", f"missing: {', '.join(missing)}", "reinstall tadoru")
    return Check("packages", "ok", f"{len(needed)} found")


def required() -> list[str]:
    """Return the packages that tadoru's own metadata requires, without those of extras."""
    lines = [line for line in requires("tadoru") or [] if "extra ==" not in line]
    return [_NAME.match(line)[0] for line in lines if ";" not in line]  # type: ignore[index]


def _installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def _grammars() -> Check:
    from tadoru.indexing.grammars import failures, language
    from tadoru.text.languages import CORE

    missing = [name for name in CORE if language(name) is None]
    if missing:
        why = "; ".join(f"{name}: {failures.get(name, 'none')}" for name in missing)
        return Check("grammars", "fail", why, "reinstall tadoru; such files are cut into lines")
    return Check("grammars", "ok", f"{len(CORE)} languages")


def _git() -> Check:
    found = shutil.which("git")
    if found is None:
        return Check("git", "warn", "not found", "without it, renames are not seen in history")
    return Check("git", "ok", found)


def _home_and_index(root: Path, *, yes: bool) -> Iterator[Check]:
    from tadoru.cli.model_checks import check_models
    from tadoru.cli.store_checks import check_stores
    from tadoru.config import load
    from tadoru.roots import check_root, home
    from tadoru.sources import LocalSource

    try:
        canonical = check_root(root, yes=yes)
        config = load(canonical)
        directory = home(config)
        source = LocalSource(canonical, config, indexes=False)
    except TadoruError as error:
        yield Check("root", "fail", error.message, error.hint)
        return
    left_out = "; ".join(config.warnings)
    yield Check("configuration", "warn" if left_out else "ok", left_out or "valid")
    yield _home(directory)
    yield from check_models(config.models, directory)
    yield from check_stores(config)
    try:
        yield from _index(source)
    finally:
        source.close()


def _home(directory: Path) -> Check:
    existing = directory
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not os.access(existing, os.W_OK | os.X_OK):
        fix = "make it writable, or set TADORU_HOME to a directory that is"
        return Check("home", "fail", f"{existing} cannot be written", fix)
    if existing == directory and stat.S_IMODE(directory.stat().st_mode) & 0o022:
        return Check("home", "warn", f"{directory}: others may write", f"chmod go-w {directory}")
    free = shutil.disk_usage(existing).free // 10**6
    return Check("home", "ok", f"{directory}, {free} MB free")


def _index(source: LocalSource) -> Iterator[Check]:
    from tadoru.cli.model_checks import check_vectors
    from tadoru.stores.sqlite.schema import DATABASE

    path = source.directory / DATABASE
    if not path.exists():
        yield Check("index", "warn", f"{source.root} is not indexed", "tadoru index")
        return
    fault = _damage(source)
    if fault:
        yield Check("index", "fail", f"{path}: {fault}", "tadoru index --rebuild")
        return
    size = path.stat().st_size / 10**6
    yield Check("index", "ok", f"{path}, {size:.1f} MB, integrity checked")
    yield _segments(source)
    yield _private(path)
    yield _lock(source.directory)
    yield from check_vectors(source)
    yield _freshness(source.root)


def _damage(source: LocalSource) -> str:
    """Return what is wrong with the database; empty when it is sound."""
    try:
        return "; ".join(source.store.check())
    except TadoruError as error:
        return error.message


def _segments(source: LocalSource) -> Check:
    try:
        broken = source.store.broken_segments()
    except TadoruError as error:
        return Check("segments", "fail", error.message, error.hint)
    if broken:
        detail = f"{', '.join(broken)} damaged or gone: answers are right, and slower"
        return Check("segments", "fail", detail, "tadoru index")
    return Check("segments", "ok", "checksums are right")


def _private(path: Path) -> Check:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        fix = f"chmod 600 {path}"
        return Check("permissions", "fail", f"{path} has mode {mode:o}: others may read", fix)
    return Check("permissions", "ok", f"mode {mode:o}")


def _lock(directory: Path) -> Check:
    from tadoru.stores.sqlite.lock import writer_lock

    try:
        with writer_lock(directory, 0):
            return Check("lock", "ok", "free")
    except StoreBusy as error:
        return Check("lock", "warn", error.message, error.hint)


def _freshness(root: Path) -> Check:
    import tadoru

    try:
        with tadoru.open(root, index=False, yes=True) as workspace:
            state = workspace.status()
    except NotIndexed:
        return Check("freshness", "warn", "the first run is not finished", "tadoru index")
    if state.status is Freshness.FRESH:
        return Check("freshness", "ok", f"{state.files} files")
    return Check("freshness", "warn", str(state), "the next question or `tadoru index` updates it")
