"""The seams of a store: what every catalogue can be asked.

Every read takes an `access` argument, the ids that the asker may see, and returns nothing for an
empty one. Only a View makes that argument, so nobody outside `views` calls these methods on
behalf of a principal. Filters and access apply before any top-k, and document statistics are
those of the rows that `access` admits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tadoru.types import Access, AccessRow, Chunk, Entry, Import, IndexState, Symbol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tadoru.text.terms import Field

Admit = Callable[[Entry], bool]
"""A filter on entries (globs, languages, roles), applied before top-k."""


@dataclass(frozen=True, slots=True)
class ChunkRef:
    """One scored chunk, before anything of it is read."""

    path: str
    index: int
    score: float


@dataclass(frozen=True, slots=True)
class FieldWeight:
    """Weight and length normalisation of one field in BM25F.

    Source: Robertson, Zaragoza, Taylor 2004, "Simple BM25 extension to multiple weighted fields".
    """

    weight: float
    b: float


@runtime_checkable
class Postings(Protocol):
    """Ranked lexical recall over the chunks of one store."""

    def search(
        self,
        terms: Sequence[tuple[str, float]],
        *,
        access: Access,
        k: int,
        fields: dict[Field, FieldWeight] | None = None,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        """Return the `k` best chunks by BM25F, best first, ties by path and index.

        `terms`: normalised terms (`text.terms`) with their query weight. Document counts,
        frequencies and mean lengths are those of the chunks that `access` admits; `admit`
        narrows the result, not the statistics. No terms, no result.
        """
        ...

    def frequencies(self, terms: Sequence[str], *, access: Access) -> list[int]:
        """Return in how many visible chunks each term occurs."""
        ...


@runtime_checkable
class LiteralIndex(Protocol):
    """Which entries can contain given literals; never omits one that does."""

    def candidates(self, literals: Sequence[Sequence[bytes]], *, access: Access) -> set[str] | None:
        """Return the paths that may match, or None when every entry has to be read.

        `literals` is a conjunction of disjunctions: an entry may match when, for every inner
        sequence, it contains at least one of its byte strings, ASCII letters compared without
        case. Entries whose text is not indexed are always included.
        """
        ...


@runtime_checkable
class Store(Protocol):
    """One indexed catalogue of one source."""

    @property
    def id(self) -> str:
        """Identifies the catalogue itself; a rebuilt one has a new id."""
        ...

    @property
    def generation(self) -> int:
        """Raised by every committed change, of labels too."""
        ...

    @property
    def host_root(self) -> str:
        """The directory on this machine that the store catalogues; empty when there is none."""
        ...

    @property
    def postings(self) -> Postings: ...

    @property
    def literals(self) -> LiteralIndex: ...

    def access_rows(self) -> tuple[AccessRow, ...]:
        """Return all labels in use. The only read without `access`: a View starts here.

        An id is never given to another label, so that an old access set cannot see more later.
        """
        ...

    def entries(self, *, access: Access) -> Iterator[Entry]:
        """Yield the visible files and links."""
        ...

    def read(self, path: str, *, access: Access, start: int = 0, size: int = -1) -> bytes | None:
        """Return bytes of the file as they are in the source; None when it is not visible.

        `start`, `size`: a byte range; `size` below 0 means to the end.
        """
        ...

    def read_many(self, paths: Iterable[str], *, access: Access) -> Iterator[tuple[str, bytes]]:
        """Yield (path, bytes) of the visible ones among `paths`, in their order, in bulk."""
        ...

    def text(self, path: str, *, access: Access) -> str | None:
        """Return the decoded text, to which character offsets refer; None without one."""
        ...

    def chunks(self, path: str, *, access: Access) -> tuple[Chunk, ...]:
        """Return the chunks of one file in order."""
        ...

    def symbols(
        self,
        *,
        access: Access,
        name: str | None = None,
        folded: str | None = None,
        path: str | None = None,
        under: str | None = None,
        kinds: Sequence[str] = (),
        offset: int = 0,
        limit: int = 1_000,
    ) -> tuple[list[Symbol], int]:
        """Return definitions and their true total.

        `name`: exactly this name; `folded`: the name without regard to case; `path`: defined in
        this file; `under`: in this directory or below. Order: path, then position.
        """
        ...

    def imports(self, path: str, *, access: Access) -> list[Import]:
        """Return what a file imports, in order of lines."""
        ...

    def importers(self, path: str, *, access: Access) -> list[Import]:
        """Return the visible import edges that lead to a file."""
        ...

    def import_counts(self, *, access: Access) -> dict[str, int]:
        """Return, for each visible file that is imported, how many visible files import it."""
        ...

    def nearest(
        self,
        vector: npt.NDArray[np.float32],
        *,
        fingerprint: str,
        access: Access,
        k: int,
        admit: Admit | None = None,
    ) -> list[ChunkRef]:
        """Return the `k` chunks with the highest cosine to `vector`, shape (d,).

        Empty when the store has no vectors of the model with this fingerprint.
        """
        ...

    def vectors(
        self, refs: Sequence[tuple[str, int]], *, fingerprint: str, access: Access
    ) -> npt.NDArray[np.float32] | None:
        """Return the unit vectors of (path, chunk index) pairs, shape (n, d); zeros where hidden
        or missing; None when the store has none of this model."""
        ...

    def state(self, *, access: Access) -> IndexState:
        """Return how far the catalogue agrees with its source, counted over what is visible."""
        ...

    def ignored(self, path: str, *, access: Access) -> str:
        """Return the rule that keeps a path out of the tree, as far as the asker may know; else
        empty. A store with access labels always answers empty."""
        ...

    def close(self) -> None: ...
