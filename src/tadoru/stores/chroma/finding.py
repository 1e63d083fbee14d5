"""Finding over a collection: ranked terms, literals for grep, vectors.

The index of terms is made here, in the background, of pages that are fetched once for each state of
theirs; a question waits for it a second, and then goes on with what is there, which the state of
the answer says. Literals are the collection's own business (`coarse`), and so are vectors, as long
as they are known to be of the very model that made the question's.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.errors import TadoruError
from tadoru.stores.base import Admit, ChunkRef, FieldWeight
from tadoru.stores.chroma.coarse import clauses_worth, expression
from tadoru.stores.chroma.collection import Refused
from tadoru.stores.chroma.form import PUBLISHED_IDS
from tadoru.stores.chroma.index import BATCH_PAGES, PageIndex
from tadoru.stores.chroma.pages import ROWS_ASKED, unpacked
from tadoru.stores.chroma.snapshot import Snapshot
from tadoru.types import Access, Entry

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tadoru.stores.chroma.store import ChromaStore
    from tadoru.text.terms import Field

FIRST_ANSWER_SECONDS = 1.0
"""So long a question waits for the index of terms."""
COMMON_ROWS = 20_000
"""Chunks found by metadata above which every page is read instead: their names alone would take
longer than the pages."""
PREFETCHED = 64
"""Pages that the coarse half of grep proposes and has fetched at once."""
ANSWERS_KEPT = 512
NARROWED_FROM = 200
"""Proposed pages from which on a second clause is asked for too."""
_VERSION_MARK = PUBLISHED_IDS[len("{page}")]


class Finding:
    """What one store is found by."""

    def __init__(self, store: ChromaStore, directory: Path | None) -> None:
        self._store = store
        self._directory = directory
        self._index: PageIndex | None = None
        """The newest index, from which the next one takes what is still right."""
        self.postings = _Postings(self)
        self.literals = _Literals(self)
        self.patience = FIRST_ANSWER_SECONDS

    # -- terms ---------------------------------------------------------------------------------

    def index(self) -> PageIndex:
        """Return the index of the newest state, as far as it is made within a second."""
        snapshot = self._store.now()
        with snapshot.building:
            if snapshot.index is None:
                snapshot.index = self._begun(snapshot)
            index = snapshot.index
            if snapshot.builder is None and index.missing():
                snapshot.builder = threading.Thread(
                    target=self._build, args=(snapshot, index), name="tadoru-terms", daemon=True
                )
                snapshot.builder.start()
            builder = snapshot.builder
        if builder is not None:
            builder.join(self.patience)
        return index

    def _begun(self, snapshot: Snapshot) -> PageIndex:
        """Return an index of the segments that are there already, of this process or the last."""
        before, self._index = self._index, None
        name = snapshot.stamp[0]
        pages = [snapshot.pages[entry.path] for entry in snapshot.entries]
        index = PageIndex(
            snapshot.entries,
            [snapshot.state_of(page) for page in pages],
            [at for at, page in enumerate(pages) if page.pointer is not None],
            name=name,
            directory=self._directory / _folder(name) if self._directory is not None else None,
            before=before if before is not None and before.name == name else None,
        )
        self._index = index
        return index

    def _build(self, snapshot: Snapshot, index: PageIndex) -> None:
        """Index what is missing, a batch at a time; on a failure the next question begins again."""
        try:
            while missing := index.missing():
                self._add(snapshot, index, missing[:BATCH_PAGES])
                index.settle()
        except TadoruError:
            pass  # the state of the answer says how many pages wait
        finally:
            snapshot.builder = None

    def _add(self, snapshot: Snapshot, index: PageIndex, entries: Sequence[Entry]) -> None:
        pages = [snapshot.pages[entry.path] for entry in entries]
        found = self._store.reader.packed(snapshot, pages, keep=False)
        whole = [
            (entry, unpacked(value))
            for entry in entries
            if isinstance(value := found[entry.path], bytes)
        ]
        index.add(whole)
        there = {entry.path for entry, _ in whole}
        index.give_up(entry for entry in entries if entry.path not in there)

    # -- literals ------------------------------------------------------------------------------

    def candidates(
        self, snapshot: Snapshot, literals: Sequence[Sequence[bytes]], access: Access
    ) -> set[str] | None:
        """Return visible pages that may match; None when all of them have to be read."""
        found: frozenset[str] | None = None
        for clause in clauses_worth(literals)[:2]:
            matching = self._matching(snapshot, clause)
            if matching is not None:
                found = matching if found is None else found & matching
            if found is not None and len(found) < NARROWED_FROM:
                break
        if found is None:
            return None
        access_of, pages = snapshot.access_of, snapshot.pages
        proposed = {path for path in found if access_of.get(path) in access}
        if len(proposed) <= PREFETCHED:
            near = [pages[path] for path in proposed if pages[path].pointer is None]
            self._store.reader.packed(snapshot, near)
        return proposed | {path for path in snapshot.pointers if access_of.get(path) in access}

    def _matching(self, snapshot: Snapshot, clause: Sequence[bytes]) -> frozenset[str] | None:
        seams = self._seams(snapshot, clause)
        if seams is None:
            return None
        asked = expression(clause, seams=seams)
        if asked not in snapshot.coarse:
            try:
                found = self._asked(snapshot, asked)
            except Refused:  # an expression that Chroma does not take: read everything
                found = None
            if len(snapshot.coarse) >= ANSWERS_KEPT:
                snapshot.coarse.clear()
            snapshot.coarse[asked] = found
        return snapshot.coarse[asked]

    def _seams(self, snapshot: Snapshot, clause: Sequence[bytes]) -> bool | None:
        """Tell whether a match may lie across chunks; None when that cannot be asked for."""
        names = self._store.names
        across_lines = any(b"\n" in literal for literal in clause)
        if snapshot.manifest is not None and snapshot.manifest.lines and not across_lines:
            return False
        if not names.joiner and not (names.start and across_lines):
            return True
        ends_lines = not names.joiner.strip("\n") and not names.start
        return False if ends_lines and names.joiner and not across_lines else None

    def _asked(self, snapshot: Snapshot, asked: str) -> frozenset[str] | None:
        """Return the paths of pages with a chunk that an expression finds; None for too many."""
        names, pages = self._store.names, snapshot.slugs
        question = {"$regex": asked}
        if snapshot.manifest is not None:  # ids tell the page, and are read three times as fast
            ids = snapshot.collection.get(where_document=question, include=[])["ids"]
            slugs = {name.rpartition(_VERSION_MARK)[0] for name in ids}
            return frozenset(pages[slug] for slug in slugs if slug in pages)
        found: set[str] = set()
        rows = 0
        while rows <= COMMON_ROWS:
            answer = snapshot.collection.get(
                where_document=question, include=["metadatas"], limit=ROWS_ASKED, offset=rows
            )
            metadatas = answer["metadatas"] or ()
            slugs = {str((facts or {}).get(names.page)) for facts in metadatas}
            found.update(pages[slug] for slug in slugs if slug in pages)
            if len(metadatas) < ROWS_ASKED:
                return frozenset(found)
            rows += len(metadatas)
        return None

    # -- vectors -------------------------------------------------------------------------------

    def lacking(self, snapshot: Snapshot, fingerprint: str, dimension: int) -> str:
        """Tell why a model cannot be asked; empty when its vectors are these."""
        known = snapshot.vectors or self._store.names.vectors
        if not known:
            return "the collection does not say which model made its vectors"
        if known != fingerprint:
            return f"its vectors are of {known}, not of {fingerprint}"
        if snapshot.collection.dimension not in (0, dimension):
            return f"its vectors have {snapshot.collection.dimension} numbers, not {dimension}"
        return ""

    def nearest(
        self,
        snapshot: Snapshot,
        vector: npt.NDArray[np.float32],
        fingerprint: str,
        access: Access,
        k: int,
        admit: Admit | None,
    ) -> list[ChunkRef]:
        """Return the `k` nearest chunks that somebody sees and a filter admits.

        Chroma cannot filter by our labels, so more is asked for until enough of it is visible.
        """
        if self.lacking(snapshot, fingerprint, len(vector)):
            return []
        total = snapshot.collection.count()
        asked = min(total, 4 * k)
        while asked:
            refs = list(self._near(snapshot, vector, asked, access, admit))
            if len(refs) >= k or asked >= total:
                return sorted(refs, key=lambda ref: (-ref.score, ref.path, ref.index))[:k]
            asked = min(total, 4 * asked)
        return []

    def _near(
        self,
        snapshot: Snapshot,
        vector: npt.NDArray[np.float32],
        n: int,
        access: Access,
        admit: Admit | None,
    ) -> Iterator[ChunkRef]:
        import numpy as np

        names = self._store.names
        answer = snapshot.collection.query(vector.tolist(), n)
        rows = zip(answer["ids"], answer["metadatas"], answer["embeddings"], strict=True)
        admitted: dict[str, bool] = {}
        base = self._base(snapshot)
        for name, facts, stored in rows:
            path = snapshot.slugs.get(str((facts or {}).get(names.page)), "")
            page = snapshot.visible(path, access) if path else None
            index = (facts or {}).get(names.chunk_index)
            if page is None or not isinstance(index, int | float):
                continue
            if page.version and name not in (page.ids(names.ids) or ()):
                continue  # of another generation
            if path not in admitted:
                admitted[path] = admit is None or admit(snapshot.entry(path))
            if admitted[path]:
                other = np.asarray(stored, dtype=np.float32)
                length = float(np.linalg.norm(other)) * float(np.linalg.norm(vector))
                score = float(other @ vector) / length if length else 0.0
                yield ChunkRef(path, int(index) - base, score)

    def _base(self, snapshot: Snapshot) -> int:
        """Return the index that first chunks have: 0, or 1 in a collection that counts from it."""
        if snapshot.manifest is None and snapshot.base < 0:
            first = {self._store.names.chunk_index: 0}
            found = snapshot.collection.get(where=first, include=[], limit=1)
            snapshot.base = 0 if found["ids"] else 1
        return max(0, snapshot.base)


def _folder(name: str) -> str:
    return blake2b(name.encode(), digest_size=8).hexdigest()


class _Postings:
    def __init__(self, finding: Finding) -> None:
        self._finding = finding

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        *,
        access: Access,
        k: int,
        fields: dict[Field, FieldWeight] | None = None,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        if not access or not terms or k <= 0:
            return []
        return self._finding.index().search(terms, access, k, fields, admit)

    def frequencies(self, terms: Sequence[str], *, access: Access) -> list[int]:
        if not access or not terms:
            return [0] * len(terms)
        return self._finding.index().frequencies(terms, access)


class _Literals:
    def __init__(self, finding: Finding) -> None:
        self._finding = finding

    def candidates(self, literals: Sequence[Sequence[bytes]], *, access: Access) -> set[str] | None:
        if not access:
            return set()
        finding = self._finding
        return finding._store.newest.ask(lambda now: finding.candidates(now, literals, access))
