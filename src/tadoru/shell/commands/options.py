"""Command-line options by GNU's rules: clusters, attached values, `--long=value`, unambiguous
abbreviations of long names, options after operands, `--`.

A command declares each option once; this decides how words map to them and how GNU complains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tadoru.shell.commands.context import Answer, UsageError


@dataclass(frozen=True, slots=True)
class Option:
    """One option: `key` is what the command asks for; `takes`: no value, one, or an optional one
    (attached to the short form, after `=` in the long one)."""

    key: str
    short: str = ""
    long: str = ""
    takes: str = ""
    """`""` none, `"value"` required, `"maybe"` optional."""


Parsed = list[tuple[str, str]]
"""(key, value) in the order in which they were written; the value is empty for flags."""


class Options:
    """The options of one command."""

    def __init__(self, *options: Option) -> None:
        self._all = options
        self._short = {c: o for o in options for c in o.short}
        self._long = {name: o for o in options for name in o.long.split()}

    def parse(
        self, name: str, argv: Sequence[str], *, usage_code: int = 2, stop_early: bool = False
    ) -> tuple[Parsed, list[str]]:
        """Return the options in order, and the operands. Raises UsageError in GNU's words.

        `stop_early`: the first operand ends the options (as in `xargs`).
        """
        parsed: Parsed = []
        operands: list[str] = []
        words = iter(argv)
        try:
            for word in words:
                if word == "--":
                    operands.extend(words)
                elif word in ("--help", "--version") and word[2:] not in self._long:
                    raise Answer(self._answer(name, word))
                elif word.startswith("--"):
                    self._take_long(word, words, parsed)
                elif len(word) > 1 and word[0] == "-":
                    self._take_cluster(word, words, parsed)
                else:
                    operands.append(word)
                    if stop_early:
                        operands.extend(words)
        except UsageError as error:
            hint = f"\nTry '{name} --help' for more information."
            raise UsageError(str(error) + hint, usage_code) from None
        return parsed, operands

    def _answer(self, name: str, word: str) -> str:
        """Return what `--help` or `--version` prints."""
        if word == "--version":
            return f"{name} (tadoru): a read-only shell over an indexed tree\n"
        lines = [f"Usage: {name} [OPTION]... [FILE]...", ""]
        for option in self._all:
            if option.key not in ("ignored", "nothing"):
                lines.append(f"  {_spelled(option)}")
        return "\n".join(lines) + "\n"

    def _take_long(self, word: str, words: object, parsed: Parsed) -> None:
        name, equals, value = word[2:].partition("=")
        option = self._long.get(name) or self._abbreviated(name, word)
        if option.takes == "" and equals:
            raise UsageError(f"option '--{name}' doesn't allow an argument")
        if option.takes == "value" and not equals:
            following = _next(words)
            if following is None:
                raise UsageError(f"option '--{name}' requires an argument")
            value = following
        parsed.append((option.key, value))

    def _abbreviated(self, name: str, word: str) -> Option:
        matching = {k: o for k, o in self._long.items() if k.startswith(name)}
        if len({o.key for o in matching.values()}) == 1:
            return next(iter(matching.values()))
        if matching:
            choices = " ".join(f"'--{k}'" for k in matching)
            raise UsageError(f"option '--{name}' is ambiguous; possibilities: {choices}")
        raise UsageError(f"unrecognized option '{word}'")

    def _take_cluster(self, word: str, words: object, parsed: Parsed) -> None:
        position = 1
        while position < len(word):
            letter = word[position]
            option = self._short.get(letter)
            if option is None:
                raise UsageError(f"invalid option -- '{letter}'")
            position += 1
            if not option.takes:
                parsed.append((option.key, ""))
                continue
            value: str | None = word[position:]
            if not value and option.takes == "value":
                value = _next(words)
                if value is None:
                    raise UsageError(f"option requires an argument -- '{letter}'")
            parsed.append((option.key, value or ""))
            return


def _spelled(option: Option) -> str:
    """Return an option as help shows it: `-n, --lines=VALUE`."""
    value = {"value": "=VALUE", "maybe": "[=VALUE]"}.get(option.takes, "")
    spellings = [f"-{letter}" for letter in option.short]
    spellings += [f"--{name}{value}" for name in option.long.split()]
    return ", ".join(spellings)


def _next(words: object) -> str | None:
    value: str | None = next(words, None)  # type: ignore[call-overload]
    return value
