"""grep over a collection: no match is missed however pages are cut, and nothing is asked twice.

The oracles are the text itself, and GNU grep over the same pages on disk.
"""

from __future__ import annotations

import itertools
import random
import re
import shutil
import subprocess

import pytest
from chroma_server import MARKS, counting_store
from hypothesis import given
from hypothesis import strategies as st

from tadoru.config import Config
from tadoru.stores.chroma import ChromaStore
from tadoru.stores.chroma import finding as module
from tadoru.stores.chroma.coarse import LITERAL_CHARS, expression
from tadoru.testing.suites.store import access_of
from tadoru.types import Principal
from tadoru.views import View
from tadoru.workspace import Workspace

WORDS = ["token", "Token", "session", "SESSION cookie", "naïve", "用户", "db", "x", "a.b*c", "(re)",
         "[set]", "back\\slash", "50%", "under_score", "İstanbul", "ſharp", "K", "tab\there",
         "$end", "^start", "{curly}", "semi-colon", "a&b", "~tilde", "#hash"]  # fmt: skip


def cut(rng: random.Random, text: str, longest: int) -> list[str]:
    """Cut a text anywhere, into pieces that may be as short as one character."""
    pieces, at = [], 0
    while at < len(text):
        end = at + rng.randint(1, longest)
        pieces.append(text[at:end])
        at = end
    return pieces


def pages_of(rng: random.Random, count: int) -> dict[str, str]:
    lines = lambda: " ".join(rng.choices(WORDS, k=rng.randint(1, 5)))  # noqa: E731
    return {
        f"d{n % 3}/p{n}.md": "\n".join(lines() for _ in range(rng.randint(1, 6))) + "\n"
        for n in range(count)
    }


def rows_of(rng: random.Random, pages: dict[str, str], longest: int):
    return [
        (f"{path}:{at}", piece, {"page": path, "chunk_index": at})
        for path, text in pages.items()
        for at, piece in enumerate(cut(rng, text, longest))
    ]


public = {"isPublic": True}


class TestOnARealServer:
    pytestmark = MARKS

    @pytest.fixture(params=[2, 5, 40])
    def site(self, request, chroma):
        """Pages cut into pieces of at most so many characters."""
        rng = random.Random(request.param)
        pages = pages_of(rng, 25)
        tree = {path: {**public, "size": len(text.encode())} for path, text in pages.items()}
        return pages, ChromaStore.open(chroma.docs(tree, rows_of(rng, pages, request.param)))

    def test_no_page_with_a_literal_is_left_out(self, site):
        pages, store = site
        access = access_of(store)
        rng = random.Random(1)
        everything = "".join(pages.values())
        excluded = 0
        for _ in range(40):
            clause = []
            for _ in range(rng.randint(1, 3)):
                start = rng.randrange(len(everything))
                literal = everything[start : start + rng.randint(1, 30)].partition("\n")[0] or "zq"
                clause.append(rng.choice([literal, literal.upper(), literal.lower()]).encode())
            found = store.literals.candidates([clause], access=access)
            folded = [literal.lower() for literal in clause]
            holding = {
                path
                for path, text in pages.items()
                if any(literal in text.encode().lower() for literal in folded)
            }
            assert found is None or holding <= found, clause
            excluded += found is not None and len(found) < len(pages)
        assert excluded > 10

    def test_grep_prints_what_gnu_grep_prints(self, site, tmp_path):
        if shutil.which("grep") is None:
            pytest.skip("there is no GNU grep")
        pages, store = site
        for path, text in pages.items():
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(text)
        workspace = Workspace({"": _Source(store)}, Config(), Principal())
        for command in (
            "grep -rn token .", "grep -rni TOKEN .", "grep -rn '^token' .", "grep -rn 'cookie$' .",
            "grep -rnE 'session|用户' .", "grep -rnE '(tok|sess)[a-z]+' .", "grep -rnF 'a.b*c' .",
            "grep -rnF '[set]' .", "grep -rn 'SESSION cookie' .", "grep -rlE '^(x|db)' .",
            "grep -rcv token .", "grep -rnw db .", "grep -rnE 'to{1,2}ken' .", "grep -rn nothing .",
            "grep -rnF '50%' .", "grep -rnF 'back\\slash' .", "grep -rn 'na.ve' .",
            "grep -rnE 'İ|naïve' .", "grep -rnF -e '$end' -e '#hash' .", "grep -rn 'K' .",
        ):  # fmt: skip
            ours = workspace.run(command)
            theirs = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True,
                env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
            )  # fmt: skip
            assert sorted(ours.stdout.splitlines()) == sorted(theirs.stdout.splitlines()), command
            assert ours.exit_code == theirs.returncode, command

    def test_a_repeated_grep_asks_the_database_nothing(self, chroma):
        rng = random.Random(3)
        pages = pages_of(rng, 30)
        tree = {path: {**public, "size": len(text.encode())} for path, text in pages.items()}
        store, counted = counting_store(chroma.docs(tree, rows_of(rng, pages, 30)))
        workspace = Workspace({"": _Source(store)}, Config(), Principal())
        for command in ("grep -rn token .", "grep -rni session .", "grep -rnv x ."):
            first = workspace.run(command)
            asked = len(counted.asked)
            assert asked <= 3 + 30
            second = workspace.run(command)
            assert second.stdout == first.stdout
            assert len(counted.asked) == asked
        assert workspace.run("cat d0/p0.md").stdout == pages["d0/p0.md"]
        assert len(counted.asked) == asked

    def test_pages_of_a_rare_word_come_with_the_answer(self, chroma):
        pages = {f"p{n}.md": f"page {n}\n" for n in range(20)} | {"z.md": "the needle\n"}
        tree = {path: {**public, "size": len(text)} for path, text in pages.items()}
        rows = [(path, text, {"page": path, "chunk_index": 0}) for path, text in pages.items()]
        store, counted = counting_store(chroma.docs(tree, rows))
        view = View({"": store}, Principal())
        _ = view.tree
        counted.asked.clear()
        assert view.candidates([[b"needle"]]) == {"z.md"}
        assert counted.asked == ["get", "get"]
        assert view.read("z.md") == b"the needle\n"
        assert counted.asked == ["get", "get"]

    def test_the_tree_itself_is_never_found(self, chroma):
        tree = {"a.md": public}
        store = ChromaStore.open(
            chroma.docs(tree, [("a", "H4sI", {"page": "a.md", "chunk_index": 0})])
        )
        access = access_of(store)
        assert store.literals.candidates([[b"h4si"]], access=access) == {"a.md"}
        assert store.literals.candidates([[b"__path_tree__"]], access=access) == set()
        assert store.postings.frequencies(["h4si", "__path_tree__"], access=access) == [1, 0]

    def test_too_many_matches_mean_that_all_is_read(self, chroma, monkeypatch):
        monkeypatch.setattr(module, "COMMON_ROWS", 3)
        monkeypatch.setattr(module, "ROWS_ASKED", 2)
        pages = {f"p{n}.md": "common word\n" for n in range(9)}
        tree = dict.fromkeys(pages, public)
        rows = [(path, text, {"page": path, "chunk_index": 0}) for path, text in pages.items()]
        store = ChromaStore.open(chroma.docs(tree, rows))
        assert store.literals.candidates([[b"common"]], access=access_of(store)) is None
        assert store.literals.candidates([[b"absent"]], access=access_of(store)) == set()

    @pytest.mark.parametrize("joiner", ["%0A", "%0A%0A", "%20", "--"])
    def test_what_stood_between_chunks_hides_no_match(self, chroma, joiner):
        pieces = ["one tok", "en two", "session"]
        between = {"%0A": "\n", "%0A%0A": "\n\n", "%20": " "}.get(joiner, joiner)
        rows = [(f"{at}", t, {"page": "a.md", "chunk_index": at}) for at, t in enumerate(pieces)]
        store = ChromaStore.open(chroma.docs({"a.md": public}, rows, query=f"joiner={joiner}"))
        access = access_of(store)
        text = between.join(pieces)
        assert store.text("a.md", access=access) == text
        for start in range(len(text)):
            for end in range(start + 1, min(len(text), start + 12) + 1):
                found = store.literals.candidates([[text[start:end].encode()]], access=access)
                assert found is None or found == {"a.md"}, text[start:end]


class _Source:
    place = "chroma"

    def __init__(self, store):
        self.store = store

    def freshen(self):
        pass

    def state(self, stored, principal):
        return stored

    def close(self):
        pass


# Rust's syntax for the ends of a text is Python's, but for \z.
@given(
    st.text(alphabet="abAB用.*\\ ", min_size=1, max_size=LITERAL_CHARS),
    st.lists(st.integers(1, LITERAL_CHARS), max_size=6),
    st.text(alphabet="ab用.", max_size=3),
    st.text(alphabet="ab用.", max_size=3),
)
def test_one_piece_is_found_wherever_a_literal_is_cut(literal, cuts, before, after):
    found = re.compile(expression([literal.encode()], seams=True).replace("\\z", "\\Z"))
    text = before + literal + after
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[a:b] for a, b in itertools.pairwise(edges)]
    assert any(found.search(piece) for piece in pieces)


@given(st.text(alphabet="abcAB.*\\用", min_size=1, max_size=12), st.text(max_size=20))
def test_without_seams_the_expression_is_the_literal(literal, text):
    found = re.compile(expression([literal.encode()], seams=False)).search(text)
    assert (found is not None) or literal.lower() not in text.lower().encode().decode()
