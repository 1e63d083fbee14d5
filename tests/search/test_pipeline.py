"""The whole of search over a view: order, filters, failing models, freshness, cache, session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from conftest import SHOP, Ask, store_of
from tadoru.config import SearchConfig
from tadoru.errors import BadInput, Unavailable
from tadoru.search import CountingCache, QueryCache, SearchRequest
from tadoru.search.found import Pool
from tadoru.search.fuse import fuse
from tadoru.search.query import QuestionKind
from tadoru.testing.memory import MemoryStore
from tadoru.testing.models import HashEmbedder, OverlapReranker
from tadoru.types import Chunk, Principal, Span
from tadoru.views import View


def paths(answer: Any) -> list[str]:
    return [hit.path for hit in answer.hits]


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("where do sessions expire", "shop/session.py"),
        ("how is the price with tax calculated", "shop/price.py"),
        ("Cart", "shop/cart.py"),
        ("total_price", "shop/price.py"),
        ("SessionStore.load_session", "shop/session.py"),
        ("shop/price.py", "shop/price.py"),
        ("session.py:7", "shop/session.py"),
        ("セッションの有効期限はどこで切れますか", "shop/session.py"),
        ("会话在哪里过期", "shop/session.py"),
        ("세션 만료", "shop/session.py"),
        ('File "/srv/app/shop/price.py", line 5, in tax_rate\nKeyError: tax', "shop/price.py"),
    ],
)
def test_the_owner_of_what_is_asked_comes_first(ask: Ask, question: str, path: str) -> None:
    assert paths(ask(question))[0] == path


def test_definition_comes_before_reexport_and_test(ask: Ask) -> None:
    order = paths(ask("total_price", top=10))
    assert order.index("shop/price.py") == 0
    assert order.index("shop/price.py") < order.index("shop/__init__.py")


def test_answer_names_its_counter_budget_state_and_total(ask: Ask) -> None:
    answer = ask("cart", budget=900)
    assert (answer.counter, answer.budget) == ("estimate", 900)
    assert 0 < answer.tokens <= 900
    assert answer.total >= len(answer.hits) > 0
    assert str(answer.index) == "fresh"


@pytest.mark.parametrize(
    ("filters", "only"),
    [
        ({"include_globs": ("tests/**",)}, {"tests/test_price.py"}),
        ({"exclude_globs": ("shop/**", "*.md")}, {"tests/test_price.py", "web"}),
        ({"languages": ("ts",)}, {"web"}),
        ({"under": "shop"}, {"shop"}),
        ({"changed": frozenset({"shop/price.py"})}, {"shop/price.py"}),
    ],
)
def test_filters_hold_for_hits_and_for_what_is_packed_around_them(
    ask: Ask, filters: dict[str, Any], only: set[str]
) -> None:
    answer = ask("total price of a cart, fmt page", top=10, **filters)
    assert answer.hits
    for path in [*paths(answer), *(file.path for file in answer.files)]:
        assert path in only or path.split("/")[0] in only


def test_filter_applies_before_top_k() -> None:
    files = {f"noise/{i}.py": "def price():\n    return price\n" * 30 for i in range(60)}
    files["kept/one.py"] = "x = 1  # price\n"
    view = View({"": store_of(files)}, Principal())
    config = SearchConfig(lex_total_chunks=5, fts_top_k_files=2)
    from tadoru.models.tokens import EstimatedTokens
    from tadoru.search import search

    answer = search(
        view, SearchRequest("price", under="kept"), config=config, budget=500,
        counter=EstimatedTokens(),
    )  # fmt: skip
    assert paths(answer) == ["kept/one.py"]


def test_unknown_options_are_bad_input() -> None:
    for wrong in ({"mode": "fast"}, {"tests": "no"}, {"top": -1}, {"max_files": -2}):
        with pytest.raises(BadInput):
            SearchRequest("x", **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("question", ["*", "'", "( ) [ ]", "。、"])
def test_question_without_words_finds_nothing_and_says_so(ask: Ask, question: str) -> None:
    answer = ask(question)
    assert not answer.hits
    assert "no word" in " ".join(answer.warnings)


def test_nothing_relevant_is_low_confidence(ask: Ask) -> None:
    asked = "kubernetes ingress reconciliation with price"
    top1 = ask(asked)
    assert len(top1.hits) == 1
    assert "low confidence" in " ".join(top1.warnings)
    assert not ask(asked, low_confidence_behavior="return_empty").hits
    warned = ask(asked, low_confidence_behavior="return_with_warning")
    assert len(warned.hits) == SearchConfig().smart_min_k


class Failing:
    """An embedder and a reranker that cannot be reached; the key must not leak."""

    name = fingerprint = "failing"
    dimension = 8

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Any:
        raise Unavailable("the endpoint did not answer")

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        raise RuntimeError("Bearer sk-secret refused")


def test_failing_models_cost_their_part_only_and_are_named(ask: Ask) -> None:
    failing = Failing()
    answer = ask("where do sessions expire", embedder=failing, reranker=failing)
    assert paths(answer) == paths(ask("where do sessions expire"))
    warnings = " ".join(answer.warnings)
    assert "the endpoint did not answer" in warnings and "RuntimeError" in warnings
    assert "sk-secret" not in warnings


def test_cut_off_keeps_as_many_with_a_failing_reranker(ask: Ask) -> None:
    """ContextWeaver compared fused ranks of at most .05 with a floor of .25: always one result."""
    plain, failing = ask("price of items"), ask("price of items", reranker=Failing())
    assert len(plain.hits) == len(failing.hits) > 1


def test_reranker_is_blended(ask: Ask) -> None:
    class Loves:
        name = "loves"

        def score(self, question: str, documents: Sequence[str]) -> list[float]:
            return [float("remove_item" in d and "def remove_item" in d) for d in documents]

    assert ask("cart", top=3, reranker=Loves()).hits[0].breadcrumb == "Cart > remove_item"
    assert ask("cart", reranker=OverlapReranker()).hits


def test_dense_recall_brings_what_shares_no_word() -> None:
    files = {"a.py": "def alpha():\n    return 1\n", "b.py": "def beta():\n    return 2\n"}
    embedder = HashEmbedder()
    vector = embedder.encode(["quite different words"])[0]
    store = store_of(files, vectors={embedder.fingerprint: {("b.py", 0): vector}})
    view = View({"": store}, Principal())
    from tadoru.models.tokens import EstimatedTokens
    from tadoru.search import search

    answer = search(
        view, SearchRequest("quite different words", top=2), config=SearchConfig(), budget=500,
        counter=EstimatedTokens(), embedder=embedder,
    )  # fmt: skip
    assert paths(answer) == ["b.py"] and "dense" in answer.hits[0].sources


def test_index_without_vectors_says_so(ask: Ask) -> None:
    assert "no vectors" in " ".join(ask("cart", embedder=HashEmbedder()).warnings)


def test_hidden_text_changes_no_score_no_order_no_total() -> None:
    everyone = dict.fromkeys(SHOP, "public")
    secret = {f"secret/{i}.py": "def session():\n    expire(session)\n" * 9 for i in range(20)}
    labels: dict[str, Any] = {**everyone, **{path: {"staff"} for path in secret}}
    plain = View({"": store_of(SHOP, labels=everyone)}, Principal())
    mixed = View({"": store_of({**SHOP, **secret}, labels=labels)}, Principal())
    from tadoru.models.tokens import EstimatedTokens
    from tadoru.search import search

    def run(view: View) -> Any:
        answer = search(
            view, SearchRequest("where do sessions expire", top=10, debug=True),
            config=SearchConfig(), budget=3_000, counter=EstimatedTokens(),
        )  # fmt: skip
        return answer.hits, answer.text, answer.total, answer.warnings, answer.debug

    assert run(plain) == run(mixed)
    staff = View({"": mixed._parts[0].store}, Principal(frozenset({"staff"})))
    assert any(hit.path.startswith("secret/") for hit in run(staff)[0])


def test_files_without_index_are_scanned_and_marked() -> None:
    store = store_of(SHOP, unindexed={"shop/session.py"})
    view = View({"": store}, Principal())
    from tadoru.models.tokens import EstimatedTokens
    from tadoru.search import search

    answer = search(
        view, SearchRequest("where do sessions expire"), config=SearchConfig(), budget=2_000,
        counter=EstimatedTokens(), unindexed=lambda: ["shop/session.py", "gone.py"],
    )  # fmt: skip
    assert paths(answer)[0] == "shop/session.py"
    assert answer.hits[0].sources == ("scan",)
    assert "expire_sessions" in answer.text


def test_cache_answers_alike_until_the_generation_changes() -> None:
    store = store_of(SHOP)
    cache: CountingCache[Any] = CountingCache(QueryCache(50))
    from tadoru.models.tokens import EstimatedTokens
    from tadoru.search import search

    def run(question: str) -> Any:
        return search(
            View({"": store}, Principal()), SearchRequest(question), config=SearchConfig(),
            budget=3_000, counter=EstimatedTokens(), cache=cache,
        )  # fmt: skip

    first = run("where do sessions expire")
    assert run("where  do sessions\nexpire").hits == first.hits
    assert (cache.hits, cache.misses) == (1, 1)
    store.put("shop/session.py", "nothing = 1\n")
    assert run("where do sessions expire").hits != first.hits
    assert cache.misses == 2


def test_cache_is_not_shared_between_principals() -> None:
    store = store_of(SHOP, labels={path: {"a"} for path in SHOP})
    cache: QueryCache[Any] = QueryCache(50)
    from tadoru.models.tokens import EstimatedTokens
    from tadoru.search import search

    def run(*groups: str) -> Any:
        return search(
            View({"": store}, Principal(frozenset(groups))), SearchRequest("cart"),
            config=SearchConfig(), budget=3_000, counter=EstimatedTokens(), cache=cache,
        )  # fmt: skip

    assert run("a").hits
    assert not run("b").hits
    assert not run().hits


def test_what_a_failed_model_left_out_is_not_cached(ask: Ask) -> None:
    cache: QueryCache[Any] = QueryCache(50)
    ask("cart", cache=cache, reranker=Failing())
    assert len(cache) == 0


def test_second_page_goes_on_where_the_first_ended(ask: Ask) -> None:
    both = [hit.id for hit in ask("price of items in a cart", top=4).hits]
    first = [hit.id for hit in ask("price of items in a cart", top=2).hits]
    second = [hit.id for hit in ask("price of items in a cart", top=2, offset=2).hits]
    assert first + second == both


def test_copies_are_folded_and_named() -> None:
    body = "def parse_date(text):\n    # read a calendar date from text\n" + "    x = 1\n" * 10
    view = View({"": store_of({"a/date.py": body, "vendor/date.py": body})}, Principal())
    from tadoru.models.tokens import EstimatedTokens
    from tadoru.search import search

    answer = search(
        view, SearchRequest("parse date", top=5, debug=True), config=SearchConfig(), budget=900,
        counter=EstimatedTokens(),
    )  # fmt: skip
    assert len(answer.hits) == 1
    assert len(answer.debug["duplicates"]) == 1


def test_debug_explains_each_stage(ask: Ask) -> None:
    debug = ask("where do sessions expire", debug=True).debug
    assert {"question", "recall", "ranked", "cut", "expanded", "duplicates"} <= set(debug)
    assert debug["ranked"][0]["signals"]
    assert not ask("where do sessions expire").debug


def test_every_stage_tells_places_ranks_and_reasons(ask: Ask) -> None:
    answer = ask("where do sessions expire", debug=True, top=5)
    stages = answer.debug["stages"]
    assert list(stages)[-5:] == ["fused", "ranked", "cut-off", "expanded", "packed"]
    assert stages["lexical"]["rows"][0]["rank"] == 1
    assert stages["fused"]["rows"][0]["ranks"]["lexical"] >= 1
    assert stages["ranked"]["rows"][0]["path"] == answer.hits[0].path
    decided = stages["cut-off"]["rows"]
    assert [row for row in decided if row["kept"]]
    assert all(row["kept"] or row["why"] for row in decided)
    assert sum(row["kept"] for row in decided) == stages["cut-off"]["kept"]
    shown = {row["path"] for row in stages["packed"]["rows"]}
    assert shown == {file.path for file in answer.files}
    assert stages["packed"]["tokens of text"] <= answer.tokens


def test_what_does_not_fit_is_named(ask: Ask) -> None:
    packed = ask("where do sessions expire", debug=True, budget=40).debug["stages"]["packed"]
    assert packed["left out"]["found"] == len(packed["left out"]["rows"]) > 0


def test_reranked_rows_say_where_they_stood_before(ask: Ask) -> None:
    class Reversed:
        name = "reversed"

        def score(self, question: str, documents: Any) -> list[float]:
            return [index / 100 for index, _ in enumerate(documents)]

    rows = ask("price of items in a cart", debug=True, reranker=Reversed()).debug["stages"]
    before = [row["rank before"] for row in rows["ranked"]["rows"]]
    assert sorted(before) == list(range(1, len(before) + 1)) != before


@pytest.mark.parametrize(
    "files", [{}, {"a.py": ""}, {"README.md": "# Only words\n\nAbout carts.\n"}, {"b.bin": b"\0"}]
)
def test_small_and_empty_repositories_have_an_answer(files: dict[str, Any]) -> None:
    from tadoru.models.tokens import EstimatedTokens
    from tadoru.search import search

    view = View({"": MemoryStore(files)}, Principal())
    answer = search(
        view, SearchRequest("carts"), config=SearchConfig(), budget=500, counter=EstimatedTokens()
    )
    assert [hit.path for hit in answer.hits] == (["README.md"] if "README.md" in files else [])


def test_hundred_kilobytes_of_text_have_an_answer(ask: Ask) -> None:
    assert ask("cart price session " * 5_000).hits


def test_several_mounts_are_one_tree() -> None:
    view = View({"one": store_of(SHOP), "two": store_of(SHOP, store_id="b")}, Principal())
    from tadoru.models.tokens import EstimatedTokens
    from tadoru.search import search

    answer = search(
        view, SearchRequest("where do sessions expire", under="two"), config=SearchConfig(),
        budget=900, counter=EstimatedTokens(),
    )  # fmt: skip
    assert paths(answer)[0] == "two/shop/session.py"


@pytest.mark.parametrize("kind", [QuestionKind.PROSE, QuestionKind.SYMBOL])
def test_the_nearest_of_what_is_far_away_does_not_outweigh_words(kind: QuestionKind) -> None:
    """A new file has no vector yet, and a store of documents may have none at all."""
    span = Span(1, 1, 0, 1, 0, 1)
    found = Pool()
    found.add("lexical", Chunk("words.md", 0, span), 3.0, 0)
    found.add("dense", Chunk("near.py", 0, span), 0.05, 0)
    first, second = fuse(found, kind, SearchConfig())
    assert first.path == "words.md"
    assert second.fused < first.fused / 4
