"""Give the chunks of a store their vectors, after the store answers lexically already.

A file at a time gets all its vectors or none. Each batch is kept in the cache of all roots as soon
as it was answered, so a kill loses at most what was under way; a text that has a vector anywhere is
not embedded again, also when two runs of two worktrees go on at once. A model that fails ends the
run with a reason, and the next run goes on there. A model as fast as reading needs no cache: its
vectors are made with the index (`vectors_of`), and here only where an index lacks them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.errors import StoreBusy, TadoruError, Unavailable
from tadoru.indexing.embeddings_cache import EmbeddingsCache
from tadoru.indexing.labels import everything
from tadoru.indexing.prepare import embedded_text, key_of, left_out, size_of
from tadoru.models.base import BatchEmbedder, Embedder
from tadoru.stores.sqlite.lock import writer_lock
from tadoru.types import Access, EmbeddingReport, Entry, Role

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tadoru.stores.sqlite import SqliteStore
    from tadoru.stores.sqlite.records import FileVectors

Progress = Callable[[int, int, str], None]
Vectors = dict[bytes, "npt.NDArray[np.float32]"]

ROUND_CHUNKS = 512
"""Chunks that are looked up, embedded and written at a time."""
PUT_VECTORS = 8_192
PUT_SECONDS = 5.0
"""Vectors are written to the store so often: each write makes readers load what they keep anew. A
kill loses none of them, for they are in the cache."""
PLAIN_BATCH = 128
"""Texts handed at once to a model that does not say what is ready."""
LOCK = "embedding"
TURN_SECONDS = 600.0
"""Longest wait for another run's round; its requests have deadlines of their own."""
WRITER_SECONDS = 120.0
CHARS_PER_TOKEN = 3.6
"""Of code, for estimates: bytes per token of o200k on source files of six languages."""
LABEL = "vectors"
"""What progress calls this stage, in the place of a path."""


def embed(
    store: SqliteStore,
    embedder: Embedder,
    home: Path,
    *,
    progress: Progress | None = None,
    patient: bool = True,
    cached: bool = True,
) -> EmbeddingReport:
    """Embed what has no vector of this model yet, and say what was done and what waits.

    `patient`: wait for another process that does the same for this store. `cached`: keep vectors
    for other roots, and ask for theirs.
    Raises: `StoreBusy` when it goes on for too long, `StoreError` when the store cannot be written;
    never for a model that fails.
    """
    with ExitStack() as stack:
        cache = None
        if cached:
            fresh = EmbeddingsCache(home, embedder.fingerprint, embedder.dimension)
            cache = stack.enter_context(fresh)
        stack.enter_context(turn(store.directory / LOCK, TURN_SECONDS if patient else 0.0))
        run = _Run(store, embedder, home, cache)
        waiting = _waiting(store, embedder.fingerprint, everything(store))
        run.work(waiting, progress)
        notes = (cache.fault,) if cache is not None and cache.fault else ()
    report = survey(store, embedder.fingerprint)
    return EmbeddingReport(
        model=embedder.fingerprint,
        made=run.made,
        reused=run.reused,
        refused=len(run.refused),
        waiting=report.waiting,
        waiting_files=report.waiting_files,
        files=report.files,
        bytes=report.bytes,
        tokens=report.tokens,
        reason=run.reason if report.waiting else "",
        notes=notes,
    )


def survey(store: SqliteStore, fingerprint: str, access: Access | None = None) -> EmbeddingReport:
    """Count what has no vector of a model, without asking anybody for one.

    `access`: count what it admits; None: everything.
    """
    access = everything(store) if access is None else access
    files, seen = store.dense.coverage(fingerprint, access)
    chunks = size = waiting = 0
    for entry in _waiting(store, fingerprint, access) if seen < files else ():
        if left_out(entry):
            continue
        parts = store.chunks(entry.path, access=access)
        waiting += 1
        chunks += len(parts)
        size += sum(map(size_of, parts))
    return EmbeddingReport(
        model=fingerprint,
        waiting=chunks,
        waiting_files=waiting,
        files=files,
        bytes=size,
        tokens=int(size / CHARS_PER_TOKEN),
    )


def _waiting(store: SqliteStore, fingerprint: str, access: Access) -> list[Entry]:
    """Return the files without vectors: shallow source first, as early questions are about it."""
    paths = set(store.dense.unembedded(fingerprint))
    if not paths:
        return []  # and no entry of a large tree is made
    entries = [e for e in store.entries(access=access) if e.path in paths]
    return sorted(entries, key=lambda e: (e.role is not Role.SOURCE, e.path.count("/"), e.path))


@contextmanager
def turn(directory: Path, seconds: float) -> Iterator[None]:
    """Hold a lock that processes share, in a directory of its own; it goes with its owner.

    Raises: `StoreBusy` when it is not free in time.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    with ExitStack() as stack:
        try:
            stack.enter_context(writer_lock(directory, seconds))
        except StoreBusy:
            raise StoreBusy(
                "another process is making vectors", hint="wait for it to finish"
            ) from None
        yield


@dataclass(slots=True)
class _File:
    """A file of a round: the hash of each chunk's text, in order."""

    path: str
    hashes: list[bytes]


@dataclass(slots=True)
class _Run:
    store: SqliteStore
    embedder: Embedder
    home: Path
    cache: EmbeddingsCache | None
    made: int = 0
    reused: int = 0
    refused: set[bytes] = field(default_factory=set)
    reason: str = ""
    """Why the model is not asked any more."""
    entries: list[Entry] = field(default_factory=list)
    """Files of the rounds since the last write, as `files` and `vectors` are."""
    files: list[_File] = field(default_factory=list)
    vectors: Vectors = field(default_factory=dict)
    generation: int = 0
    """Of the store, when the first of these files was read."""

    def work(self, entries: Sequence[Entry], progress: Progress | None) -> None:
        """Go through the files in rounds, until the end or until the model fails."""
        done, total = 0, len(entries)
        written = time.monotonic()
        for group in self._rounds(entries):
            self._round(group)
            full = len(self.vectors) >= PUT_VECTORS
            if full or self.reason or time.monotonic() - written > PUT_SECONDS:
                self._write()
                written = time.monotonic()
            done += len(group)
            if progress is not None:
                progress(done, total, LABEL)
            if self.reason:
                return
        self._write()
        with self.store.writer(deadline_seconds=WRITER_SECONDS) as writer:
            writer.drop_other_models(self.embedder.fingerprint)

    def _rounds(self, entries: Sequence[Entry]) -> Iterator[list[Entry]]:
        access = everything(self.store)
        group: list[Entry] = []
        chunks = 0
        for entry in entries:
            group.append(entry)
            if not left_out(entry):
                chunks += len(self.store.chunks(entry.path, access=access))
            if chunks >= ROUND_CHUNKS or len(group) >= ROUND_CHUNKS:
                yield group
                group, chunks = [], 0
        if group:
            yield group

    def _read(self, entries: Sequence[Entry]) -> tuple[list[_File], dict[bytes, str]]:
        """Return the hashes of each file, and the texts by hash, as the store has them now."""
        access = everything(self.store)
        files: list[_File] = []
        texts: dict[bytes, str] = {}
        for entry in entries:
            found: list[str] = []
            if not left_out(entry):
                text = self.store.text(entry.path, access=access) or ""
                parts = self.store.chunks(entry.path, access=access)
                found = [embedded_text(chunk, text) for chunk in parts]
            keys = [key_of(text) for text in found]
            texts.update(zip(keys, found, strict=True))
            files.append(_File(entry.path, keys))
        return files, texts

    def _round(self, entries: list[Entry]) -> None:
        """Get the vectors of some files; they wait until they are written."""
        if not self.entries:
            self.generation = self.store.generation
        files, texts = self._read(entries)
        wanted = {key: text for key, text in texts.items() if key not in self.vectors}
        self.reused += len(texts) - len(wanted)
        self.vectors.update(self._asked(wanted))
        self.entries += entries
        self.files += files

    def _write(self) -> None:
        """Write the files that have all their vectors, in one transaction."""
        with self.store.writer(deadline_seconds=WRITER_SECONDS) as writer:
            if self.store.generation != self.generation:  # somebody wrote in between
                self.files, _ = self._read(self.entries)
            have = self.vectors.keys() | self.refused
            complete = [file for file in self.files if have >= set(file.hashes)]
            if complete:
                writer.put_vectors({file.path: self._packed(file) for file in complete})
        self.entries, self.files, self.vectors = [], [], {}

    def _packed(self, file: _File) -> FileVectors:
        """Return the vectors of a file's chunks; zeros for a text that was refused."""
        import numpy as np

        from tadoru.stores.sqlite.vecpack import pack_vectors

        rows = np.zeros((len(file.hashes), self.embedder.dimension), dtype=np.float32)
        for row, key in enumerate(file.hashes):
            if key in self.vectors:
                rows[row] = self.vectors[key]
        return pack_vectors(self.embedder.fingerprint, rows)

    def _asked(self, texts: dict[bytes, str]) -> Vectors:
        """Return vectors from the cache, and from the model what is not there."""
        found: Vectors = {}
        if not texts:
            return found
        with ExitStack() as stack:
            if self.cache is not None:
                stack.enter_context(turn(self.home / LOCK, TURN_SECONDS))
                found.update(self.cache.get(texts))
                self.reused += len(found)
            missing = [key for key in texts if key not in found]
            try:
                for keys, vectors in self._made(missing, texts):
                    new = dict(zip(keys, vectors, strict=True))
                    if self.cache is not None:
                        self.cache.put(new)
                    found.update(new)
                    self.made += len(new)
            except Exception as error:  # a model may fail in any way; the index stands
                self.reason = _words(error)
        return found

    def _made(
        self, keys: list[bytes], texts: dict[bytes, str]
    ) -> Iterator[tuple[list[bytes], npt.NDArray[np.float32]]]:
        """Yield the vectors of a batch when they are there; note the texts that were refused."""
        for positions, vectors in _batches(self.embedder, [texts[key] for key in keys]):
            batch = [keys[position] for position in positions]
            taken = [bool(vector.any()) for vector in vectors]
            self.refused.update(key for key, good in zip(batch, taken, strict=True) if not good)
            yield list(compress(batch, taken)), vectors[taken]


def _batches(
    embedder: Embedder, texts: Sequence[str]
) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
    if isinstance(embedder, BatchEmbedder):
        yield from embedder.encode_batches(texts)
        return
    for start in range(0, len(texts), PLAIN_BATCH):
        part = texts[start : start + PLAIN_BATCH]
        yield list(range(start, start + len(part))), embedder.encode(part)


def _words(error: Exception) -> str:
    """Say what failed without words of a foreign server, which may repeat a key."""
    if isinstance(error, Unavailable):
        return f"{error.message}; {error.hint}" if error.hint else error.message
    return error.message if isinstance(error, TadoruError) else type(error).__name__
