"""Who will see a page: the rules of one publication. Refuses to publish without any.

`GLOB=GROUP,GROUP` gives pages to groups, `GLOB=public` to everybody, `GLOB=` to nobody; the last
rule that matches a path decides, and a path that none matches is not published. What the project's
own file restricts stays restricted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadoru.config import AccessRule, Config
from tadoru.errors import BadInput
from tadoru.indexing.labels import Labels, labels
from tadoru.stores.chroma.form import UNNUMBERED
from tadoru.types import AccessRow

EVERYTHING = "**"


def rules_of(config: Config, given: Sequence[str], *, public: bool) -> Labels:
    """Return the function from path to label; it returns None for what nobody may see.

    `given`: rules as on the command line, instead of those of the configuration; `public`: what no
    rule matches is public. Raises: `BadInput` for a rule that is none, or without any.
    """
    rules = tuple(_rule(text) for text in given) or config.access
    if public:
        rules = (AccessRule(EVERYTHING, public=True), *rules)
    if not rules:
        raise BadInput(
            "nothing says who may see these pages",
            hint="label them (--label 'internal/**=staff'), or publish them with --public",
        )
    granted = labels(replace(config, access=rules))

    def label(path: str) -> AccessRow | None:
        row = granted(path) if granted is not None else None
        return row if row is None or row.public else replace(row, id=UNNUMBERED)

    return label


def _rule(text: str) -> AccessRule:
    glob, equals, names = text.rpartition("=")
    if not equals or not glob:
        raise BadInput(f"{text!r} is no rule", hint="such as 'internal/**=staff,admin'")
    groups = frozenset(name.strip() for name in names.split(",") if name.strip())
    if "public" in groups:
        if len(groups) > 1:
            raise BadInput(f"{text!r}: public is no group beside others")
        return AccessRule(glob, public=True)
    return AccessRule(glob, groups)
