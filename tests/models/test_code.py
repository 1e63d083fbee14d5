"""The embedded model: the file that ships, and its arithmetic beside a plain calculation."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tadoru.errors import Unavailable
from tadoru.models.base import Embedder
from tadoru.models.code import MODEL, CodeEmbedder

PIECES = ["open", "session", "#s", "close", "path"]


def model_file(path: Path, rows: int = len(PIECES)) -> Path:
    """Write a small model: row n points along axis n, 127 long."""
    tensors = {
        "asked": ("F32", np.array([1, 2, 1, 1, 1], dtype="<f4")),
        "said": ("F32", np.array([1, 1, 1, 1, 3], dtype="<f4")),
        "vectors": ("I8", (np.eye(rows, 8) * 127).astype(np.int8)),
        "pieces": ("U8", np.frombuffer("\n".join(PIECES).encode(), dtype=np.uint8)),
    }
    header: dict[str, object] = {"__metadata__": {"name": "small", "place_share": "2.0"}}
    at = 0
    for name, (kind, array) in tensors.items():
        header[name] = {
            "dtype": kind, "shape": array.shape, "data_offsets": [at, at + array.nbytes],
        }  # fmt: skip
        at += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    numbers = b"".join(array.tobytes() for _, array in tensors.values())
    path.write_bytes(len(text).to_bytes(8, "little") + text + numbers)
    return path


def test_a_vector_is_the_sum_of_weighted_pieces(tmp_path: Path) -> None:
    model = CodeEmbedder(model_file(tmp_path / "m"))
    assert isinstance(model, Embedder)
    asked = model.encode(["open sessions"], query=True)[0]
    expected = np.log(2) * np.array([1, 2, 1, 0, 0, 0, 0, 0])
    assert np.allclose(asked, expected / np.linalg.norm(expected), atol=1e-6)


def test_the_first_line_of_a_text_counts_more_and_a_text_weighs_otherwise(tmp_path: Path) -> None:
    model = CodeEmbedder(model_file(tmp_path / "m"))
    said = model.encode(["path\nopen open"])[0]
    expected = np.array([np.log1p(2), 0, 0, 0, 3 * np.log1p(2), 0, 0, 0])
    assert np.allclose(said, expected / np.linalg.norm(expected), atol=1e-6)


def test_a_text_without_a_known_piece_gets_zeros(tmp_path: Path) -> None:
    vectors = CodeEmbedder(model_file(tmp_path / "m")).encode(["", "zzz 123", "open"])
    assert not vectors[:2].any() and vectors[2].any()


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "other", "short"])
def test_a_broken_file_is_unavailable_and_says_what_to_do(tmp_path: Path, damage: str) -> None:
    path = model_file(tmp_path / "m", rows=4 if damage == "short" else len(PIECES))
    data = path.read_bytes()
    changed = {"empty": b"", "cut": data[:60], "other": b"x" * 900}
    path.write_bytes(changed.get(damage, data))
    if damage == "missing":
        path.unlink()
    with pytest.raises(Unavailable) as error:
        CodeEmbedder(path)
    assert "install tadoru again" in error.value.hint


@pytest.fixture(scope="module")
def shipped() -> CodeEmbedder:
    return CodeEmbedder()


def test_the_model_that_ships_is_small_and_is_the_one_of_its_card(shipped: CodeEmbedder) -> None:
    import hashlib

    card = Path(__file__).parents[2] / "training" / "static" / "MODEL_CARD.md"
    assert MODEL.stat().st_size <= 12_000_000
    assert hashlib.sha256(MODEL.read_bytes()).hexdigest() in card.read_text("utf-8")
    assert shipped.dimension == 256


def test_the_model_that_ships_knows_what_speaks_of_the_same(shipped: CodeEmbedder) -> None:
    texts = [
        "auth/login.py > check\ndef check(user, pw):\n    return hash(pw) == user.digest",
        "io/json.py > dump\ndef dump(obj, fp):\n    fp.write(encode(obj))",
        "net/retry.py > wait\ndef wait(attempt):\n    time.sleep(2 ** attempt)",
    ]
    asked = ["verify a password", "serialize an object to a file", "exponential backoff delay"]
    scores = shipped.encode(asked, query=True) @ shipped.encode(texts).T
    assert scores.argmax(axis=1).tolist() == [0, 1, 2]


def test_vectors_are_unit_and_do_not_depend_on_the_batch(shipped: CodeEmbedder) -> None:
    texts = [f"file{n}.py\nreturn value_{n} * total" for n in range(20)]
    together = shipped.encode(texts)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.concatenate([shipped.encode([text]) for text in texts])
    assert np.array_equal(together, alone)


def test_it_needs_numpy_and_nothing_else() -> None:
    program = (
        "import sys; from tadoru.models.code import CodeEmbedder;"
        "CodeEmbedder().encode(['open a file'], query=True);"
        "print([m for m in ('tokenizers', 'torch', 'safetensors', 'httpx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0)
