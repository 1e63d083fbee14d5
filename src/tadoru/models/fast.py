"""A model that fastembed knows by name (`tadoru[fastembed]`), from the user's own cache of it.

Refuses to download: what is not in the cache is an error that says how to put it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tadoru.errors import Unavailable
from tadoru.models.base import PREPARATION

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class FastEmbedder:
    """An `Embedder` by fastembed. Threads may share it."""

    def __init__(self, name: str) -> None:
        """Raises: `Unavailable` for a model that is unknown or not on this machine, or without
        the extra."""
        try:
            from fastembed import TextEmbedding
            from loguru import logger
        except ImportError:
            raise Unavailable(
                "fastembed is an optional part", hint="pip install 'tadoru[fastembed]'"
            ) from None
        logger.disable("fastembed")  # it would write to standard error
        known = {each["model"].lower() for each in TextEmbedding.list_supported_models()}
        if name.lower() not in known:
            raise Unavailable(f"fastembed knows no model {name!r}", hint="see its list of models")
        try:
            self._model = TextEmbedding(name, local_files_only=True)
        except Exception:  # whatever it raises, the model cannot be loaded from here
            raise Unavailable(
                f"the model {name} is not in fastembed's cache, and tadoru downloads nothing",
                hint=f"download it once: python -c 'import fastembed; "
                f'fastembed.TextEmbedding("{name}")\'',
            ) from None
        self._name = name
        self._dimension = len(next(iter(self._model.embed(["a"]))))

    @property
    def fingerprint(self) -> str:
        return f"fastembed:{self._name}:{self._dimension}:{PREPARATION}"

    @property
    def dimension(self) -> int:
        return self._dimension

    def encode(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return unit vectors, float32, shape (len(texts), dimension)."""
        import numpy as np

        made = self._model.query_embed(list(texts)) if query else self._model.embed(list(texts))
        rows = np.array(list(made), dtype=np.float32).reshape(len(texts), self._dimension)
        unit: npt.NDArray[np.float32] = rows / np.maximum(
            np.linalg.norm(rows, axis=1, keepdims=True), 1e-12
        )
        return unit
