"""PathIndex: the names of one tree, arranged so that a wrong path finds its neighbours.

Built once per tree and dropped with it. Holds names only, and only those that the tree shows, so
what a principal may not see cannot weigh on any count. Refuses to read content.
"""

from __future__ import annotations

import math
import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from weakref import WeakKeyDictionary, ref

from tadoru.resolve.forms import singular
from tadoru.resolve.words import fold, split_extension, tokens
from tadoru.tree import Tree


class PathIndex:
    """Lookups from names to paths. Directories and files share all tables."""

    def __init__(self, tree: Tree) -> None:
        self._tree = ref(tree)  # the table below keeps an index as long as its tree, not longer
        self.files: Sequence[str] = tree.files
        self.directories: Sequence[str] = tree.directories
        by_name: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.files:
            by_name[path[path.rfind("/") + 1 :]].append(path)
        for path in self.directories:
            by_name[path[path.rfind("/") + 1 :]].append(path)
        self.by_name: dict[str, list[str]] = dict(by_name)
        """Base name -> paths, files first."""
        by_fold: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.by_name:
            by_fold[fold(split_extension(name)[0])].append(name)
        self.by_fold: dict[str, list[str]] = dict(by_fold)
        """Folded stem -> base names."""
        self.folds: list[str] = list(self.by_fold)
        self._below: dict[str, int] = {}
        self._word_weights: dict[str, float] = {}
        self._directory_weights: dict[str, float] = {}

    def children(self, directory: str) -> list[str]:
        """Return the names in a directory."""
        tree = self._tree()
        return tree.children(directory) if tree is not None else []

    def is_dir(self, path: str) -> bool:
        tree = self._tree()
        return tree is not None and tree.is_dir(path)

    def has(self, path: str) -> bool:
        tree = self._tree()
        return tree is not None and path in tree

    def size(self, path: str) -> int:
        """Return the bytes of a file; 0 when it is empty, or when nobody knows."""
        tree = self._tree()
        entry = tree.get(path) if tree is not None else None
        return entry.size if entry is not None else 0

    @cached_property
    def by_singular(self) -> dict[str, list[str]]:
        """Singular of a folded stem -> folded stems that differ from it only in number."""
        table: defaultdict[str, list[str]] = defaultdict(list)
        for folded in self.folds:
            table[singular(folded)].append(folded)
        return dict(table)

    @cached_property
    def by_token(self) -> dict[str, list[str]]:
        """Stemmed word -> base names that contain it."""
        table: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.by_name:
            for word in set(tokens(split_extension(name)[0])):
                table[word].append(name)
        return dict(table)

    @cached_property
    def extensions(self) -> Counter[str]:
        """Extension -> number of files."""
        return Counter(split_extension(path[path.rfind("/") + 1 :])[1] for path in self.files)

    @cached_property
    def folded_directories(self) -> Counter[str]:
        """Folded directory name -> number of directories with it."""
        return Counter(fold(path[path.rfind("/") + 1 :]) for path in self.directories)

    @cached_property
    def directory_words(self) -> Counter[str]:
        """Stemmed word -> number of directories whose own name contains it."""
        return Counter(
            word for path in self.directories for word in set(tokens(path[path.rfind("/") + 1 :]))
        )

    def directory_weight(self, folded: str) -> float:
        """Return how much a directory name says: the logarithm of its rarity, at least 0.5."""
        weight = self._directory_weights.get(folded)
        if weight is None:
            count = self.folded_directories.get(folded, 0)
            weight = max(0.5, math.log((1 + len(self.directories)) / (1 + count)))
            self._directory_weights[folded] = weight
        return weight

    def below(self, directory: str) -> int:
        """Return how many files lie below a directory."""
        count = self._below.get(directory)
        if count is None:
            files = self.files
            start = bisect_left(files, directory + "/") if directory else 0
            end = bisect_left(files, directory + "0") if directory else len(files)
            count = self._below[directory] = end - start
        return count

    def closeness(self, ancestor: str) -> float:
        """Return how much it says that two paths share this directory, 0 (the root) to 1."""
        total = len(self.files)
        if not ancestor or total < 2:
            return 0.0
        return 1.0 - math.log(max(1, self.below(ancestor))) / math.log(total)

    def word_weight(self, word: str) -> float:
        """Return how much a word of a base name says: the logarithm of its rarity."""
        weight = self._word_weights.get(word)
        if weight is None:
            count = len(self.by_token.get(word, ()))
            weight = self._word_weights[word] = math.log((2 + len(self.by_name)) / (1 + count))
        return weight


_lock = threading.Lock()
_indexes: WeakKeyDictionary[Tree, PathIndex] = WeakKeyDictionary()


def path_index(tree: Tree) -> PathIndex:
    """Return the index of a tree, built at the first call and kept as long as the tree lives."""
    with _lock:
        index = _indexes.get(tree)
        if index is None:
            index = _indexes[tree] = PathIndex(tree)
        return index
