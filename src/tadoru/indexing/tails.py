"""Which paths of a tree end with given names.

The first few questions look through one long string of all paths, which takes a tenth of a
millisecond at 10,000; only many questions are worth the tables, which take 400 times that.
"""

from __future__ import annotations

from collections.abc import Collection

MAX_CANDIDATES = 2_000
"""Files with the same name that are compared; beyond, the name says nothing."""
FEW = 64
"""Questions answered without tables."""
_END = "\0"


class Tails:
    """The paths of one tree by their last names."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths
        self._asked = 0
        self._line = ""
        self._by_tail: dict[str, list[str]] = {}
        """By the last name, and by the last two: a tree has thousands of `__init__.py`."""

    def ending(self, suffix: str) -> list[str]:
        """Return the paths that end with `suffix` at the border of a directory, unordered.

        None of them when it is one or two names that very many paths end with.
        """
        self._asked += 1
        found = self._search(suffix) if self._asked <= FEW else self._look_up(suffix)
        return found if suffix.count("/") >= 2 or len(found) <= MAX_CANDIDATES else []

    def _search(self, suffix: str) -> list[str]:
        if not self._line:
            self._line = _END + "".join(f"/{path}{_END}" for path in self._paths)
        line, wanted = self._line, f"/{suffix}{_END}"
        found: list[str] = []
        at = line.find(wanted)
        while at >= 0:
            found.append(line[line.rfind(_END, 0, at + 1) + 2 : at + len(wanted) - 1])
            at = line.find(wanted, at + 1)
        return found

    def _look_up(self, suffix: str) -> list[str]:
        if not self._by_tail:
            self._line = ""
            for path in self._paths:
                parts = path.rsplit("/", 2)
                self._by_tail.setdefault(parts[-1], []).append(path)
                if len(parts) > 1:
                    self._by_tail.setdefault("/".join(parts[-2:]), []).append(path)
        named = self._by_tail.get("/".join(suffix.rsplit("/", 2)[-2:]), [])
        tail = "/" + suffix
        return [path for path in named if ("/" + path).endswith(tail)]
