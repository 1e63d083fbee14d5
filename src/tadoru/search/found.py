"""What the stages hand to each other: one chunk under way from recall to packing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tadoru.types import Chunk
from tadoru.views import View

Key = tuple[str, int]
"""Path and chunk index."""


@dataclass(slots=True)
class Found:
    """One candidate with what each stage said about it."""

    chunk: Chunk
    scores: dict[str, float] = field(default_factory=dict)
    """Channel -> its own score: lexical, dense, symbol, path, scan."""
    ranks: dict[str, int] = field(default_factory=dict)
    """Channel -> position in its list, from 0."""
    fused: float = 0.0
    score: float = 0.0
    """Calibrated, 0..1; comparable between questions, with a reranker or without."""
    alone: float = 0.0
    """The score without regard to better chunks of the same file."""
    sources: tuple[str, ...] = ()
    text: str | None = None
    """Set when read already; a scanned piece of a file has no other home."""
    signals: tuple[float, ...] = ()
    seed: bool = True
    """False for what expansion added."""
    focus: int = 0
    """Where in the text of the chunk the best stretch begins, in characters."""

    @property
    def path(self) -> str:
        return self.chunk.path

    @property
    def key(self) -> Key:
        return self.chunk.path, self.chunk.index


class Texts:
    """Texts of candidates; each file is read once for a question."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._files: dict[str, str | None] = {}

    def file(self, path: str) -> str | None:
        """Return the text of a whole file; None when it has none or is gone."""
        if path not in self._files:
            self._files[path] = self._view.text(path)
        return self._files[path]

    def of(self, found: Found) -> str | None:
        """Return the text of a candidate and keep it there; None when its file is gone."""
        if found.text is None:
            found.text = self.chunk(found.chunk)
        return found.text

    def chunk(self, chunk: Chunk) -> str | None:
        whole = self.file(chunk.path)
        return None if whole is None else whole[chunk.span.start_char : chunk.span.end_char]


class Pool:
    """Candidates by key; what two channels bring is one candidate."""

    def __init__(self) -> None:
        self._found: dict[Key, Found] = {}

    def add(self, channel: str, chunk: Chunk, score: float, rank: int) -> Found:
        key = (chunk.path, chunk.index)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = Found(chunk)
        if score > found.scores.get(channel, float("-inf")):
            found.scores[channel] = score
        found.ranks[channel] = min(rank, found.ranks.get(channel, rank))
        return found

    def __contains__(self, key: Key) -> bool:
        return key in self._found

    def all(self) -> list[Found]:
        return list(self._found.values())

    def __len__(self) -> int:
        return len(self._found)


def in_order(found: Iterable[Found]) -> list[Found]:
    """Return candidates by score, best first; ties by path and position."""
    return sorted(found, key=lambda f: (-f.score, f.path, f.chunk.index))
