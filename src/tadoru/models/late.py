"""Late interaction: each token of a question finds its best match among a document's tokens.

MaxSim, as ColBERT has it (Khattab and Zaharia 2020), over the token table of a model2vec folder: no
framework, no download. Off unless `RESOLVE_MODEL_DIR` names a folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tadoru.errors import ConfigError
from tadoru.models.static import StaticEmbedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PRECISIONS = ("int8", "float32")
WARM_UP = "src/app.py"


class LateInteraction:
    """A `Reranker` of short texts, such as paths. Threads may share it."""

    def __init__(self, folder: Path, precision: str = "int8") -> None:
        """Load and warm up. `precision`: of the tokens that are compared.

        Raises: `ConfigError` for an unknown precision, `Unavailable` for a folder that holds no
        such model.
        """
        if precision not in PRECISIONS:
            raise ConfigError(
                f"unknown precision of a model: {precision!r}",
                hint=f"one of {', '.join(PRECISIONS)}",
            )
        self._model = StaticEmbedder(folder)
        self._precision = precision
        self.score(WARM_UP, [WARM_UP])

    @property
    def name(self) -> str:
        return f"late:{self._model.fingerprint}:{self._precision}"

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        """Return the mean best cosine of the question's tokens, 0..1, for each document.

        A token that is more important to the model counts more. Without a known token: 0.
        """
        import numpy as np

        asked, shares = self._model.tokens(question)
        total = float(shares.sum())
        scores: list[float] = []
        for document in documents:
            said, _ = self._model.tokens(document)
            if not len(said) or total <= 0:
                scores.append(0.0)
                continue
            likeness = self._rounded(asked) @ self._rounded(said).T
            mean = float((likeness.max(axis=1) * shares).sum()) / total
            scores.append(float(np.clip(mean, 0.0, 1.0)))
        return scores

    def _rounded(self, vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return unit vectors as this precision keeps them."""
        import numpy as np

        if self._precision == "float32":
            return vectors
        rounded: npt.NDArray[np.float32] = np.round(vectors * 127)
        return rounded / np.float32(127)
