"""A small repository with real structure, and stores built from plain texts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tadoru.config import SearchConfig
from tadoru.models.tokens import EstimatedTokens
from tadoru.search import SearchRequest, search
from tadoru.testing.memory import MemoryStore
from tadoru.text.decode import Offsets
from tadoru.types import Chunk, Import, Principal, SearchAnswer, Span, Symbol
from tadoru.views import View

_DEFINITION = re.compile(
    r"^(?P<indent> *)(?:export )?(?:def|class|function|interface) (?P<name>\w+)[^\n]*", re.MULTILINE
)
_IMPORT = re.compile(r"^(?:from (\S+) import ([^\n(]+)|import \{([^}]*)\} from '([^']+)')", re.M)


def structure(path: str, text: str) -> tuple[list[Chunk], list[Symbol]]:
    """Cut a text at its definitions, as an indexer would."""
    starts = list(_DEFINITION.finditer(text))
    offsets = Offsets(text)
    chunks: list[Chunk] = []
    symbols: list[Symbol] = []
    edges = [0, *(m.start() for m in starts if m.start()), len(text)]
    outer = ""
    for index, (start, end) in enumerate(itertools.pairwise(edges)):
        if start == end:
            continue
        match = next((m for m in starts if m.start() == start), None)
        last = offsets.line_of(max(start, end - 1))
        span = Span(offsets.line_of(start), last, start, end, offsets.byte_of(start), end)
        if match is None:
            chunks.append(Chunk(path, index, span, kind="lines"))
            continue
        name = match["name"]
        inside = outer if match["indent"] else ""
        outer = outer if match["indent"] else name
        crumb = f"{inside} > {name}" if inside else name
        kind = "class" if "class " in match[0] else "function"
        doc = "".join(re.findall(r'"""([^"]*)"""', text[start:end])[:1])
        chunks.append(Chunk(path, len(chunks), span, crumb, kind, name, match[0].strip(), doc))
        symbols.append(Symbol(name, kind, path, span, inside, match[0].strip(), doc))
    return [
        Chunk(c.path, i, c.span, c.breadcrumb, c.kind, c.name, c.signature, c.doc)
        for i, c in enumerate(chunks)
    ], symbols


def store_of(files: Mapping[str, str], **how: Any) -> MemoryStore:
    """Build a store with chunks, symbols and import edges from texts."""
    chunks: dict[str, list[Chunk]] = {}
    symbols: list[Symbol] = []
    imports: list[Import] = []
    for path, text in files.items():
        if path.endswith((".py", ".ts")):
            chunks[path], found = structure(path, text)
            symbols.extend(found)
        for match in _IMPORT.finditer(text):
            module = match[1] or match[4]
            names = tuple(n.strip() for n in (match[2] or match[3]).split(","))
            line = text.count("\n", 0, match.start()) + 1
            stem = module.strip("./").replace(".", "/")
            target = next((p for p in files if p.rpartition(".")[0].endswith(stem)), "")
            imports.append(Import(path, module, line, target, names))
    return MemoryStore(files, chunks=chunks, symbols=symbols, imports=imports, **how)


SHOP = {
    "shop/cart.py": (
        "from shop.price import total_price\n\n"
        "class Cart:\n"
        '    """Items that a customer wants to buy."""\n\n'
        "    def add_item(self, item):\n        self.items.append(item)\n\n"
        "    def remove_item(self, item):\n        self.items.remove(item)\n\n"
        "    def checkout(self):\n        return total_price(self.items)\n"
    ),
    "shop/price.py": (
        "def total_price(items):\n"
        '    """Sum the price of all items with tax."""\n'
        "    return sum(item.price for item in items) * tax_rate()\n\n"
        "def tax_rate():\n    return 1.19\n"
    ),
    "shop/session.py": (
        "from shop.cart import Cart\n\n"
        "class SessionStore:\n"
        '    """Keeps sessions until they expire."""\n\n'
        "    def load_session(self, key):\n        return self.db[key]\n\n"
        "    def expire_sessions(self, now):\n"
        '        """Drop every session whose deadline has passed."""\n'
        "        self.db = {k: s for k, s in self.db.items() if s.deadline > now}\n\n"
        "def new_cart():\n    return Cart()\n"
    ),
    "shop/__init__.py": "from shop.cart import Cart\nfrom shop.price import total_price\n",
    "tests/test_price.py": (
        "from shop.price import total_price\n\n"
        "def test_total_price():\n    assert total_price([]) == 0\n"
    ),
    "web/format.ts": "export function fmt(value) {\n  return String(value)\n}\n",
    "web/page.ts": (
        "import { fmt } from './format'\n\n"
        "export function page() {\n  // fmt in a comment\n"
        "  const label = 'fmt'\n  fmtAll()\n  return fmt(1)\n}\n"
    ),
    "README.md": "# Shop\n\nA shop with carts, prices and sessions.\n",
}


@pytest.fixture
def shop() -> View:
    return View({"": store_of(SHOP)}, Principal())


Ask = Callable[..., SearchAnswer]


@pytest.fixture
def ask(shop: View) -> Ask:
    """Search the shop; keyword arguments of the request, `config`, `budget` and models."""

    def run(question: str, *, view: View | None = None, **how: Any) -> SearchAnswer:
        config = how.pop("config", SearchConfig())
        budget = how.pop("budget", 4_000)
        outer = {
            name: how.pop(name)
            for name in ("embedder", "reranker", "cache", "sent", "unindexed")
            if name in how
        }
        return search(
            view or shop,
            SearchRequest(question, **how),
            config=config,
            budget=budget,
            counter=EstimatedTokens(),
            **outer,
        )

    return run
