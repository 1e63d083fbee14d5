"""The access label of a path, from the configured rules. Fails closed.

The user's rules (`access`) decide by the last one that matches; once there are any, a path that
none matches is nobody's. The project's rules (`restrict`) can only take away: what one of them
matches also needs one of its groups, and where no group satisfies both, nobody sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tadoru.config import AccessRule, Config
from tadoru.indexing.patterns import RuleSet, rule_set
from tadoru.types import HIDDEN, PUBLIC, Access, AccessRow

if TYPE_CHECKING:
    from tadoru.stores.sqlite import SqliteStore
    from tadoru.stores.sqlite.writer import Writer

Labels = Callable[[str], AccessRow | None]


def labels(config: Config) -> Labels | None:
    """Return the function from path to label; None when the configuration has no rules."""
    if not config.access and not config.restrict:
        return None
    grants = _compiled(config.access)
    limits = _compiled(config.restrict)

    def label(path: str) -> AccessRow | None:
        granted = _last(grants, path) if config.access else AccessRule("", public=True)
        if granted is None:
            return None
        public, groups = granted.public, granted.groups
        for rules, limit in limits:
            if _matches(rules, path) and not limit.public:
                groups = limit.groups if public else groups & limit.groups
                public = False
        if public:
            return PUBLIC
        return AccessRow(0, public=False, groups=groups) if groups else None

    return label


def _compiled(rules: Sequence[AccessRule]) -> list[tuple[RuleSet | None, AccessRule]]:
    return [(rule_set([rule.glob]), rule) for rule in rules]


def _last(rules: list[tuple[RuleSet | None, AccessRule]], path: str) -> AccessRule | None:
    for compiled, rule in reversed(rules):
        if _matches(compiled, path):
            return rule
    return None


def _matches(rules: RuleSet | None, path: str) -> bool:
    """Tell whether a glob matches the path or a directory above it."""
    if rules is None:
        return False
    if rules.match(path, False):
        return True
    while path:
        path = path.rpartition("/")[0]
        if path and rules.match(path, True):
            return True
    return False


def everything(store: SqliteStore) -> Access:
    """Return all labels. The indexer alone reads with it, and nothing of that goes to anybody."""
    return frozenset(row.id for row in store.access_rows()) | {HIDDEN.id, PUBLIC.id}


_right: dict[str, tuple[int, Config]] = {}
"""Store id -> the generation and configuration for which its labels were found right."""


def ensure(store: SqliteStore, config: Config, writer: Writer | None = None) -> None:
    """Bring the labels of a store in line with the rules, before anybody is answered.

    Raises: `StoreBusy` when another writer does not finish in time.
    """
    labelled = store.labelled
    rules = labels(config)
    if rules is None and not labelled:
        return
    stamp = (store.generation, config)
    if _right.get(store.id) == stamp:
        return
    if (rules is None) == labelled or _mislabelled(store, rules):
        if writer is not None:
            _relabel(writer, rules)
        else:
            with store.writer(labels=rules) as own:
                _relabel(own, rules)
    _right[store.id] = (store.generation, config)


def _relabel(writer: Writer, rules: Labels | None) -> None:
    if rules is not None:
        writer.label(rules)
    else:
        writer.unlabel()


def _mislabelled(store: SqliteStore, rules: Labels | None) -> bool:
    rows = {row.id: row for row in store.access_rows()}
    for entry in store.entries(access=everything(store)):
        row = rows.get(entry.access_id, HIDDEN)
        wanted = (rules(entry.path) if rules else PUBLIC) or HIDDEN
        groups = frozenset() if wanted.public else wanted.groups
        if row.public != wanted.public or (not row.public and row.groups != groups):
            return True
    return False
