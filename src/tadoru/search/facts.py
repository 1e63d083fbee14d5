"""What ranking knows of files and chunks beyond their scores, prepared once per view.

Names, breadcrumbs, signatures and doc comments as sets of terms; the words of a path; how many
files import it. Kept for the last few views and bounded in files, keyed by `View.key` so that
nothing prepared for one principal is shown to another.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from functools import cached_property

from tadoru.search.query import expanded
from tadoru.text.languages import language_of
from tadoru.text.terms import words
from tadoru.types import Chunk, Entry, Kind, Role
from tadoru.views import View

VIEWS_KEPT = 8
FILES_KEPT = 20_000
"""Prepared files per view; older ones are prepared again when needed."""
DOC_CHARS = 400
DEPTH_SCALE = 8.0
SIZE_SCALE = 6.0
"""Divisors that keep the depth of a path and the logarithm of the chunks of a file near 0..1."""

BARRELS = frozenset(
    {
        "__init__.py", "index.ts", "index.tsx", "index.js", "index.mjs", "index.jsx", "mod.rs",
        "lib.rs", "index.d.ts", "package-info.java", "exports.ts", "index.php", "all.h",
    }
)  # fmt: skip
"""Files that mostly hand on what others define."""


_VERSION = re.compile(r"v(\d{1,3})")
_OUTLIVED = frozenset({"legacy", "deprecated", "old", "compat", "archive", "archived", "attic"})

_TEST_DIRECTORIES = frozenset({"test", "tests", "__tests__", "spec", "specs", "testdata"})
_DOCUMENTS = frozenset({"markdown", "rst", "text", "asciidoc", "org", "latex", "html"})
_SETTINGS = frozenset({"json", "yaml", "toml", "ini", "xml", "csv", "dotenv"})


def term_set(text: str) -> frozenset[str]:
    """Return the index terms of a short text."""
    terms: set[str] = set()
    for word in words(text):
        terms.update(expanded(word))
    return frozenset(terms)


class ChunkFacts:
    """Terms of one chunk's heading, made when first asked for."""

    __slots__ = ("__dict__", "chunk")

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk

    @cached_property
    def name(self) -> str:
        """The name without case and separators."""
        return fold_name(self.chunk.name)

    @cached_property
    def name_terms(self) -> frozenset[str]:
        return term_set(self.chunk.name)

    @cached_property
    def crumb_terms(self) -> frozenset[str]:
        return term_set(self.chunk.breadcrumb)

    @cached_property
    def signature_terms(self) -> frozenset[str]:
        return term_set(self.chunk.signature[:DOC_CHARS])

    @cached_property
    def heading_terms(self) -> frozenset[str]:
        return self.name_terms | self.crumb_terms | self.signature_terms | self.doc_terms

    @cached_property
    def doc_terms(self) -> frozenset[str]:
        return term_set(self.chunk.doc[:DOC_CHARS])


@dataclass(slots=True)
class FileFacts:
    """One file, as ranking sees it."""

    path: str
    role: Role
    language: str
    chunks: tuple[Chunk, ...]
    stem: str
    """File name without extension, folded, separators removed."""
    stem_terms: frozenset[str]
    dir_terms: frozenset[str]
    defined_terms: frozenset[str]
    """Terms of everything that the file defines."""
    barrel: bool
    declarations: bool
    """A header or a `.d.ts`: says what exists, not what it does."""
    importers: float
    """log(1 + files that import it), divided by that of the most imported one."""
    owned_terms: frozenset[str]
    """Terms of the directory that it stands for: `middleware/mod.rs`, `json/__init__.py`."""
    superseded: str
    """The directory by which it is of another time: `v3` beside a `v4`, `legacy`; else empty."""
    depth: float
    size: float
    common: float
    """Share of the files that are in its language."""
    _imported: tuple[str, ...] | None = None
    _chunk_facts: dict[int, ChunkFacts] = field(default_factory=dict)

    def chunk_facts(self, chunk: Chunk) -> ChunkFacts:
        facts = self._chunk_facts.get(chunk.index)
        if facts is None:
            facts = self._chunk_facts[chunk.index] = ChunkFacts(chunk)
        return facts

    def imported(self, view: View) -> tuple[str, ...]:
        """Return the files that it imports, each once."""
        if self._imported is None:
            targets = [edge.target for edge in view.imports(self.path) if edge.target]
            self._imported = tuple(dict.fromkeys(targets))
        return self._imported

    def chunk_at(self, line: int) -> Chunk | None:
        """Return the chunk that holds a line; the last one beyond the end."""
        for chunk in self.chunks:
            if chunk.span.end_line >= line:
                return chunk
        return self.chunks[-1] if self.chunks else None


class Facts:
    """Prepared files of one view."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, FileFacts] = OrderedDict()
        self._imports: tuple[dict[str, int], float] | None = None
        self._names: dict[str, list[str]] | None = None
        self._languages: dict[str, float] | None = None
        self._lock = threading.RLock()

    def file(self, view: View, path: str) -> FileFacts | None:
        """Return what is known of a visible file; None when it does not exist here."""
        with self._lock:
            facts = self._files.get(path)
            if facts is not None:
                return facts
        entry = view.entry(path)
        if entry is None or entry.kind is not Kind.FILE:
            return None
        facts = self._prepare(view, path, entry)
        with self._lock:
            self._files[path] = facts
            if len(self._files) > FILES_KEPT:
                self._files.popitem(last=False)
        return facts

    def _prepare(self, view: View, path: str, entry: Entry) -> FileFacts:
        counts, most = self._import_counts(view)
        directory, _, name = path.rpartition("/")
        stem = name.split(".", 1)[0] if not name.startswith(".") else name
        chunks = view.chunks(path)
        parts = directory.split("/") if directory else []
        language = entry.language or language_of(path)
        names: set[str] = set()
        for chunk in chunks:
            if chunk.name:
                names.update(term_set(chunk.name))
        return FileFacts(
            path=path,
            role=entry.role if entry.indexed else guessed_role(path),
            language=language,
            chunks=chunks,
            stem=fold_name(stem),
            stem_terms=term_set(stem),
            dir_terms=term_set(" ".join(directory.split("/")[-8:])),
            defined_terms=frozenset(names),
            barrel=name in BARRELS,
            declarations=name.endswith((".d.ts", ".h", ".hh", ".hpp", ".hxx", ".pyi")),
            importers=math.log1p(counts.get(path, 0)) / most,
            owned_terms=term_set(parts[-1]) if name in BARRELS and parts else frozenset(),
            superseded=_superseded(view, parts),
            depth=(len(parts) + 1) / DEPTH_SCALE,
            size=math.log1p(len(chunks)) / SIZE_SCALE,
            common=self._shares(view).get(language, 0.0),
        )

    def _shares(self, view: View) -> dict[str, float]:
        """Return the share of all files that each language has."""
        with self._lock:
            if self._languages is None:
                counts = Counter(entry.language for entry in view.tree.entries() if entry.language)
                total = sum(counts.values()) or 1
                self._languages = {name: count / total for name, count in counts.items()}
            return self._languages

    def _import_counts(self, view: View) -> tuple[dict[str, int], float]:
        with self._lock:
            if self._imports is None:
                counts = view.import_counts()
                self._imports = counts, max(math.log1p(max(counts.values(), default=0)), 1.0)
            return self._imports

    def paths_named(self, view: View, name: str) -> list[str]:
        """Return the files whose name is this, without regard to case."""
        with self._lock:
            if self._names is None:
                self._names = {}
                for path in view.tree.files:
                    self._names.setdefault(path.rpartition("/")[2].lower(), []).append(path)
            return self._names.get(name.lower(), [])


def _superseded(view: View, parts: list[str]) -> str:
    """Return the first directory of a path that a later version stands beside, or that says so."""
    for position, part in enumerate(parts):
        if part.lower() in _OUTLIVED:
            return part.lower()
        version = _VERSION.fullmatch(part)
        if version is None:
            continue
        beside = view.tree.children("/".join(parts[:position]))
        later = (_VERSION.fullmatch(name) for name in beside)
        if any(other and int(other[1]) > int(version[1]) for other in later):
            return part
    return ""


def guessed_role(path: str) -> Role:
    """Return what a file is for by its path alone, while nobody has read it."""
    language = language_of(path)
    if set(path.lower().split("/")[:-1]) & _TEST_DIRECTORIES:
        return Role.TEST
    if language in _DOCUMENTS:
        return Role.DOCS
    return Role.CONFIG if language in _SETTINGS else Role.SOURCE


def fold_name(name: str) -> str:
    """Return a name without case and separators: `Cookie_Jar` and `cookie-jar` are `cookiejar`."""
    return name.lower().replace("_", "").replace("-", "").replace(".", "")


class _FactsCache:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_key: OrderedDict[object, Facts] = OrderedDict()

    def of(self, view: View) -> Facts:
        key = view.key
        with self._lock:
            facts = self._by_key.get(key)
            if facts is None:
                facts = self._by_key[key] = Facts()
                while len(self._by_key) > VIEWS_KEPT:
                    self._by_key.popitem(last=False)
            else:
                self._by_key.move_to_end(key)
            return facts


_cache = _FactsCache()


def facts_of(view: View) -> Facts:
    """Return the prepared facts of what a view shows."""
    return _cache.of(view)
