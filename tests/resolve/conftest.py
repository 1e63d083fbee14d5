"""Trees that the tests of resolve share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tadoru.testing.memory import MemoryStore
from tadoru.types import Principal
from tadoru.views import View

SHOP = """
README.md
Makefile
.golangci.yaml
go.mod
cmd/shop/main.go
internal/infra/reranker/client.go
internal/infra/openaihttp/client.go
internal/infra/vllm/client.go
internal/config/config.go
internal/config/config_test.go
internal/config/loader.go
internal/logging/logger.go
internal/logging/doc_test.go
internal/http/handlers/cart_handler.go
internal/http/handlers/cart_handler_test.go
internal/http/handlers/user_handler.go
internal/http/router.go
internal/store/postgres/orders.go
internal/store/postgres/customers.go
web/package.json
web/src/app.tsx
web/src/components/Button.tsx
web/src/components/Button.test.tsx
web/src/components/CartView.tsx
web/src/pages/[id].tsx
web/src/hooks/useCart.ts
docs/guide/getting-started.md
docs/guide/ŝlosilo.md
scripts/build docs.sh
""".strip().split("\n")


def make_view(
    files: Mapping[str, str] | list[str], groups: frozenset[str] = frozenset(), **store: Any
) -> View:
    contents = files if isinstance(files, Mapping) else {path: path + "\n" for path in files}
    return View({"": MemoryStore(contents, **store)}, Principal(groups))


@pytest.fixture(name="view_of", scope="session")
def _view_of() -> Callable[..., View]:
    return make_view


@pytest.fixture(scope="session")
def shop() -> View:
    return make_view(SHOP)


@pytest.fixture(scope="session")
def local_shop() -> View:
    """The same tree with a place on this machine."""
    return make_view(SHOP, host_root="/home/me/shop")
