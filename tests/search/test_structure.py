"""Definitions, references, file lists, outlines and the map."""

from __future__ import annotations

import pytest

from conftest import SHOP, store_of
from tadoru.errors import BadInput
from tadoru.models.tokens import EstimatedTokens
from tadoru.search import definition, list_files, outline, references, repo_map
from tadoru.search.map import page_rank
from tadoru.search.occurrences import occurrences
from tadoru.types import Freshness, Principal
from tadoru.views import View

COUNTER = EstimatedTokens()


def kinds(text: str, name: str, language: str) -> list[tuple[int, str]]:
    return [(o.line, o.kind) for o in occurrences(text, name, language)]


def test_reference_kinds_are_told_apart_across_packages(shop: View) -> None:
    """One call site; comment and string are text; `fmtAll` is another name (oraios/serena#478)."""
    found = references(shop, "fmt", exclude_definition=True)
    rows = [(r.path, r.line, r.kind) for r in found.references]
    assert rows == [
        ("web/page.ts", 7, "call"),
        ("web/page.ts", 1, "import"),
        ("web/page.ts", 4, "text"),
        ("web/page.ts", 5, "text"),
    ]
    assert found.total == 4


def test_definition_is_a_reference_unless_excluded(shop: View) -> None:
    with_it = references(shop, "fmt")
    assert ("web/format.ts", 1, "name") in [(r.path, r.line, r.kind) for r in with_it.references]
    assert with_it.total == 5


def test_total_is_true_when_few_are_shown(shop: View) -> None:
    found = references(shop, "total_price", top=1)
    assert len(found.references) == 1 and found.total >= 5
    assert found.references[0].kind == "call"


def test_short_name_has_references() -> None:
    view = View({"": store_of({"a.py": "db = connect()\nuse(db)\n"})}, Principal())
    assert references(view, "db").total == 2


def test_references_that_ran_out_of_time_say_so(shop: View) -> None:
    ticks = iter(range(100))
    found = references(shop, "total_price", seconds=2, clock=lambda: float(next(ticks)))
    assert found.index.status is Freshness.PARTIAL
    assert "time ran out" in found.index.detail


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "x = f(1)  # f()\n", [(1, "call")]),
        ("python", '"""f() here\nand f()"""\nf\n', [(1, "text"), (2, "text"), (3, "name")]),
        ("python", "def f(): pass\n", [(1, "name")]),
        ("python", "from m import f\n", [(1, "import")]),
        ("go", "x := f(1) // f\n`f()`\n", [(1, "call"), (2, "text")]),
        ("rust", "fn g<'a>(x: &'a str) { f(x); f!(x); f::<u8>(x) }\n", [(1, "call")]),
        ("rust", "use m::f;\n", [(1, "import")]),
        ("c", "/* f() */ int y = f(2);\n", [(1, "call")]),
        ("java", "// f()\nnew f<String>(1);\n", [(1, "text"), (2, "call")]),
        ("shell", "# f\nf() { :; }\nf one\n", [(1, "text"), (2, "call"), (3, "name")]),
        ("ruby", "def self.f(x)\n  obj.f(1)\n", [(1, "name"), (2, "call")]),
        ("sql", "select f(1) -- f(2)\n", [(1, "call")]),
        ("markdown", "call `f()` here\n", [(1, "text")]),
        ("typescript", "const f = 1\n`text f()`\n", [(1, "name"), (2, "text")]),
        ("python", "ff(1); f_(2); _f(3)\n", []),
    ],
)
def test_occurrence_is_classified_by_syntax(
    language: str, text: str, expected: list[tuple[int, str]]
) -> None:
    assert kinds(text, "f", language) == expected


def test_definition_prefers_hint_then_source_over_tests() -> None:
    files = {
        "tests/test_a.py": "def load():\n    pass\n",
        "lib/a.py": "def load():\n    pass\n",
        "lib/b.py": "class Store:\n    def load(self):\n        pass\n",
    }
    view = View({"": store_of(files)}, Principal())
    assert definition(view, "load").symbols[0].path == "lib/a.py"
    assert definition(view, "load", hint_path="lib/b.py").symbols[0].path == "lib/b.py"
    assert definition(view, "Store.load").symbols[0].path == "lib/b.py"
    assert definition(view, "LOAD").symbols[0].name == "load"
    assert definition(view, "load", top=1).total == 3


def test_definition_without_grammar_is_found_by_its_look() -> None:
    files = {"bin/run.sh": "#!/bin/sh\ndeploy() {\n  echo\n}\ndeploy\n", "x.lua": "local y = 1\n"}
    view = View({"": store_of(files)}, Principal())
    assert [s.path for s in definition(view, "deploy").symbols] == ["bin/run.sh"]
    assert definition(view, "absent").total == 0


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
def test_no_name_is_bad_input(shop: View, name: str) -> None:
    with pytest.raises(BadInput):
        definition(shop, name)
    with pytest.raises(BadInput):
        references(shop, name)


def test_list_files_pages_with_true_total(shop: View) -> None:
    page = list_files(shop, glob="**/*.py", limit=2)
    assert page.total == 5 and [f.path for f in page.files] == ["shop/__init__.py", "shop/cart.py"]
    rest = list_files(shop, glob="**/*.py", offset=4, limit=10)
    assert [f.path for f in rest.files] == ["tests/test_price.py"] and rest.total == 5
    assert list_files(shop, language="ts").total == 2
    assert list_files(shop, under="shop").total == 4


def test_outline_has_signatures_and_no_bodies(shop: View) -> None:
    text = outline(shop, "shop/cart.py", budget=500, counter=COUNTER).text
    assert "class Cart" in text and "  def add_item(self, item)" in text and "L3" in text
    assert "append" not in text


def test_outline_of_a_directory_fits_and_drops_members_first(shop: View) -> None:
    full = outline(shop, "shop", budget=2_000, counter=COUNTER)
    assert not full.truncated and "add_item" in full.text
    small = outline(shop, "shop", budget=full.tokens - 5, counter=COUNTER)
    assert small.truncated and small.tokens <= full.tokens - 5
    assert "class SessionStore" in small.text and "add_item" not in small.text


@pytest.mark.parametrize("budget", [0, 1, 7, 20, 60, 150])
def test_outline_and_map_never_exceed_the_budget(shop: View, budget: int) -> None:
    for answer in (
        outline(shop, "", budget=budget, counter=COUNTER),
        repo_map(shop, budget=budget, counter=COUNTER),
    ):
        assert COUNTER.count(answer.text) == answer.tokens <= budget


def test_map_shows_what_others_depend_on_first(shop: View) -> None:
    text = repo_map(shop, budget=2_000, counter=COUNTER).text
    order = [line for line in text.splitlines() if not line.startswith(" ")]
    assert order.index("shop/price.py") < order.index("shop/session.py")
    assert order.index("shop/cart.py") < order.index("tests/test_price.py")
    assert "def total_price(items)" in text


def test_page_rank_agrees_with_the_closed_form() -> None:
    """a <- b, a <- c, uniform restart: b = c = t, a = t + .85 (b + c) with loose mass shared."""
    scores = page_rank({"a": ["b", "c"]}, {"a": 1.0, "b": 1.0, "c": 1.0})
    assert sum(scores.values()) == pytest.approx(1.0, abs=1e-6)
    base = (1 - 0.85 + 0.85 * scores["a"]) / 3
    assert scores["b"] == pytest.approx(base, abs=1e-4)
    assert scores["a"] == pytest.approx(base + 0.85 * (scores["b"] + scores["c"]), abs=1e-4)


def test_hidden_files_have_no_references_symbols_or_rows() -> None:
    labels = {path: "public" for path in SHOP if not path.startswith("web/")}
    view = View({"": store_of(SHOP, labels=labels)}, Principal())
    assert references(view, "fmt").total == 0
    assert definition(view, "fmt").total == 0
    assert list_files(view).total == len(labels)
    assert "web/" not in repo_map(view, budget=2_000, counter=COUNTER).text
