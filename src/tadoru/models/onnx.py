"""A transformer from an ONNX folder, as sentence-transformers exports it. Needs `tadoru[onnx]`.

The folder holds a `*.onnx` (also below `onnx/`), `tokenizer.json`, and perhaps the files that say
how tokens are pooled (`1_Pooling/config.json`), how long a text may be
(`sentence_bert_config.json`) and what comes before a question
(`config_sentence_transformers.json`). Runs on the processor, in this process; downloads nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tadoru.errors import Unavailable
from tadoru.models.base import PREPARATION
from tadoru.models.tokens import load_tokenizer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_TOKENS = 512
BATCH = 16
"""Texts of like length that run at once."""
NAMES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
"""Which file is taken where a folder has several."""
HINT = "give a folder with model.onnx and tokenizer.json"


class OnnxEmbedder:
    """A `BatchEmbedder` from a folder. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        """Raises: `Unavailable` for a folder that holds no such model, or without the extra."""
        try:
            import onnxruntime
        except ImportError:
            raise Unavailable(
                "an ONNX model needs an optional part", hint="pip install 'tadoru[onnx]'"
            ) from None
        path = onnx_file(folder)
        if path is None:
            raise Unavailable(f"{folder} holds no ONNX model", hint=HINT)
        self._tokenizer = load_tokenizer(folder / "tokenizer.json")
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        try:
            data = path.read_bytes()
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except OSError as error:
            raise Unavailable(f"cannot read {path}: {error.strerror}", hint=HINT) from None
        except Exception:  # the library has an exception of its own for each thing that is wrong
            raise Unavailable(f"{path} is no ONNX model", hint=HINT) from None
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._output = self._session.get_outputs()[0].name
        self._first = bool(_said(folder / "1_Pooling/config.json").get("pooling_mode_cls_token"))
        self._prompts = _said(folder / "config_sentence_transformers.json").get("prompts") or {}
        said = _said(folder / "sentence_bert_config.json").get("max_seq_length")
        self._tokenizer.enable_truncation(said if isinstance(said, int) else MAX_TOKENS)
        digest = blake2b(data, digest_size=8).hexdigest()
        del data
        self._dimension = self._run(["a"])[0].shape[-1]
        self._fingerprint = f"onnx:{digest}:{self._dimension}:{PREPARATION}"

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def dimension(self) -> int:
        return int(self._dimension)

    def encode(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return unit vectors, float32, shape (len(texts), dimension)."""
        import numpy as np

        result = np.zeros((len(texts), self.dimension), dtype=np.float32)
        prompt = str(self._prompts.get("query", "")) if query else self._of_documents()
        for positions, vectors in self._batches([prompt + text for text in texts]):
            result[positions] = vectors
        return result

    def encode_batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        """Yield positions and unit vectors of documents, a batch of like length at a time."""
        prompt = self._of_documents()
        yield from self._batches([prompt + text for text in texts])

    def tokens(self, text: str) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return unit vectors of a text's tokens, shape (tokens, dimension), and their weights.

        A model that gives no vectors of tokens gives the one of the text.
        """
        import numpy as np

        output, mask = self._run([text])
        vectors = output[0][mask[0] > 0] if output.ndim == 3 else output
        return _unit(vectors), np.ones(len(vectors), dtype=np.float32)

    def _of_documents(self) -> str:
        return str(self._prompts.get("document") or self._prompts.get("passage") or "")

    def _batches(self, texts: list[str]) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        order = sorted(range(len(texts)), key=lambda position: len(texts[position]))
        for start in range(0, len(order), BATCH):
            positions = order[start : start + BATCH]
            output, mask = self._run([texts[position] for position in positions])
            yield positions, _unit(self._pooled(output, mask))

    def _pooled(
        self, output: npt.NDArray[np.float32], mask: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float32]:
        if output.ndim == 2:  # pooled by the model itself
            return output
        if self._first:
            return output[:, 0]
        shares = mask[:, :, None].astype("float32")
        mean: npt.NDArray[np.float32] = (output * shares).sum(axis=1) / shares.sum(axis=1).clip(1)
        return mean

    def _run(self, texts: list[str]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """Return the model's output and the mask of real tokens. Raises: `Unavailable`."""
        import numpy as np

        found = self._tokenizer.encode_batch_fast(texts)
        width = max(1, *(len(each.ids) for each in found)) if found else 1
        ids = np.zeros((len(texts), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(found):
            ids[row, : len(each.ids)] = each.ids
            mask[row, : len(each.ids)] = 1
        fed: dict[str, Any] = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
        }
        fed = {name: value for name, value in fed.items() if name in self._inputs}
        try:
            (output,) = self._session.run([self._output], fed)
        except Exception as error:  # as above
            raise Unavailable(f"the ONNX model failed: {type(error).__name__}", hint=HINT) from None
        return np.asarray(output, dtype=np.float32), mask


def onnx_file(folder: Path) -> Path | None:
    """Return the model of a folder; None where there is none."""
    for name in NAMES:
        if (folder / name).is_file():
            return folder / name
    return min(folder.glob("*.onnx"), default=None)


def _said(path: Path) -> dict[str, Any]:
    """Return what an optional JSON file of the folder says; nothing where it cannot be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    import numpy as np

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: npt.NDArray[np.float32] = (vectors / np.maximum(norms, 1e-12)).astype(np.float32)
    return unit
