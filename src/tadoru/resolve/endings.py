"""Extensions that agents put for one another: `yml` for `yaml`, `js` for `ts`, `h` for `hpp`.

Decides how near two extensions are. Knows names alone; what a file really holds is for others.
"""

from __future__ import annotations

EXTENSION_FAMILIES = (
    "ts tsx js jsx mjs cjs mts cts vue svelte",
    "py pyi pyx ipynb rs go",
    "yaml yml json jsonc json5 toml",
    "md mdx rst txt adoc",
    "c h cc cpp cxx hpp hh s",
    "html htm jinja j2 tmpl xhtml",
    "css scss less sass",
    "png svg jpg jpeg gif webp",
    "sh bash zsh",
    "java kt kts scala groovy",
    "dts dtsi",
)
_FAMILY = {ext: n for n, family in enumerate(EXTENSION_FAMILIES) for ext in family.split()}


def same_family(left: str, right: str) -> bool:
    """Tell whether two extensions (folded, without dot) are mistaken for one another."""
    family = _FAMILY.get(left)
    return family is not None and family == _FAMILY.get(right)


_LANGUAGES = {"py": "py", "pyi": "py", "pyx": "py", "ipynb": "py", "rs": "rs", "go": "go"}


def kin(left: str, right: str) -> bool:
    """Tell whether two extensions (folded) can stand for one kind of text: `ts` and `tsx`.

    Narrower than what is mistaken for one another: `py` and `go` are different languages.
    """
    if left == right:
        return True
    return same_family(left, right) and _LANGUAGES.get(left) == _LANGUAGES.get(right)


_ALIKE = tuple(
    frozenset(group.split())
    for group in (
        "h hh hpp hxx", "c cc cpp cxx", "ts tsx mts cts", "js jsx mjs cjs", "yaml yml",
        "json jsonc json5", "png jpg jpeg gif webp", "py pyi pyx", "md mdx", "css scss sass less",
    )
)  # fmt: skip
_SCRIPTS = (frozenset({"py", "sh", "bash", "zsh", "rb", "pl", "lua"}),)
_KINDS = tuple(
    frozenset(group.split())
    for group in (
        "py pyi rs go ts tsx js jsx mjs cjs mts cts java kt scala groovy c cc cpp cxx h hpp rb php "
        "cs swift vue svelte dart ex sh",
        "yaml yml json jsonc json5 toml ini cfg conf xml properties lock",
        "md mdx rst txt adoc html htm",
    )
)


def is_ending(extension: str) -> bool:
    """Tell whether an extension (folded) is one that everybody knows."""
    return extension in _FAMILY


def closeness(left: str, right: str) -> int:
    """Return how easily one extension (folded) is written for another, 0 to 4.

    4: another spelling of it (`yml`, `yaml`); 3: kin; 2: both scripts; 1: both code, both data,
    both prose; 0: nothing in common.
    """

    def share(groups: tuple[frozenset[str], ...]) -> bool:
        return any(left in group and right in group for group in groups)

    if left == right or share(_ALIKE):
        return 4
    if kin(left, right):
        return 3
    return 2 if share(_SCRIPTS) else int(share(_KINDS))
