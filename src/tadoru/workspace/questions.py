"""Questions: search, and going on from one of its hits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from tadoru.types import Mode, SearchAnswer
from tadoru.views import View
from tadoru.workspace.arguments import directory, positive, without_nul
from tadoru.workspace.core import Core, counted

if TYPE_CHECKING:
    from tadoru.search.memory import SessionMemory


class Questions(Core):
    """A question becomes the right code and documents, packed into a budget."""

    @counted
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
        offset: int = 0,
        session: SessionMemory | None = None,
    ) -> SearchAnswer:
        """Answer a question with ranked hits, and the same packed to a budget of tokens.

        `terms`: exact names that must count; `include`, `exclude`: path globs, `under`: a
        directory, `changed_since`: a git revision; all apply before ranking is cut. `offset`: hits
        to skip, for the next page; `session`: what it has been sent is named, not sent again, and
        what is sent now is added.
        Raises: `BadInput` for an empty question, one over 100,000 bytes, or an unknown revision.
        """
        without_nul(question=question, terms=terms, include=include, exclude=exclude)
        without_nul(languages=languages, changed_since=changed_since)
        positive(top=top, budget=budget, offset=offset)
        view = self._view()
        answer = self.search_in(
            view,
            question,
            budget=budget or self.config.budget,
            terms=tuple(terms),
            mode=mode,
            top=top,
            offset=offset,
            include_globs=tuple(include),
            exclude_globs=tuple(exclude),
            languages=tuple(languages),
            tests=tests,
            under=directory(view, under),
            max_files=max_files,
            max_segments_per_file=max_segments_per_file,
            max_total_chars=max_total_chars,
            low_confidence_behavior=low_confidence,
            changed=self._mounts.changed_since(changed_since) if changed_since else None,
            debug=debug,
            sent=session if session is not None else (),
        )
        return self._sent(view, answer, session)

    @counted
    def more(
        self, hit: str, *, budget: int | None = None, session: SessionMemory | None = None
    ) -> SearchAnswer:
        """Return a hit whole, with as much of its file around it as the budget takes.

        `hit`: an id, as search gives it, or `path:line`. Raises: `BadInput` for what is neither;
        `PathNotFound` when that text is gone.
        """
        from tadoru.search import more

        without_nul(hit=hit)
        positive(budget=budget)
        view = self._view()
        answer = more(
            view,
            hit,
            config=self.config.search,
            budget=budget or self.config.budget,
            counter=self._counter,
        )
        return self._sent(view, answer, session)

    @counted
    def related(
        self,
        hit: str,
        *,
        budget: int | None = None,
        top: int = 5,
        session: SessionMemory | None = None,
    ) -> SearchAnswer:
        """Return what is about the same as a hit, which is itself left out; `hit` as in `more`."""
        from tadoru.search import related

        without_nul(hit=hit)
        positive(budget=budget, top=top)
        view = self._view()
        embedder, _ = self._models.embedder_for(self._mounts.local.values(), view.principal)
        answer = related(
            view,
            hit,
            config=self.config.search,
            budget=budget or self.config.budget,
            counter=self._counter,
            embedder=embedder,
            top=top,
            sent=session if session is not None else (),
        )
        return self._sent(view, answer, session)

    def session(self, name: str = "") -> SessionMemory:
        """Return the memory of a session, for `search`, `more` and `related`.

        `name`: of one that processes share and that lasts a week; without it, one of this process.
        Raises: `BadInput` for a name that is none, `StoreError` without a home.
        """
        from tadoru.roots import home
        from tadoru.search.memory import SessionMemory
        from tadoru.sessions import named_session

        if not name:
            return SessionMemory()
        home(self.config)  # says what is wrong with it
        directory = self._own_file("sessions", "")
        assert directory is not None
        return named_session(directory, name)

    def _sent(
        self, view: View, answer: SearchAnswer, session: SessionMemory | None
    ) -> SearchAnswer:
        """Finish an answer: what it sends is remembered, by history, session and counters."""
        from tadoru.search.memory import sent_in

        self._remember(*(file.path for file in reversed(answer.files)))
        if session is not None:
            session.add(*sent_in(view, answer.files))
        self._saved(view, answer.text, answer.tokens, [file.path for file in answer.files])
        return replace(
            answer,
            index=self._state(view),
            hits=tuple(replace(hit, host_path=view.host_path(hit.path)) for hit in answer.hits),
            files=tuple(replace(f, host_path=view.host_path(f.path)) for f in answer.files),
        )

    def search_in(
        self,
        view: View,
        question: str,
        *,
        budget: int,
        sent: Collection[str] = (),
        **how: Any,
    ) -> SearchAnswer:
        """Search a view that is at hand; `how` as in `search.SearchRequest`."""
        from tadoru.search import CountingCache, SearchRequest, search
        from tadoru.search.recall import LEFT_OUT

        cache = CountingCache(self._rankings())
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
            cache=cache,
            sent=sent,
            timed=self._usage.stage,
        )
        self._usage.add(
            queries=1,
            hits=len(answer.hits),
            cache_hits=cache.hits,
            cache_misses=cache.misses,
        )
        failed = any(line.startswith(LEFT_OUT) for line in answer.warnings)
        used = embedder is not None and not failed
        elsewhere = self._mounts.lacking(embedder) if embedder is not None and used else ()
        return replace(
            answer,
            recall="lexical, semantic" if used else "lexical",
            warnings=(*answer.warnings, *(x for x in (lacking, unranked, *elsewhere) if x)),
        )
