"""resolved, ambiguous or absent: each for its reason, with the fields that help."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tadoru.errors import BadInput, Unavailable
from tadoru.resolve import AMBIGUOUS, RESOLVED, RETRY, resolve
from tadoru.types import Kind, Span, Symbol, to_json
from tadoru.views import View


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("internal/config/laoder.go", "internal/config/loader.go"),
        ("internl/config/loader.go", "internal/config/loader.go"),
        ("internal/configs/loader.go", "internal/config/loader.go"),
        ("infra/reranker/client.go", "internal/infra/reranker/client.go"),
        (".golangci.yml", ".golangci.yaml"),
        ("web/src/components/button.tsx", "web/src/components/Button.tsx"),
        ("web/src/components/cart-view.tsx", "web/src/components/CartView.tsx"),
        ("web/src/hooks/use_cart.ts", "web/src/hooks/useCart.ts"),
        ("web/src/hooks/useCart.js", "web/src/hooks/useCart.ts"),
        ("/app/internal/http/router.go", "internal/http/router.go"),
        ("C:\\shop\\internal\\http\\router.go", "internal/http/router.go"),
        ("shop/internal/http/router.go", "internal/http/router.go"),
        ("internal/http/core/router.go", "internal/http/router.go"),
        ("internal/postgres/customers.go", "internal/store/postgres/customers.go"),
        ("web/src/components/Button.test/", "web/src/components/Button.test.tsx"),
        ("customers.go", "internal/store/postgres/customers.go"),
        ("internal/logging/logging.go", "internal/logging/logger.go"),
    ],
)
def test_what_agents_write_is_found(shop: View, written: str, meant: str) -> None:
    answer = resolve(shop, written)
    assert answer.candidates[0].path == meant
    assert answer.status == "resolved"
    assert answer.path == meant


def test_a_path_that_exists_is_said_to_exist(shop: View) -> None:
    answer = resolve(shop, "internal/http/router.go:7")
    assert (answer.status, answer.reason, answer.line) == ("resolved", "exists", 7)
    assert answer.candidates == ()


def test_a_directory_that_should_be_read_is_a_choice(shop: View) -> None:
    answer = resolve(shop, "internal/config/", op="read")
    assert answer.status == "ambiguous"
    assert (answer.error_kind, answer.reason) == ("is_a_directory", "is a directory")
    assert answer.candidates[0].kind is Kind.DIRECTORY
    assert "internal/config/config.go" in [c.path for c in answer.candidates]
    assert resolve(shop, "internal/config/", op="list").status == "resolved"


def test_a_file_that_should_be_listed_exists(shop: View) -> None:
    answer = resolve(shop, "Makefile/", op="list")
    assert answer.status == "resolved"
    assert answer.reason == "exists: a file, not a directory"


def test_the_root_is_a_directory(shop: View) -> None:
    assert resolve(shop, "/", op="list").status == "resolved"
    assert resolve(shop, "/", op="read").error_kind == "is_a_directory"


def test_a_directory_with_an_extension_is_a_directory(shop: View) -> None:
    paths = [c.path for c in resolve(shop, "internal/store.go").candidates]
    assert paths[0] == "internal/store"


@pytest.mark.parametrize("written", ["internal/**/*.go", "*.py", "src/?.c"])
def test_a_pattern_is_no_path(shop: View, written: str) -> None:
    answer = resolve(shop, written)
    assert answer.status == "absent"
    assert answer.reason.startswith("a pattern")


def test_a_url_is_no_path(shop: View) -> None:
    answer = resolve(shop, "https://example.com/internal/http/router.go")
    assert answer.status == "absent"
    assert answer.reason.startswith("a URL")


@pytest.mark.parametrize("written", ["", " ", "\0", "x" * 10_000, ".....", "a\ud800.py"])
def test_bad_input_is_the_callers_fault(shop: View, written: str) -> None:
    with pytest.raises(BadInput):
        resolve(shop, written)


@pytest.mark.parametrize("written", [None, 7, b"src/a.py"])
def test_what_is_no_text_is_bad_input(shop: View, written: object) -> None:
    with pytest.raises(BadInput):
        resolve(shop, written)  # type: ignore[arg-type]


def test_nothing_like_it(shop: View) -> None:
    answer = resolve(shop, "lib/quantum/flux_capacitor.zig")
    assert (answer.status, answer.reason) == ("absent", "nothing like it")
    assert answer.candidates == ()


def test_outside_the_roots(shop: View) -> None:
    answer = resolve(shop, "/home/you/.config/tool/settings.json", cwd="/home/you/shop")
    assert (answer.status, answer.reason) == ("absent", "outside the roots")
    assert answer.error_kind == "outside_roots"


def test_a_name_to_be_created(shop: View) -> None:
    answer = resolve(shop, "internal/store/postgres/migrate_invoices.go", op="write")
    assert answer.status == "absent"
    assert answer.reason.startswith("a name to be created")


def test_an_ignored_path_is_absent_by_its_rule(view_of: Callable[..., View]) -> None:
    view = view_of(["src/index.ts", "README.md"], ignored={"dist/index.js": ".gitignore:1:dist/"})
    answer = resolve(view, "dist/index.js")
    assert (answer.status, answer.reason) == ("absent", "ignored by a rule: .gitignore:1:dist/")


def test_same_names_are_a_choice_and_one_question(shop: View) -> None:
    answer = resolve(shop, "client.go")
    assert answer.status == "ambiguous"
    assert answer.path == ""
    assert len(answer.candidates) == 3
    assert {c.path.rpartition("/")[2] for c in answer.candidates} == {"client.go"}
    assert answer.next_question.endswith("?")


def test_history_breaks_the_tie(shop: View) -> None:
    for near in ("reranker", "vllm", "openaihttp"):
        answer = resolve(shop, "client.go", history=[f"internal/infra/{near}", "README.md"])
        assert answer.candidates[0].path == f"internal/infra/{near}/client.go"


def test_intent_breaks_the_tie(shop: View) -> None:
    answer = resolve(shop, "client.go", intent="change the timeout of the reranker client")
    assert answer.candidates[0].path == "internal/infra/reranker/client.go"


def test_history_does_not_beat_a_path(shop: View) -> None:
    answer = resolve(shop, "infra/vllm/client.go", history=["internal/infra/reranker/client.go"])
    assert answer.path == "internal/infra/vllm/client.go"


def test_several_extensions_are_named(view_of: Callable[..., View]) -> None:
    view = view_of(["conf/app.yaml", "conf/app.json", "conf/other.ini", "main.py"])
    answer = resolve(view, "conf/app.toml")
    assert set(answer.maybe_exts) == {".yaml", ".json"}
    assert answer.error_kind == "wrong_extension"


def test_a_symbol_finds_the_file_with_the_invented_name(view_of: Callable[..., View]) -> None:
    span = Span(1, 3, 0, 9, 0, 9)
    symbol = Symbol("CheckpointID", "class", "core/ids/id.go", span)
    files = ["core/ids/id.go", "core/trailers/trailers.go", "core/trailers/parse.go", "main.go"]
    before = resolve(view_of(files), "core/trailers/checkpoint_id.go", top=4)
    after = resolve(view_of(files, symbols=[symbol]), "core/trailers/checkpoint_id.go", top=4)
    rank = [c.path for c in after.candidates].index("core/ids/id.go")
    assert rank == 0
    assert before.candidates[0].path != "core/ids/id.go" or (
        before.candidates[0].score < after.candidates[0].score
    )


def test_package_names_are_directories(view_of: Callable[..., View]) -> None:
    view = view_of(
        {
            "packages/ui/package.json": '{"name": "@acme/ui"}',
            "packages/ui/src/button.ts": "",
            "services/api/go.mod": "module github.com/acme/api\n\ngo 1.22\n",
            "services/api/internal/run.go": "",
            "crates/core/Cargo.toml": '[package]\nname = "acme-core"\n',
            "crates/core/src/lib.rs": "",
            "broken/package.json": "{nonsense",
        }
    )
    for written, meant in (
        ("@acme/ui/src/button.ts", "packages/ui/src/button.ts"),
        ("node_modules/@acme/ui/src/button.ts", "packages/ui/src/button.ts"),
        ("github.com/acme/api/internal/run.go", "services/api/internal/run.go"),
        ("acme-core/src/lib.rs", "crates/core/src/lib.rs"),
    ):
        assert resolve(view, written).path == meant


def test_more_candidates_on_request(shop: View) -> None:
    assert len(resolve(shop, "internal/config/laoder.go").candidates) == 1
    assert len(resolve(shop, "internal/config/laoder.go", top=6).candidates) == 6
    assert len(resolve(shop, "lib/quantum/flux.zig", top=5).candidates) == 5


def test_candidates_are_checked_at_the_time_of_the_answer(shop: View) -> None:
    gone = "internal/config/loader.go"
    answer = resolve(shop, "internal/config/laoder.go", stat=lambda p: p != gone, top=5)
    assert gone not in [c.path for c in answer.candidates]
    assert resolve(shop, gone, stat=lambda p: p != gone).path != gone


def test_version_control_is_asked_when_nothing_fits(shop: View) -> None:
    asked: list[str] = []

    def renames(path: str) -> list[str]:
        asked.append(path)
        return {"old/telemetry.go": ["internal/http/router.go"], "old/gone.go": [""]}.get(path, [])

    answer = resolve(shop, "old/telemetry.go", renames=renames)
    assert (answer.status, answer.path) == ("resolved", "internal/http/router.go")
    assert answer.reason.startswith("renamed")
    answer = resolve(shop, "old/gone.go", renames=renames)
    assert (answer.status, answer.reason) == ("absent", "deleted, says the version history")
    resolve(shop, "internal/http/roter.go", renames=renames)
    assert asked == ["old/telemetry.go", "old/gone.go"]


class _Prefers:
    name = "fake"

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted

    def score(self, question: str, documents: list[str]) -> list[float]:
        return [1.0 if document == self.wanted else 0.0 for document in documents]


class _Away:
    name = "away"

    def score(self, question: str, documents: list[str]) -> list[float]:
        raise Unavailable("no model")


def test_a_reranker_orders_what_is_close(shop: View) -> None:
    wanted = "internal/infra/vllm/client.go"
    assert resolve(shop, "client.go", reranker=_Prefers(wanted)).candidates[0].path == wanted
    assert resolve(shop, "client.go", reranker=_Away()) == resolve(shop, "client.go")


def test_fields_appear_only_where_they_help(shop: View) -> None:
    sure = to_json(resolve(shop, "internal/config/laoder.go"))
    assert not {"next_question", "maybe_exts", "error_kind", "line"} & sure.keys()
    absent = to_json(resolve(shop, "lib/quantum/flux_capacitor.zig"))
    assert not {"path", "host_path", "next_question", "maybe_exts", "error_kind"} & absent.keys()


def test_thresholds_are_in_order() -> None:
    assert 0.0 < AMBIGUOUS < RESOLVED <= RETRY < 1.0


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("abcinte/rnalg.o_-CS "), min_size=1, max_size=40))
def test_what_is_offered_exists_once_and_in_order(shop: View, written: str) -> None:
    try:
        answer = resolve(shop, written, top=8)
    except BadInput:
        return
    paths = [c.path for c in answer.candidates]
    scores = [c.score for c in answer.candidates]
    assert len(set(paths)) == len(paths)
    assert all(path in shop.tree for path in paths)
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert (answer.status == "resolved") == (
        answer.path in shop.tree and (bool(answer.path) or "exists" in answer.reason)
    )


def test_a_bare_name_of_several_files_is_never_decided_alone(view_of: Callable[..., View]) -> None:
    view = view_of(["app/settings.py", "vendor/third/generated/old/settings.py", "a.py"])
    assert resolve(view, "settings.py").status == "ambiguous"
    assert resolve(view, "settings.py", history=["app/views.py", "app"]).path == "app/settings.py"
