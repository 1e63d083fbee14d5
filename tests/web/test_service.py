"""The service from end to end: people with groups, sessions that travel, MCP, limits, deadlines."""

from __future__ import annotations

import asyncio
import base64
import re
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from openapi_spec_validator import validate
from served_process import ACCESS, Served
from token_issuer import AUDIENCE, ISSUER, Issuer, token

import tadoru

pytestmark = pytest.mark.slow

STAFF = token("ann", groups=["staff"])
FINANCE = token("fred", groups=["finance"])
NOBODY = token("nobody", groups=[])


def paths(answer: dict[str, Any]) -> list[str]:
    return [row["path"] for row in answer["files"]]


def test_each_sees_what_the_groups_of_the_token_may_see(served: Served) -> None:
    seen = {proof: set(paths(served.ask("list-files", proof))) for proof in (STAFF, FINANCE)}
    assert "src/shop/sessions.py" in seen[STAFF] - seen[FINANCE]
    assert "docs/guide.md" in seen[FINANCE] - seen[STAFF]
    assert served.ask("bash", FINANCE, command="cat docs/guide.md")["exit_code"] == 0
    assert served.ask("bash", STAFF, command="cat docs/guide.md")["exit_code"] == 1


def test_groups_are_those_of_this_call_not_of_the_last_one(served: Served) -> None:
    question = {"question": "payment by invoice only"}
    for groups, sees in ((["finance"], True), ([], False), (["finance"], True), (["staff"], False)):
        answer = served.ask("search", token("ann", groups=groups), **question)
        assert ("docs/guide.md" in paths(answer)) is sees


def test_hidden_answers_like_missing(
    served: Served, root: Path, issuer: Issuer, tmp_path: Path
) -> None:
    """The same questions to a service whose tree never had the file that is hidden in the other."""
    bare = tmp_path / root.name
    shutil.copytree(root, bare, symlinks=True)
    (bare / "docs/guide.md").unlink()
    other = Served(
        bare, "--issuer", ISSUER, "--audience", AUDIENCE, "--keys", issuer.url, config=ACCESS,
        home=tmp_path / "home",
    )  # fmt: skip
    path = "docs/guide.md"
    asked: list[tuple[str, dict[str, Any]]] = [
        ("read", {"path": path}),
        ("resolve", {"path": path}),
        ("resolve", {"path": "docs/guid.md"}),
        ("bash", {"command": f"cat {path}; ls -la docs; stat {path}; find . -name 'g*' | wc -l"}),
        ("bash", {"command": "grep -rc invoice . | sort; du -a docs; echo docs/*"}),
        ("search", {"question": "payment by invoice only"}),
        ("references", {"name": "invoice"}),
        ("map", {"path": path}),
        ("list-files", {}),
    ]
    looks = [("file", {"path": path}), ("search", {"q": "invoice"}), ("tree", {})]
    try:
        told: list[list[str]] = []
        for service in (served, other):
            for _ in range(50):
                if service.ask("status", STAFF)["index"]["status"] == "fresh":
                    break
                time.sleep(0.2)
            with service.client(STAFF) as client:
                answers = [client.post(f"/api/{name}", json=given).text for name, given in asked]
                answers += [client.get(f"/api/panels/{n}", params=p).text for n, p in looks]
            told.append([VARIES.sub("", answer) for answer in answers])
        assert told[0] == told[1]
    finally:
        other.stop()


VARIES = re.compile(
    r'"session":"[^"]*"|"generation":\d+|"[a-z_]*(?:ms|seconds)":[\d.]+|"mtime\w*":\d+'
    r"|(?:Access|Modify|Change|Birth): .*?\\n|[A-Z][a-z]{2} +\d+ \d\d:\d\d"
)


@pytest.mark.parametrize(
    "path",
    ["../outside.txt", "/etc/passwd", "src/leads_out.txt", "docs/../../outside.txt",
     "..\\outside.txt", "%2e%2e/outside.txt", "file:///etc/passwd",
     "src/shop/../../../outside.txt"],
)  # fmt: skip
def test_nothing_outside_the_roots_is_read(served: Served, path: str) -> None:
    proof = token("ann", groups=["staff", "finance", "ops"])
    for route, given in (
        ("read", {"path": path, "recover": False}),
        ("map", {"path": path}),
        ("search", {"question": "outside", "under": path}),
        ("bash", {"command": f"cat '{path}'; cat < '{path}'; grep -r every '{path}'"}),
    ):
        with served.client(proof) as client:
            text = client.post(f"/api/{route}", json=given).text
            assert "outside of every root" not in text
            assert "root:" not in text
    with served.client(proof) as client:
        answer = client.get("/api/panels/file", params={"path": path})
        assert answer.status_code in (400, 404)


def test_no_place_on_the_servers_disk_is_told(served: Served, root: Path) -> None:
    with served.client(token(groups=["ops", "staff"])) as client:
        texts = [
            client.post("/api/search", json={"question": "session cookie"}).text,
            client.post("/api/resolve", json={"path": "src/shop/session.py"}).text,
            client.post("/api/list-files", json={}).text,
            client.post("/api/status", json={"details": True}).text,
            client.post("/api/bash", json={"command": "pwd; env; cat /proc/self/environ"}).text,
            *(client.get(f"/api/panels/{name}", params=given).text for name, given in PANELS),
            client.get("/api/me").text,
        ]
    assert [text for text in texts if str(root.parent) in text or "TADORU" in text] == []


PANELS = (
    ("search", {"q": "session cookie"}),
    ("path", {"path": "src/shop/session.py"}),
    ("file", {"path": "src/shop/cart.py"}),
    ("tree", {}),
    ("health", {}),
)


@pytest.mark.parametrize(("name", "given"), PANELS)
def test_every_panel_has_its_json(served: Served, name: str, given: dict[str, str]) -> None:
    with served.client(STAFF) as client:
        answer = client.get(f"/api/panels/{name}", params=given)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()


def test_a_session_keeps_directory_variables_and_history(served: Served) -> None:
    first = served.ask("bash", STAFF, command="cd src/shop; x=42", session="")
    second = served.ask("bash", STAFF, command="pwd; echo $x", session=first["session"])
    assert second["stdout"] == "/src/shop\n42\n"
    third = served.ask("bash", STAFF, command="pwd; echo $x")
    assert third["stdout"] == "/\n\n"


def test_history_travels_and_is_kept_nowhere(tmp_path: Path, issuer: Issuer, root: Path) -> None:
    tree = tmp_path / "tied"
    for name in ("one", "two", "three"):
        (tree / name).mkdir(parents=True)
        (tree / name / "client.py").write_text(f"# {name}\n")
        (tree / name / "other.py").write_text(f"# {name}\n")
    served = Served(
        tree, "--issuer", ISSUER, "--audience", AUDIENCE, "--keys", issuer.url,
        home=tmp_path / "home",
    )  # fmt: skip
    try:
        plain = served.ask("resolve", STAFF, path="client.py")
        read = served.ask("read", STAFF, path="two/other.py", session="")
        known = served.ask("resolve", STAFF, path="client.py", session=read["session"])
        assert known["candidates"][0]["path"] == "two/client.py"
        again = served.ask("resolve", STAFF, path="client.py")
        assert again["candidates"] == plain["candidates"]
        assert not list((tmp_path / "home").glob("touched/*"))
    finally:
        served.stop()


@pytest.mark.parametrize(
    "thief",
    [token("bob", groups=["staff"]), token("ann", groups=["staff", "finance"]), FINANCE],
    ids=["same groups", "other groups", "somebody else"],
)
def test_a_session_works_for_the_one_who_made_it(served: Served, thief: str) -> None:
    made = served.ask("bash", STAFF, command="x=secret", session="")["session"]
    for name, given in (("bash", {"command": "echo $x"}), ("resolve", {"path": "a.py"})):
        with served.client(thief) as client:
            answer = client.post(f"/api/{name}", json={**given, "session": made})
        assert answer.status_code == 400
        assert "secret" not in answer.text


def test_a_session_that_was_altered_is_refused(served: Served) -> None:
    made = served.ask("bash", STAFF, command="x=1", session="")["session"]
    data = bytearray(base64.urlsafe_b64decode(made))
    for place in (0, 5, len(data) // 2, len(data) - 1):
        forged = bytearray(data)
        forged[place] ^= 1
        text = base64.urlsafe_b64encode(forged).decode()
        with served.client(STAFF) as client:
            given = {"command": "echo", "session": text}
            assert client.post("/api/bash", json=given).status_code == 400
    for text in ("x", "AAAA", made[:-10], "é", made * 2):
        with served.client(STAFF) as client:
            given = {"command": "echo", "session": text}
            assert client.post("/api/bash", json=given).status_code == 400


def test_answers_are_those_of_the_library(served: Served, root: Path) -> None:
    from tadoru.config import AccessRule, Config

    rules = (
        AccessRule("**", public=True),
        AccessRule("src/shop/sessions.py", frozenset({"staff"})),
        AccessRule("docs/guide.md", frozenset({"finance"})),
    )
    staff = tadoru.Principal(frozenset({"staff"}))
    with tadoru.open(root, principal=staff, config=Config(access=rules)) as workspace:
        workspace.index()
        for question in ("session cookie", "total price of the cart", "payment"):
            mine = [(h.path, h.start_line) for h in workspace.search(question).hits]
            hits = served.ask("search", STAFF, question=question)["hits"]
            assert [(h["path"], h["start_line"]) for h in hits] == mine
        command = "grep -rn session . | sort; ls -la src/shop; find . -name '*.py' | wc -l"
        assert served.ask("bash", STAFF, command=command)["stdout"] == workspace.run(command).stdout
        wrong = "src/shop/session.py"
        assert served.ask("resolve", STAFF, path=wrong)["path"] == workspace.resolve(wrong).path


def test_the_description_of_the_api_is_one_and_true(served: Served) -> None:
    with served.client() as client:
        described = client.get("/openapi.json").json()
    validate(described)
    with served.client(token(groups=["ops"])) as client:
        for path, methods in described["paths"].items():
            for method in methods:
                answer = client.request(method.upper(), path, json={} if method == "post" else None)
                assert answer.status_code in (200, 400), (path, answer.text)
    names = {path.rpartition("/")[2] for path in described["paths"]}
    assert {"search", "bash", "resolve", "read", "definition", "references", "list-files", "map",
            "status", "me"} <= names  # fmt: skip


def over_mcp(served: Served, proof: str, work: Any, **how: Any) -> Any:
    """Run something with the official client."""

    async def main() -> Any:
        headers = {"Authorization": f"Bearer {proof}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
            async with Client(transport, **how) as client:
                return await work(client)

    return asyncio.run(main())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_calls_tools(served: Served, mode: str) -> None:
    async def work(client: Client) -> Any:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        answer = await client.call_tool("bash", {"command": "ls src/shop"})
        return tools, answer.content[0].text

    tools, text = over_mcp(served, FINANCE, work, mode=mode)
    assert tools[:3] == ["search", "bash", "resolve_path"]
    assert "cart.py" in text
    assert "sessions.py" not in text


def test_nothing_hidden_over_mcp(served: Served, root: Path) -> None:
    async def work(client: Client) -> Any:
        listed = [str(r.uri) for r in (await client.list_resources()).resources]
        from mcp_types import ResourceTemplateReference

        template = ResourceTemplateReference(uri="tadoru:///{+path}")
        completed = await client.complete(template, {"name": "path", "value": "docs/"})
        texts = []
        for name in ("guide", "glide"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(f"tadoru:///docs/{name}.md")
            texts.append(str(caught.value).replace(name, "NAME"))
        status = await client.call_tool("index_status", {"details": True})
        return listed, completed.completion.values, texts, status.content[0].text

    listed, completed, texts, status = over_mcp(served, STAFF, work)
    assert "tadoru:///docs/guide.md" not in listed
    assert "tadoru:///src/shop/sessions.py" in listed
    assert completed == ["docs/hostile.md"]
    assert texts[0] == texts[1]
    assert str(root) not in status


@pytest.mark.parametrize("outside", ["/", "..", "/etc", "~", "../shop", "/nowhere", "docs/../.."])
def test_a_repo_path_outside_the_roots_is_refused(weaver: Served, root: Path, outside: str) -> None:
    async def work(client: Client) -> Any:
        answers = [
            await client.call_tool(name, {**more, "repo_path": place})
            for place in (outside, str(root.parent), str(root))
            for name, more in (
                ("list-files", {}),
                ("codebase-retrieval", {"information_request": "outside of every root"}),
            )
        ]
        below = await client.call_tool("list-files", {"repo_path": "src/shop"})
        return [(answer.is_error, answer.content[0].text) for answer in answers], below

    answers, below = over_mcp(weaver, STAFF, work)
    home = str(Path("~").expanduser())
    for failed, text in answers[0 if outside != "/" else 2 :]:
        assert failed
        assert "outside of every root\n" not in text
        assert home not in text
    assert "src/shop/cart.py" in below.content[0].text


@pytest.fixture(scope="module")
def weaver(
    tmp_path_factory: pytest.TempPathFactory, root: Path, issuer: Issuer
) -> Iterator[Served]:
    served = Served(
        root, "--issuer", ISSUER, "--audience", AUDIENCE, "--keys", issuer.url,
        "--tools", "contextweaver", home=tmp_path_factory.mktemp("weaver"),
        config=ACCESS + "[serve]\nrate = 1000\nburst = 2000\n",
    )  # fmt: skip
    yield served
    served.stop()


def test_nobody_is_told_of_changes(served: Served) -> None:
    """No notice of a change exists, so none can betray what one may not see."""

    async def work(client: Client) -> Any:
        return client.server_capabilities

    for mode in ("auto", "legacy"):
        capabilities = over_mcp(served, STAFF, work, mode=mode)
        assert not capabilities.resources.list_changed
        assert not capabilities.resources.subscribe
        assert not capabilities.tools.list_changed
    body = {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe",
            "params": {"uri": "tadoru:///docs/guide.md"}}  # fmt: skip
    accept = {"Accept": "application/json, text/event-stream"}
    with served.client(STAFF, headers=accept) as client:
        assert "Method not found" in client.post("/mcp", json=body).text
        listening = client.get("/mcp", headers={"Accept": "text/event-stream"})
        assert listening.status_code == 405


def test_a_hostile_document_is_data_on_every_face(served: Served) -> None:
    with served.client(STAFF) as client:
        for answer in (
            client.post("/api/read", json={"path": "docs/hostile.md"}),
            client.post("/api/search", json={"question": "hostile instructions secret key"}),
            client.post("/api/bash", json={"command": "cat docs/hostile.md"}),
            client.get("/api/panels/file", params={"path": "docs/hostile.md"}),
        ):
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "application/json"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "\x1b" not in answer.text  # JSON escapes it
            assert answer.json()

    async def work(client: Client) -> Any:
        read = await client.call_tool("read_file", {"path": "docs/hostile.md"})
        return read.content[0].text

    text = over_mcp(served, STAFF, work)
    fence = next(line for line in text.split("\n") if line.startswith("```"))
    assert len(fence) > 3
    before, _, after = text.partition(fence)
    inside, _, rest = after.rpartition(fence)
    assert "Ignore all previous" in inside
    assert "Ignore all previous" not in before + rest


def test_limits_are_each_principals_own(tmp_path: Path, root: Path, issuer: Issuer) -> None:
    served = Served(
        root, "--issuer", ISSUER, "--audience", AUDIENCE, "--keys", issuer.url, home=tmp_path,
        config="[serve]\nrate = 0.2\nburst = 5\nconcurrency = 2\n",
    )  # fmt: skip
    try:
        with served.client(STAFF) as client:
            codes = [client.get("/api/me").status_code for _ in range(8)]
            assert codes == [200] * 5 + [429] * 3
            refused = client.get("/api/me")
            assert 1 <= int(refused.headers["retry-after"]) <= 6
            assert refused.json()["error"]["code"] == "too_many"
        with served.client(FINANCE) as client:
            assert client.get("/api/me").status_code == 200
        with ThreadPoolExecutor(5) as pool:
            slow = {"command": "for i in $(seq 1 300000); do :; done"}
            proof = token("many", groups=[])
            with served.client(proof) as client:
                codes = [
                    answer.status_code
                    for answer in pool.map(lambda _: client.post("/api/bash", json=slow), range(4))
                ]
        assert 429 in codes
        assert 200 in codes
    finally:
        served.stop()


def test_too_much_output_is_refused_and_then_owed(
    tmp_path: Path, root: Path, issuer: Issuer
) -> None:
    served = Served(
        root, "--issuer", ISSUER, "--audience", AUDIENCE, "--keys", issuer.url, home=tmp_path,
        config="[serve]\noutput_megabytes = 1\nmax_answer_bytes = 900000\n",
    )  # fmt: skip
    try:
        large = {"command": "yes 0123456789 | head -c 800000"}
        with served.client(STAFF) as client:
            assert client.post("/api/bash", json=large).status_code == 200
            assert client.post("/api/bash", json=large).status_code == 200
            owed = client.post("/api/bash", json={"command": "true"})
            assert owed.status_code == 429
            assert "bytes" in owed.json()["error"]["message"]
        with served.client(FINANCE) as client:
            too_large = {"command": "yes 0123456789 | head -c 1000000"}
            answer = client.post("/api/bash", json=too_large)
            assert answer.status_code == 422
            assert len(answer.content) < 1_000
    finally:
        served.stop()


def test_a_call_that_takes_too_long_is_504_and_its_work_ends(
    tmp_path: Path, issuer: Issuer
) -> None:
    tree = tmp_path / "many"
    tree.mkdir()
    for number in range(400):
        text = "".join(f"def name_{number}_{n}(value):\n    return value\n\n" for n in range(150))
        (tree / f"module_{number}.py").write_text(text)
    with tadoru.open(tree) as workspace:
        workspace.index()
    served = Served(
        tree, "--issuer", ISSUER, "--audience", AUDIENCE, "--keys", issuer.url,
        config="[serve]\ndeadline_seconds = 0.3\n",
    )  # fmt: skip
    try:
        with served.client(STAFF) as client:
            began = time.monotonic()
            answer = client.post("/api/references", json={"name": "value", "top": 1000})
            took = time.monotonic() - began
            assert answer.status_code == 504, answer.text[:200]
            assert answer.json()["error"]["code"] == "deadline"
            assert took < 5
            time.sleep(2)
            before = busy(served.process.pid)
            time.sleep(1)
            assert busy(served.process.pid) - before < 0.5
    finally:
        served.stop()


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("bash", {"command": "while true; do grep -rc value . > /dev/null; done"}),
        ("bash", {"command": "while true; do sleep 0.05; done"}),
    ],
)
def test_the_work_of_a_client_that_left_ends(
    served: Served, name: str, given: dict[str, str]
) -> None:
    with served.client(token("leaver")) as client, pytest.raises(httpx.ReadTimeout):
        client.post(f"/api/{name}", json=given, timeout=1.5)
    time.sleep(1.5)
    before = busy(served.process.pid)
    time.sleep(1)
    assert busy(served.process.pid) - before < 0.3
    with served.client(token("leaver")) as client:
        codes = [client.get("/api/me").status_code for _ in range(3)]
    assert codes == [200] * 3


def busy(pid: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def test_many_principals_at_once_each_see_their_own(served: Served) -> None:
    proofs = {
        f"p{n}": token(f"p{n}", groups=[["staff"], ["finance"], []][n % 3]) for n in range(12)
    }

    def ask(name: str) -> tuple[str, bool, bool]:
        answer = served.ask("search", proofs[name], question="payment by invoice only")
        listed = served.ask("bash", proofs[name], command="ls src/shop")["stdout"]
        return name, "sessions.py" in listed, "docs/guide.md" in paths(answer)

    with ThreadPoolExecutor(12) as pool:
        for name, staff, finance in pool.map(ask, [*proofs] * 4):
            kind = int(name[1:]) % 3
            assert staff is (kind == 0)
            assert finance is (kind == 1)


def test_access_rules_are_asked_of_the_configuration(served: Served) -> None:
    assert '"docs/guide.md" = ["finance"]' in ACCESS
    assert "docs/guide.md" not in paths(served.ask("list-files", NOBODY))


def test_no_fault_was_logged(served: Served) -> None:
    faults = [row for row in served.log() if row.get("level") == "error"]
    assert faults == []
