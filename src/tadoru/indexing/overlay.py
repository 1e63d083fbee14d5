"""The rules that overrule git: `.tadoruignore` files, `ignore` and `include` of the settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tadoru.config import IndexConfig
from tadoru.indexing.patterns import RuleSet, rule_set
from tadoru.indexing.plain import read_rules

OVERLAY_NAME = ".tadoruignore"


def overlay_rules(root: str, names: Iterable[str], config: IndexConfig) -> Iterator[RuleSet]:
    """Yield the rules that overrule git's, weakest first."""
    files = (n for n in names if n.endswith(OVERLAY_NAME) and n[: -len(OVERLAY_NAME)][-1:] in "/")
    for name in sorted(files, key=lambda n: (n.count("/"), n)):
        rules = read_rules(root, name.rpartition("/")[0], OVERLAY_NAME)
        if rules:
            yield rules
    for lines, source in (
        (config.ignore, "the configured ignore"),
        ([f"!{glob.removeprefix('./')}" for glob in config.include], "the configured include"),
    ):
        rules = rule_set(lines, source=source)
        if rules:
            yield rules
