"""The other side of the comparison: semble 0.7.0 answers the same questions in another process.

Runs in an environment of its own (`pip install semble==0.7.0`), never in tadoru's, with `src` on
its path: its own model cannot be had without a network, so it is given tadoru's embedded code
model, through the methods that it calls of a model. Reads a JSON object a line, `{"open":
DIRECTORY}` or `{"ask": QUESTION, "top": N}`, and answers each with one.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import semble.index.index as semble_index
from semble import SembleIndex
from semble.types import ContentType

from tadoru.models.code import CodeEmbedder


class Model:
    """tadoru's embedded model, as semble calls a model."""

    def __init__(self) -> None:
        self._embedder = CodeEmbedder()
        self.dim = self._embedder.dimension

    def encode(self, texts: Sequence[str], **how: Any) -> npt.NDArray[np.float32]:
        """Return vectors: of documents where semble says how to go through them, else of questions.

        The model takes the first line of a document for its place; semble's chunks have none.
        """
        if not how:
            return self._embedder.encode(texts, query=True)
        return self._embedder.encode([f"\n{text}" for text in texts])


def main() -> None:
    model = Model()
    semble_index.load_model = lambda _path=None: (model, "tadoru-code")
    index: SembleIndex | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        cpu, wall = time.process_time(), time.perf_counter()
        reply: dict[str, Any] = {}
        if "open" in asked:
            content = [ContentType(name) for name in asked["content"]]
            index = SembleIndex.from_path(asked["open"], content=content)
            reply["chunks"] = len(index.chunks)
        elif index is not None:
            found = index.search(asked["ask"], top_k=asked["top"])
            reply["hits"] = [
                [r.chunk.file_path, r.chunk.start_line, r.chunk.end_line] for r in found
            ]
        reply["cpu_ms"] = (time.process_time() - cpu) * 1e3
        reply["wall_ms"] = (time.perf_counter() - wall) * 1e3
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
