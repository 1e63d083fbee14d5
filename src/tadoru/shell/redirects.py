"""Redirections that bashkit takes in another order, or in another shell, than bash.

Of `done > out < in` bashkit opens `in` first, and makes no `out` when that fails; bash goes from
left to right. Written as `{ ...; done < in; } > out` both mean the same. And `{fd}> out` without a
command sets no variable in bash, because it happens in a subshell; written as `( : {fd}> out )`
it sets none in bashkit either. Found by the grammar of bash; what is in doubt stays as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tadoru.shell.piped import parser

if TYPE_CHECKING:
    from tree_sitter import Node

_SUSPECT = re.compile(r"(?:\bdone|\bfi|\besac|\})[^;\n]*>[^;\n]*<")
_LOOPS = frozenset(
    {
        "while_statement",
        "for_statement",
        "c_style_for_statement",
        "if_statement",
        "case_statement",
        "compound_statement",
    }
)
_WORD = r"[^\s;&|()<>]+"
LONE = re.compile(
    rf"(?P<head>(?:^|[;\n&|(])[ \t]*)(?P<all>\{{[A-Za-z_]\w*\}}(?:<<-?|>>|>|<)[ \t]*{_WORD}"
    rf"(?:[ \t]+\d*[<>]{{1,2}}&?[ \t]*{_WORD})*)[ \t]*(?=$|[;\n)]|&&|\|\|)"
)
"""A command that is nothing but redirections, the first one into a variable."""


def in_order(command: str) -> str:
    """Return the command with such redirections written in the order of bash."""
    if not _SUSPECT.search(command):
        return command
    data = command.encode()
    waiting = [parser().parse(data).root_node]
    edits: list[tuple[int, int, bytes]] = []
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        if node.type != "redirected_statement" or node.has_error:
            continue
        body = node.child_by_field_name("body")
        given = [child for child in node.named_children if child != body]
        if body is not None and body.type in _LOOPS and _matters(given):
            edits.append((body.end_byte, node.end_byte, _nested(given)))
            edits.append((body.start_byte, body.start_byte, b"{ " * (len(given) - 1)))
    for start, end, text in sorted(edits, reverse=True):
        data = data[:start] + text + data[end:]
    return data.decode() if edits else command


def _matters(given: list[Node]) -> bool:
    """Tell whether an input stands behind an output, and all of them are plain files."""
    if any(child.type != "file_redirect" for child in given):
        return False
    kinds = ["<" if _text(child).lstrip(b"0123456789")[:1] == b"<" else ">" for child in given]
    return "<" in kinds[kinds.index(">") :] if ">" in kinds else False


def _nested(given: list[Node]) -> bytes:
    """Return the redirections, the last one innermost, and the groups that they close."""
    last, *before = reversed(given)
    return b" " + _text(last) + b"".join(b"; } " + _text(child) for child in before)


def _text(node: Node) -> bytes:
    return node.text or b""


def lone(found: re.Match[str]) -> str:
    """Return a redirection that stands alone as one of a subshell."""
    return f"{found['head']}( : {found['all']} )"
