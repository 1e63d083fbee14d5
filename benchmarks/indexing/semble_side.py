"""The other side of the comparison: semble 0.7.0 indexes a directory and stores its index.

Runs in an environment of its own (`pip install semble==0.7.0`), never in tadoru's:
`python semble_side.py REPO MODEL_DIR [--make-model]`. The model is a folder in model2vec's format;
`--make-model` writes one with a word-piece vocabulary learnt from the repository and random vectors
of 256 dimensions, so that nothing is downloaded: speed does not depend on what the numbers are.
Prints one JSON line: seconds in the library (without imports), bytes of text that it took in.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

VOCABULARY = 30_000
DIMENSIONS = 256
LEARNT_FROM = 1_500
"""Files."""


def make_model(root: Path, folder: Path) -> None:
    """Write a model whose vectors mean nothing."""
    import numpy as np
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    suffixes = {".py", ".ts", ".tsx", ".js", ".go", ".rs", ".java", ".rb", ".md", ".rst"}
    files = [str(path) for path in sorted(root.rglob("*")) if path.suffix in suffixes]
    trainer = trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=["[PAD]", "[UNK]"])
    tokenizer.train(files[:LEARNT_FROM], trainer)
    size = (tokenizer.get_vocab_size(), DIMENSIONS)
    vectors = np.random.default_rng(0).normal(size=size).astype(np.float32)
    StaticModel(vectors, tokenizer, normalize=True).save_pretrained(str(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--make-model", action="store_true")
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    if options.make_model:
        make_model(options.repository, options.model)
        return
    from semble import SembleIndex
    from semble.types import ContentType

    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        found = SembleIndex.from_path(
            options.repository, content=list(ContentType), model_path=str(options.model)
        )
        found.save(Path(scratch, "index"))
        seconds = time.monotonic() - began
        size = sum(p.stat().st_size for p in Path(scratch).rglob("*") if p.is_file())
    text = sum(len(chunk.content.encode()) for chunk in found.chunks)
    files = len({chunk.file_path for chunk in found.chunks})
    answer = {"seconds": seconds, "bytes": text, "files": files, "index_bytes": size}
    print(json.dumps({**answer, "chunks": len(found.chunks)}))


if __name__ == "__main__":
    main()
