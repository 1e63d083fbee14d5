"""The values that rooms hand to each other: frozen, slotted, without behaviour beyond derivation.

Nothing here touches a file, a clock or the environment. Paths are relative to the root of what
holds them, with `/`, without a leading one; the root itself is `""`. Lines count from 1 and both
ends are included; character offsets are Unicode code points of the decoded text, byte offsets
count in the file on disk; both are half-open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any, Literal

Access = frozenset[int]
"""The access ids that a read may return. Made by a View alone; an empty set returns nothing."""

Op = Literal["read", "list", "stat", "search", "write"]
Mode = Literal["quick", "balanced", "deep"]
Status = Literal["resolved", "ambiguous", "absent"]


class Kind(StrEnum):
    """What an entry is."""

    FILE = "file"
    DIRECTORY = "dir"
    LINK = "link"


class Role(StrEnum):
    """What a file is for, as ranking, reports and filters see it."""

    SOURCE = "source"
    TEST = "test"
    EXAMPLE = "example"
    DOCS = "docs"
    CONFIG = "config"
    DATA = "data"
    GENERATED = "generated"
    MINIFIED = "minified"
    VENDORED = "vendored"
    BINARY = "binary"
    HUGE = "huge"


TEXTLESS = frozenset({Role.BINARY, Role.HUGE, Role.MINIFIED})
"""Roles that are listed in the tree and read by the shell, but have no chunks."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: a set of groups. Any one of an entry's groups suffices to see it."""

    groups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AccessRow:
    """One distinct access label of a store."""

    id: int
    public: bool
    groups: frozenset[str] = frozenset()

    def admits(self, principal: Principal) -> bool:
        return self.public or not self.groups.isdisjoint(principal.groups)


PUBLIC = AccessRow(id=1, public=True)
"""The label of every entry in a store without access labels."""
HIDDEN = AccessRow(id=0, public=False)
"""The label of an entry that has none, in a store with access labels."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a file, in lines (1-based, inclusive), characters and bytes (half-open)."""

    start_line: int
    end_line: int
    start_char: int
    end_char: int
    start_byte: int
    end_byte: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One file, directory or symbolic link of a tree."""

    path: str
    kind: Kind
    size: int = 0
    """Bytes on disk (of the link's target text for a link)."""
    mtime_ns: int = 0
    access_id: int = PUBLIC.id
    id: int = 0
    """Row id in its store; 0 for a directory, which exists because something lies below it."""
    language: str = ""
    role: Role = Role.SOURCE
    indexed: bool = True
    """False while only the name is known: text, chunks and symbols follow."""
    target: str = ""
    """For a link: the path it leads to inside the same store."""
    executable: bool = False

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def is_dir(self) -> bool:
        return self.kind is Kind.DIRECTORY

    def moved(self, path: str, target: str = "") -> Entry:
        """Return the same entry at another path; `target`: where a link then leads."""
        return replace(self, path=path, target=target)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of an entry: what search ranks, and what is embedded."""

    path: str
    index: int
    """Position within the file, from 0. Chunks tile the file without a gap."""
    span: Span
    breadcrumb: str = ""
    """The names that enclose it, outermost first, joined by ` > `; without the path."""
    kind: str = ""
    """`function`, `class`, `method`, `section`, `lines`, ... as the syntax names it."""
    name: str = ""
    signature: str = ""
    doc: str = ""
    """First sentence or two of the doc comment."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition."""

    name: str
    kind: str
    """function, method, class, interface, struct, enum, trait, type, constant, variable, module,
    macro, property, section."""
    path: str
    span: Span
    container: str = ""
    """Enclosing definitions, outermost first, joined by `.`."""
    signature: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Import:
    """One import edge between files (links between documents are edges too)."""

    path: str
    module: str
    """The module or path as it is written."""
    line: int
    target: str = ""
    """The file it was resolved to, in the same store; empty when it leads outside or is unknown."""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """One use of a symbol, with how sure that is."""

    path: str
    line: int
    text: str
    kind: Literal["call", "import", "name", "text"]
    """`call` and `name` come from syntax, `import` from an import statement, `text` from words."""
    breadcrumb: str = ""
    host_path: str = ""


class Freshness(StrEnum):
    """How far the answer's index agrees with the source."""

    FRESH = "fresh"
    UPDATING = "updating"
    PARTIAL = "partial"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class IndexState:
    """The state of the index at the moment of an answer; every answer carries one."""

    status: Freshness = Freshness.FRESH
    detail: str = ""
    generation: int = 0
    files: int = 0
    """Files that the asker may see."""
    pending: int = 0
    """Files whose text is not indexed yet, or not up to date."""

    def __str__(self) -> str:
        if self.status is Freshness.UPDATING and self.pending:
            plural = "" if self.pending == 1 else "s"
            return f"updating {self.pending} file{plural}"
        return f"{self.status.value}: {self.detail}" if self.detail else self.status.value


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path that exists, offered for one that does not."""

    path: str
    score: float
    """Calibrated probability that this is the path that was meant, 0 to 1."""
    reason: str = ""
    kind: Kind = Kind.FILE
    host_path: str = ""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The answer of resolve. Fields are empty where they would not help to act."""

    status: Status
    requested: str
    path: str = ""
    """The path to use, when resolved."""
    host_path: str = ""
    candidates: tuple[Candidate, ...] = ()
    reason: str = ""
    error_kind: str = ""
    next_question: str = ""
    maybe_exts: tuple[str, ...] = ()
    line: int = 0
    """The line that the request named (`file.py:12`), 0 when none."""
    index: IndexState = IndexState()


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked piece of an answer of search."""

    path: str
    start_line: int
    end_line: int
    score: float
    id: str = ""
    """Opaque; names the same text again for `more` and `related`."""
    breadcrumb: str = ""
    kind: str = ""
    sources: tuple[str, ...] = ()
    """Which stages brought it: lexical, dense, symbol, scan, neighbour, sibling, import, ..."""
    text: str = ""
    host_path: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of lines of one file, packed into an answer."""

    path: str
    start_line: int
    end_line: int
    score: float
    breadcrumb: str
    text: str
    sources: tuple[str, ...] = ()
    cut: bool = False
    """True when the text was shortened to fit the budget."""


@dataclass(frozen=True, slots=True)
class PackedFile:
    """The segments of one file, in file order, without overlap."""

    path: str
    score: float
    segments: tuple[Segment, ...]
    host_path: str = ""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The answer of search: ranked hits, and the same packed to the budget."""

    question: str
    hits: tuple[Hit, ...] = ()
    files: tuple[PackedFile, ...] = ()
    text: str = ""
    """What a model reads: the packed files as markdown."""
    tokens: int = 0
    budget: int = 0
    counter: str = ""
    """Which token counter measured `tokens` and `budget`."""
    total: int = 0
    """Hits before the cut-off."""
    recall: str = ""
    """`lexical`, or `lexical, semantic` when the vectors of a model were asked too."""
    warnings: tuple[str, ...] = ()
    index: IndexState = IndexState()
    debug: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a command line of the shell left behind."""

    stdout_bytes: bytes
    stderr: str
    exit_code: int
    cwd: str = "/"
    state: bytes = b""
    """Signed state of the session, for the next call."""
    truncated: bool = False
    index: IndexState = IndexState()

    @property
    def stdout(self) -> str:
        return self.stdout_bytes.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """The text of a file, or a window of its lines."""

    path: str
    text: str
    start_line: int
    end_line: int
    total_lines: int
    recovered_from: str = ""
    """The path that was asked for, when another one was read instead."""
    truncated: bool = False
    host_path: str = ""
    index: IndexState = IndexState()


@dataclass(frozen=True, slots=True)
class RetryResult:
    """What became of an operation that was retried on resolved paths."""

    status: Literal["ok", "ambiguous", "absent", "all_failed", "refused"]
    op: Op
    path: str = ""
    """The path that was used."""
    result: str = ""
    truncated: bool = False
    """The result was cut at a budget or an output limit."""
    tried: tuple[str, ...] = ()
    resolution: Resolution | None = None
    index: IndexState = IndexState()


@dataclass(frozen=True, slots=True)
class FileRow:
    """One line of list-files."""

    path: str
    size: int
    language: str = ""
    role: Role = Role.SOURCE
    host_path: str = ""


@dataclass(frozen=True, slots=True)
class FileList:
    """A page of files, with the true total."""

    files: tuple[FileRow, ...]
    total: int
    offset: int = 0
    index: IndexState = IndexState()


@dataclass(frozen=True, slots=True)
class SymbolList:
    """A page of symbols, with the true total."""

    symbols: tuple[Symbol, ...]
    total: int
    offset: int = 0
    index: IndexState = IndexState()


@dataclass(frozen=True, slots=True)
class ReferenceList:
    """A page of references, with the true total."""

    symbol: str
    references: tuple[Reference, ...]
    total: int
    index: IndexState = IndexState()


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """An outline or a map: text within a budget."""

    text: str
    tokens: int = 0
    budget: int = 0
    counter: str = ""
    truncated: bool = False
    index: IndexState = IndexState()


LACKING = "semantic part away"
"""How every line begins that says that vectors are missing, in answers and reports."""


@dataclass(frozen=True, slots=True)
class EmbeddingReport:
    """What a run did for the vectors of an index, and what still waits for one and why."""

    model: str = ""
    """Fingerprint of the model; empty when none is configured."""
    hosts: tuple[str, ...] = ()
    """Where text is sent to beyond this machine."""
    made: int = 0
    """Texts that the model was asked for."""
    reused: int = 0
    """Texts whose vector was known already."""
    refused: int = 0
    """Texts that the model did not take at any length."""
    waiting: int = 0
    """Chunks that have no vector yet."""
    waiting_files: int = 0
    files: int = 0
    """Files that have chunks."""
    bytes: int = 0
    """About what has to be sent for the waiting chunks, at most."""
    tokens: int = 0
    """The same, in tokens, estimated."""
    reason: str = ""
    """Why chunks wait."""
    needs_consent: bool = False
    """True when nothing was sent because nobody has agreed to it."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an indexing run did, and what it left out and why."""

    root: str
    added: int = 0
    changed: int = 0
    deleted: int = 0
    unchanged: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Reason -> paths; nothing that was left out is silent."""
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    chunks: int = 0
    symbols: int = 0
    seconds: float = 0.0
    source_bytes: int = 0
    index_bytes: int = 0
    dry_run: bool = False
    complete: bool = True
    embedding: EmbeddingReport | None = None
    """None when no model is configured, or the run left that to another one."""
    index: IndexState = IndexState()


def to_json(value: Any) -> Any:
    """Turn a value of this module into what `json.dumps` takes; empty fields are left out."""
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((f.name, getattr(value, f.name)) for f in fields(value))
        return {name: to_json(item) for name, item in pairs if keeps(name, item)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(value) if isinstance(value, (set, frozenset)) else value
        return [to_json(item) for item in items]
    return value


_ALWAYS = frozenset(
    {"status", "candidates", "hits", "files", "index", "score", "total", "stdout", "exit_code"}
)


def keeps(name: str, item: Any) -> bool:
    """Tell whether a field appears in JSON: when it is promised, or when it says something."""
    return name in _ALWAYS or item not in ("", (), None, {}, False, b"")
