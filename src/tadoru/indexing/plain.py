"""Walk a tree without git: outside repositories, where git is missing, and below ignored places.

Reads `.gitignore` files as git would, from the root of the repository (if there is one) downwards,
beside `DEFAULT_IGNORES`. Follows no link, opens nothing but ignore files, and hands directories
that hold a `.git` to the caller, who may ask git about them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from tadoru.indexing.defaults import DEFAULT_IGNORES
from tadoru.indexing.patterns import Rule, RuleSet, RuleStack, file_lines, rule_set
from tadoru.indexing.repositories import common_directory, repository_of

MAX_RULES_BYTES = 1024 * 1024
"""A larger ignore file is not one."""

Found = Callable[[str], bool]


def read_rules(root: str, directory: str, name: str) -> RuleSet | None:
    """Read an ignore file of a directory (root-relative); None when there is none to read."""
    path = f"{root}/{directory}/{name}" if directory else f"{root}/{name}"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_RULES_BYTES:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            data = stream.read(MAX_RULES_BYTES)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    source = f"{directory}/{name}" if directory else name
    return rule_set(file_lines(data), base=directory, source=source)


def default_rules() -> RuleSet:
    rules = rule_set(DEFAULT_IGNORES, source="defaults")
    assert rules is not None
    return rules


class LeftOut(NamedTuple):
    """A place that a rule leaves out; of a directory, itself alone."""

    path: str
    is_dir: bool
    reason: str


class PlainWalk:
    """One walk. Afterwards `ignored` holds what was left out, directories without their content."""

    def __init__(self, root: str, *, on_repository: Found, on_error: Callable[[str], None]) -> None:
        self._root = root
        self._on_repository = on_repository
        self._on_error = on_error
        self.ignored: list[LeftOut] = []

    def names(self, start: str) -> Iterator[str]:
        """Yield root-relative names of everything but directories below `start`."""
        sets = tuple(rules_above(self._root, start))
        pending: list[tuple[str, tuple[RuleSet, ...]]] = [(start, sets)]
        while pending:
            directory, sets = pending.pop()
            entries = self._entries(directory)
            if any(entry.name == ".gitignore" for entry in entries):
                own = read_rules(self._root, directory, ".gitignore")
                sets = (*sets, own) if own else sets
            for entry in entries:
                path = f"{directory}/{entry.name}" if directory else entry.name
                is_dir = entry.is_dir(follow_symlinks=False)
                if entry.name == ".git":
                    continue
                rule = deciding(sets, path, is_dir)
                if rule is not None and not rule.negated:
                    self.ignored.append(LeftOut(path, is_dir, because_of(rule)))
                elif not is_dir:
                    yield path
                elif not (self._holds_git(path) and self._on_repository(path)):
                    pending.append((path, sets))

    def _entries(self, directory: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(f"{self._root}/{directory}" if directory else self._root) as entries:
                return list(entries)
        except OSError:
            self._on_error(directory)
            return []

    def _holds_git(self, path: str) -> bool:
        return os.path.lexists(f"{self._root}/{path}/.git")


def rules_above(root: str, start: str) -> Iterator[RuleSet]:
    """Yield what decides before the ignore file of `start` itself, weakest first.

    In a repository: its `info/exclude`, and the ignore files from its top down; elsewhere
    `DEFAULT_IGNORES`, and the ignore files from the root down.
    """
    directory = f"{root}/{start}" if start else root
    top = repository_of(directory)
    if top:
        exclude = read_rules(common_directory(top), "info", "exclude")
        if exclude:
            yield moved(exclude, top, root)
    else:
        top = root
        yield default_rules()
    parts = directory[len(top) :].strip("/").split("/")
    for depth in range(len(parts) if parts != [""] else 0):
        found = read_rules(top, "/".join(parts[:depth]), ".gitignore")
        if found:
            yield moved(found, f"{top}/{found.base}".rstrip("/"), root)


def moved(rules: RuleSet, directory: str, root: str) -> RuleSet:
    """Return the rules of a file in `directory` (absolute), made to be asked about root's paths."""
    if directory == root:
        return replace(rules, base="")
    if directory.startswith(root + "/"):
        return replace(rules, base=directory[len(root) + 1 :])
    return replace(rules, base="", above=root[len(directory) :].strip("/"))


def because_of(rule: Rule) -> str:
    return f"ignored by {rule.source}: {rule.text}"


def deciding(sets: tuple[RuleSet, ...], path: str, is_dir: bool) -> Rule | None:
    """Return the strongest rule about a path itself; the last set is the strongest."""
    for rules in reversed(sets):
        rule = rules.match(path, is_dir)
        if rule is not None:
            return rule
    return None


def brought_back(
    root: str, candidates: list[tuple[str, bool]], overlay: RuleStack, *, on_repository: Found
) -> Iterator[str]:
    """Yield the names below ignored places that the overlay asks for.

    Descends only where a rule can still match, and into nothing that `DEFAULT_IGNORES` names
    unless a rule asks for that very directory.
    """
    defaults = default_rules()
    pending = list(candidates)
    while pending:
        path, is_dir = pending.pop()
        rule = overlay.decide(path, is_dir)
        wanted = rule is not None and rule.negated
        if not is_dir:
            if wanted:
                yield path
            continue
        own = overlay.own(path, True)
        spelled = bool(own and own.negated) or overlay.reaches_below(path, by_name=True)
        if defaults.match(path, True) and not spelled:
            continue
        if not wanted and (rule is not None or not overlay.reaches_below(path)):
            continue
        if wanted and os.path.lexists(f"{root}/{path}/.git") and on_repository(path):
            continue
        try:
            with os.scandir(f"{root}/{path}") as entries:
                pending.extend(
                    (f"{path}/{entry.name}", entry.is_dir(follow_symlinks=False))
                    for entry in entries
                    if entry.name != ".git"
                )
        except OSError:
            continue
