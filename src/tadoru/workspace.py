"""Workspace: mounts, a principal and a history. What every face talks to.

It brings each source up to date, makes the View of its principal, hands it to one capability, and
puts the state of the index on the answer. What one capability needs of another (a suggestion under
"No such file", `search` inside the shell, the history that resolve reads) is handed in here, as a
function. It ranks nothing and formats nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from tadoru.config import Config
from tadoru.errors import BadInput, OutsideRoots, PathNotFound
from tadoru.mounts import Mounts
from tadoru.reading import (
    exists_now,
    inside,
    not_found,
    read,
    seen,
    statistics,
    with_host_paths,
)
from tadoru.semantic import Models
from tadoru.sources import Progress, Source, home
from tadoru.types import (
    FileList,
    Freshness,
    IndexReport,
    IndexState,
    Mode,
    Op,
    Principal,
    ReadAnswer,
    ReferenceList,
    Resolution,
    RetryResult,
    RunResult,
    SearchAnswer,
    SymbolList,
    TextAnswer,
)
from tadoru.views import View

if TYPE_CHECKING:
    from tadoru.models.base import Embedder, Reranker, TokenCounter
    from tadoru.resolve import History, Measure
    from tadoru.search import Cache


class Workspace:
    """Mounts as one principal sees them. Threads may share one; close it when done."""

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
        self.on_measure: Callable[[Mapping[str, Any]], None] | None = None
        """Is given one record (counts, confidence, milliseconds) of each resolve and retry."""
        self._cache: Cache | None = None
        self._lock = threading.Lock()

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
        self._mounts.close()

    def seen_by(self, principal: Principal) -> Workspace:
        """Return the same mounts as somebody else sees them; each has a history of his own."""
        other = Workspace(
            self._mounts,
            self.config,
            principal,
            history=self._history,
            models=self._models,
        )
        other.on_measure = self.on_measure
        return other

    @property
    def counter(self) -> TokenCounter:
        """What counts the tokens of a budget."""
        return self._counter

    @property
    def roots(self) -> dict[str, str]:
        """Place in the tree -> directory on this machine, or address of the document store."""
        return self._mounts.places

    # -- the three questions -------------------------------------------------------------------

    def resolve(
        self,
        path: str,
        *,
        intent: str = "",
        op: Op = "read",
        cwd: str | None = None,
        recent: Iterable[str] = (),
        top: int = 3,
        catch_up: bool = True,
    ) -> Resolution:
        """Find the path that was meant; `status` is resolved, ambiguous or absent.

        `intent`: what the caller wants to do there; `recent`: paths touched lately, newest first;
        `top`: candidates returned; `catch_up=False`: answer from what is indexed now, for those who
        cannot wait. Raises: `BadInput` for a path that cannot be one.
        """
        _without_nul(intent=intent, cwd=cwd or "", recent=(lately := tuple(recent)))
        measure = self._measure()
        view = self._view(catch_up=catch_up)
        measure.stage("catch_up")
        answer = self.resolve_in(
            view,
            path,
            intent=intent,
            op=op,
            cwd=cwd or "",
            recent=lately,
            top=top,
            measure=measure,
        )
        self._remember(*reversed(seen(view, lately)))
        if answer.status == "resolved":
            self._remember(answer.path)
        answer = replace(answer, index=self._state(view))
        self._report(measure.record("resolve", answer, op=op))
        return answer

    def touch(self, *paths: str) -> None:
        """Remember paths as touched, the last one as the newest: of the tree, or of this machine.

        What the asker does not see, or is not there, is left out.
        """
        view = self._view(catch_up=False)
        self._remember(*seen(view, paths))

    @staticmethod
    def _measure() -> Measure:
        from tadoru.resolve import Measure

        return Measure()

    def _report(self, record: Mapping[str, Any]) -> None:
        if self.on_measure is not None:
            self.on_measure(record)

    def resolve_in(
        self,
        view: View,
        path: str,
        *,
        intent: str = "",
        op: Op = "read",
        cwd: str = "",
        recent: Iterable[str] = (),
        top: int = 3,
        measure: Measure | None = None,
    ) -> Resolution:
        """Resolve within a view that is at hand: no catching up, no entry in the history."""
        from tadoru.resolve import resolve

        answer = resolve(
            view,
            path,
            intent=intent,
            op=op,
            cwd=cwd,
            top=top,
            recent=tuple(recent),
            history=self._history.paths(self.principal),
            touched=self._history.touched(self.principal),
            config=self.config.resolve,
            reranker=self._models.given_reranker,
            renames=self._mounts.renames,
            stat=partial(exists_now, view),
            measure=measure,
        )
        return with_host_paths(answer, view)

    def retry(
        self,
        path: str,
        *,
        op: Op = "read",
        intent: str = "",
        root_hint: str = "",
        strategy: Literal["best_first", "score_desc"] = "best_first",
        top: int = 5,
        ask: bool = False,
    ) -> RetryResult:
        """Resolve a failed path and do the operation on the first candidate that works.

        Only reads: `op` write is refused. An ambiguous answer is retried only with `ask`.
        """
        from tadoru.resolve import of_retry, retry
        from tadoru.tools import perform

        measure = self._measure()
        view = self._view()
        measure.stage("catch_up")
        cut = False

        def attempt(found: str) -> str:
            nonlocal cut
            text, cut = perform(self, view, op, intent, found)
            return text

        result = retry(
            lambda: self.resolve_in(
                view,
                path,
                intent=intent,
                op=op,
                cwd=root_hint,
                recent=[root_hint],
                top=top,
                measure=measure,
            ),
            op=op,
            strategy=strategy,
            top=top,
            ask=ask,
            perform=attempt,
        )
        measure.stage("retry")
        if result.path:
            self._remember(result.path)
        result = replace(result, truncated=cut, index=self._state(view))
        self._report(of_retry(measure, op, result))
        return result

    def search(
        self,
        question: str,
        *,
        terms: Sequence[str] = (),
        mode: Mode = "balanced",
        budget: int | None = None,
        top: int = 20,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        languages: Sequence[str] = (),
        tests: Literal["include", "exclude", "only"] = "include",
        under: str = "",
        max_files: int | None = None,
        max_segments_per_file: int | None = None,
        max_total_chars: int | None = None,
        low_confidence: Literal[
            "return_top1", "return_empty", "return_with_warning"
        ] = "return_top1",
        changed_since: str = "",
        debug: bool = False,
    ) -> SearchAnswer:
        """Answer a question with ranked hits, and the same packed to a budget of tokens.

        `terms`: exact names that must count; `include`, `exclude`: path globs, `under`: a
        directory, `changed_since`: a git revision; all apply before ranking is cut.
        Raises: `BadInput` for an empty question, one over 100,000 bytes, or an unknown revision.
        """
        _without_nul(question=question, terms=terms, include=include, exclude=exclude)
        _without_nul(languages=languages, changed_since=changed_since)
        _positive(top=top, budget=budget)
        view = self._view()
        answer = self.search_in(
            view,
            question,
            budget=budget or self.config.budget,
            terms=tuple(terms),
            mode=mode,
            top=top,
            include_globs=tuple(include),
            exclude_globs=tuple(exclude),
            languages=tuple(languages),
            tests=tests,
            under=_directory(view, under),
            max_files=max_files,
            max_segments_per_file=max_segments_per_file,
            max_total_chars=max_total_chars,
            low_confidence_behavior=low_confidence,
            changed=self._mounts.changed_since(changed_since) if changed_since else None,
            debug=debug,
        )
        self._remember(*(file.path for file in reversed(answer.files)))
        return replace(answer, index=self._state(view))

    def search_in(self, view: View, question: str, *, budget: int, **how: Any) -> SearchAnswer:
        """Search a view that is at hand; `how` as in `search.SearchRequest`."""
        from tadoru.search import QueryCache, SearchRequest, search
        from tadoru.search.recall import LEFT_OUT

        with self._lock:
            if self._cache is None:
                self._cache = QueryCache(self.config.search.query_cache_entries)
        local = list(self._mounts.local.values())
        embedder, lacking = self._models.embedder_for(local, view.principal)
        reranker, unranked = self._models.reranker_for(local)
        answer = search(
            view,
            SearchRequest(question=question, **how),
            config=self.config.search,
            budget=budget,
            counter=self._counter,
            embedder=embedder,
            reranker=reranker,
            cache=self._cache,
        )
        failed = any(line.startswith(LEFT_OUT) for line in answer.warnings)
        used = embedder is not None and not failed
        return replace(
            answer,
            recall="lexical, semantic" if used else "lexical",
            warnings=(*answer.warnings, *(line for line in (lacking, unranked) if line)),
            hits=tuple(replace(hit, host_path=view.host_path(hit.path)) for hit in answer.hits),
            files=tuple(replace(f, host_path=view.host_path(f.path)) for f in answer.files),
        )

    def run(self, command: str, *, cwd: str = "/", state: bytes | None = None) -> RunResult:
        """Run a command line in the read-only shell.

        `state`: what the call before returned, to go on with its variables and directory.
        Raises: `BadInput` for a NUL byte, an over-long line, or a state that is not the asker's.
        """
        from tadoru.resolve import mentioned

        view = self._view()
        result = self.run_in(view, command, cwd=cwd, state=state)
        self._remember(*mentioned(view.tree, command, cwd))
        return replace(result, index=self._state(view))

    def run_in(
        self, view: View, command: str, *, cwd: str = "/", state: bytes | None = None
    ) -> RunResult:
        """Run a command line over a view that is at hand."""
        from tadoru.shell import run
        from tadoru.tools import shell_tools

        return run(
            view,
            command,
            cwd=cwd,
            state=state,
            config=self.config.shell,
            secret=self._secret(),
            tools=shell_tools(self, view),
            suggest=partial(self._suggest, view),
        )

    def _suggest(self, view: View, path: str) -> str | None:
        """Return a hint for a path that the shell did not find, within the asker's view."""
        answer = self.resolve_in(view, path, op="read", cwd="", top=3)
        if answer.status == "resolved" and answer.path:
            return f"did you mean /{answer.path}?"
        if answer.status == "ambiguous" and answer.candidates:
            return (
                "did you mean one of: " + ", ".join(f"/{c.path}" for c in answer.candidates) + "?"
            )
        return None

    def _secret(self) -> bytes:
        from tadoru.secret import secret

        return secret(home(self.config))

    def complete(self, line: str, *, cwd: str = "/") -> list[str]:
        """Return completions of the last word of a command line."""
        from tadoru.shell import complete
        from tadoru.tools import NAMES

        return complete(self._view(), line, cwd, tools=NAMES)

    # -- reading -------------------------------------------------------------------------------

    def read(
        self,
        path: str,
        *,
        start: int = 1,
        end: int | None = None,
        budget: int | None = None,
        recover: bool = False,
    ) -> ReadAnswer:
        """Read the lines `start` to `end` of a file (1-based, both included).

        `budget`: tokens after which the text is cut, `truncated` says so; `recover`: a path that
        does not exist is resolved, `recovered_from` says so.
        Raises: `PathNotFound`, `IsADirectoryHere`, `OutsideRoots`, `BadInput`.
        """
        view = self._view()
        asked = path
        try:
            inner = inside(view, path)
            answer = read(view, inner, counter=self._counter, start=start, end=end, budget=budget)
        except (PathNotFound, OutsideRoots):
            found = self.resolve_in(view, path, op="read", cwd="", top=3) if recover else None
            if found is None:
                raise
            if found.status != "resolved":
                raise not_found(path, found) from None
            inner = found.path
            first = max(start, 1) if start != 1 or not found.line else found.line
            answer = replace(
                read(view, inner, counter=self._counter, start=first, end=end, budget=budget),
                recovered_from=asked,
            )
        self._remember(answer.path)
        return replace(answer, index=self._state(view))

    # -- structure -----------------------------------------------------------------------------

    def list_files(
        self,
        *,
        glob: str = "",
        language: str = "",
        under: str = "",
        offset: int = 0,
        limit: int = 200,
    ) -> FileList:
        """List files by glob, language and directory, a page at a time, with the true total."""
        from tadoru.search import list_files

        _without_nul(glob=glob, language=language)
        _positive(offset=offset, limit=limit)
        view = self._view()
        place = _directory(view, under)
        page = list_files(
            view, glob=glob, language=language, under=place, offset=offset, limit=limit
        )
        rows = tuple(replace(row, host_path=view.host_path(row.path)) for row in page.files)
        self._remember(*seen(view, [place]))
        return replace(page, files=rows, index=self._state(view))

    def symbols(
        self,
        *,
        path: str = "",
        name: str = "",
        kinds: Sequence[str] = (),
        offset: int = 0,
        limit: int = 100,
    ) -> SymbolList:
        """List definitions of a file, of a directory, or of a name."""
        _without_nul(name=name, kinds=kinds)
        _positive(offset=offset, limit=limit)
        view = self._view()
        inner = inside(view, path) if path else ""
        entry = view.entry(inner)
        if entry is None:
            raise PathNotFound(f"{path}: no such file or directory")
        symbols, total = view.symbols(
            name=name or None,
            path=None if entry.is_dir else entry.path,
            under=entry.path if entry.is_dir and entry.path else None,
            kinds=tuple(kinds),
            offset=offset,
            limit=limit,
        )
        self._remember(entry.path)
        return SymbolList(tuple(symbols), total, offset, self._state(view))

    def outline(self, path: str = "", *, budget: int | None = None) -> TextAnswer:
        """Return the signatures of a file or a directory, without bodies, within a budget."""
        from tadoru.search import outline

        view = self._view()
        inner = inside(view, path) if path else ""
        if view.entry(inner) is None:
            raise PathNotFound(f"{path}: no such file or directory")
        answer = outline(view, inner, budget=budget or self.config.budget, counter=self._counter)
        self._remember(inner)
        return replace(answer, index=self._state(view))

    def definition(self, name: str, *, hint_path: str = "", top: int = 3) -> SymbolList:
        """Return where a name is defined, the likeliest first."""
        from tadoru.search import definition

        _without_nul(name=name, hint_path=hint_path)
        _positive(top=top)
        view = self._view()
        answer = definition(view, name, hint_path=hint_path, top=top)
        return replace(answer, index=self._state(view))

    def references(
        self, name: str, *, exclude_definition: bool = False, top: int = 50
    ) -> ReferenceList:
        """Return the uses of a name, each with how sure that is."""
        from tadoru.search import references

        _without_nul(name=name)
        _positive(top=top)
        view = self._view()
        answer = references(view, name, exclude_definition=exclude_definition, top=top)
        rows = tuple(replace(r, host_path=view.host_path(r.path)) for r in answer.references)
        state = self._state(view)
        if answer.index.status is Freshness.PARTIAL and state.status is Freshness.FRESH:
            state = answer.index
        return replace(answer, references=rows, index=state)

    def map(self, path: str = "", *, budget: int | None = None) -> TextAnswer:
        """Return the outline of the tree, ranked by how much the rest depends on each file."""
        from tadoru.search import repo_map

        view = self._view()
        inner = inside(view, path) if path else ""
        if view.entry(inner) is None:
            raise PathNotFound(f"{path}: no such file or directory")
        answer = repo_map(view, inner, budget=budget or self.config.budget, counter=self._counter)
        self._remember(inner)
        return replace(answer, index=self._state(view))

    # -- the index -----------------------------------------------------------------------------

    def index(
        self, *, rebuild: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> IndexReport:
        """Bring the index of every root up to date; `rebuild` makes it anew.

        `progress(done, total, path)` is called now and then. Returns the report of the first root,
        with the counts of all. Raises: `StoreError` and what else the run raised.
        """
        report = self._mounts.index(
            rebuild=rebuild, dry_run=dry_run, progress=progress, principal=self.principal
        )
        return report if dry_run else replace(report, index=self._state(self._view()))

    def writing(self) -> bool:
        """Tell whether another process writes an index of this workspace right now."""
        return any(source.writing() for source in self._mounts.local.values())

    def reindex(self) -> IndexReport:
        """Make the index of every root anew."""
        return self.index(rebuild=True)

    def embed(self, *, progress: Progress | None = None) -> IndexReport:
        """Make the vectors that are missing, and nothing else; the report's `embedding` tells.

        Raises: `StoreError`; never for a model that fails.
        """
        report = self._mounts.index(progress=progress, vectors="only", principal=self.principal)
        return replace(report, index=self._state(self._view()))

    def agree(self) -> None:
        """Agree, for good, that text of every root is sent to the configured hosts.

        Raises: `StoreError` when that cannot be remembered.
        """
        for source in self._mounts.local.values():
            source.vectors.agree()

    def watch(
        self,
        on_change: Callable[[IndexReport], None] | None = None,
        *,
        stop: threading.Event | None = None,
        debounce_ms: int | None = None,
    ) -> None:
        """Index changes as they happen, until `stop` is set; blocks."""
        self._mounts.watch(
            on_change or (lambda report: None),
            stop or threading.Event(),
            debounce_ms,
            self.principal,
        )

    def status(self) -> IndexState:
        """Return the state of the index, after bringing it up to date as far as is cheap."""
        return self._state(self._view())

    def stats(self) -> dict[str, Any]:
        """Return counts of what the asker sees: files, bytes, languages, roles, health."""
        view = self._view()
        semantic = self._models.statistics(self._mounts.local.values(), self.principal)
        health = {f"/{place}": each.health() for place, each in self._mounts.local.items()}
        told = {"health": health} if all(health.values()) else {}
        return {**statistics(view, self._state(view)), "semantic": semantic, **told}

    def _remember(self, *paths: str) -> None:
        self._history.add(self.principal, *paths)

    def _view(self, *, catch_up: bool = True) -> View:
        return self._mounts.view(self.principal, catch_up=catch_up)

    def _state(self, view: View) -> IndexState:
        return self._mounts.state(view)


def _directory(view: View, under: str) -> str:
    """Return where a search or a list begins. Raises: `PathNotFound` when it is not there."""
    place = inside(view, under) if under else ""
    if place and view.entry(place) is None:
        raise PathNotFound(f"{under}: no such directory")
    return place


def _without_nul(**texts: str | Iterable[str]) -> None:
    """Refuse what no name and no text can hold. Raises: `BadInput`."""
    for name, value in texts.items():
        if any("\0" in text for text in ([value] if isinstance(value, str) else value)):
            raise BadInput(f"{name} holds a NUL byte", hint="leave it out")


def _positive(**numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None and number < 0:
            raise BadInput(f"{name} is negative: {number}", hint="give 0 or more")
