"""The vectors of one root: when they are made, with whose consent, and why some are missing.

Decides whether a run may embed, starts one in the background when something waits, and remembers
why the last one failed, so that answers can say it and nobody asks a dead provider at each
question. Makes no vector itself: that is `embed`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.config import Config
from tadoru.errors import StoreBusy, TadoruError
from tadoru.indexing import consent
from tadoru.models.configured import destinations, embedder_of, is_configured, is_instant
from tadoru.types import Access, EmbeddingReport, Principal

if TYPE_CHECKING:
    from tadoru.indexing.job import Job
    from tadoru.models.base import Embedder
    from tadoru.stores.sqlite import SqliteStore

Progress = Callable[[int, int, str], None]

NOTE = "vectors.json"
"""Beside the database: how the last run ended. May be lost at any time."""
RETRY_SECONDS = 60.0
"""For so long after a failure no run begins by itself."""
PAUSE_SECONDS = 5.0
"""Between two runs that begin by themselves, however they end."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of the files that somebody sees have vectors, and why the others have none."""

    files: int = 0
    seen: int = 0
    reason: str = ""


class RootVectors:
    """What one root has of vectors, and what becomes of the rest."""

    def __init__(self, root: Path, directory: Path, home: Path, config: Config) -> None:
        """`directory`: where the index of the root lies; `home`: that of all indexes."""
        self.place = str(root)
        self._root = root
        self._directory = directory
        self._home = home
        self._config = config
        self._job: Job | None = None
        self._begun = -PAUSE_SECONDS
        self._settled = -1
        """The generation in which nothing waited."""
        self._counted: tuple[int, Access, str, Coverage] | None = None

    @property
    def instant(self) -> bool:
        """Whether vectors are made in the index run itself."""
        return is_instant(self._config.models)

    # -- consent -----------------------------------------------------------------------------------

    def hosts_to_ask(self) -> list[str]:
        """Return the hosts that text of this root may not be sent to without consent."""
        return consent.missing(self._home, self.place, destinations(self._config.models).all)

    def agree(self) -> None:
        """Remember that text of this root may go to the configured hosts."""
        consent.grant(self._home, self.place, destinations(self._config.models).all)

    def may_embed(self) -> bool:
        host = destinations(self._config.models).embedding
        return not host or not consent.missing(self._home, self.place, [host])

    def may_rerank(self) -> bool:
        host = destinations(self._config.models).reranking
        return not host or not consent.missing(self._home, self.place, [host])

    def _refusal(self) -> str:
        host = destinations(self._config.models).embedding
        return f"nobody has agreed to send text of {self.place} to {host}; `tadoru index` asks"

    # -- a run -------------------------------------------------------------------------------------

    def run(
        self, store: SqliteStore, progress: Progress | None = None, *, patient: bool = True
    ) -> EmbeddingReport | None:
        """Embed what waits, now and here; None when no model is configured, or another process is
        at it and this one is not `patient`. Raises nothing."""
        from tadoru.indexing.embed import embed, survey

        if not is_configured(self._config.models):
            return None
        fingerprint = ""
        try:
            embedder = embedder_of(self._config.models)
            if embedder is None:
                return None
            fingerprint = embedder.fingerprint
            if self.may_embed():
                report = embed(
                    store, embedder, self._home,
                    progress=progress, patient=patient, cached=not self.instant,
                )  # fmt: skip
            else:
                report = survey(store, fingerprint)
                reason = self._refusal() if report.waiting else ""
                report = replace(report, reason=reason, needs_consent=bool(reason))
        except StoreBusy as error:
            if not patient:
                return None
            report = EmbeddingReport(model=fingerprint, reason=error.message)
        except TadoruError as error:
            report = EmbeddingReport(model=fingerprint, reason=error.message)
        self._note("" if report.needs_consent else report.reason)
        return replace(report, hosts=destinations(self._config.models).all)

    def as_seen(
        self, store: SqliteStore, report: EmbeddingReport, principal: Principal
    ) -> EmbeddingReport:
        """Return the report over what somebody sees; what the run did for the rest is left out."""
        from tadoru.indexing.embed import survey

        if not report.model:
            return report
        access = frozenset(row.id for row in store.access_rows() if row.admits(principal))
        seen = survey(store, report.model, access)
        return replace(
            seen,
            hosts=report.hosts,
            reason=report.reason if seen.waiting else "",
            needs_consent=report.needs_consent and seen.waiting > 0,
        )

    def soon(self, store: SqliteStore, embedder: Embedder | None = None) -> None:
        """Begin a run in a process of its own when something waits and nothing speaks against.

        `embedder`: the model, by one who has loaded it. An instant one is not loaded to find out:
        its vectors come with the index, and a question that misses some has it.
        """
        if not is_configured(self._config.models) or self.runs():
            return
        if self.instant and embedder is None:
            return
        generation = store.generation
        if generation == self._settled or time.monotonic() - self._begun < PAUSE_SECONDS:
            return
        embedder = embedder or self._embedder()
        if embedder is None or not self.may_embed() or self._failed_lately():
            return
        from tadoru.indexing.labels import everything

        access = everything(store)
        files, seen = store.dense.coverage(embedder.fingerprint, access)
        if seen >= files:
            self._settled = generation
            return
        from tadoru.indexing.job import Job, Request

        self._begun = time.monotonic()
        request = Request(self._root, self._directory, self._config, vectors="background")
        self._job = Job(request, watched=False)

    def runs(self) -> bool:
        """Tell whether a run that was begun here goes on."""
        return self._job is not None and self._job.poll() is None

    def _embedder(self) -> Embedder | None:
        try:
            return embedder_of(self._config.models)
        except TadoruError:
            return None

    # -- what is missing ---------------------------------------------------------------------------

    def coverage(self, store: SqliteStore, fingerprint: str, access: Access) -> Coverage:
        """Return how many visible files have vectors of a model, and why others have none."""
        generation = store.generation
        if self._counted is None or self._counted[:3] != (generation, access, fingerprint):
            files, seen = store.dense.coverage(fingerprint, access)
            self._counted = (generation, access, fingerprint, Coverage(files, seen))
        found = self._counted[3]
        return replace(found, reason=self.why()) if found.seen < found.files else found

    def why(self) -> str:
        """Return why files have no vectors, as far as is known here."""
        if not self.may_embed():
            return self._refusal()
        reason, _ = self._last()
        return reason or "they are being made"

    def _failed_lately(self) -> bool:
        reason, at = self._last()
        return bool(reason) and 0 <= time.time() - at < RETRY_SECONDS

    def _last(self) -> tuple[str, float]:
        """Return why the last run failed (empty when it did not), and when it ended."""
        try:
            note = json.loads((self._directory / NOTE).read_text(encoding="utf-8"))
            return str(note["reason"]), float(note["at"])
        except (OSError, ValueError, KeyError, TypeError):
            return "", 0.0

    def _note(self, reason: str) -> None:
        path = self._directory / NOTE
        temporary = path.with_name(f"{NOTE}.{os.getpid()}")
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"reason": reason, "at": time.time()}, file)
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
