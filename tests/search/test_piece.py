"""The part of a long chunk that is shown, and the line that names one."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tadoru.config import SearchConfig
from tadoru.models.tokens import EstimatedTokens
from tadoru.search import SearchRequest, search
from tadoru.search.found import Found
from tadoru.search.piece import heading_of, piece_of
from tadoru.testing.memory import MemoryStore
from tadoru.types import Principal
from tadoru.views import View

COUNTER = EstimatedTokens()
BODY = "".join(f"    step_{n} = prepare(step_{n - 1})\n" for n in range(1, 80))
LONG = f"def pipeline(step_0):\n{BODY}    return rotate_the_archive(step_79)\n"
FILES = {
    "lib/pipeline.py": LONG,
    "lib/other.py": "# about the archive\n\n\ndef unrelated(archive):\n    return archive\n",
    **{f"lib/more{n}.py": f"def archive_{n}(x):\n    return x + {n}\n" for n in range(12)},
}
VIEW = View({"": MemoryStore(FILES)}, Principal())


def chunk_and_text(path: str) -> tuple[Found, str]:
    chunk = VIEW.chunks(path)[0]
    text = VIEW.text(path) or ""
    return Found(chunk), text[chunk.span.start_char : chunk.span.end_char]


def test_a_short_chunk_is_shown_whole() -> None:
    found, text = chunk_and_text("lib/more0.py")
    piece = piece_of(found, text, COUNTER, 240)
    assert piece.whole and (piece.start, piece.end) == (0, len(text))


def test_a_long_chunk_begins_with_its_signature_when_the_best_stretch_is_near() -> None:
    found, text = chunk_and_text("lib/pipeline.py")
    found.focus = text.index("step_3")
    piece = piece_of(found, text, COUNTER, 120)
    assert not piece.whole and piece.start_line == 1
    assert text[: piece.end].endswith("\n")
    assert COUNTER.count(text[: piece.end]) <= 120 * 1.1


def test_a_long_chunk_begins_two_lines_above_a_stretch_far_down() -> None:
    found, text = chunk_and_text("lib/pipeline.py")
    found.focus = text.index("step_30 = ")
    piece = piece_of(found, text, COUNTER, 60)
    shown = text[piece.start - found.chunk.span.start_char :]
    assert shown.startswith("    step_28 = ")
    assert piece.start_line == 29


@given(st.text(alphabet="ab \n\tß漢", max_size=400), st.integers(0, 500), st.integers(1, 60))
def test_lines_and_characters_of_a_piece_belong_together(text: str, focus: int, limit: int) -> None:
    files = {"a.txt": "first line\n" + text + "\nlast line\n"}
    view = View({"": MemoryStore(files)}, Principal())
    whole = view.text("a.txt") or ""
    for chunk in view.chunks("a.txt"):
        part = whole[chunk.span.start_char : chunk.span.end_char]
        found = Found(chunk, focus=min(focus, max(0, len(part) - 1)))
        for piece in (piece_of(found, part, COUNTER, limit), heading_of(found, part, COUNTER)):
            assert chunk.span.start_char <= piece.start <= piece.end <= chunk.span.end_char
            assert piece.start_line == 1 + whole.count("\n", 0, piece.start)
            shown = whole[piece.start : piece.end]
            if shown.strip("\n"):
                assert piece.end_line == piece.start_line + shown.rstrip("\n").count("\n")


def test_an_answer_shows_the_stretch_that_speaks_of_the_question_and_names_other_files() -> None:
    answer = search(
        VIEW,
        SearchRequest("where is the archive rotated"),
        config=SearchConfig(segment_tokens=80),
        budget=2_000,
        counter=COUNTER,
    )
    first = next(file for file in answer.files if file.path == "lib/pipeline.py")
    assert any("rotate_the_archive" in segment.text for segment in first.segments)
    assert "step_9 =" not in answer.text
    named = [s for file in answer.files for s in file.segments if s.sources == ("named",)]
    assert answer.text.count("\n- lib/") == len(named)


def test_the_line_that_names_a_chunk_is_its_signature() -> None:
    chunk = VIEW.chunks("lib/other.py")[0]
    text = (VIEW.text("lib/other.py") or "")[chunk.span.start_char : chunk.span.end_char]
    found = Found(replace(chunk, signature="def unrelated(archive):"))
    piece = heading_of(found, text, COUNTER)
    assert text[piece.start : piece.end] == "def unrelated(archive):"
    assert piece.start_line == piece.end_line == 4


def test_without_a_signature_it_is_the_line_of_the_best_stretch_and_never_mere_punctuation() -> (
    None
):
    text = '"""\n/**\nArchives of pages.\n"""\nimport re\nimport shutil\n'
    view = View({"": MemoryStore({"a.txt": text})}, Principal())
    chunk = replace(view.chunks("a.txt")[0], signature="")
    for focus, line, shown in (
        (0, 3, "Archives of pages."),
        (text.index("shutil"), 6, "import shutil"),
    ):
        piece = heading_of(Found(chunk, focus=focus), text, COUNTER)
        assert (piece.start_line, text[piece.start : piece.end]) == (line, shown)
