"""Definitions, references and file lists: what an agent asks beside a question.

Definitions come from the symbol table, in languages without a grammar from the look of a line.
References come from every file that can contain the name, each marked with how sure it is.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence

from tadoru.errors import BadInput
from tadoru.search.facts import facts_of
from tadoru.search.globs import compiled
from tadoru.search.occurrences import Occurrence, occurrences
from tadoru.search.request import language_name
from tadoru.text.terms import expand
from tadoru.types import (
    TEXTLESS,
    Chunk,
    Entry,
    FileList,
    FileRow,
    Freshness,
    IndexState,
    Kind,
    Reference,
    ReferenceList,
    Role,
    Symbol,
    SymbolList,
)
from tadoru.views import View

MAX_NAME = 200
REFERENCE_SECONDS = 10.0
"""Time for reading the files that can contain a name; what was not reached is said."""
HEURISTIC_CHUNKS = 60

_MEMBER = re.compile(r"::|->|[.#]")
_KIND_ORDER = ("class", "struct", "interface", "trait", "enum", "type", "function", "method")
_REFERENCE_ORDER = {"call": 0, "import": 1, "name": 2, "text": 3}


def definition(
    view: View, name: str, *, hint_path: str = "", top: int = 3, under: str = ""
) -> SymbolList:
    """Return where a name is defined, the likeliest first, with the true total.

    `name`: as written, also `Class.method`; `hint_path`: definitions near this path come first;
    `under`: a directory or file, definitions elsewhere do not count.
    Raises: `BadInput` for an empty or overlong name.
    """
    name = _checked(name)
    *containers, last = _MEMBER.split(name)
    found, _ = view.symbols(name=last)
    if not found:
        found, _ = view.symbols(folded=last.lower())
    if containers:
        inside = [s for s in found if s.container.split(".")[-1:] == containers[-1:]]
        found = inside or found
    if not found:
        found = list(_heuristic_definitions(view, last))
    found = [symbol for symbol in found if _lies_under(symbol.path, under)]
    found.sort(key=lambda s: _likelihood(view, s, hint_path))
    return SymbolList(tuple(found[: max(0, top)]), len(found), index=view.state())


def _lies_under(path: str, place: str) -> bool:
    return not place or path == place or path.startswith(place + "/")


def _checked(name: str) -> str:
    name = name.strip()
    if not name:
        raise BadInput("no symbol name was given", hint="name a function, class or variable")
    if len(name) > MAX_NAME:
        raise BadInput(f"the name has more than {MAX_NAME} characters", hint="name one symbol")
    return name


def _likelihood(view: View, symbol: Symbol, hint: str) -> tuple[int, int, int, str, int]:
    entry = view.entry(symbol.path)
    role = entry.role if entry is not None else Role.SOURCE
    aside = {Role.SOURCE: 0, Role.DOCS: 1, Role.EXAMPLE: 2, Role.TEST: 3}.get(role, 4)
    kind = _KIND_ORDER.index(symbol.kind) if symbol.kind in _KIND_ORDER else len(_KIND_ORDER)
    return -_shared(symbol.path, hint), aside, kind, symbol.path, symbol.span.start_line


def _shared(path: str, hint: str) -> int:
    """Count the leading names that a path shares with the hint."""
    count = 0
    for a, b in zip(path.split("/"), hint.strip("/").split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count if hint else 0


def _heuristic_definitions(view: View, name: str) -> Iterator[Symbol]:
    """Yield definitions by the look of a line, for languages without a grammar."""
    terms = [(term, 1.0) for term in expand(name)[:1]] if name else []
    shell = re.compile(rf"^[ \t]*{re.escape(name)}[ \t]*\(\)[ \t]*\{{?", re.MULTILINE)
    facts = facts_of(view)
    for ref in view.lexical(terms, k=HEURISTIC_CHUNKS):
        file = facts.file(view, ref.path)
        text = view.text(ref.path)
        if file is None or text is None or ref.index >= len(file.chunks):
            continue
        chunk = file.chunks[ref.index]
        piece = text[chunk.span.start_char : chunk.span.end_char]
        found = any(o.defines for o in occurrences(piece, name, file.language))
        if found or (file.language == "shell" and shell.search(piece)):
            yield Symbol(name, chunk.kind or "function", ref.path, chunk.span, chunk.breadcrumb)


def references(
    view: View,
    name: str,
    *,
    exclude_definition: bool = False,
    top: int = 50,
    under: str = "",
    seconds: float = REFERENCE_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> ReferenceList:
    """Return the uses of a name: calls, imports, other uses in code, then comments and strings.

    `under`: a directory or file; uses elsewhere do not count.
    The total counts every use in the visible text; when time ran out, the state of the index says
    `partial` and how far it came. Raises: `BadInput` for an empty or overlong name.
    """
    name = _checked(name)
    defined = _definition_lines(view, name)
    end = clock() + seconds
    rows: list[tuple[tuple[int, int, str, int], Reference]] = []
    entries = [entry for entry in _containing(view, name) if _lies_under(entry.path, under)]
    done = 0
    for entry in entries:
        if clock() > end:
            break
        done += 1
        text = view.text(entry.path)
        if text is None or name not in text:
            continue
        here = _in_file(view, entry, text, name, defined.get(entry.path, frozenset()))
        rows.extend(
            _row(entry, occurrence, crumb)
            for occurrence, crumb in here
            if not (exclude_definition and occurrence.defines)
        )
    rows.sort(key=lambda row: row[0])
    state = view.state()
    if done < len(entries):
        detail = f"references in {done} of {len(entries)} files, time ran out"
        state = IndexState(Freshness.PARTIAL, detail, state.generation, state.files, state.pending)
    return ReferenceList(name, tuple(r for _, r in rows[: max(0, top)]), len(rows), state)


def _definition_lines(view: View, name: str) -> dict[str, frozenset[int]]:
    lines: dict[str, set[int]] = {}
    for symbol in view.symbols(name=name)[0]:
        span = symbol.span
        # decorators and doc comments may stand above the line that holds the name
        first = _name_line(view, symbol)
        lines.setdefault(symbol.path, set()).add(first or span.start_line)
    return {path: frozenset(found) for path, found in lines.items()}


def _name_line(view: View, symbol: Symbol) -> int:
    text = view.text(symbol.path)
    if text is None:
        return 0
    piece = text[symbol.span.start_char : symbol.span.end_char]
    match = re.search(rf"(?<![\w$]){re.escape(symbol.name)}(?![\w$])", piece)
    return symbol.span.start_line + piece.count("\n", 0, match.start()) if match else 0


def _containing(view: View, name: str) -> list[Entry]:
    """Return the files that can contain a name, source first."""
    paths = view.candidates([[name.encode("utf-8", "surrogatepass")]])
    entries = view.tree.entries() if paths is None else map(view.entry, sorted(paths))
    texts = [e for e in entries if e is not None and e.kind is Kind.FILE and e.role not in TEXTLESS]
    texts.sort(key=lambda e: (e.role is not Role.SOURCE, e.path))
    return texts


def _in_file(
    view: View, entry: Entry, text: str, name: str, defined_at: frozenset[int]
) -> Iterator[tuple[Occurrence, str]]:
    chunks = view.chunks(entry.path)
    found = occurrences(
        text, name, entry.language, imports=view.imports(entry.path), defined_at=defined_at
    )
    for occurrence in found:
        yield occurrence, _breadcrumb(chunks, occurrence.line)


def _breadcrumb(chunks: Sequence[Chunk], line: int) -> str:
    for chunk in chunks:
        if chunk.span.start_line <= line <= chunk.span.end_line:
            return chunk.breadcrumb
    return ""


def _row(
    entry: Entry, occurrence: Occurrence, crumb: str
) -> tuple[tuple[int, int, str, int], Reference]:
    order = _REFERENCE_ORDER[occurrence.kind]
    key = (order, int(entry.role is not Role.SOURCE), entry.path, occurrence.line)
    text = occurrence.text.strip()[:300]
    return key, Reference(entry.path, occurrence.line, text, occurrence.kind, crumb)


def list_files(
    view: View,
    *,
    glob: str = "",
    language: str = "",
    under: str = "",
    offset: int = 0,
    limit: int = 200,
) -> FileList:
    """Return a page of the visible files that match, sorted by path, with the true total."""
    if offset < 0 or limit < 0:
        raise BadInput("offset and limit are 0 or more")
    pattern = compiled(glob) if glob else None
    wanted = language_name(language)
    rows: list[FileRow] = []
    total = 0
    for path in view.tree.below(under.strip("/")):
        entry = view.entry(path)
        if entry is None or entry.kind is not Kind.FILE:
            continue
        if (pattern is not None and not pattern.matches(path)) or (
            wanted and entry.language != wanted
        ):
            continue
        if offset <= total < offset + limit:
            rows.append(FileRow(path, entry.size, entry.language, entry.role))
        total += 1
    return FileList(tuple(rows), total, offset, view.state())
