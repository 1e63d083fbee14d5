"""What grep is asked to do: GNU grep 3.8's command line as one frozen value.

Decides precedence and wording only. Where options contradict each other, the rule is GNU's: the
last of `-h`/`-H` and of `-l`/`-L` counts, `-q`, `-l` and `-L` silence `-c`, a number given to `-A`
or `-B` overrules `-C` wherever it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tadoru.shell.commands.context import UsageError
from tadoru.shell.commands.options import Option, Options, Parsed

HUGE = 1 << 62
"""Stands for a number too large to matter."""

USAGE = "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information."

OPTIONS = Options(
    Option("basic", "G", "basic-regexp"),
    Option("extended", "E", "extended-regexp"),
    Option("fixed", "F", "fixed-strings"),
    Option("perl", "P", "perl-regexp"),
    Option("A", "A", "after-context", "value"),
    Option("B", "B", "before-context", "value"),
    Option("binary-files", "", "binary-files", "value"),
    Option("U", "U", "binary"),
    Option("b", "b", "byte-offset"),
    Option("C", "C", "context", "value"),
    Option("color", "", "color colour", "maybe"),
    Option("c", "c", "count"),
    Option("D", "D", "devices", "value"),
    Option("d", "d", "directories", "value"),
    Option("exclude", "", "exclude", "value"),
    Option("exclude-from", "", "exclude-from", "value"),
    Option("exclude-dir", "", "exclude-dir", "value"),
    Option("f", "f", "file", "value"),
    Option("l", "l", "files-with-matches"),
    Option("L", "L", "files-without-match"),
    Option("group-separator", "", "group-separator", "value"),
    Option("help", "", "help"),
    Option("include", "", "include", "value"),
    Option("i", "iy", "ignore-case"),
    Option("no-i", "", "no-ignore-case"),
    Option("T", "T", "initial-tab"),
    Option("label", "", "label", "value"),
    Option("line-buffered", "", "line-buffered"),
    Option("n", "n", "line-number"),
    Option("x", "x", "line-regexp"),
    Option("m", "m", "max-count", "value"),
    Option("h", "h", "no-filename"),
    Option("no-group-separator", "", "no-group-separator"),
    Option("s", "s", "no-messages"),
    Option("Z", "Z", "null"),
    Option("z", "z", "null-data"),
    Option("o", "o", "only-matching"),
    Option("q", "q", "quiet silent"),
    Option("r", "r", "recursive"),
    Option("R", "R", "dereference-recursive"),
    Option("e", "e", "regexp", "value"),
    Option("v", "v", "invert-match"),
    Option("a", "a", "text"),
    Option("u", "u", "unix-byte-offsets"),
    Option("V", "V", "version"),
    Option("H", "H", "with-filename"),
    Option("w", "w", "word-regexp"),
    Option("I", "I"),
    *(Option(digit, digit) for digit in "0123456789"),
)


@dataclass(frozen=True, slots=True)
class GlobRule:
    """One `--include`, `--exclude` or `--exclude-dir`, in the order of the command line."""

    glob: str
    include: bool = False


@dataclass(frozen=True, slots=True)
class GrepOptions:
    """One call of grep."""

    matcher: str = "basic"
    pattern_sources: tuple[tuple[str, str], ...] = ()
    """("e", pattern) or ("f", file), in order; empty: the first operand is the pattern."""
    operands: tuple[str, ...] = ()
    ignore_case: bool = False
    word: bool = False
    line: bool = False
    zero: bool = False
    invert: bool = False
    quiet: bool = False
    no_messages: bool = False
    list_files: str = ""
    """`l`: files with matches, `L`: those without."""
    count: bool = False
    only_matching: bool = False
    max_count: int = HUGE
    numbers: bool = False
    offsets: bool = False
    names: bool | None = None
    """`-H`, `-h`, or by the number of files."""
    null_after_name: bool = False
    tabs: bool = False
    label: str = "(standard input)"
    before: int = -1
    after: int = -1
    """Lines of context; -1: none were asked for, and no separators either."""
    separator: str | None = "--"
    binary: str = "binary"
    directories: str = "read"
    follow_links: bool = False
    color: bool = False
    line_buffered: bool = False
    files: tuple[GlobRule, ...] = ()
    dirs: tuple[GlobRule, ...] = ()
    exclude_from: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    information: str = ""
    """`help` or `version`: what is printed instead."""


def parse(argv: Sequence[str], *, matcher: str = "") -> GrepOptions:
    """Return what the words ask for. Raises UsageError in GNU's words."""
    try:
        parsed, operands = OPTIONS.parse("grep", argv)
    except UsageError as error:
        first = str(error).partition("\n")[0]
        raise UsageError(f"{first}\n{USAGE}", 2) from None
    values = _Values(matcher)
    for key, value in parsed:
        values.take(key, value)
    return values.finish(parsed, operands)


_FLAGS = {
    "w": "word",
    "x": "line",
    "z": "zero",
    "v": "invert",
    "q": "quiet",
    "s": "no_messages",
    "c": "count",
    "o": "only_matching",
    "n": "numbers",
    "b": "offsets",
    "Z": "null_after_name",
    "T": "tabs",
    "line-buffered": "line_buffered",
}
_BINARY = {"binary": "binary", "text": "text", "without-match": "without-match"}


class _Values:
    """Gathers options in order; later ones overrule earlier ones."""

    def __init__(self, matcher: str) -> None:
        self.set: dict[str, object] = {}
        self.matcher = matcher
        self.context = -1
        self.digits = ""
        self.sources: list[tuple[str, str]] = []
        self.files: list[GlobRule] = []
        self.dirs: list[GlobRule] = []
        self.exclude_from: list[str] = []
        self.warnings: list[str] = []

    def take(self, key: str, value: str) -> None:
        if key in _FLAGS:
            self.set[_FLAGS[key]] = True
        elif key in ("extended", "fixed", "basic", "perl"):
            if self.matcher not in ("", key):
                raise UsageError("conflicting matchers specified")
            self.matcher = key
        elif key in ("e", "f"):
            self.sources.append((key, value))
        elif key in ("i", "no-i"):
            self.set["ignore_case"] = key == "i"
        elif key in ("l", "L"):
            self.set["list_files"] = key
        elif key in ("h", "H"):
            self.set["names"] = key == "H"
        elif key in ("V", "help"):
            self.set["information"] = "help" if key == "help" else "version"
        elif key.isdigit():
            self.digits += key
        else:
            self._take_valued(key, value)

    def _take_valued(self, key: str, value: str) -> None:
        if key in ("A", "B"):
            self.set["after" if key == "A" else "before"] = _context(value)
        elif key == "C":
            self.context = _context(value)
        elif key == "m":
            self.set["max_count"] = _max_count(value)
        elif key in ("label", "group-separator"):
            self.set["label" if key == "label" else "separator"] = value
        elif key == "no-group-separator":
            self.set["separator"] = None
        elif key in ("a", "I", "binary-files"):
            kind = {"a": "text", "I": "without-match"}.get(key) or _BINARY.get(value)
            if kind is None:
                raise UsageError("unknown binary-files type")
            self.set["binary"] = kind
        elif key == "color":
            self._take_color(value)
        elif key == "u":
            self.warnings.append("warning: --unix-byte-offsets (-u) is obsolete")
        else:
            self._take_files(key, value)

    def _take_color(self, value: str) -> None:
        choices = {"always": True, "yes": True, "force": True}
        choices |= dict.fromkeys(("never", "no", "none", "auto", "tty", "if-tty", ""), False)
        if value not in choices:
            self.set["information"] = "help"
            return
        self.set["color"] = choices[value]

    def _take_files(self, key: str, value: str) -> None:
        if key in ("r", "R"):
            self.set["directories"] = "recurse"
            self.set["follow_links"] = key == "R"
        elif key == "d":
            if value not in ("read", "recurse", "skip"):
                raise UsageError(
                    f"invalid argument ‘{value}’ for ‘--directories’\nValid arguments are:\n"
                    f"  - ‘read’\n  - ‘recurse’\n  - ‘skip’\n{USAGE}"
                )
            self.set["directories"] = value
            self.set["follow_links"] = False
        elif key == "D" and value not in ("read", "skip"):
            raise UsageError("unknown devices method")
        elif key in ("include", "exclude"):
            self.files.append(GlobRule(value, include=key == "include"))
        elif key == "exclude-dir":
            self.dirs.append(GlobRule(value.rstrip("/") or value[:1]))
        elif key == "exclude-from":
            self.exclude_from.append(value)

    def finish(self, parsed: Parsed, operands: list[str]) -> GrepOptions:
        context = _context(self.digits) if self.digits else self.context
        self.set.setdefault("after", context)
        self.set.setdefault("before", context)
        return GrepOptions(
            matcher=self.matcher or "basic",
            pattern_sources=tuple(self.sources),
            operands=tuple(operands),
            files=tuple(self.files),
            dirs=tuple(self.dirs),
            exclude_from=tuple(self.exclude_from),
            warnings=tuple(self.warnings),
            **self.set,  # type: ignore[arg-type]
        )


def _context(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"{text}: invalid context length argument")
    return min(int(text[:20]), HUGE)


def _max_count(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise UsageError("invalid max count")
    return min(int(digits[:20]), HUGE) if digits == text else HUGE
