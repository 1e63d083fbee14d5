"""Which paths of the tree a command line names, as far as that can be told without running it.

Words are compared with the tree, so a pattern, an option or a variable is simply no path. Refuses
to interpret the shell: what a loop or a substitution names is not found.
"""

from __future__ import annotations

import posixpath
import re

from tadoru.tree import Tree

MAX_COMMAND = 4_096
"""Characters looked at; longer command lines are scripts."""
MAX_PATHS = 5

_WORD = re.compile(r"""(?:[^\s|&;<>()"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+""", re.DOTALL)
_QUOTING = re.compile(r"""\\(.)|["']""", re.DOTALL)


def mentioned(tree: Tree, command: str, cwd: str) -> tuple[str, ...]:
    """Return the files and directories that the words of a command line name, in their order.

    `cwd`: where it started, a path of the tree with or without a leading slash. A `cd` is followed.
    """
    here = cwd.strip("/")
    found: dict[str, None] = {}
    before = ""
    for match in _WORD.finditer(command[:MAX_COMMAND]):
        word = _QUOTING.sub(lambda m: m[1] or "", match[0])
        path = posixpath.normpath(posixpath.join("/", here, word)).strip("/")
        if path and not word.startswith("-") and path in tree:
            found[path] = None
            if before == "cd" and tree.is_dir(path):
                here = path
        before = word
    return tuple(found)[:MAX_PATHS]
