"""What a request must be, asked of a real process over real sockets."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path

import pytest
from served_process import Served
from token_issuer import AUDIENCE, ISSUER, Issuer, jwk, signed_with_public_key, token, unsigned

pytestmark = pytest.mark.slow

NEEDS_A_TOKEN = (
    "/api/me", "/api/panels/search?q=cart", "/api/panels/health", "/mcp", "/metrics",
)  # fmt: skip


def raw(served: Served, data: bytes, *, seconds: float = 10, pause: float = 0) -> bytes:
    """Send bytes as they are, and return all that comes until the server closes."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=seconds) as link:
        for byte in [data] if not pause else [data[i : i + 1] for i in range(len(data))]:
            try:
                link.sendall(byte)
            except OSError:
                break
            time.sleep(pause)
        parts = []
        try:
            while part := link.recv(65_536):
                parts.append(part)
        except ConnectionResetError:
            pass
    return b"".join(parts)


def get(served: Served, *headers: str, target: str = "/api/me", method: str = "GET") -> bytes:
    lines = [f"{method} {target} HTTP/1.1", *headers, "Connection: close", "", ""]
    return raw(served, "\r\n".join(lines).encode("latin-1"))


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize("target", NEEDS_A_TOKEN)
def test_nothing_about_files_is_told_without_a_token(served: Served, target: str) -> None:
    with served.client() as client:
        answer = client.get(target)
        assert answer.status_code == 401
        assert "cart" not in answer.text
        challenge = answer.headers["www-authenticate"]
        assert "/.well-known/oauth-protected-resource/mcp" in challenge
        assert client.post("/api/search", json={"question": "cart"}).status_code == 401


def test_the_metadata_names_the_provider(served: Served) -> None:
    with served.client() as client:
        challenge = client.get("/api/me").headers["www-authenticate"]
        url = challenge.partition('resource_metadata="')[2].partition('"')[0]
        told = client.get(url).json()
    assert told["authorization_servers"] == [ISSUER]
    assert told["resource"] == f"{served.url}/mcp"
    assert told["bearer_methods_supported"] == ["header"]


@pytest.mark.parametrize(
    "forged",
    [unsigned(), signed_with_public_key(), token(aud="https://x"), token(exp=1), token(kid="zz")],
    ids=["alg none", "public key as secret", "another audience", "expired", "unknown key"],
)
def test_forged_tokens_reach_nothing(served: Served, forged: str) -> None:
    with served.client(forged) as client:
        assert client.get("/api/me").status_code == 401
        assert client.post("/mcp", json={}).status_code == 401


def test_a_rotated_key_is_found_by_a_running_service(served: Served, issuer: Issuer) -> None:
    with served.client(token()) as client:
        assert client.get("/api/me").status_code == 200
    issuer.rows = [jwk("two"), jwk("one")]
    for _ in range(30):
        with served.client(token(kid="two")) as client:
            if client.get("/api/me").status_code == 200:
                break
        time.sleep(0.5)
    else:
        raise AssertionError("the new key was never found")
    issuer.rows = [jwk("one")]


@pytest.mark.parametrize(
    "host",
    ["evil.example.com", "evil.example.com:{port}", "127.0.0.1.evil.example.com", "", "[::1].evil",
     "localhost.", "127.0.0.1@evil.example.com", "xn--lcalhost-q3a"],
)  # fmt: skip
def test_another_host_is_refused_though_it_leads_here(local: Served, host: str) -> None:
    assert status(get(local, f"Host: {host.format(port=local.port)}")) in (400, 421)
    assert status(get(local, f"Host: {host.format(port=local.port)}", target="/")) in (400, 421)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:{port}", "[::1]:1", "LOCALHOST"])
def test_names_of_this_machine_are_ours(local: Served, host: str) -> None:
    assert status(get(local, f"Host: {host.format(port=local.port)}")) == 200


def test_two_hosts_or_none_are_refused(local: Served) -> None:
    assert status(get(local, "Host: localhost", "Host: evil.example.com")) == 400
    assert status(get(local)) == 400


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example.com", "null", "http://localhost.evil.example.com", "http://[", "x"],
)
def test_pages_elsewhere_may_not_call(local: Served, served: Served, origin: str) -> None:
    for service, proof in ((local, ""), (served, token())):
        with service.client(proof, headers={"Origin": origin}) as client:
            for answer in (
                client.get("/api/me"),
                client.post("/api/search", json={"question": "cart"}),
                client.options("/api/search"),
                client.post("/mcp", json={}),
            ):
                assert answer.status_code == 403
                assert not [name for name in answer.headers if name.startswith("access-control")]


def test_the_pages_own_calls_are_let_in(local: Served) -> None:
    with local.client(headers={"Origin": local.url}) as client:
        answer = client.get("/api/me")
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


def test_what_a_browser_sends_for_another_site_is_refused(local: Served) -> None:
    for site in ("cross-site", "same-site"):
        with local.client(headers={"Sec-Fetch-Site": site}) as client:
            assert client.get("/api/panels/search?q=cart").status_code == 403
    with local.client(headers={"Sec-Fetch-Site": "same-origin"}) as client:
        assert client.get("/api/panels/search?q=cart").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        [f"X-{n}: 1" for n in range(120)],
        ["X-Long: " + "a" * 33_000],
        ["Cookie: " + "a" * 200_000],
    ],
)
def test_too_many_or_too_long_headers_are_refused(local: Served, headers: list[str]) -> None:
    assert status(get(local, "Host: localhost", *headers)) in (400, 431)


def test_an_address_that_is_too_long_is_refused(local: Served) -> None:
    with local.client() as client:
        assert client.get("/api/panels/search?q=" + "a" * 17_000).status_code == 414


@pytest.mark.parametrize(
    "line",
    [
        "GET /api/me HTTP/1.1\r\nHost: localhost\r\nX: a\nEvil: b\r\n\r\n",
        "GET /api/me\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /api/me HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        "Content-Length: 5\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /api/me HTTP/1.1\r\nHost: localhost\r\nContent-Length: +5\r\n\r\nhello",
        "GET /api/me HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "nonsense\r\n\r\n",
    ],
)
def test_malformed_requests_are_refused_and_smuggle_nothing(local: Served, line: str) -> None:
    before = len(local.log())
    answer = raw(local, line.encode("latin-1"), seconds=20)
    assert b"smuggled" not in answer
    assert answer.count(b"HTTP/1.1 ") <= 1
    time.sleep(0.2)
    assert all(row["route"] != "other" for row in local.log()[before:])


def test_header_injection_is_not_possible(local: Served) -> None:
    answer = get(local, "Host: localhost", target="/nothing%0d%0aSet-Cookie:%20a=b")
    assert status(answer) == 404
    assert b"set-cookie" not in answer.lower()
    answer = get(local, "Host: localhost", "X-Request-Id: mine\u00ff\u0001")
    assert b"mine" not in answer


def test_the_log_has_no_content_and_cannot_be_written_by_askers(served: Served) -> None:
    marks = ["needle-path", "needle-question", "needle-group", "needle-agent", "needle-subject"]
    proof = token(marks[4], groups=[marks[2], "ops"], name=marks[4])
    headers = {"User-Agent": f'{marks[3]}"}}\n{{"status": 200'.replace("\n", " ")}
    with served.client(proof, headers=headers) as client:
        client.post("/api/read", json={"path": marks[0] + '\n{"time": "forged"}'})
        client.post("/api/search", json={"question": marks[1]})
        client.get(f"/{marks[0]}%0a%7B%22forged%22:1%7D")
        client.get("/api/me", params={"as": marks[2]})
        client.post("/api/bash", json={"command": f"cat {marks[0]}"})
        measured = client.get("/metrics").text
    time.sleep(0.3)
    text = "".join(served.lines)
    for mark in [*marks, "forged"]:
        assert mark not in text
        assert mark not in measured
    assert "staff" not in measured
    rows = served.log()
    assert {"time", "method", "route", "status", "ms", "bytes", "who"} <= set(rows[-1])
    assert [row["tool"] for row in rows if "tool" in row][-1] == "bash"


def test_one_person_is_one_hash_in_the_log(served: Served) -> None:
    for subject in ("ann", "bob", "ann"):
        with served.client(token(subject)) as client:
            client.get("/api/me")
    time.sleep(0.2)
    one, two, three = [row["who"] for row in served.log()[-3:]]
    assert one == three != two


def test_a_body_that_is_too_large_is_refused_before_it_has_come(served: Served) -> None:
    head = (
        f"POST /api/search HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        f"Authorization: Bearer {token()}\r\nContent-Length: 999999999\r\n\r\n"
    )
    began = time.monotonic()
    assert status(raw(served, head.encode())) == 413
    assert time.monotonic() - began < 5


def test_a_body_in_chunks_is_refused_once_it_is_too_large(served: Served) -> None:
    def chunks():  # type: ignore[no-untyped-def]
        for _ in range(10):
            yield b"x" * 1_000_000

    with served.client(token()) as client:
        answer = client.post("/api/search", content=chunks())
    assert answer.status_code == 413


@pytest.mark.parametrize("body", ["", "[]", "null", "{", '"x"', '{"question": 1}', '{"no": 1}',
                                  "[" * 100_000, '{"question": "a\\u0000b"}'])  # fmt: skip
def test_a_body_that_is_no_request_is_told_so(served: Served, body: str) -> None:
    with served.client(token()) as client:
        answer = client.post("/api/search", content=body)
    assert answer.status_code == 400
    assert set(answer.json()["error"]) == {"code", "message", "hint"}


def test_slow_headers_and_slow_bodies_are_cut_off(served: Served) -> None:
    proof = token()
    head = f"GET /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {proof}\r\n"
    began = time.monotonic()
    assert raw(served, head.encode()[:60], pause=0.1) == b""
    assert time.monotonic() - began < 12
    body = (
        f"POST /api/search HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {proof}\r\n"
        'Content-Length: 40\r\n\r\n{"question":'
    )
    assert status(raw(served, body.encode())) == 408


def test_a_connection_that_says_nothing_is_closed(served: Served) -> None:
    began = time.monotonic()
    assert raw(served, b"", seconds=20) == b""
    assert time.monotonic() - began < 10


def test_only_operators_see_as_others(served: Served) -> None:
    with served.client(token("ann", groups=["staff"])) as client:
        ordinary = client.get("/metrics")
        for answer in (
            client.get("/api/me", params={"as": "finance"}),
            client.get("/api/panels/health", params={"as": ""}),
            client.post("/api/search?as=staff", json={"question": "cart"}),
            client.post("/mcp?as=finance", json={}),
        ):
            assert answer.status_code == 403
            assert answer.json() == ordinary.json()
    with served.client(token("root", groups=["ops"])) as client:
        assert client.get("/api/me", params={"as": "finance, staff"}).json()["groups"] == [
            "finance", "staff",
        ]  # fmt: skip
        read = {"path": "docs/guide.md"}
        assert client.post("/api/read", json=read).status_code == 404
        assert client.post("/api/read?as=finance", json=read).status_code == 200


def test_metrics_are_for_operators_and_prometheus(served: Served) -> None:
    with served.client("for-prometheus") as client:
        answer = client.get("/metrics", headers={"Host": "10.0.0.7:8321"})
        assert answer.status_code == 200
        assert "tadoru_http_requests_total" in answer.text
        assert 'tadoru_ranking_cache_total{outcome="miss"}' in answer.text
        assert client.get("/api/me").status_code == 401
    with served.client(token(groups=["staff"])) as client:
        assert client.get("/metrics").status_code == 403
    with served.client(token(groups=["ops"])) as client:
        assert client.get("/metrics").status_code == 200


def test_a_probe_needs_no_name_and_no_token(served: Served) -> None:
    with served.client(headers={"Host": "10.0.0.7"}) as client:
        answer = client.get("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok\n")


@pytest.mark.parametrize(
    "target",
    ["/page/../__init__.py", "/page/..%2f__init__.py", "/page/%2e%2e/app.py", "/page/.", "/page/",
     "/page/panels", "/page//etc/passwd", "/page/%00", "/../../etc/passwd", "//etc/passwd"],
)  # fmt: skip
def test_the_page_serves_its_own_files_only(local: Served, target: str) -> None:
    answer = get(local, "Host: localhost", target=target)
    assert status(answer) in (400, 404)
    assert b"import" not in answer


def test_every_answer_ties_a_browsers_hands(local: Served) -> None:
    with local.client() as client:
        for target in ("/", "/page/app.js", "/api/me", "/openapi.json", "/nothing", "/healthz"):
            headers = client.get(target).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["content-security-policy"].startswith("default-src 'none'")
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["referrer-policy"] == "no-referrer"
            assert "server" not in headers
        assert client.get("/api/me").headers["cache-control"] == "no-store"


def test_a_listed_origin_may_call_and_reads_answers(
    tmp_path: Path, root: Path, issuer: Issuer
) -> None:
    served = Served(
        root, "--issuer", ISSUER, "--audience", AUDIENCE, "--keys", issuer.url,
        "--origin", "https://portal.example.com", home=tmp_path,
    )  # fmt: skip
    try:
        with served.client(headers={"Origin": "https://portal.example.com"}) as client:
            asked = client.options("/api/search", headers={"Access-Control-Request-Method": "POST"})
            assert asked.status_code == 204
            assert asked.headers["access-control-allow-origin"] == "https://portal.example.com"
            assert "authorization" in asked.headers["access-control-allow-headers"]
            assert "access-control-allow-credentials" not in asked.headers
            answer = client.get("/api/me", headers={"Authorization": f"Bearer {token()}"})
            assert answer.status_code == 200
            assert answer.headers["access-control-allow-origin"] == "https://portal.example.com"
        with served.client(headers={"Origin": "https://other.example.com"}) as client:
            assert client.get("/api/me").status_code == 403
    finally:
        served.stop()


def test_errors_are_json_without_values_of_the_server(served: Served, root: Path) -> None:
    with served.client(token()) as client:
        for answer in (
            client.post("/api/read", json={"path": "/etc/passwd"}),
            client.post("/api/read", json={"path": "../outside.txt"}),
            client.get("/api/panels/file", params={"path": "../../outside.txt"}),
        ):
            assert answer.status_code == 404, answer.text
            error = json.loads(answer.text)["error"]
            assert str(root.parent) not in error["message"] + error["hint"]


def test_a_path_of_the_servers_disk_is_one_like_any_other(served: Served, root: Path) -> None:
    texts = []
    other = root.parent.with_name(root.parent.name[:-1] + "9")
    with served.client(token()) as client:
        for place in (str(root), f"{other}/{root.name}"):
            for given in ("README.md", "docs/guide.md", ""):
                path = f"{place}/{given}"
                answer = client.post("/api/resolve", json={"path": path})
                texts.append(answer.text.replace(place, "PLACE"))
    assert not other.exists()
    assert texts[:3] == texts[3:]
