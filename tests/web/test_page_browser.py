"""The page in a real Chromium over a real `tadoru serve`: what is seen, and reached by keys."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from served_process import Served
from token_issuer import Issuer, token

playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")

pytestmark = pytest.mark.slow

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUESTION = "where is the session cookie signed"
VIEWS = {
    "search": f"#/search?q={quote(QUESTION)}",
    "path": "#/path?path=src/shop/session.py",
    "file": "#/file?path=src/shop/sessions.py&symbol=open_session&line=9",
    "tree": "#/tree",
    "age": "#/tree?path=src&colour=age",
    "health": "#/health",
    "nothing asked": "#/search",
    "not there": "#/file?path=nothing.py",
    "absent": "#/path?path=a/b/c.zig",
}
HOSTILE_NAME = "docs/<img src=x onerror=alert(4)>\u202egpj.md"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, new_repository: Callable[[Path], Path]) -> Path:
    """A repository with a document and a name that want to be obeyed."""
    repository = new_repository(tmp_path_factory.mktemp("page") / "shop")
    hostile = (
        "# Zanzibar <script>alert(1)</script>\n\n<img src=x onerror=alert(2)>\n\x1b[31mred\x07\n"
    )
    (repository / "docs/hostile.md").write_text(hostile + "user\u202enimda\u2066 is me\n")
    (repository / HOSTILE_NAME).write_text("# Zanzibar\n\n[link](javascript:alert(3))\n")
    return repository


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("needs the program chromium")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


class Page:
    """One tab, with everything that went wrong in it and every address that it asked."""

    def __init__(self, browser: Any, url: str, **how: Any) -> None:
        self.url = url
        self.context = browser.new_context(reduced_motion="reduce", **how)
        self.tab = self.context.new_page()
        self.faults: list[str] = []
        self.asked: list[str] = []
        self.tab.on("pageerror", lambda error: self.faults.append(str(error)))
        self.tab.on("console", self._said)
        self.tab.on("dialog", self._dialog)
        self.tab.on("request", lambda request: self.asked.append(request.url))

    def _said(self, message: Any) -> None:
        if message.type == "error" and "status of 40" not in message.text:
            self.faults.append(message.text)

    def _dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def go(self, fragment: str) -> Page:
        """Open a view anew, and wait for its answer."""
        self.tab.goto("about:blank")
        self.tab.goto(f"{self.url}/{fragment}")
        return self.ready()

    def ready(self) -> Page:
        self.tab.locator("#answer > *").first.wait_for()
        self.tab.locator("main[aria-busy]").wait_for(state="detached")
        return self

    def find(self, selector: str, **how: Any) -> Any:
        return self.tab.locator(selector, **how)

    def text(self, selector: str = "main") -> str:
        return str(self.tab.locator(selector).inner_text())

    def elsewhere(self) -> set[str]:
        """Return the addresses beyond the service that were asked."""
        own = (self.url, "about:", f"blob:{self.url}")
        return {url for url in self.asked if not url.startswith(own)}

    def focused(self, script: str) -> Any:
        return self.tab.evaluate(f"document.activeElement.{script}")


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Page]]:
    opened: list[Page] = []

    def make(service: Served, **how: Any) -> Page:
        opened.append(Page(browser, service.url, **how))
        return opened[-1]

    yield make
    faults = [fault for page in opened for fault in (*page.faults, *page.elsewhere())]
    for page in opened:
        page.context.close()
    assert not faults, "the browser complained"


OpenPage = Callable[..., Page]


def test_every_view_draws_what_its_data_says(open_page: OpenPage, local: Served) -> None:
    page = open_page(local)
    page.go(VIEWS["search"])
    assert "src/shop/sessions.py" in page.text("main table >> nth=0")
    for stage in ("lexical", "dense", "fused", "ranked", "cut-off", "expanded", "packed"):
        assert page.find(f"#stage-{stage}").count() == 1
    assert "tokens are used" in page.find("svg.stacked").first.get_attribute("aria-label")
    page.go(VIEWS["path"])
    assert "resolved" in page.text(".verdict") and "src/shop/sessions.py" in page.text(".verdict")
    assert page.find("ul.contributions li").count() >= 3
    page.go(VIEWS["file"])
    assert "class SessionInterface" in page.text(".code")
    assert page.find(".code tr.marked").count() == 1
    assert "src/shop/cart.py" in page.text(".beside") and "Uses of open_session" in page.text()
    page.go(VIEWS["tree"])
    assert page.find(".treemap a").count() >= 4 and page.find(".treemap rect").count() > 8
    page.go(VIEWS["health"])
    assert page.find("svg.latency").count() >= 2 and "explain_search" in page.text()


def test_nothing_but_the_service_is_asked(open_page: OpenPage, local: Served) -> None:
    page = open_page(local)
    for name in ("search", "file", "tree"):
        page.go(VIEWS[name])
    assert len(page.asked) > 10
    assert not page.elsewhere()


def test_data_of_a_view_is_one_link_away(open_page: OpenPage, local: Served) -> None:
    page = open_page(local)
    for name in ("search", "path", "file", "tree", "health"):
        page.go(VIEWS[name])
        address = page.find("a.json").get_attribute("href")
        with local.client() as client:
            data = client.get(f"/{address}").json()
        assert data["index"]["status"] == "fresh", name


def test_an_address_reproduces_its_view(open_page: OpenPage, local: Served) -> None:
    page = open_page(local)
    page.go("#/search")
    page.tab.get_by_label("Question", exact=True).fill(QUESTION)
    page.tab.get_by_label("Mode", exact=True).select_option("deep")
    page.tab.get_by_role("button", name="Ask").click()
    page.find(".rail").wait_for()
    address = page.tab.url
    assert quote(QUESTION).replace("%20", "+") in address and "mode=deep" in address
    other = open_page(local)
    other.tab.goto(address)
    other.ready()
    assert other.text(".rail") == page.text(".rail")
    assert other.tab.get_by_label("Mode", exact=True).input_value() == "deep"


def test_the_way_back_is_the_browsers(open_page: OpenPage, local: Served) -> None:
    page = open_page(local)
    page.go(VIEWS["tree"])
    page.tab.get_by_role("link", name="src/", exact=True).click()
    page.find("main", has_text="src: about").wait_for()
    page.tab.go_back()
    page.find(".summary", has_text="/: about").wait_for()


def test_hostile_text_is_shown_and_never_obeyed(open_page: OpenPage, local: Served) -> None:
    page = open_page(local)
    page.go("#/file?path=docs/hostile.md")
    assert "<script>alert(1)</script>" in page.text(".code")
    assert "<img src=x onerror=alert(2)>" in page.text(".code")
    shown = page.find(".code .control").all_inner_texts()
    assert shown == ["U+001B", "U+0007", "U+202E", "U+2066"]
    page.go(f"#/file?path={quote(HOSTILE_NAME)}")
    assert "U+202E" in page.text(".summary") and "javascript:alert(3)" in page.text(".code")
    for fragment in ("#/search?q=zanzibar", "#/path?path=zanzibar.md", "#/tree?path=docs"):
        page.go(fragment)
        assert page.find("main img, main script, main iframe").count() == 0
        assert page.find("a[href^='javascript']").count() == 0
    page.go(f"#/search?q={quote('<img src=x onerror=alert(5)>')}&under={quote('<b>')}")
    assert page.find("main img, main b").count() == 0


def test_everything_is_reached_by_keys(open_page: OpenPage, local: Served) -> None:
    page = open_page(local)
    page.go("#/search")
    page.tab.keyboard.press("Tab")
    assert page.focused("className") == "skip"
    page.tab.keyboard.press("Enter")
    assert page.focused("id") == "main"
    page.tab.keyboard.press("Tab")
    assert page.focused("name") == "q"
    page.tab.keyboard.type(QUESTION)
    page.tab.keyboard.press("Enter")
    page.find(".rail").wait_for()
    assert "worth reading" in page.text("#status"), "a reader that does not see is told"
    page.find(".rail button").last.focus()
    page.tab.keyboard.press("Enter")
    assert page.focused("parentElement.id") == "stage-packed"
    assert page.focused("parentElement.open")


def test_the_picture_is_walked_with_arrows(open_page: OpenPage, local: Served) -> None:
    page = open_page(local)
    page.go("#/tree")
    page.find(".treemap a[tabindex='0']").focus()
    assert page.find(".treemap a[tabindex='0']").count() == 1
    first = page.focused("getAttribute('aria-label')")
    page.tab.keyboard.press("End")
    assert page.focused("getAttribute('aria-label')") != first
    page.tab.keyboard.press("Home")
    assert page.focused("getAttribute('aria-label')") == first
    seen = {first}
    for key in ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"] * 6:
        page.tab.keyboard.press(key)
        seen.add(page.focused("getAttribute('aria-label')"))
    assert len(seen) > 2
    page.find(".treemap a[aria-label^='src:']").focus()
    page.tab.keyboard.press("Enter")
    page.find(".summary", has_text="src: about").wait_for()
    page.find(".treemap a[tabindex='0']").focus()
    page.tab.keyboard.press("Escape")
    page.find(".summary", has_text="/: about").wait_for()


def test_areas_are_tokens(open_page: OpenPage, local: Served) -> None:
    page = open_page(local)
    page.go("#/tree")
    told = page.tab.evaluate("""async () => {
        const { squarify } = await import("/page/treemap.js");
        const items = Array.from({ length: 300 }, (_, n) => ({ weight: (n * 7919) % 97 }));
        const cells = squarify(items, { x: 3, y: 5, width: 640, height: 360 });
        return cells.map(({ item, ...rect }) => ({ ...rect, weight: item.weight }));
    }""")
    total = sum(cell["weight"] for cell in told)
    for cell in told:
        wanted = cell["weight"] / total * 640 * 360
        assert cell["width"] * cell["height"] == pytest.approx(wanted, rel=1e-6)
        assert cell["x"] >= 3 - 1e-6 and cell["x"] + cell["width"] <= 643 + 1e-6
        assert cell["y"] >= 5 - 1e-6 and cell["y"] + cell["height"] <= 365 + 1e-6
    overlaps = [
        (a, b)
        for index, a in enumerate(told)
        for b in told[:index]
        if min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"]) > 1e-6
        and min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"]) > 1e-6
    ]
    assert not overlaps


@pytest.mark.parametrize(
    ("scheme", "width", "rules", "judged"),
    [
        ("light", 1280, [], set(VIEWS)),
        ("dark", 1280, ["color-contrast"], {"search", "path", "tree", "health", "not there"}),
        ("light", 390, ["target-size"], {"search", "file", "tree"}),
    ],
    ids=["light", "dark", "narrow"],
)
def test_axe_finds_no_violation(
    open_page: OpenPage,
    local: Served,
    scheme: str,
    width: int,
    rules: list[str],
    judged: set[str],
) -> None:
    package = pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python")
    script = Path(package.__file__).with_name("axe.min.js").read_text("utf-8")
    page = open_page(local, color_scheme=scheme, viewport={"width": width, "height": 844})
    how = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found, passed = {}, 0
    for name, fragment in VIEWS.items():
        page.go(fragment)
        wide = page.tab.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is wider than the window"
        if name not in judged:
            continue
        page.tab.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.tab.evaluate(script)
        result = page.tab.evaluate("how => axe.run(document, how)", how)
        passed += len(result["passes"])
        for violation in result["violations"]:
            found[name, violation["id"]] = violation["nodes"][0]["html"][:200]
    assert passed >= len(judged)
    assert not found


def test_schemes_follow_the_system(open_page: OpenPage, local: Served) -> None:
    grounds = set()
    for scheme in ("light", "dark"):
        page = open_page(local, color_scheme=scheme)
        page.go("#/health")
        grounds.add(page.tab.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(grounds) == 2


def test_a_person_signs_in_and_sees_his_own(
    open_page: OpenPage, served: Served, issuer: Issuer
) -> None:
    page = open_page(served)
    page.go("#/tree?path=src/shop")
    assert "Sign in" in page.text()
    page.tab.get_by_label("Access token").fill("no.such.token")
    page.tab.get_by_role("button", name="Use it").click()
    page.find("h2", has_text="not accepted").wait_for()
    page.tab.get_by_label("Access token").fill(token("bob", groups=["sales"]))
    page.tab.get_by_role("button", name="Use it").click()
    page.find(".treemap").wait_for()
    assert "cart.py" in page.text() and "sessions.py" not in page.text()
    assert page.find("#as").count() == 0, "who is no operator sees as himself"
    page.tab.reload()
    page.find(".treemap").wait_for()
    with page.context.expect_page() as opened:
        page.find("a.json").click()
    assert "cart.py" in opened.value.locator("body").inner_text()
    stored = page.tab.evaluate("[Object.keys(localStorage), document.cookie]")
    assert stored == [[], ""]


def test_operators_see_as_others_do(open_page: OpenPage, served: Served, issuer: Issuer) -> None:
    page = open_page(served)
    page.go("#/tree?path=src/shop")
    page.tab.get_by_label("Access token").fill(token("olga", groups=["ops"]))
    page.tab.get_by_role("button", name="Use it").click()
    page.find(".treemap").wait_for()
    assert "sessions.py" not in page.text()
    page.tab.get_by_label("See as").fill("staff")
    page.tab.get_by_role("button", name="Look").click()
    page.find(".path", has_text="sessions.py").wait_for()
    assert "as=staff" in page.tab.url and "Seen as staff" in page.text("#seen")
    page.tab.get_by_role("link", name="Search", exact=True).click()
    page.tab.get_by_label("Question", exact=True).fill("signed cookie hmac")
    page.tab.get_by_role("button", name="Ask").click()
    page.find(".rail").wait_for()
    assert "src/shop/sessions.py" in page.text() and "as=staff" in page.tab.url
    page.tab.get_by_role("link", name="Back to my own view").click()
    page.find("#seen").wait_for(state="hidden")
    page.ready()
    assert "src/shop/sessions.py" not in page.text()


def test_a_service_that_went_away_is_said(open_page: OpenPage, root: Path, tmp_path: Path) -> None:
    service = Served(root, home=tmp_path)
    page = open_page(service)
    page.go("#/health")
    service.stop()
    page.tab.get_by_role("link", name="Tree").click()
    page.find(".failure").wait_for()
    assert "does not answer" in page.text(".failure")
    page.faults[:] = [fault for fault in page.faults if "ERR_" not in fault]


def test_what_is_slow_is_said_to_be_under_way(open_page: OpenPage, local: Served) -> None:
    page = open_page(local)
    held: list[Any] = []
    page.tab.route("**/api/panels/tree*", lambda route: held.append(route))
    page.tab.goto(f"{local.url}/#/tree")
    page.find(".waiting").wait_for()
    assert page.find("main[aria-busy]").count() == 1
    page.tab.get_by_role("link", name="Health").click()
    page.find(".figures").wait_for()
    assert page.find(".waiting").count() == 0, "what was asked before is forgotten"
    for route in held:
        route.fulfill(status=200, body=json.dumps({"tree": {}}))
    assert "Health" in page.text("h1")
