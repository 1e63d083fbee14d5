"""Hits and what lies around them, packed into a budget of tokens and characters.

Chunks that touch become one segment; segments are in file order and never overlap; files come by
their best score. Of a long chunk the part that answers is shown, and of the files that come after
what is worth reading, one line each: a reader who pays by the token learns the place first, and
can ask for the rest. The budget holds for the whole text as it is rendered. The best hit is cut
when it alone is too large, never dropped; what else does not fit is left out whole, and counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from tadoru.models.base import TokenCounter
from tadoru.search.found import Found, Key, Texts
from tadoru.search.memory import hit_id, part_id
from tadoru.search.piece import SLACK, Piece, heading_of, piece_of, whole_of
from tadoru.search.render import NAMED, markdown, place
from tadoru.types import PackedFile, Segment
from tadoru.views import View

HEADER_TOKENS = 16
"""Allowance for heading and fence of one segment, beside its path and breadcrumb; the finished
text is counted all the same."""
SENT_LISTED = 20
NAMED_SHARE = 0.1
"""Share of the budget for files of which one line is shown."""
AROUND_SHARE = 0.35
"""Part of `segment_tokens` up to which the surroundings of a hit are shown in full. Measured with
segments of 300 tokens and the lines above: tokens to the first right file 1,567 -> 375 (mean),
recall of the packed context at 2,000 tokens .943 -> .984."""
MOST_NAMED = 10
NO_ROOM, ENOUGH = "no room in the budget", "its file shows enough"
NAMED_TOKENS = 14
"""Allowance for the path in front of such a line."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one packed answer. Zero files or segments: no limit but the budget."""

    tokens: int
    chars: int
    files: int = 0
    segments_per_file: int = 0
    segment_tokens: int = 0
    """What is shown of one long chunk, and how far neighbours lengthen a segment; 0: no limit."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A packed answer."""

    files: tuple[PackedFile, ...]
    text: str
    tokens: int
    left_out: int = 0
    """Candidates that did not fit."""
    refused: Mapping[Key, str] = field(default_factory=dict)
    """Why each of those is left out."""


@dataclass(slots=True)
class _Run:
    """Adjacent chunks of one file."""

    start: int
    end: int
    start_line: int
    end_line: int
    best: Found
    sources: set[str]
    tokens: int
    own_text: str | None = None
    whole: bool = True


@dataclass(slots=True)
class _Draft:
    """Runs by file, and a running estimate of what they cost."""

    limits: Limits
    runs: dict[str, list[_Run]] = field(default_factory=dict)

    def add(self, piece: Piece) -> bool:
        """Put a chunk in; False when a limit on files or segments forbids it."""
        found, limit = piece.found, self.limits.segment_tokens
        runs = self.runs.get(found.path)
        if runs is None:
            if self.limits.files and len(self.runs) >= self.limits.files:
                return False
            runs = []
        merged = _merged(runs, piece)
        if limit and not found.seed and len(merged) <= len(runs):
            longest = max(run.tokens for run in merged)
            if longest > limit * SLACK and longest > max(run.tokens for run in runs):
                return False
        if self.limits.segments_per_file and len(merged) > self.limits.segments_per_file:
            return False
        self.runs[found.path] = merged
        return True


def _merged(runs: Sequence[_Run], piece: Piece) -> list[_Run]:
    """Return the runs with one chunk more, joined where they touch, in file order."""
    own = piece.own_text
    new = _Run(
        piece.start, piece.end, piece.start_line, piece.end_line, piece.found,
        set(piece.found.sources), piece.tokens, own, piece.whole,
    )  # fmt: skip
    result: list[_Run] = []
    for run in sorted([*runs, new], key=lambda r: (r.start, r.end)):
        last = result[-1] if result else None
        if last is None or run.start > last.end:
            result.append(run)
            continue
        if own is not None or last.own_text is not None:
            continue  # a scanned window inside another one says nothing new
        best = max(last.best, run.best, key=lambda f: (f.seed, f.score))
        result[-1] = _Run(
            last.start, max(last.end, run.end), last.start_line,
            max(last.end_line, run.end_line), best, last.sources | run.sources,
            last.tokens + run.tokens, whole=last.whole and run.whole,
        )  # fmt: skip
    return result


def pack(
    view: View,
    items: Sequence[Found],
    *,
    limits: Limits,
    counter: TokenCounter,
    languages: dict[str, str],
    also: Sequence[Found] = (),
    sent: Collection[str] = frozenset(),
    texts: Texts | None = None,
) -> Packed:
    """Return the packed answer; `items` by preference, the best hit first.

    `also`: hits of other files that get one line each at the end; `sent`: ids of hits that the
    session has already; they are named, not sent again.
    """
    texts = texts or Texts(view)
    items, notes = _without_sent(texts, items, sent, limits.segment_tokens, counter)
    chosen, refused = _choose(texts, items, limits, counter, also)
    while True:
        files = _files(view, texts, _draft(chosen, limits))
        text = markdown(files, languages, notes)
        tokens = counter.count(text)
        if tokens <= limits.tokens and len(text) <= limits.chars:
            break
        if len(chosen) > 1:
            refused[chosen.pop().found.key] = NO_ROOM
        elif notes:
            notes = notes[:-1]
        else:
            return _cut_to_fit(files, languages, limits, counter, left_out=max(0, len(items) - 1))
    return Packed(files, text, tokens, len(items) - len(chosen), refused)


def _without_sent(
    texts: Texts, items: Sequence[Found], sent: Collection[str], limit: int, counter: TokenCounter
) -> tuple[list[Found], list[str]]:
    """Return what was not sent before, as it would be shown now, and a note on the hits that were.

    Of a long chunk another part may answer another question: only the same part is the same.
    """
    if not sent:
        return list(items), []
    fresh: list[Found] = []
    known: list[str] = []
    for item in items:
        text = texts.of(item)
        if text is None:
            continue
        piece = piece_of(item, text, counter, limit)
        part = part_id(item.chunk, text, piece.start_line, piece.end_line)
        if hit_id(item.chunk, text) not in sent and (piece.whole or part not in sent):
            fresh.append(item)
        elif item.seed:
            known.append(place(item.path, piece.start_line, piece.end_line))
    notes = ["Sent before in this session: " + ", ".join(known[:SENT_LISTED])] if known else []
    return fresh, notes


def _choose(
    texts: Texts,
    items: Sequence[Found],
    limits: Limits,
    counter: TokenCounter,
    also: Sequence[Found],
) -> tuple[list[Piece], dict[Key, str]]:
    """Return what fits by estimate, in order of preference, the first always; and why what does
    not."""
    draft = _Draft(limits)
    chosen: list[Piece] = []
    refused: dict[Key, str] = {}
    tokens = chars = 0
    room = limits.tokens * (1 - NAMED_SHARE) if also else limits.tokens
    seeds = {item.path for item in items if item.seed}
    for item in items:
        text = texts.of(item)
        if text is None:
            continue
        head = f"{item.path} {item.chunk.breadcrumb}"
        piece = _shown_of(item, text, seeds, limits.segment_tokens, counter)
        cost = piece.tokens + counter.count(head) + HEADER_TOKENS
        size = piece.end - piece.start + len(head) + 2 * HEADER_TOKENS
        fits = tokens + cost <= room and chars + size <= limits.chars
        if chosen and not fits:
            refused[item.key] = NO_ROOM
            continue
        if not draft.add(piece):
            refused[item.key] = ENOUGH
            continue
        chosen.append(piece)
        tokens += cost
        chars += size
    if chosen:
        left = limits.tokens - tokens
        chosen.extend(_named(texts, [*items, *also], draft, left, counter))
    return chosen, refused


def _shown_of(item: Found, text: str, seeds: Set[str], limit: int, counter: TokenCounter) -> Piece:
    """Return what is shown of a candidate: of a hit's surroundings in its own file, one line
    unless they are short, so that the next file is not far down."""
    if not limit or item.seed or item.path not in seeds or item.chunk.index < 0:
        return piece_of(item, text, counter, limit)
    whole = whole_of(item, counter.count(text), int(limit * AROUND_SHARE))
    return whole or heading_of(replace(item, sources=NAMED), text, counter)


def _named(
    texts: Texts, candidates: Iterable[Found], draft: _Draft, left: float, counter: TokenCounter
) -> Iterable[Piece]:
    """Yield one line of each file that is not there yet, as many as fit in `left` tokens."""
    shown = 0
    for found in candidates:
        if found.path in draft.runs or found.chunk.index < 0:
            continue
        text = texts.of(found)
        if not text:
            continue
        piece = heading_of(replace(found, sources=NAMED, seed=False), text, counter)
        left -= piece.tokens + NAMED_TOKENS
        shown += 1
        if left < 0 or shown > MOST_NAMED or not draft.add(piece):
            return
        yield piece


def _draft(chosen: Sequence[Piece], limits: Limits) -> _Draft:
    draft = _Draft(limits)
    for piece in chosen:
        draft.add(piece)
    return draft


def _files(view: View, texts: Texts, draft: _Draft) -> tuple[PackedFile, ...]:
    packed: list[tuple[bool, PackedFile]] = []
    for path, runs in draft.runs.items():
        whole = texts.file(path)
        segments: list[Segment] = []
        for run in runs:
            text = run.own_text if run.own_text is not None else (whole or "")[run.start : run.end]
            segments.append(
                Segment(
                    path,
                    run.start_line,
                    run.end_line,
                    run.best.score,
                    run.best.chunk.breadcrumb,
                    text.strip("\n"),
                    tuple(sorted(run.sources)),
                    cut=not run.whole,
                )
            )
        seed = any(run.best.seed for run in runs)
        score = max(run.best.score for run in runs)
        packed.append((seed, PackedFile(path, score, tuple(segments), view.host_path(path))))
    packed.sort(key=lambda pair: (not pair[0], -pair[1].score, pair[1].path))
    return tuple(file for _, file in packed)


def _cut_to_fit(
    files: tuple[PackedFile, ...],
    languages: dict[str, str],
    limits: Limits,
    counter: TokenCounter,
    left_out: int,
) -> Packed:
    """Shorten the only segment to the longest beginning whose rendering fits.

    Where not even its heading fits, the text is empty and the file is still named.
    """
    if not files:
        return Packed((), "", 0)
    segment = files[0].segments[0]
    low, high = 0, len(segment.text)
    while low < high:
        middle = (low + high + 1) // 2
        if _fits(_shortened(files[0], middle), languages, limits, counter):
            low = middle
        else:
            high = middle - 1
    newline = segment.text.rfind("\n", 0, low)
    if newline > low // 2:
        low = newline  # end at a whole line where that costs little
    cut = _shortened(files[0], low)
    if not _fits(cut, languages, limits, counter):
        return Packed((_shortened(files[0], 0),), "", 0, left_out)
    text = markdown((cut,), languages)
    return Packed((cut,), text, counter.count(text), left_out)


def _shortened(file: PackedFile, length: int) -> PackedFile:
    segment = file.segments[0]
    text = segment.text[:length]
    end = min(segment.end_line, segment.start_line + text.count("\n"))
    return replace(file, segments=(replace(segment, text=text, end_line=end, cut=True),))


def _fits(
    file: PackedFile, languages: dict[str, str], limits: Limits, counter: TokenCounter
) -> bool:
    text = markdown((file,), languages)
    return len(text) <= limits.chars and counter.count(text) <= limits.tokens
