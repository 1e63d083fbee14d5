"""What rg is asked to do, as one frozen value, with rg's own defaults for a pipe.

Decides precedence and wording. Accepts and ignores what has no meaning here: threads, memory maps,
ignore files (the tree is already what they leave), configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tadoru.shell.commands.context import UsageError
from tadoru.shell.commands.options import Option, Options

HUGE = 1 << 62

_FLAGS = {
    "ignore-case": ("i", "case", "ignore"),
    "case-sensitive": ("s", "case", "sensitive"),
    "smart-case": ("S", "case", "smart"),
    "fixed-strings": ("F", "fixed", True),
    "no-fixed-strings": ("", "fixed", False),
    "pcre2": ("P", "perl", True),
    "no-pcre2": ("", "perl", False),
    "word-regexp": ("w", "word", True),
    "line-regexp": ("x", "line", True),
    "invert-match": ("v", "invert", True),
    "multiline": ("U", "multiline", True),
    "no-multiline": ("", "multiline", False),
    "multiline-dotall": ("", "dotall", True),
    "line-number": ("n", "numbers", True),
    "no-line-number": ("N", "numbers", False),
    "column": ("", "column", True),
    "no-column": ("", "column", False),
    "byte-offset": ("b", "offsets", True),
    "with-filename": ("H", "names", True),
    "no-filename": ("I", "names", False),
    "heading": ("", "heading", True),
    "no-heading": ("", "heading", False),
    "vimgrep": ("", "vimgrep", True),
    "null": ("0", "null", True),
    "null-data": ("", "zero", True),
    "only-matching": ("o", "only_matching", True),
    "passthru passthrough": ("", "passthru", True),
    "trim": ("", "trim", True),
    "no-trim": ("", "trim", False),
    "quiet": ("q", "quiet", True),
    "count": ("c", "mode", "count"),
    "count-matches": ("", "mode", "count-matches"),
    "files-with-matches": ("l", "mode", "with"),
    "files-without-match": ("", "mode", "without"),
    "include-zero": ("", "include_zero", True),
    "files": ("", "files", True),
    "type-list": ("", "type_list", True),
    "hidden": (".", "hidden", True),
    "no-hidden": ("", "hidden", False),
    "follow": ("L", "follow", True),
    "no-follow": ("", "follow", False),
    "text": ("a", "text", True),
    "no-text": ("", "text", False),
    "no-messages": ("", "no_messages", True),
    "max-columns-preview": ("", "preview", True),
    "no-context-separator": ("", "separator", None),
    "glob-case-insensitive": ("", "fold_globs", True),
    "help": ("h", "information", "help"),
    "version": ("V", "information", "version"),
}
_IGNORED = (
    "no-ignore no-ignore-vcs no-ignore-parent no-ignore-global no-ignore-dot no-ignore-exclude "
    "no-ignore-files no-ignore-messages ignore ignore-vcs no-config no-mmap mmap crlf no-crlf "
    "line-buffered no-line-buffered block-buffered one-file-system no-unicode unicode binary "
    "no-binary no-require-git no-pre auto-hybrid-regex no-encoding ignore-file-case-insensitive"
)
_VALUES = {
    "regexp": "e",
    "file": "f",
    "glob": "g",
    "iglob": "",
    "type": "t",
    "type-not": "T",
    "type-add": "",
    "type-clear": "",
    "after-context": "A",
    "before-context": "B",
    "context": "C",
    "max-count": "m",
    "max-columns": "M",
    "max-depth maxdepth": "d",
    "replace": "r",
    "context-separator": "",
    "field-match-separator": "",
    "field-context-separator": "",
    "color": "",
    "sort": "",
    "sortr": "",
    "max-filesize": "",
}
_IGNORED_VALUES = {
    "threads": "j",
    "encoding": "E",
    "colors": "",
    "engine": "",
    "ignore-file": "",
    "regex-size-limit": "",
    "dfa-size-limit": "",
    "path-separator": "",
    "pre": "",
    "pre-glob": "",
}
OPTIONS = Options(
    *(Option(names.split()[0], short, names) for names, (short, _, _) in _FLAGS.items()),
    *(Option("", "", name) for name in _IGNORED.split()),
    *(Option(names.split()[0], short, names, "value") for names, short in _VALUES.items()),
    *(Option("", short, name, "value") for name, short in _IGNORED_VALUES.items()),
    Option("unrestricted", "u", "unrestricted"),
    Option("pretty", "p", "pretty"),
    Option("", "z", "search-zip"),
)
_SETS = {names.split()[0]: (field, value) for names, (_, field, value) in _FLAGS.items()}
_SUFFIXES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class RgOptions:
    """One call of rg."""

    sources: tuple[tuple[str, str], ...] = ()
    """("regexp", pattern) or ("file", name), in order."""
    operands: tuple[str, ...] = ()
    globs: tuple[tuple[str, bool], ...] = ()
    """(glob, without regard to case)."""
    types: tuple[str, ...] = ()
    types_not: tuple[str, ...] = ()
    types_added: tuple[str, ...] = ()
    """`NAME:GLOB` and `NAME:include:NAMES`, in order; a name alone forgets what it stands for."""
    case: str = "sensitive"
    fixed: bool = False
    perl: bool = False
    word: bool = False
    line: bool = False
    invert: bool = False
    multiline: bool = False
    dotall: bool = False
    zero: bool = False
    numbers: bool | None = None
    column: bool | None = None
    offsets: bool = False
    names: bool | None = None
    heading: bool = False
    vimgrep: bool = False
    null: bool = False
    only_matching: bool = False
    passthru: bool = False
    trim: bool = False
    quiet: bool = False
    mode: str = ""
    include_zero: bool = False
    files: bool = False
    type_list: bool = False
    hidden: bool = False
    follow: bool = False
    text: bool = False
    no_messages: bool = False
    preview: bool = False
    fold_globs: bool = False
    color: bool = False
    separator: str | None = "--"
    match_separator: str = ":"
    context_separator: str = "-"
    before: int = 0
    after: int = 0
    max_count: int = HUGE
    max_columns: int = 0
    max_depth: int = HUGE
    max_bytes: int = HUGE
    replace: str | None = None
    reverse: bool = False
    information: str = ""


def parse(argv: Sequence[str]) -> RgOptions:
    """Return what the words ask for. Raises UsageError."""
    try:
        parsed, operands = OPTIONS.parse("rg", argv)
    except UsageError as error:
        raise UsageError("error: " + str(error).partition("\n")[0], 2) from None
    values = _Values()
    for key, value in parsed:
        values.take(key, value)
    return values.finish(operands)


class _Values:
    def __init__(self) -> None:
        self.set: dict[str, object] = {}
        self.sources: list[tuple[str, str]] = []
        self.globs: list[tuple[str, bool]] = []
        self.types: dict[str, list[str]] = {"type": [], "type-not": []}
        self.types_added: list[str] = []
        self.context: int | None = None
        self.unrestricted = 0

    def take(self, key: str, value: str) -> None:
        if key in _SETS:
            field, setting = _SETS[key]
            self.set[field] = setting
        elif key in ("regexp", "file"):
            self.sources.append((key, value))
        elif key in ("glob", "iglob"):
            self.globs.append((value, key == "iglob"))
        elif key in self.types:
            self.types[key].append(value)
        elif key in ("type-add", "type-clear"):
            self.types_added.append(value)
        elif key == "unrestricted":
            self.unrestricted += 1
        elif key == "pretty":
            self.set |= {"color": True, "heading": True}
            self.set.setdefault("numbers", True)
        else:
            self._take_value(key, value)

    def _take_value(self, key: str, value: str) -> None:
        numbers = {"max-count": "max_count", "max-columns": "max_columns", "max-depth": "max_depth"}
        strings = {
            "replace": "replace",
            "context-separator": "separator",
            "field-match-separator": "match_separator",
            "field-context-separator": "context_separator",
        }
        if key in numbers:
            self.set[numbers[key]] = _number(key, value)
        elif key in strings:
            self.set[strings[key]] = value
        elif key in ("after-context", "before-context"):
            self.set[key.partition("-")[0]] = _number(key, value)
        elif key == "context":
            self.context = _number(key, value)
        elif key == "color":
            self.set["color"] = value in ("always", "ansi")
        elif key in ("sort", "sortr"):
            self.set["reverse"] = key == "sortr"
        elif key == "max-filesize":
            unit = _SUFFIXES.get(value[-1:].upper(), 1)
            self.set["max_bytes"] = _number(key, value[:-1] if unit > 1 else value) * unit

    def finish(self, operands: list[str]) -> RgOptions:
        if self.context is not None:
            self.set.setdefault("before", self.context)
            self.set.setdefault("after", self.context)
        if self.unrestricted > 1:
            self.set["hidden"] = True
        if self.unrestricted > 2:
            self.set["text"] = self.set.get("text", False)
        fold = bool(self.set.get("fold_globs"))
        return RgOptions(
            sources=tuple(self.sources),
            operands=tuple(operands),
            globs=tuple((glob, fold or folded) for glob, folded in self.globs),
            types=tuple(self.types["type"]),
            types_not=tuple(self.types["type-not"]),
            types_added=tuple(self.types_added),
            **self.set,  # type: ignore[arg-type]
        )


def _number(key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"error: Invalid value for '--{key} <NUM>': invalid digit found in string")
    return min(int(text[:18]), HUGE)
