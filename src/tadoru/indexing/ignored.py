"""Why a path is not part of a tree: the rule that leaves it out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from tadoru import git
from tadoru.config import IndexConfig
from tadoru.indexing.defaults import secret_like
from tadoru.indexing.overlay import OVERLAY_NAME, overlay_rules
from tadoru.indexing.patterns import RuleStack
from tadoru.indexing.plain import because_of, deciding, read_rules, rules_above
from tadoru.indexing.repositories import in_repository

LIST_SECONDS = 60.0
"""For one listing: a first `ls-files` on a cold disk reads every directory."""
IGNORED_PLACES = ("ls-files", "-oi", "--exclude-standard", "--directory", "-z")
"""The question to git for what its rules leave out."""
RULE_FILES = (".gitignore", OVERLAY_NAME)


def ignored_rule(root: Path | str, config: IndexConfig) -> Callable[[str], str]:
    """Return a function from a root-relative path to the rule that leaves it out, or to `""`.

    The path need not exist: the rule tells what would become of it.
    """
    return Ignored(os.path.realpath(root), config).rule


class Ignored:
    """Answers for one root; reads ignore files when asked, so it never grows old."""

    def __init__(self, root: str, config: IndexConfig) -> None:
        self.root = root.rstrip("/")
        self._config = config
        self._git = in_repository(root)

    def rule(self, path: str) -> str:
        path = path.strip("/")
        parts = path.split("/")
        if not path or ".." in parts or "\0" in path:
            return ""
        own = self._by_ourselves(path, parts)
        if own is not None:
            return own
        return self._by_git(parts) if self._git or self._nested(parts) else self._plain(parts)

    def _by_ourselves(self, path: str, parts: list[str]) -> str | None:
        """Return what is decided before git: a reason, `""` for a path that is brought back."""
        if ".git" in parts:
            return "inside .git"
        if secret_like(parts[-1]) and not self._config.serve_secrets:
            return f"secret-like name: {parts[-1]}"
        overlay = RuleStack(list(overlay_rules(self.root, self._overlays(parts), self._config)))
        rule = overlay.decide(path, os.path.isdir(f"{self.root}/{path}"))  # noqa: PTH112
        if rule is None:
            return None
        return "" if rule.negated else because_of(rule)

    def wakes(self, paths: Iterable[str]) -> bool:
        """Tell whether a change of one of these paths can change the tree."""
        by_git: dict[str, list[str]] = {}
        for path in paths:
            parts = path.split("/")
            if ".git" in parts:
                # a checkout changes files too; of git's own only lists and rules count
                after = parts[parts.index(".git") + 1 :]
                if after in (["index"], ["info", "exclude"]):
                    return True
            elif parts[-1] in RULE_FILES:
                return True
            elif (holder := self._nested(parts)) or self._git:
                own = self._by_ourselves(path, parts)
                if own == "":
                    return True
                if own is None:
                    by_git.setdefault(holder, []).append(path[len(holder) :].lstrip("/"))
            elif not self.rule(path):
                return True
        return any(not self._all_ignored(holder, inner) for holder, inner in by_git.items())

    def _all_ignored(self, holder: str, inner: list[str]) -> bool:
        where = f"{self.root}/{holder}" if holder else self.root
        names = b"\0".join(os.fsencode(path) for path in inner)
        output = git.run(where, "check-ignore", "-z", "--stdin", stdin=names)
        ignored = set(os.fsdecode(output or b"").split("\0"))
        return all(path in ignored for path in inner)

    def _overlays(self, parts: list[str]) -> list[str]:
        return ["/".join([*parts[:depth], OVERLAY_NAME]) for depth in range(len(parts))]

    def _nested(self, parts: list[str]) -> str:
        """Return the deepest directory on the way that holds a repository; else empty."""
        for depth in range(len(parts) - 1, 0, -1):
            directory = "/".join(parts[:depth])
            if os.path.lexists(f"{self.root}/{directory}/.git"):
                return directory
        return ""

    def _by_git(self, parts: list[str]) -> str:
        holder = self._nested(parts)
        inner = "/".join(parts)[len(holder) :].lstrip("/")
        where = f"{self.root}/{holder}" if holder else self.root
        output = git.run(where, "check-ignore", "-v", "-z", "--stdin", stdin=os.fsencode(inner))
        if output is None:
            return self._plain(parts)
        fields = os.fsdecode(output or b"").split("\0")
        if len(fields) < 4 or fields[2].startswith("!"):
            return ""
        return _told_by_git(holder, fields[0], fields[2])

    def _plain(self, parts: list[str]) -> str:
        sets = list(rules_above(self.root, ""))
        for depth in range(len(parts)):
            found = read_rules(self.root, "/".join(parts[:depth]), ".gitignore")
            sets += [found] if found else []
            path = "/".join(parts[: depth + 1])
            is_dir = depth < len(parts) - 1 or os.path.isdir(f"{self.root}/{path}")  # noqa: PTH112
            rule = deciding(tuple(sets), path, is_dir)
            if rule is not None and not rule.negated:
                return because_of(rule)
        return ""


def ignored_by_git(root: str, repositories: Iterable[str]) -> dict[str, list[str]]:
    """Return reason -> places that the rules of git leave out, directories without their content.

    `repositories`: those that git has listed, root-relative. Empty where git gives no answer.
    """
    found: dict[str, list[str]] = {}
    for holder in repositories:
        where = f"{root}/{holder}" if holder else root
        names = git.run(where, *IGNORED_PLACES, timeout=LIST_SECONDS)
        if not names:
            continue
        said = git.run(where, "check-ignore", "-v", "-z", "--stdin", stdin=names)
        fields = os.fsdecode(said or b"").split("\0")
        rules = dict(zip(fields[3::4], zip(fields[0::4], fields[2::4], strict=False), strict=False))
        for name in os.fsdecode(names).split("\0"):
            if name:
                source, pattern = rules.get(name, ("git", "all that is in it"))
                path = f"{holder}/{name}" if holder else name
                found.setdefault(_told_by_git(holder, source, pattern), []).append(path)
    return found


def _told_by_git(holder: str, source: str, pattern: str) -> str:
    source = f"{holder}/{source}" if holder and not source.startswith("/") else source
    return f"ignored by {source}: {pattern}"
