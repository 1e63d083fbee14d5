"""A `while read` loop whose commands leave its input alone.

bashkit counts the rest of the input against a budget for every command in `while read x; do ...;
done < file`, which ends such a loop after some 2,000 lines. Where no command in the body can read
that input, the body gets none: `do { ...; } < /dev/null; done` means the same, and goes on. Found
by the grammar of bash; a loop that is in doubt stays as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tadoru.shell.piped import parser

if TYPE_CHECKING:
    from tree_sitter import Node

_SUSPECT = re.compile(r"\bwhile\b.*\bread\b", re.DOTALL)
_NEVER_READ = """
: [ basename break cd chmod command continue cp date declare definition dirname du echo exit export
expr false find kill let ln local ls map mkdir mv outline printf pwd readlink realpath references
resolve return rg rm rmdir search seq set shift sleep stat test touch tree true type unset which
""".split()  # noqa: SIM905
_ONE_WORD = """
cat cmp comm cut diff file fold head join md5sum nl od paste rev sha1sum sha256sum sort strings tac
tail uniq wc xxd
""".split()  # noqa: SIM905
_WORDS_BEFORE_INPUT = dict.fromkeys(_NEVER_READ, 0) | dict.fromkeys(_ONE_WORD, 1)
_WORDS_BEFORE_INPUT |= dict.fromkeys(("awk", "egrep", "fgrep", "grep", "jq", "sed"), 2)
"""How many words that are no options keep a command from reading its input."""
_TAKES_INPUT = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})


def shielded(command: str) -> str:
    """Return the command with the bodies of such loops shut off from the input."""
    if not _SUSPECT.search(command):
        return command
    data = command.encode()
    edits: list[tuple[int, bytes]] = []
    waiting = [parser().parse(data).root_node]
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        body = node.child_by_field_name("body")
        if node.type != "while_statement" or body is None or node.has_error:
            continue
        if _reads_lines(node) and not _may_read(body) and body.named_child_count:
            edits += [(body.start_byte + len("do"), b" {"), (body.end_byte - len("done"), _END)]
    for place, text in sorted(edits, reverse=True):
        data = data[:place] + text + data[place:]
    return data.decode() if edits else command


_END = b"} < /dev/null; "


def _reads_lines(loop: Node) -> bool:
    condition = loop.child_by_field_name("condition")
    return condition is not None and condition.type == "command" and _name(condition) == "read"


def _name(command: Node) -> str:
    name = command.child_by_field_name("name")
    return (name.text or b"").decode("utf-8", "replace") if name is not None else ""


def _may_read(body: Node) -> bool:
    """Tell whether some command may read the input that the body is given."""
    waiting = list(body.named_children)
    while waiting:
        node = waiting.pop()
        if node.type == "pipeline":
            waiting.append(node.named_children[0])
        elif node.type == "redirected_statement" and _has_input(node):
            continue
        elif node.type in ("heredoc_body", "function_definition"):
            return True
        else:
            if node.type == "command" and not _leaves_input(node):
                return True
            waiting.extend(node.named_children)
    return False


def _has_input(statement: Node) -> bool:
    return any(
        child.type in _TAKES_INPUT and (child.text or b"").lstrip(b"0").startswith(b"<")
        for child in statement.named_children
    )


def _leaves_input(command: Node) -> bool:
    name = _name(command)
    if not name:
        return True
    words = [
        child
        for child in command.children_by_field_name("argument")
        if not (child.text or b"-").startswith(b"-")
    ]
    return len(words) >= _WORDS_BEFORE_INPUT.get(name, len(words) + 1)
