"""Train a table of one vector per piece, so that a question lies near the text that answers it.

In-batch InfoNCE (van den Oord, Li, Vinyals 2018), both ways, with batches of which half comes from
few packages, because the hard question is which function of one repository is meant. Beside its
vector each piece learns how much it counts in a question and how much in a text. Needs torch, which
nothing else here does.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from multiprocessing import get_context

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from tadoru.models.subwords import Vocabulary

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

PART = 8_000
"""Texts that a process counts at a time."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What was chosen on the development packages; `ABLATIONS.md` has what it was chosen from."""

    dimension: int = 256
    batch: int = 512
    epochs: int = 2
    rate: float = 0.003
    dropout: float = 0.2
    """Share of the pieces of each side that a step does not see."""
    temperature: float = 0.05
    place_share: float = 2.0
    """What a piece in the place counts, beside one in the text."""
    group: int = 64
    """Pairs of one package that stand in a batch together."""
    spread: float = 0.1
    """Length of a vector at first: what was hardly ever seen must hardly count."""
    seed: int = 7


@dataclass(slots=True)
class Bags:
    """Texts as bags of pieces: `ids` and `weights` from `offsets[i]` to `offsets[i + 1]`."""

    ids: Ints
    weights: Floats
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: npt.NDArray[np.int64]) -> tuple[Ints, Floats, npt.NDArray[np.int64]]:
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        starts = np.cumsum(lengths) - lengths
        where = np.arange(lengths.sum()) - np.repeat(starts - self.offsets[rows], lengths)
        return self.ids[where], self.weights[where], starts


def bag(vocabulary: Vocabulary, texts: list[tuple[str, str]], place_share: float) -> Bags:
    """Count the pieces of (place, body) pairs; a question has no place."""
    ids: list[npt.NDArray[np.int32]] = []
    weights: list[Floats] = []
    offsets = [0]
    for place, body in texts:
        counts: dict[int, float] = dict(vocabulary.counts(body))
        for number, count in vocabulary.counts(place).items() if place else ():
            counts[number] = counts.get(number, 0) + place_share * count
        ids.append(np.fromiter(counts, np.int32, len(counts)))
        weights.append(np.log1p(np.fromiter(counts.values(), np.float32, len(counts))))
        offsets.append(offsets[-1] + len(counts))
    return Bags(np.concatenate(ids), np.concatenate(weights), np.array(offsets, dtype=np.int64))


def bags(vocabulary: Vocabulary, texts: list[tuple[str, str]], place_share: float) -> Bags:
    """Do what `bag` does, in as many processes as there are cores."""
    parts = [texts[at : at + PART] for at in range(0, len(texts), PART)]
    with get_context("fork").Pool() as pool:
        found = pool.starmap(bag, ((vocabulary, part, place_share) for part in parts), 1)
    lengths = np.concatenate([np.diff(each.offsets) for each in found])
    return Bags(
        np.concatenate([each.ids for each in found]),
        np.concatenate([each.weights for each in found]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
    )


class Table(torch.nn.Module):
    """The vectors, and what each piece counts in a question and in a text (as logarithms)."""

    def __init__(self, size: int, dimension: int, rarity: Floats, spread: float) -> None:
        super().__init__()
        self.bags = torch.nn.EmbeddingBag(size, dimension, mode="sum")
        torch.nn.init.normal_(self.bags.weight, std=spread * dimension**-0.5)
        self.asked = torch.nn.Parameter(torch.from_numpy(rarity.copy()))
        self.said = torch.nn.Parameter(torch.from_numpy(rarity.copy()))

    def forward(
        self,
        part: tuple[Ints, Floats, npt.NDArray[np.int64]],
        *,
        question: bool,
        dropout: float = 0.0,
    ) -> torch.Tensor:
        ids = torch.from_numpy(part[0].astype(np.int64))
        weights = torch.from_numpy(part[1])
        if dropout:
            weights = weights * (torch.rand(len(weights)) >= dropout)
        weights = weights * (self.asked if question else self.said)[ids].exp()
        return functional.normalize(self.bags(ids, torch.from_numpy(part[2]), weights), dim=1)


def rarity_of(texts: Bags, size: int) -> Floats:
    """Return the logarithm of what a piece counts at first: less the more texts have it."""
    share = np.bincount(texts.ids, minlength=size) / len(texts)
    return np.log(np.sqrt(1e-2 / (1e-2 + share)).astype(np.float32))


def train(
    questions: Bags,
    texts: Bags,
    packages: Ints,
    size: int,
    settings: Settings,
    *,
    every: object = None,
) -> Table:
    """Return the trained table. `packages`: the number of each pair's package."""
    print("train", asdict(settings), len(questions), "pairs", flush=True)
    torch.manual_seed(settings.seed)
    source = np.random.default_rng(settings.seed)
    table = Table(size, settings.dimension, rarity_of(texts, size), settings.spread)
    scale = torch.nn.Parameter(torch.tensor(float(-np.log(settings.temperature))))
    rates = [
        {"params": [table.bags.weight], "lr": settings.rate},
        {"params": [table.asked, table.said], "lr": settings.rate * 2},
        {"params": [scale], "lr": 1e-3},
    ]
    optimizer = torch.optim.Adam(rates, betas=(0.9, 0.98), fused=True)
    steps = settings.epochs * (len(questions) // settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, [r["lr"] for r in rates], total_steps=steps + 1, pct_start=0.1
    )
    step, begun = 0, time.monotonic()
    for epoch in range(settings.epochs):
        losses = []
        for rows in _batches(packages, settings, source):
            asked = table(questions.take(rows), question=True, dropout=settings.dropout)
            said = table(texts.take(rows), question=False, dropout=settings.dropout)
            scores = asked @ said.T * scale.exp().clamp(max=60)
            right = torch.arange(len(rows))
            loss = functional.cross_entropy(scores, right) + functional.cross_entropy(
                scores.T, right
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step < steps:
                schedule.step()
            step += 1
            losses.append(float(loss.detach()) / 2)
        spent = time.monotonic() - begun
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}, {spent:.0f} s", flush=True)
        if callable(every):
            every(table)
    return table


def _batches(packages: Ints, settings: Settings, source: np.random.Generator):  # type: ignore[no-untyped-def]
    """Yield rows: half of each batch in groups of one package, half from anywhere."""
    order = source.permutation(len(packages))
    half = len(order) // 2
    grouped = order[:half][np.argsort(packages[order[:half]], kind="stable")]
    chunks = [grouped[i : i + settings.group] for i in range(0, half, settings.group)]
    source.shuffle(chunks)  # type: ignore[arg-type]
    together, alone = np.concatenate(chunks), order[half:]
    share = settings.batch // 2
    for start in range(0, half - share + 1, share):
        yield np.concatenate([together[start : start + share], alone[start : start + share]])
