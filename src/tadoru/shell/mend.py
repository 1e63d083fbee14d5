"""What bashkit misreads, put in other words before it reads it, and its complaints in bash's.

Each rule names the fault that it works around, and leaves every other text exactly as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tadoru.shell.looped import shielded
from tadoru.shell.piped import through_substitution
from tadoru.shell.redirects import LONE, in_order, lone

_PRINTF = re.compile(r"\bprintf\s+(?:--\s+)?'[^']*'")
_HEX_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\x00")
_READ_FROM = re.compile(
    r"\bread(?P<words>(?:[ \t]+-[a-zA-Z]+)*(?:[ \t]+\w+)*)[ \t]*<&(?P<descriptor>[3-9])(?!\d)"
)
_WORD = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s;&|()'"]+)+"""
_TEST = r"(?P<head>(?:^|[\s;&|({!`])(?:\[\[?|test)[ \t](?:[^;\n]*?[ \t])?)"
_LINK_TEST = re.compile(rf"{_TEST}-[Lh][ \t]+(?P<path>{_WORD})(?=[\s;]|$)")
_SAME_FILE = re.compile(rf"{_TEST}(?P<one>{_WORD})[ \t]+-ef[ \t]+(?P<two>{_WORD})(?=[\s;]|$)")
_PHYSICAL = re.compile(r"(?<![\w/.-])pwd[ \t]+-P\b")
_SED_LINES = re.compile(
    r"(?P<head>(?:^|[;&|({!\n]|\b(?:do|then|else)[ \t])[ \t]*)"
    r"sed[ \t]+-n[ \t]+(?:-e[ \t]+)?"
    r"(?:(?P<quote>['\"]?)(?P<first>[1-9]\d{0,8})(?:,(?P<last>[1-9]\d{0,8}))?p(?P=quote)"
    r"|'(?P<from>[1-9]\d{0,8}),\$p')"
    rf"[ \t]+(?![-<>#])(?P<file>{_WORD})(?=[ \t]*(?:$|[;&|)\n>]|\d>))"
)
_POSITION = re.compile(
    r"parse error(?: at line (?P<line>\d+), column \d+)?: (?P<what>.*)", re.DOTALL
)
_ENDS_ON_UNSET = re.compile(r"\bset\s+-\w*u|\bnounset\b|\$\{\w+:?\?")
_ABORTED = re.compile(r"(?:^|\n)bash: line \d+: \w+: [^\n:]*\n?$")
MAX_COMPLAINT = 1_024
ABORTED = 127
SYNTAX_ERROR = 2
SURE_BRACE_WORDS = 8_192
"""Words of one brace expansion that bashkit has always made; of more it may drop some silently."""
MAX_RANGE, REFUSED_RANGE = 10_000, 100_000
"""A range of more words than the first stays as it is written, of more than the second it is an
error that bashkit speaks of itself."""
_CAPTURES = re.compile(r"\b(?:xargs|env|timeout|command|nice|nohup|parallel)\b|[<>]\(")
_BRACES = re.compile(r"\{([^{}\s'\"$]*)\}")
_RANGE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?")


def mend(command: str) -> str:
    """Return a command that means to bashkit what the given one means to bash.

    `printf '\\x00'` prints nothing there, `printf '\\000'` the NUL byte that is meant.
    Links are unknown to its tests (`[[ -L x ]]` is always true there), but not to its `readlink`.
    `read x <&3` finds no descriptor in a loop that ends in `done 3< file`; `read -u 3 x` does.
    `sed -n '3,9p' file` reads whole files; ours stops at the ninth line.
    Redirections of loops happen from left to right, and lone ones in a subshell (`redirects`).
    A loop after a pipe reads the pipe through `cat` (see `piped`), and keeps its input from the
    commands in it (see `looped`).
    """
    if "\\x00" in command:
        command = _PRINTF.sub(lambda found: _HEX_NUL.sub(r"\1\\000", found[0]), command)
    if "<&" in command and "read" in command:
        command = _READ_FROM.sub(_read_descriptor, command)
    if "-L" in command or "-h" in command:
        command = _rewritten(_LINK_TEST, command, _link_test)
    if "-ef" in command:
        command = _rewritten(_SAME_FILE, command, _same_file)
    if "pwd" in command:
        command = _rewritten(_PHYSICAL, command, lambda found: "readlink -f .")
    if "sed" in command and "<<" not in command:
        command = _rewritten(_SED_LINES, command, _sed_lines)
    if "while" in command:
        command = shielded(command)
    if ">" in command:
        command = in_order(command)
    if "{" in command and "}" in command:
        command = _rewritten(LONE, command, lone)
    return through_substitution(command) if "|" in command else command


def _rewritten(
    pattern: re.Pattern[str], command: str, write: Callable[[re.Match[str]], str]
) -> str:
    """Replace each match outside of quotes, also those that one match hides from the next."""
    start = 0
    while found := pattern.search(command, start):
        at = found.start() + len(found.groupdict().get("head") or "")
        if _quoted(command, at):
            start = at + 1
            continue
        command = command[: found.start()] + write(found) + command[found.end() :]
        start = found.start()
    return command


def _link_test(found: re.Match[str]) -> str:
    return f'{found["head"]}-n "$(readlink -- {found["path"]} 2> /dev/null)"'


def _same_file(found: re.Match[str]) -> str:
    one, two = (f"readlink -e -- {found[name]} || echo {name}" for name in ("one", "two"))
    return f'{found["head"]}"$({one})" = "$({two})"'


def _sed_lines(found: re.Match[str]) -> str:
    first = found["from"] or found["first"]
    last = "'$'" if found["from"] else found["last"] or first
    return f"{found['head']}sed-lines {first} {last} {found['file']}"


def aborted_code(command: str, code: int, stderr: bytes) -> int:
    """Return the exit code of a script that an unset variable may have ended.

    `bash -c` leaves with 127 where bashkit leaves with 1; a subshell with 1 in both.
    """
    if code != 1 or "(" in command or not _ENDS_ON_UNSET.search(command):
        return code
    end = stderr[-MAX_COMPLAINT:].decode("utf-8", "replace")
    return ABORTED if _ABORTED.search(end) else code


def recalled(command: str, codes: bytes) -> str:
    """Return a command that finds the exit codes of the pipeline before it, if it asks for them.

    bashkit forgets them between two scripts. What is put in front trips no `set -e`.
    """
    if not any(codes) and len(codes) == 1:
        return command
    if "$?" not in command and "${?" not in command and "PIPESTATUS" not in command:
        return command
    kept = " | ".join(f"(exit {code})" for code in codes)
    return f"{kept}{' && :' if codes[-1] else ''}; {command}"


def _read_descriptor(found: re.Match[str]) -> str:
    if _quoted(found.string, found.start()):
        return found[0]
    return f"read -u {found['descriptor']}{found['words']}"


def _quoted(text: str, end: int) -> bool:
    """Tell whether a position lies inside quotes."""
    quote, position = "", 0
    while position < end:
        letter = text[position]
        if letter == "\\" and quote != "'":
            position += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        position += 1
    return bool(quote)


def syntax_error(message: str) -> str:
    """Return bash's words for a parse error of bashkit; empty when it is another error."""
    found = _POSITION.search(message)
    if found is None:
        return ""
    what = found["what"].strip()
    if not what.startswith("syntax error"):
        what = f"syntax error: {what}"
    return f"bash: -c: line {found['line'] or 1}: {what}\n"


def brace_note(command: str) -> str:
    """Return what to say on stderr when a word expands to more than is surely kept; else empty."""
    if "{" not in command:
        return ""
    for word in command.split():
        count = 1
        for found in _BRACES.finditer(word):
            some = _alternatives(found[1])
            if found[1].count("..") and MAX_RANGE < some <= REFUSED_RANGE:
                return f"bash: {found[0]} stands for {some} words and was not expanded; use seq\n"
            count *= some
        if count > SURE_BRACE_WORDS and word.count("{") > 1:
            return f"bash: a brace expansion of {count} words may be incomplete\n"
    return ""


def capture_note(command: str, longest: int, limit: int) -> str:
    """Return what to say when a command that wrote `longest` bytes may have been cut silently.

    bashkit keeps `limit` bytes of what a command prints inside of these; in a plain pipe, all.
    """
    if longest <= limit or not _CAPTURES.search(command):
        return ""
    return (
        f"tadoru: of more than {limit >> 20} MiB inside xargs, env, timeout, command or <(...) "
        "the rest may be missing; use a plain pipe\n"
    )


def _alternatives(body: str) -> int:
    """Return how many words `{body}` stands for."""
    found = _RANGE.fullmatch(body)
    if found is None:
        return body.count(",") + 1
    first, last = (int(x) if x.lstrip("-").isdigit() else ord(x) for x in (found[1], found[2]))
    return abs(last - first) // (abs(int(found[3] or 1)) or 1) + 1
