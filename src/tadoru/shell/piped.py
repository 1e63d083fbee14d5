"""A compound command after a pipe that calls commands of ours.

bashkit hands the live pipe to the first registered command inside `... | while read f; do wc "$f";
done`, which silently ends the loop after one turn. Read through a substitution, the pipe belongs to
the loop: `done` becomes `done < <(cat)`. Found by the grammar of bash; a part that cannot be parsed
stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_SUSPECT = re.compile(r"\|&?(?:\s|\\\n)*(?:while|until|for|if|case|select|\{|\()|<<")
_COMPOUND = frozenset(
    {
        "while_statement",
        "for_statement",
        "c_style_for_statement",
        "if_statement",
        "case_statement",
        "compound_statement",
        "subshell",
    }
)
_BUILT_IN = frozenset(
    [
        "echo",
        "printf",
        "read",
        "mapfile",
        "readarray",
        ":",
        "true",
        "false",
        "test",
        "[",
        "break",
        "continue",
        "let",
        "local",
        "declare",
        "typeset",
        "export",
        "readonly",
        "unset",
        "shift",
        "set",
        "cd",
        "pwd",
        "return",
        "exit",
    ]
)
"""What bashkit runs itself, without taking the pipe: a loop of these may go on streaming."""
_THROUGH = " < <(cat)"


def through_substitution(command: str) -> str:
    """Return the command with its input read through `cat` where a compound follows a pipe."""
    if not _SUSPECT.search(command):
        return command
    data = command.encode()
    places = sorted(_places(parser().parse(data).root_node, data), reverse=True)
    for place in places:
        data = data[:place] + _THROUGH.encode() + data[place:]
    return data.decode() if places else command


@cache
def parser() -> Parser:
    """Return the parser of bash's grammar."""
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def _places(root: Node, data: bytes) -> Iterator[int]:
    """Yield where the input of a compound is to be redirected."""
    for node in _below(root):
        if node.type not in _COMPOUND or node.has_error or not _follows_pipe(node):
            continue
        if data[node.end_byte :].lstrip(b" \t").startswith(b"<"):
            continue  # it reads something else
        if any(child.type == "command_name" and _takes_pipe(child) for child in _below(node)):
            yield node.end_byte


def _below(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.named_children)


def _follows_pipe(node: Node) -> bool:
    before, parent = node.prev_sibling, node.parent
    if before is not None and before.type in ("|", "|&"):
        return True
    # `cat <<END | while ...`: the rest of the pipeline hangs on the here-document
    outer = parent.parent if parent is not None and parent.type == "pipeline" else None
    return before is None and outer is not None and outer.type == "heredoc_redirect"


def _takes_pipe(name: Node) -> bool:
    return (name.text or b"").decode("utf-8", "replace") not in _BUILT_IN
