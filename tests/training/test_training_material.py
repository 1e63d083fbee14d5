"""What the embedded model may learn from, and what it is given: licences, exclusions, pairs."""

from __future__ import annotations

import random
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

from tadoru.models.code import CodeEmbedder

STATIC = Path(__file__).parents[2] / "training" / "static"
sys.path.append(str(STATIC))

from commented import definitions  # noqa: E402
from corpus import content_hash, records_of, shortened  # noqa: E402
from export import quantised, write  # noqa: E402
from fetch import Source, fetch, is_excluded, names_of, permissive  # noqa: E402
from pairs import is_development, pairs_of, question_of  # noqa: E402
from vocabulary import choose  # noqa: E402

GO = """package pool

// Close gives every idle connection back
// and stops the clock.
func (p *Pool) Close() error {
	p.clock.Stop()
	return p.drain(true)
}

// lonely comment without a declaration

var x = 1
"""
PYTHON = '''
class Pool:
    """Connections that are kept."""

    def close(self):
        """Give every idle connection back."""
        self.clock.stop()
        return self.drain(force=True)
'''
TYPESCRIPT = """export class Pool {
  /**
   * Gives every idle connection back.
   * @param force also those in use
   */
  async close(force: boolean): Promise<void> {
    this.clock.stop();
    await this.drain(force);
  }
}
"""


@pytest.mark.parametrize(
    ("language", "text", "name", "container", "doc"),
    [
        ("go", GO, "Close", "Pool", "Close gives every idle connection back\nand stops the clock."),
        ("python", PYTHON, "close", "Pool", "Give every idle connection back."),
        ("typescript", TYPESCRIPT, "close", "Pool", "Gives every idle connection back."),
    ],
)
def test_a_doc_comment_goes_with_its_definition_and_out_of_it(
    language: str, text: str, name: str, container: str, doc: str
) -> None:
    found = {each.name: each for each in definitions(language, text)}[name]
    assert found.container == container
    assert found.doc.startswith(doc)
    assert doc.split("\n")[0] not in found.body
    assert "drain" in found.body
    assert "lonely" not in found.body


def test_unfinished_code_gives_nothing_and_no_error() -> None:
    for language in ("python", "go", "typescript", "rust", "java", "c", "ruby", "php"):
        for text in ("def f(:\n", "/* never closed", "// only\n", "func", "{" * 500, "\x00\n//a"):
            assert list(definitions(language, text)) == []


@pytest.mark.parametrize(
    ("licence", "may"),
    [
        ("MIT", True), ("Apache-2.0 or Expat", True), ("BSD-3-Clause~Google", True),
        ("(MIT OR GPL-3.0-or-later)", True), ("GPL-2+", False), ("LGPL-2.1 and MIT", False),
        ("MPL-2.0", False), ("proprietary", False), ("", False),
    ],
)  # fmt: skip
def test_only_what_may_be_had_under_a_permissive_licence_is_used(licence: str, may: bool) -> None:
    assert permissive(licence) is may


def test_other_bytes_than_were_recorded_are_refused(tmp_path: Path) -> None:
    kept = tmp_path / "archives" / "npm" / "pool"
    kept.mkdir(parents=True)
    with tarfile.open(kept / "pool-1.0.0.tgz", "w:gz") as archive:
        about = tmp_path / "package.json"
        about.write_text('{"version": "1.0.0", "license": "MIT"}')
        archive.add(about, "package/package.json")
    source = fetch("npm", "pool", tmp_path, None, permissive)
    assert source is not None
    assert (source.version, source.licence) == ("1.0.0", "MIT")
    assert fetch("npm", "pool", tmp_path, source, permissive) == source
    assert fetch("npm", "pool", tmp_path, source, lambda licence: False) is None
    other = Source("npm", "pool", "1.0.0", "MIT", {"pool-1.0.0.tgz": "0" * 64})
    with pytest.raises(ValueError, match="other bytes"):
        fetch("npm", "pool", tmp_path, other, permissive)


def test_a_source_without_its_description_has_no_licence(tmp_path: Path) -> None:
    kept = tmp_path / "archives" / "debian" / "pool"
    kept.mkdir(parents=True)
    with tarfile.open(kept / "pool_1.0.orig.tar.gz", "w:gz") as archive:
        archive.add(Path(__file__), "pool-1.0/pool.py")
    assert fetch("debian", "pool", tmp_path, None, permissive) is None


def test_no_source_is_a_repository_of_a_test() -> None:
    lines = (STATIC / "excluded.txt").read_text("utf-8").splitlines()
    words = [line for line in lines if line and not line.startswith("#")]
    used = names_of(STATIC / "sources.txt")
    tested = names_of(STATIC.parents[1] / "benchmarks" / "models" / "sources.txt")
    assert not set(used) & set(tested)
    assert [name for _, name in used if is_excluded(name, words)] == []
    assert is_excluded("golang-github-gin-gonic-gin-dev", words)
    assert is_excluded("@tanstack/query-core", words)
    assert not is_excluded("beginner", words)


def test_a_file_that_a_test_package_has_too_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    for name in ("mine.py", "theirs.py"):
        text = PYTHON.replace("Pool", name.removesuffix(".py")) + "\n# filler" * 30
        (tmp_path / "package" / name).write_text(text)
    theirs = content_hash((tmp_path / "package" / "theirs.py").read_bytes())
    assert {r.path for r in records_of(tmp_path, {theirs})} == {"mine.py"}
    assert {r.path for r in records_of(tmp_path, set())} == {"mine.py", "theirs.py"}
    assert shortened("usr/share/gocode/src/github.com/a/b.go") == "github.com/a/b.go"


def test_a_question_is_asked_once_and_does_not_begin_with_the_name(tmp_path: Path) -> None:
    (tmp_path / "pool.go").write_text(GO + "\n// filler" * 30)
    (tmp_path / "copy.go").write_text(GO.replace("stops", "halts") + "\n// filler" * 30)
    records = list(records_of(tmp_path, set()))
    assert question_of(records[0]).startswith("gives every idle connection back")
    pairs = list(pairs_of(records, random.Random(1)))
    assert len({pair.question for pair in pairs}) == len(pairs) > 0


def test_the_development_share_is_decided_by_name_alone() -> None:
    names = [f"package-{n}" for n in range(2_000)]
    share = sum(map(is_development, names)) / len(names)
    assert 0.03 < share < 0.09
    assert [is_development(name) for name in names] == [is_development(name) for name in names]


def test_pieces_are_words_identifiers_and_parts_and_none_twice() -> None:
    texts = [f"open the poolConnection number{n}" for n in range(50)] + ["straggler"]
    pieces = choose(texts)
    assert len(pieces) == len(set(pieces))
    assert {"open", "pool", "connection", "=poolconnection", "a", "#a"} <= set(pieces)


def test_the_written_file_is_what_the_embedder_reads(tmp_path: Path) -> None:
    source = np.random.default_rng(0)
    pieces = ["open", "pool", "close", *"abcdefghijklmnopqrstuvwxyz"]
    vectors = source.normal(size=(len(pieces), 16)).astype(np.float32)
    asked, said = source.random((2, len(pieces))).astype(np.float32) + 0.5
    digest = write(tmp_path / "m.safetensors", pieces, vectors, asked, said, 2.0)
    assert len(digest) == 64
    model = CodeEmbedder(tmp_path / "m.safetensors")
    expected = asked[0] * vectors[0] + asked[1] * vectors[1]
    cosine = model.encode(["open pool"], query=True)[0] @ expected / np.linalg.norm(expected)
    assert cosine > 0.999
    rows, scales = quantised(vectors)
    assert np.abs(rows * scales[:, None] - vectors).max() <= scales.max() / 2 + 1e-6
