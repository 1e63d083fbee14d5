"""Cut-off, reranking, expansion, scanning, ids and the cache, each by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import SHOP, Ask, store_of
from tadoru.config import SearchConfig
from tadoru.errors import BadInput, PathNotFound
from tadoru.models.tokens import EstimatedTokens
from tadoru.search import QueryCache, more, related
from tadoru.search.cutoff import smart_cut
from tadoru.search.found import Found, Pool
from tadoru.search.lens import lens_of
from tadoru.search.memory import chunk_of, hit_id
from tadoru.search.query import understand
from tadoru.search.rerank import cut_middle, document
from tadoru.search.scan import scan
from tadoru.types import Chunk, Principal, Span
from tadoru.views import View

CONFIG = SearchConfig()


def ranked(*scores: float) -> list[Found]:
    span = Span(1, 1, 0, 1, 0, 1)
    return [Found(Chunk(f"{n}.py", 0, span), score=s) for n, s in enumerate(scores)]


def cut(*scores: float, config: SearchConfig = CONFIG) -> int:
    return len(smart_cut(ranked(*scores), config, "return_top1", []))


def test_cut_off_anchor_floor_delta_and_safe_harbour() -> None:
    assert cut(0.9, 0.5, 0.46, 0.44) == 3  # half of the best
    assert cut(0.9, 0.3, 0.3) == 2  # safe harbour: the second needs the floor only
    assert cut(0.9, 0.2, 0.9) == 1  # the floor holds for everyone
    assert cut(0.4, 0.26, 0.26) == 3  # delta guard: .4 - .25 is below the floor
    assert cut(*[0.9] * 20) == CONFIG.smart_max_k
    assert cut(0.1, 0.1) == 1


@given(st.lists(st.floats(0, 1), max_size=20).map(lambda v: sorted(v, reverse=True)))
def test_cut_off_keeps_a_prefix_and_never_loses_the_best(scores: list[float]) -> None:
    found = ranked(*scores)
    kept = smart_cut(found, CONFIG, "return_top1", [])
    assert kept == found[: len(kept)]
    assert bool(kept) is bool(found)


def test_reranker_reads_a_bounded_window_around_the_best_line() -> None:
    text = "filler line\n" * 400 + "the needle word\n" + "more filler\n" * 400
    found = Found(Chunk("a/b.py", 0, Span(1, 801, 0, len(text), 0, len(text)), "A > " * 200))
    found.text = text
    read = document(found, {"needle"}, CONFIG)
    assert "needle" in read
    assert len(read) <= CONFIG.max_rerank_chars + CONFIG.max_breadcrumb_chars + 1
    assert "..." in read.split("\n")[0]
    without = document(found, {"absent"}, CONFIG)
    assert without.split("\n", 1)[1].startswith("filler") and without.endswith("more filler\n")


@given(st.text(), st.integers(0, 50))
def test_cut_middle_never_exceeds_its_limit(text: str, limit: int) -> None:
    assert len(cut_middle(text, limit)) <= max(limit, 0) or len(text) <= limit


@pytest.mark.parametrize("source", ["neighbour", "sibling", "import", "importer", "call site"])
def test_each_kind_of_expansion_adds_something(ask: Ask, source: str) -> None:
    bare = SearchConfig(smart_top_score_ratio=1.01)
    found = ask("total price of items", top=1, debug=True, config=bare)
    cart = ask("remove_item", top=1, debug=True, config=bare)
    alone = ask("remove_item", top=1, debug=True, config=replace(bare, neighbor_hops=0))
    sources = {name for answer in (found, cart, alone) for name in answer.debug["expanded"]}
    assert source in sources


def test_ranked_chunks_of_a_hits_own_file_come_back(ask: Ask) -> None:
    config = SearchConfig(smart_max_k=1)
    assert ask("cart items", config=config, debug=True).debug["expanded"].get("same file")


def test_room_in_the_budget_takes_what_was_cut_off_but_not_beyond_a_wanted_number(
    ask: Ask,
) -> None:
    config = SearchConfig(smart_max_k=1)
    assert ask("price of items", config=config, debug=True).debug["expanded"].get("cut off")
    assert "cut off" not in ask("price of items", top=1, debug=True).debug["expanded"]


def test_expansion_scores_below_its_seed(ask: Ask) -> None:
    answer = ask("remove an item from the cart", top=1)
    assert answer.files[0].path == answer.hits[0].path
    assert all(file.score <= answer.hits[0].score + 1e-4 for file in answer.files)


def test_scan_stops_at_its_deadline_and_counts_what_waits() -> None:
    files = {f"{n}.py": "sessions expire\n" for n in range(10)}
    view = View({"": store_of(files, unindexed=set(files))}, Principal())
    ticks = iter(range(1_000))
    lens = lens_of(view, understand("sessions expire"), 10)
    pool = Pool()
    result = scan(pool, view, lens, None, deadline=3, clock=lambda: float(next(ticks)))
    assert (result.read, result.waiting) == (4, 6)
    assert len(pool) == 4
    everything = scan(Pool(), view, lens, lambda e: e.path == "3.py")
    assert (everything.read, everything.waiting) == (1, 0)


def test_scan_reads_the_promising_source_files_first() -> None:
    files = {"a.md": "sessions expire\n", "b.py": "sessions expire\n", "z/session.py": "expire\n"}
    view = View({"": store_of(files, unindexed=set(files))}, Principal())
    ticks = iter(range(1_000))
    pool = Pool()
    lens = lens_of(view, understand("sessions expire"), 3)
    scan(pool, view, lens, None, deadline=0, clock=lambda: float(next(ticks)))
    assert [found.path for found in pool.all()] == ["z/session.py"]


def test_scanned_lines_are_those_of_the_file() -> None:
    text = "x\n" * 45 + "the session expires here\n" + "y\n" * 45
    view = View({"": store_of({"a.py": text}, unindexed={"a.py"})}, Principal())
    pool = Pool()
    scan(pool, view, lens_of(view, understand("session expires"), 1), None)
    (found,) = pool.all()
    span = found.chunk.span
    assert span.start_line <= 46 <= span.end_line
    assert (found.text or "").strip() in text
    assert text[span.start_char : span.end_char].strip() == (found.text or "").strip()


def test_id_finds_its_chunk_again_also_when_it_moved(shop: View) -> None:
    text = SHOP["shop/price.py"]
    chunk = next(c for c in shop.chunks("shop/price.py") if c.name == "tax_rate")
    identity = hit_id(chunk, text[chunk.span.start_char : chunk.span.end_char])
    assert chunk_of(shop, identity) == chunk
    moved = {**SHOP, "shop/price.py": "def first():\n    return 0\n\n" + text}
    after = chunk_of(View({"": store_of(moved)}, Principal()), identity)
    assert (after.name, after.index) == ("tax_rate", chunk.index + 1)


@pytest.mark.parametrize("identity", ["", "x", "a.py#", "a.py#1", "#1.ab", "a.py#x.ab"])
def test_what_is_no_id_is_bad_input(shop: View, identity: str) -> None:
    with pytest.raises(BadInput):
        chunk_of(shop, identity)


def test_hidden_and_missing_ids_answer_alike() -> None:
    labels = {path: "public" for path in SHOP if path != "shop/price.py"}
    store = store_of(SHOP, labels=labels)
    chunk = store.chunks("shop/price.py", access=frozenset({0, 1}))[0]
    span = chunk.span
    identity = hit_id(chunk, SHOP["shop/price.py"][span.start_char : span.end_char])
    without = {path: text for path, text in SHOP.items() if path != "shop/price.py"}
    messages = []
    for view in (View({"": store}, Principal()), View({"": store_of(without)}, Principal())):
        with pytest.raises(PathNotFound) as caught:
            chunk_of(view, identity)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_more_grows_around_the_hit_within_the_budget(shop: View, ask: Ask) -> None:
    hit = ask("remove an item from the cart", top=1).hits[0]
    small = more(shop, hit.id, config=CONFIG, budget=60, counter=EstimatedTokens())
    large = more(shop, hit.id, config=CONFIG, budget=2_000, counter=EstimatedTokens())
    assert small.tokens <= 60 and "remove" in small.text
    assert large.text.count("def ") > small.text.count("def ")


def test_related_leaves_the_hit_itself_out(shop: View, ask: Ask) -> None:
    hit = ask("total_price", top=1).hits[0]
    answer = related(shop, hit.id, config=CONFIG, budget=2_000, counter=EstimatedTokens())
    assert answer.hits and hit.id not in [other.id for other in answer.hits]


def test_session_is_not_sent_the_same_text_twice(ask: Ask) -> None:
    first = ask("where do sessions expire")
    again = ask("where do sessions expire", sent={hit.id for hit in first.hits})
    assert [hit.id for hit in again.hits] == [hit.id for hit in first.hits]
    assert "Sent before in this session: shop/session.py" in again.text
    assert "def expire_sessions" in first.text and "def expire_sessions" not in again.text


def test_cache_forgets_the_one_used_longest_ago() -> None:
    cache: QueryCache[str] = QueryCache(2)
    cache.put("a", "1")
    cache.put("b", "2")
    assert cache.get("a") == "1"
    cache.put("c", "3")
    assert cache.get("b") is None and cache.get("a") == "1" and len(cache) == 2
    cache.clear()
    assert len(cache) == 0


def test_search_imports_no_numpy(tmp_path: object) -> None:
    import subprocess
    import sys

    code = (
        "import sys, tadoru.search; "
        "assert not {'numpy', 'tree_sitter', 'mcp', 'rich'} & set(sys.modules), sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
