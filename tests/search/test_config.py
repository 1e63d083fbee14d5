"""Every parameter of `SearchConfig` changes an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from conftest import SHOP, store_of
from tadoru.config import SearchConfig, load
from tadoru.models.tokens import EstimatedTokens
from tadoru.search import QueryCache, SearchRequest, search
from tadoru.search.request import settings_for
from tadoru.testing.models import HashEmbedder
from tadoru.types import Principal
from tadoru.views import View

EMBEDDER = HashEmbedder()

METHODS = "".join(
    f"    def price_{i}(self, items):\n        return 'price {i}'\n\n" for i in range(12)
)
FILES = {
    **SHOP,
    "shop/long.py": f"class PriceTable:\n    rate = 1\n\n{METHODS}",
    "shop/pricebook.py": (
        "from shop.price import total_price\nfrom shop.long import PriceTable\n"
        "from shop.session import SessionStore\nfrom shop.cart import Cart\n\n"
        "def price_book():\n    table = PriceTable()\n    return total_price(table) + Cart()\n"
        "\ndef price_filler():\n" + "    # words around the matter\n" * 80 + "    return 'price'\n"
    ),
    "docs/price.md": "# Price\n\nThe price is a price with a price.\n" * 30,
    "a/uses.py": "from shop.price import total_price\n\ndef one():\n    return total_price(1)\n",
    "b/uses.py": "from shop.price import total_price\n\ndef two():\n    return total_price(2)\n",
}


def _view() -> View:
    plain = store_of(FILES)
    places = [(p, c.index) for p in FILES for c in plain.chunks(p, access=frozenset({1}))]
    texts = [f"{path} vector {index}" for path, index in places]
    vectors = dict(zip(places, EMBEDDER.encode(texts), strict=True))
    return View({"": store_of(FILES, vectors={EMBEDDER.fingerprint: vectors})}, Principal())


VIEW = _view()


class Recorder:
    """A reranker that remembers its documents, and likes the longer ones."""

    name = "recorder"

    def __init__(self) -> None:
        self.documents: list[str] = []

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        self.documents = list(documents)
        return [min(1.0, len(d) / 1_500) for d in documents]


def answer(config: SearchConfig, **request: Any) -> Any:
    """Everything that a parameter may change: hits, packed text, documents of the reranker."""
    recorder = Recorder()
    models = request.pop("models", True)
    found = search(
        VIEW,
        SearchRequest(request.pop("question", "total price of the items"), **request),
        config=config,
        budget=12_000,
        counter=EstimatedTokens(),
        embedder=EMBEDDER if models else None,
        reranker=recorder if models else None,
    )
    return found.hits, found.text, found.total, recorder.documents


WIDE = SearchConfig(smart_max_k=40, rerank_top_n=40, smart_min_score=0.0, smart_top_score_ratio=0.1)
BARE = SearchConfig(smart_top_score_ratio=1.01)  # no further chunks of the hits' own files
LEAN = replace(WIDE, enable_smart_top_k=False)
CASES: dict[str, tuple[SearchConfig, Any]] = {
    "vector_top_k": (LEAN, 2),
    "vector_top_m": (LEAN, 2),
    "fts_top_k_files": (replace(LEAN, lex_total_chunks=1), 0),
    "lex_chunks_per_file": (replace(LEAN, lex_total_chunks=1), 1),
    "lex_total_chunks": (LEAN, 3),
    "rrf_k0": (LEAN, 1),
    "w_vec": (LEAN, 0.0),
    "w_lex": (LEAN, 0.0),
    "fused_top_m": (LEAN, 4),
    "rerank_top_n": (LEAN, 3),
    "max_rerank_chars": (LEAN, 80),
    "max_breadcrumb_chars": (LEAN, 12),
    "head_ratio": (replace(LEAN, max_rerank_chars=60), 0.1),
    "neighbor_hops": (replace(BARE, breadcrumb_expand_limit=0), 0),
    "breadcrumb_expand_limit": (replace(BARE, neighbor_hops=0), 0),
    "import_files_per_seed": (replace(BARE, neighbor_hops=0), 0),
    "chunks_per_import_file": (replace(BARE, neighbor_hops=0), 0),
    "reverse_import_files_per_seed": (
        replace(BARE, neighbor_hops=0, call_sites_per_seed=0, import_files_per_seed=0), 0,
    ),
    "call_sites_per_seed": (
        replace(BARE, neighbor_hops=0, reverse_import_files_per_seed=0, smart_max_k=1), 0,
    ),
    "max_segments_per_file": (replace(WIDE, neighbor_hops=0), 1),
    "max_total_chars": (WIDE, 900),
    "segment_tokens": (WIDE, 20),
    "enable_smart_top_k": (SearchConfig(), False),
    "smart_top_score_ratio": (replace(WIDE, smart_top_score_delta_abs=0.0), 0.99),
    "smart_top_score_delta_abs": (replace(WIDE, smart_top_score_ratio=0.99), 0.9),
    "smart_min_score": (WIDE, 0.99),
    "smart_min_k": (
        replace(WIDE, smart_top_score_ratio=0.999, smart_top_score_delta_abs=0.0, smart_min_k=1),
        6,
    ),
    "smart_max_k": (WIDE, 1),
}  # fmt: skip


QUESTIONS = {
    "head_ratio": "shop/pricebook.py",  # no line has a word of it: head and tail are read
    "breadcrumb_expand_limit": "price_3",
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_parameter_changes_the_answer(name: str) -> None:
    config, other = CASES[name]
    request: dict[str, Any] = {"question": QUESTIONS.get(name, "total price of the items")}
    if name.startswith(("neighbor", "breadcrumb", "import", "chunks", "reverse", "call")):
        request["models"] = False
    changed = replace(config, **{name: other})
    assert answer(config, **request) != answer(changed, **request)


def test_no_parameter_is_left_untested() -> None:
    names = {field.name for field in fields(SearchConfig)}
    assert names == set(CASES) | {"query_cache_entries"}


def test_query_cache_entries_zero_keeps_nothing() -> None:
    for entries, kept in ((0, 0), (5, 1)):
        config = SearchConfig(query_cache_entries=entries)
        cache: QueryCache[Any] = QueryCache(config.query_cache_entries)
        search(
            VIEW, SearchRequest("price"), config=config, budget=100, counter=EstimatedTokens(),
            cache=cache,
        )  # fmt: skip
        assert len(cache) == kept


def test_modes_lower_and_raise_what_is_configured() -> None:
    config = SearchConfig(vector_top_k=200, smart_max_k=3)
    quick, deep = settings_for(config, "quick"), settings_for(config, "deep")
    assert (quick.vector_top_k, quick.smart_max_k, quick.import_files_per_seed) == (40, 3, 0)
    assert (deep.vector_top_k, deep.smart_max_k, deep.import_files_per_seed) == (200, 12, 5)
    assert config.segment_tokens and deep.segment_tokens == 0


def test_zero_import_files_stays_off_in_deep_mode() -> None:
    assert settings_for(SearchConfig(import_files_per_seed=0), "deep").import_files_per_seed == 0


def test_modes_change_the_answer() -> None:
    texts = {mode: answer(SearchConfig(), mode=mode, models=False)[1] for mode in
             ("quick", "balanced", "deep")}  # fmt: skip
    assert len(texts["quick"]) < len(texts["balanced"]) <= len(texts["deep"])


VARIABLES = {
    "CW_SEARCH_WVEC": ("w_vec", 0.25),
    "CW_SEARCH_WLEX": ("w_lex", 0.25),
    "CW_SEARCH_RERANK_TOP_N": ("rerank_top_n", 12),
    "CW_SEARCH_MAX_TOTAL_CHARS": ("max_total_chars", 20_000),
    "CW_SEARCH_VECTOR_TOP_K": ("vector_top_k", 90),
    "CW_SEARCH_SMART_MAX_K": ("smart_max_k", 9),
    "CW_SEARCH_IMPORT_FILES_PER_SEED": ("import_files_per_seed", 1),
}


@pytest.mark.parametrize("variable", VARIABLES)
def test_variable_of_contextweaver_sets_a_parameter_that_counts(
    variable: str, tmp_path: Path
) -> None:
    name, value = VARIABLES[variable]
    assert name in CASES
    assert getattr(SearchConfig(), name) != value
    found = load(env={variable: str(value), "HOME": str(tmp_path)})
    assert getattr(found.search, name) == value
