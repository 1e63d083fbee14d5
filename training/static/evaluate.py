"""MRR@10 on the development packages, which no table was trained on. Chooses; never reported."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import torch
from corpus import Record
from pairs import place_of, question_of, usable
from train import Bags, Table, bag

from tadoru.models.subwords import Vocabulary

ALIKE = {"tsx": "typescript", "javascript": "typescript"}
TEXTS, QUESTIONS, LEAST = 900, 1_200, 150
"""Texts of one package, and questions asked per language, at most; fewer questions do not count."""


class Development:
    """Questions and texts of the development packages, by language."""

    def __init__(
        self, packages: Iterable[list[Record]], vocabulary: Vocabulary, share: float
    ) -> None:
        by_language: dict[str, list[Record]] = defaultdict(list)
        for package in packages:
            code = [record for record in package if record.kind == "code"]
            for record in code[:: len(code) // TEXTS + 1]:
                by_language[ALIKE.get(record.language, record.language)].append(record)
        self.sets: dict[str, tuple[npt.NDArray[np.int64], Bags, Bags]] = {}
        for language, found in sorted(by_language.items()):
            questions = [question_of(record) for record in found]
            often = Counter(questions)
            kept = [n for n, q in enumerate(questions) if often[q] == 1 and usable(q)]
            kept = kept[:: len(kept) // QUESTIONS + 1]
            if len(kept) >= LEAST:
                self.sets[language] = (
                    np.array(kept),
                    bag(vocabulary, [("", questions[n]) for n in kept], share),
                    bag(vocabulary, [(place_of(r), r.body) for r in found], share),
                )

    def measure(self, table: Table) -> dict[str, float]:
        """Return MRR@10 by language, and the mean of them."""
        values: dict[str, float] = {}
        with torch.no_grad():
            for language, (gold, questions, texts) in self.sets.items():
                asked = table(questions.take(np.arange(len(questions))), question=True)
                said = table(texts.take(np.arange(len(texts))), question=False)
                scores = (asked @ said.T).numpy()
                right = scores[np.arange(len(gold)), gold][:, None]
                ranks = (scores > right).sum(axis=1) + 1
                values[language] = round(float(np.where(ranks <= 10, 1 / ranks, 0).mean()), 4)
        values["mean"] = round(sum(values.values()) / len(values), 4)
        return values
