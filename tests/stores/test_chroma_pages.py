"""Pages put together from chunks: exactly, or not at all."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadoru.stores.chroma.address import FieldNames
from tadoru.stores.chroma.form import Listed
from tadoru.stores.chroma.pages import Page, Pages, Torn, content_of, unpacked, version_of
from tadoru.types import PUBLIC


class Rows:
    """A collection that answers from rows; the real ones are in the other modules."""

    def __init__(self, rows):
        self.rows = rows

    def get(self, *, include, ids=None, where=None, limit=None, offset=0, **_):
        found = [row for row in self.rows if ids is None or row[0] in ids]
        if where is not None:
            ((name, value),) = where.items()
            wanted = value["$in"] if isinstance(value, dict) else [value]
            found = [row for row in found if row[2].get(name) in wanted]
        found = found[offset : None if limit is None else offset + limit]
        return {
            "ids": [row[0] for row in found],
            "documents": [row[1] for row in found],
            "metadatas": [row[2] for row in found],
        }


def fetch(rows, *, names=None, **facts):
    page = Listed("a.md", "a.md", PUBLIC, **facts)
    ((_, found),) = Pages(names or FieldNames()).fetch(Rows(rows), [page], "")
    return found


def chunks(*texts, first=0, **facts):
    return [
        (f"a.md#{at}", text, {"page": "a.md", "chunk_index": first + at, **facts})
        for at, text in enumerate(texts)
    ]


@pytest.mark.parametrize("first", [0, 1])
def test_chunks_are_joined_in_the_order_of_their_index(first):
    found = fetch(list(reversed(chunks("one ", "two ", "three", first=first))))
    assert found.text == "one two three"
    assert found.ends == (4, 8, 13)


@pytest.mark.parametrize(
    ("rows", "facts", "why"),
    [
        (chunks("a", "b")[:1] + chunks("a", "b", "c")[2:], {}, "missing"),
        (chunks("a", "b", first=2), {}, "missing"),
        (chunks("a", "b"), {"chunks": 3}, "2 of 3"),
        (chunks("a", "b", "c"), {"chunks": 2}, "3 of 2"),
        ([], {}, "no chunk"),
        ([], {"chunks": 2}, "0 of 2"),
        ([*chunks("a"), ("x", "other", {"page": "a.md", "chunk_index": 0})], {}, "two chunks"),
        (chunks("a", "b"), {"size": 3}, "2 bytes"),
        (chunks("a", "b"), {"chunks": 2, "version": "0123456789abcdef"}, "of 2 chunks|published"),
    ],
)  # fmt: skip
def test_a_page_with_a_piece_missing_is_no_page(rows, facts, why):
    found = fetch(rows, **facts)
    assert isinstance(found, Torn)
    assert re.search(why, found.message)


def test_the_same_chunk_twice_is_one_chunk():
    again = [("x", "b", {"page": "a.md", "chunk_index": 1})]
    assert fetch(chunks("a", "b") + again).text == "ab"


def test_an_empty_page_is_empty():
    assert fetch([], size=0).text == ""
    assert fetch([], chunks=0).text == ""


def test_what_stood_between_chunks_is_put_back():
    assert fetch(chunks("a", "b", "c"), names=FieldNames(joiner="\n\n")).text == "a\n\nb\n\nc"


def test_ids_that_do_not_fit_their_pattern_fall_back_to_the_name():
    rows = chunks("a", "b")
    assert fetch(rows, names=FieldNames(ids="{page}#{index}"), chunks=2).text == "ab"
    assert fetch(rows, names=FieldNames(ids="nonsense-{index}"), chunks=2).text == "ab"


@given(st.text(min_size=1, max_size=60), st.lists(st.integers(0, 60), max_size=6), st.data())
def test_overlap_is_removed_exactly_wherever_it_is(text, cuts, data):
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    by_start, by_count = [], []
    for at, (start, end) in enumerate(itertools.pairwise(edges)):
        least = edges[at - 1] if at else start
        begin = data.draw(st.integers(least, start))
        facts = {"page": "a.md", "chunk_index": at}
        by_start.append((f"{at}", text[begin:end], {**facts, "start_index": begin}))
        by_count.append((f"{at}", text[begin:end], {**facts, "shared": start - begin}))
    assert fetch(by_start, names=FieldNames(start="start_index")).text == text
    assert fetch(by_count, names=FieldNames(overlap="shared")).text == text


def test_a_fixed_overlap_is_checked():
    names = FieldNames(overlap="3")
    assert fetch(chunks("abcdef", "defgh"), names=names).text == "abcdefgh"
    assert isinstance(fetch(chunks("abcdef", "xyzgh"), names=names), Torn)


def test_text_that_only_looks_repeated_is_kept():
    assert fetch(chunks("na na ", "na na ")).text == "na na na na "


@given(st.lists(st.text(min_size=1), max_size=5))
def test_a_packed_page_comes_back_as_it_was(parts):
    ends, length = [], 0
    for part in parts:
        length += len(part)
        ends.append(length)
    titles = tuple(f"title\n{at}" for at in range(len(parts)))
    page = Page("".join(parts), tuple(ends), titles)
    assert unpacked(page.packed()) == page
    assert content_of(page.packed()).decode("utf-8", "surrogatepass") == page.text
    spans = [chunk.span for chunk in page.chunks("a")]
    assert "".join(page.text[s.start_char : s.end_char] for s in spans) == page.text


def test_a_version_changes_with_text_cuts_titles_and_model():
    page = Page("abcd", (2, 4), ("", ""))
    others = [Page("abce", (2, 4), ("", "")), Page("abcd", (3, 4), ("", "")),
              Page("abcd", (2, 4), ("x", ""))]  # fmt: skip
    versions = {version_of(each, "") for each in (page, *others)} | {version_of(page, "m")}
    assert len(versions) == 5
