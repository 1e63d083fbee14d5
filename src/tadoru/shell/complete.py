"""Completion of a half-typed command line: commands first, then paths that the asker may see.

Pure: looks at names in the tree alone. What is hidden is not offered, and changes nothing about
what is: not its order, not its number.
"""

from __future__ import annotations

from collections.abc import Iterable

from tadoru.shell import commands
from tadoru.shell.space import normalize
from tadoru.views import View

MAX_COMPLETIONS = 1_000
BUILTINS = frozenset(
    {
        "alias",
        "awk",
        "basename",
        "bc",
        "cd",
        "comm",
        "cut",
        "date",
        "declare",
        "diff",
        "dirname",
        "echo",
        "env",
        "eval",
        "exec",
        "exit",
        "export",
        "expr",
        "false",
        "fold",
        "for",
        "function",
        "if",
        "join",
        "local",
        "mapfile",
        "nl",
        "paste",
        "printf",
        "pwd",
        "read",
        "readlink",
        "realpath",
        "return",
        "rev",
        "sed",
        "seq",
        "set",
        "shift",
        "sleep",
        "sort",
        "source",
        "test",
        "time",
        "timeout",
        "tr",
        "true",
        "type",
        "uniq",
        "unset",
        "until",
        "while",
        "xargs",
        "yes",
        "yq",
    }
)
"""Words that bashkit knows by itself and people begin a line with."""
_STARTS = frozenset({"|", "||", "&&", ";", "(", "{", "!", "do", "then", "else", "if", "while"})
_BREAKS = " \t|&;(){}<>"


def complete(view: View, line: str, cwd: str, *, tools: Iterable[str] = ()) -> list[str]:
    """Return what the last word of a line can be completed to, sorted, as whole words.

    Directories end in `/`. Blanks and the like are quoted with backslashes as bash does it.
    """
    word, before = _last_word(line)
    if _at_start(before) and "/" not in word:
        names = {*commands.MODULES, *BUILTINS, *tools} - commands.UNLISTED
        return sorted(name for name in names if name.startswith(word))[:MAX_COMPLETIONS]
    return _paths(view, word, cwd, directories_only=before.split()[-1:] == ["cd"])


def _last_word(line: str) -> tuple[str, str]:
    """Return the word being typed, without its quoting, and what stands before it."""
    start, quote, position = 0, "", 0
    while position < len(line):
        letter = line[position]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "\\":
            position += 1
        elif letter in _BREAKS:
            start = position + 1
        position += 1
    raw = line[start:]
    word, position = "", 0
    while position < len(raw):
        letter = raw[position]
        if letter == "\\" and position + 1 < len(raw):
            position += 1
            word += raw[position]
        elif letter not in "'\"":
            word += letter
        position += 1
    return word, line[:start]


def _at_start(before: str) -> bool:
    stripped = before.rstrip()
    return not stripped or stripped[-1] in "|&;({" or stripped.split()[-1] in _STARTS


def _paths(view: View, word: str, cwd: str, *, directories_only: bool) -> list[str]:
    typed, slash, prefix = word.rpartition("/")
    directory = normalize(typed or ("/" if slash else "."), cwd)
    entry = view.tree.resolve(directory)
    if entry is None or not entry.is_dir:
        return []
    found = []
    for name in view.tree.children(entry.path):
        if not name.startswith(prefix) or (name.startswith(".") and not prefix):
            continue
        child = view.tree.resolve(f"{entry.path}/{name}" if entry.path else name)
        is_dir = child is not None and child.is_dir
        if is_dir or not directories_only:
            found.append(_quoted(typed + slash + name) + ("/" if is_dir else ""))
        if len(found) >= MAX_COMPLETIONS:
            break
    return found


def _quoted(path: str) -> str:
    return "".join(f"\\{c}" if c in " \t'\"\\$`!*?[](){}<>|&;#~" else c for c in path)
