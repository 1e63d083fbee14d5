"""What every answer of a workspace needs: its mounts, who asks, and what is remembered of it.

Decides what a call leaves behind: a look at the sources before it, and after it history, counters
and a line of the audit log. Answers nothing itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from tadoru.audit import AuditLog
from tadoru.config import Config
from tadoru.errors import TadoruError
from tadoru.mounts import Mounts
from tadoru.roots import home
from tadoru.semantic import Models
from tadoru.sources import Source
from tadoru.touched import key_of, who
from tadoru.types import (
    IndexState,
    Principal,
    ReadAnswer,
    ReferenceList,
    SearchAnswer,
    SymbolList,
)
from tadoru.usage import Usage
from tadoru.views import View

if TYPE_CHECKING:
    from tadoru.models.base import Embedder, Reranker, TokenCounter
    from tadoru.resolve import History
    from tadoru.search import Cache

C = TypeVar("C", bound="Core")
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class Call:
    """One call of a tool, under way."""

    paths: list[str] = field(default_factory=list)
    """Files whose content, or a part of it, the answer tells."""


_CALL: ContextVar[Call] = ContextVar("call")


class NotingView(View):
    """A view that notes whose content was read, for the audit log."""

    noted: list[str]

    def read(self, path: str, *, start: int = 0, size: int = -1) -> bytes | None:
        data = super().read(path, start=start, size=size)
        return self._noted(path, data)

    def read_many(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for path, data in super().read_many(paths):
            self.noted.append(path)
            yield path, data

    def text(self, path: str) -> str | None:
        return self._noted(path, super().text(path))

    def _noted(self, path: str, content: T | None) -> T | None:
        if content is not None:
            self.noted.append(path)
        return content


class Core:
    """Mounts, principal, models, history. Threads may share one; close it when done."""

    def __init__(
        self,
        sources: Mounts | Mapping[str, Source],
        config: Config,
        principal: Principal,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        counter: TokenCounter | None = None,
        history: History | None = None,
        models: Models | None = None,
    ) -> None:
        """`sources` by mount name (`""` for the root itself).

        `embedder`, `reranker`, `counter`: used instead of the configured ones; `models`: all of
        another workspace's.
        """
        from tadoru.resolve import History

        self.config = config
        self.principal = principal
        self._mounts = sources if isinstance(sources, Mounts) else Mounts(sources)
        self._models = models or Models(
            config.models, embedder=embedder, reranker=reranker, counter=counter
        )
        self._counter = self._models.counter
        self._history = history or History(config.resolve.history, self._mounts.journals)
        self._usage = Usage(self._own_file("usage", ".json"))
        self._audit = AuditLog(config.audit) if config.audit else None
        self.on_measure: Callable[[Mapping[str, Any]], None] | None = None
        """Is given one record (counts, confidence, milliseconds) of each resolve and retry."""
        self._cache: Cache | None = None
        self._lock = threading.Lock()
        self._local = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the stores. An index run that was begun goes on in its own process."""
        self._usage.flush()
        self._mounts.close()

    def flush(self) -> None:
        """Write what was counted to where other processes read it."""
        self._usage.flush()

    def seen_by(self, principal: Principal, *, local: bool = True) -> Self:
        """Return the same mounts as somebody else sees them; each has a history of his own.

        `local=False`: for somebody elsewhere, who is not told where on this machine they lie.
        """
        other = type(self)(
            self._mounts,
            self.config,
            principal,
            history=self._history,
            models=self._models,
        )
        other.on_measure = self.on_measure
        other._cache = self._rankings()
        other._local = local
        return other

    def remembering(self, paths: Iterable[str] = ()) -> Self:
        """Return this workspace with a history of its own: these paths, newest first.

        It lies in the returned object alone, for callers that bring it along (see `recent`).
        """
        from tadoru.resolve import History

        other = copy(self)
        other._history = History(self.config.resolve.history)
        other._history.add(self.principal, *reversed(tuple(paths)))
        return other

    @property
    def recent(self) -> tuple[str, ...]:
        """What the asker touched, newest first."""
        return self._history.paths(self.principal)

    @property
    def lookups(self) -> tuple[int, int]:
        """Looks of all askers into the finished rankings of this process: (found, not found)."""
        rankings = self._rankings()
        return rankings.hits, rankings.misses

    def _rankings(self) -> Cache:
        """Return the finished rankings: all askers share them, since the view is in the key."""
        from tadoru.search import QueryCache

        with self._lock:
            if self._cache is None:
                self._cache = QueryCache(self.config.search.query_cache_entries)
            return self._cache

    @property
    def counter(self) -> TokenCounter:
        """What counts the tokens of a budget."""
        return self._counter

    @property
    def local(self) -> bool:
        """Whether the asker is on this machine, and may know where things lie on it."""
        return self._local

    @property
    def roots(self) -> dict[str, str]:
        """Place in the tree -> directory on this machine, or address of the document store; who
        is elsewhere gets the place itself."""
        places = self._mounts.places
        return places if self._local else {place: place for place in places}

    def _own_file(self, kind: str, suffix: str) -> Path | None:
        """Return where something of these mounts and this principal lies; None without a home."""
        try:
            place = home(self.config) / kind / key_of("\n".join(self._mounts.places.values()))
        except TadoruError:
            return None
        return place / f"{who(self.principal.groups)}{suffix}"

    @contextmanager
    def _call(self, tool: str) -> Iterator[Call]:
        """Count a call and what it took; what it says to have read goes to the audit log."""
        call, began, error = Call(), time.perf_counter(), ""
        outer = _CALL.set(call)
        try:
            yield call
        except BaseException as fault:
            error = fault.code if isinstance(fault, TadoruError) else type(fault).__name__
            raise
        finally:
            _CALL.reset(outer)
            self._usage.note(tool, time.perf_counter() - began, failed=bool(error))
            if self._audit is not None:
                self._audit.write(self.principal, tool, call.paths, error=error)

    @staticmethod
    def _reads(*paths: str) -> None:
        """Say that the call under way tells of the content of files."""
        _CALL.get().paths.extend(paths)

    def _noting(self) -> View:
        """Return a view that notes what is read, where somebody wants to know."""
        if self._audit is None:
            return self._view()
        view = self._mounts.view(self.principal, kind=NotingView)
        view.local = self._local
        view.noted = _CALL.get().paths
        return view

    def _saved(self, view: View, text: str, tokens: int, paths: Iterable[str]) -> None:
        """Count the tokens of an answer, and about those of the whole files it stands for."""
        if not tokens:
            return
        ratio = tokens / len(text.encode("utf-8", "replace"))
        entries = (view.entry(path) for path in dict.fromkeys(paths))
        whole = sum(entry.size * ratio for entry in entries if entry is not None)
        self._usage.add(tokens_sent=tokens, tokens_of_whole_files=max(round(whole), tokens))

    def _remember(self, *paths: str) -> None:
        self._history.add(self.principal, *paths)

    def _view(self, *, catch_up: bool = True) -> View:
        view = self._mounts.view(self.principal, catch_up=catch_up)
        view.local = self._local
        return view

    def _state(self, view: View) -> IndexState:
        return self._mounts.state(view)


def counted(method: Callable[Concatenate[C, P], T]) -> Callable[Concatenate[C, P], T]:
    """Make a method a tool whose calls are counted, measured and audited under its name."""

    @wraps(method)
    def call(self: C, /, *args: P.args, **given: P.kwargs) -> T:
        with self._call(method.__name__) as made:
            answer = method(self, *args, **given)
            made.paths.extend(_told_by(answer))
            return answer

    return call


def _told_by(answer: object) -> Iterable[str]:
    """Return the files of whose content an answer shows something."""
    if isinstance(answer, ReadAnswer):
        return [answer.path]
    if isinstance(answer, SearchAnswer):
        return [file.path for file in answer.files]
    if isinstance(answer, SymbolList):
        return [symbol.path for symbol in answer.symbols]
    if isinstance(answer, ReferenceList):
        return [reference.path for reference in answer.references]
    return []
