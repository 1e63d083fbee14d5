"""Why a path is not part of a tree: the rule that leaves it out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tadoru import git
from tadoru.config import IndexConfig
from tadoru.indexing.defaults import secret_like
from tadoru.indexing.overlay import OVERLAY_NAME, overlay_rules
from tadoru.indexing.patterns import RuleStack
from tadoru.indexing.plain import deciding, read_rules, rules_above
from tadoru.indexing.repositories import in_repository

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
        if ".git" in parts:
            return "inside .git"
        if secret_like(parts[-1]) and not self._config.serve_secrets:
            return f"secret-like name: {parts[-1]}"
        is_dir = os.path.isdir(f"{self.root}/{path}")  # noqa: PTH112
        overlay = RuleStack(list(overlay_rules(self.root, self._overlays(parts), self._config)))
        rule = overlay.decide(path, is_dir)
        if rule is not None:
            return "" if rule.negated else f"ignored by {rule.source}: {rule.text}"
        return self._by_git(parts) if self._git or self._nested(parts) else self._plain(parts)

    def wakes(self, path: str) -> bool:
        """Tell whether a change of this path can change the tree."""
        parts = path.split("/")
        if ".git" in parts:
            # a checkout changes files too; of git's own only what lists and ignores files matters
            after = parts[parts.index(".git") + 1 :]
            return after in (["index"], ["info", "exclude"])
        return parts[-1] in RULE_FILES or not self.rule(path)

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
        source, pattern = fields[0], fields[2]
        source = f"{holder}/{source}" if holder and not source.startswith("/") else source
        return f"ignored by {source}: {pattern}"

    def _plain(self, parts: list[str]) -> str:
        sets = list(rules_above(self.root, ""))
        for depth in range(len(parts)):
            found = read_rules(self.root, "/".join(parts[:depth]), ".gitignore")
            sets += [found] if found else []
            path = "/".join(parts[: depth + 1])
            is_dir = depth < len(parts) - 1 or os.path.isdir(f"{self.root}/{path}")  # noqa: PTH112
            rule = deciding(tuple(sets), path, is_dir)
            if rule is not None and not rule.negated:
                return f"ignored by {rule.source}: {rule.text}"
        return ""
