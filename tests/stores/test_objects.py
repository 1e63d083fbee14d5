"""Lazy files against a real S3 protocol server, real files, and servers that misbehave."""

from __future__ import annotations

import hashlib
import os
import posixpath
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from object_server import KEYS, S3, Rogue, openapi, rogue

from tadoru.config import MIB, ObjectsConfig
from tadoru.errors import ConfigError, LimitExceeded, StoreError, Unavailable
from tadoru.stores.cache import MemoryCache
from tadoru.stores.objects import ObjectReader, Pointer
from tadoru.stores.objects import reader as blocks
from tadoru.stores.objects import web as transport
from tadoru.stores.objects.pointer import AllowList, locate
from tadoru.stores.objects.reader import BLOCK_BYTES

pytest.importorskip("obstore")
pytest.importorskip("moto")


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    server = S3(tmp_path_factory.mktemp("s3") / "log")
    yield server
    server.close()


def pointer(s3: S3, key: str, data: bytes) -> Pointer:
    return Pointer(f"s3://specs/{key}", len(data), s3.put(key, data))


class Counted(ObjectReader):
    """Counts what it asks the object store for."""

    def __init__(self, *arguments: object, **named: object) -> None:
        super().__init__(*arguments, **named)  # type: ignore[arg-type]
        self.fetches: list[object] = []

    def _fetch(self, place, wish, etag):  # type: ignore[no-untyped-def]
        self.fetches.append(wish)
        return super()._fetch(place, wish, etag)


def test_a_large_document_is_whole_and_fetched_once(s3: S3) -> None:
    data = openapi()
    assert len(data) > 8 * MIB
    there = pointer(s3, "openapi.json", data)
    reader = Counted(s3.settings(), MemoryCache(64 * MIB))
    assert reader.read(there) == data
    asked = len(reader.fetches)
    assert asked <= 2
    assert reader.read(there) == data
    assert reader.read(there, start=BLOCK_BYTES - 3, size=7) == data[BLOCK_BYTES - 3 :][:7]
    assert len(reader.fetches) == asked


def test_the_head_and_the_tail_are_one_small_request_each(s3: S3) -> None:
    data = openapi()
    there = pointer(s3, "ends.json", data)
    reader = Counted(s3.settings())
    assert reader.read(there, start=0, size=BLOCK_BYTES) == data[:BLOCK_BYTES]
    assert reader.read(there, start=len(data) - 1_000) == data[-1_000:]
    assert len(reader.fetches) == 2
    assert sum(end - start for start, end in reader.fetches) <= 3 * BLOCK_BYTES


def test_reading_on_takes_larger_and_larger_steps(s3: S3) -> None:
    data = openapi()
    there = pointer(s3, "steps.json", data)
    reader = Counted(s3.settings())
    read = b"".join(
        reader.read(there, start=at, size=BLOCK_BYTES) for at in range(0, len(data), BLOCK_BYTES)
    )
    assert read == data
    assert len(reader.fetches) <= 8


def test_ranges_are_those_of_the_whole(s3: S3) -> None:
    import random

    data = openapi()[: 3 * BLOCK_BYTES + 12_345]
    there = pointer(s3, "ranges.json", data)
    rng = random.Random(7)
    reader = ObjectReader(s3.settings())
    edges = [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, len(data) - 1, len(data)]
    for _ in range(60):
        start = rng.choice([*edges, rng.randrange(len(data) + 100)])
        size = rng.choice([-1, 0, 1, BLOCK_BYTES, rng.randrange(len(data))])
        expected = data[start:] if size < 0 else data[start : start + size]
        assert reader.read(there, start=start, size=size) == expected
    assert reader.read(there, start=-5, size=3) == data[:3]
    assert reader.read(there, start=len(data) + 10) == b""


@pytest.mark.parametrize("key", ["a b.json", "ümläut/日本語.json", "100%25.json", "plus+and&.json"])
def test_keys_are_meant_literally(s3: S3, key: str) -> None:
    s3.put(key, key.encode())
    reader = ObjectReader(s3.settings())
    there = reader.describe(f"s3://specs/{key}")
    assert there.size == len(key.encode())
    assert there.etag == hashlib.md5(key.encode()).hexdigest()
    assert reader.read(there) == key.encode()


def test_keys_come_from_the_environment_too(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    s3.put("by-environment.txt", b"hello")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEYS["access_key_id"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS["secret_access_key"])
    monkeypatch.setenv("AWS_REGION", KEYS["region"])
    # a store is kept for its settings: a bucket of its own keeps other tests apart
    reader = ObjectReader(s3.settings(options={"s3://specs/": {"bucket": "specs"}}))
    assert reader.read(Pointer("s3://specs/by-environment.txt", 5)) == b"hello"


def test_a_public_bucket_needs_no_key(s3: S3) -> None:
    public = {"x-amz-acl": "public-read"}
    where = f"{s3.endpoint}/specs/public file.txt"
    httpx.put(where, content=b"hello", headers=public, trust_env=False).raise_for_status()
    s3.put("private.txt", b"hello")
    options = {"endpoint": s3.endpoint, "region": KEYS["region"], "skip_signature": "true"}
    reader = ObjectReader(s3.settings(options={"s3://specs/": options}))
    assert reader.read(reader.describe("s3://specs/public file.txt")) == b"hello"
    with pytest.raises(Unavailable, match="refuses it"):
        reader.read(Pointer("s3://specs/private.txt", 5))


@pytest.mark.parametrize(
    "options", [{"nonsense": "x"}, {"region": "x", "bucket_name": "y", "z": "1"}]
)
def test_settings_that_no_store_knows_are_the_users_mistake(
    s3: S3, options: dict[str, str]
) -> None:
    reader = ObjectReader(s3.settings(options={"s3://specs/": options}))
    with pytest.raises(ConfigError, match=r"objects\.options"):
        reader.read(Pointer("s3://specs/x", 5))


def test_an_empty_object(s3: S3) -> None:
    s3.put("empty.json", b"")
    reader = ObjectReader(s3.settings())
    there = reader.describe("s3://specs/empty.json")
    assert there.size == 0
    assert reader.read(there) == b""


@pytest.mark.parametrize("known", [True, False], ids=["etag", "no-etag"])
@pytest.mark.parametrize("change", ["cut", "grown", "same size"])
def test_a_changed_object_is_an_error(s3: S3, change: str, known: bool) -> None:
    data = openapi()[: 2 * BLOCK_BYTES]
    key = f"changed-{change[0]}-{known}.json"
    etag = s3.put(key, data)
    there = Pointer(f"s3://specs/{key}", len(data), etag if known else "")
    reader = ObjectReader(s3.settings())
    assert reader.read(there, size=10) == data[:10]
    other = {"cut": data[:-1], "grown": data + b"x", "same size": data[::-1]}[change]
    s3.put(key, other)
    if change == "same size" and not known:
        # nothing told which one was meant, but no read mixes the two
        assert reader.read(there) == other
        assert reader.read(there, start=5, size=20) == other[5:25]
        return
    with pytest.raises(StoreError, match="has changed since"):
        reader.read(there, start=BLOCK_BYTES + 5, size=10)
    with pytest.raises(StoreError, match="has changed since"):
        ObjectReader(s3.settings()).read(there)


def test_an_object_that_is_gone_is_an_error(s3: S3) -> None:
    there = pointer(s3, "gone.json", b"here\n")
    s3.delete("gone.json")
    with pytest.raises(StoreError, match="is gone"):
        ObjectReader(s3.settings()).read(there)


def test_more_than_the_bound_is_read_in_parts_only(s3: S3) -> None:
    data = openapi()
    there = pointer(s3, "bound.json", data)
    reader = ObjectReader(s3.settings(max_bytes=MIB))
    with pytest.raises(LimitExceeded, match="in parts"):
        reader.read(there)
    assert reader.read(there, start=len(data) - MIB) == data[-MIB:]


@pytest.mark.parametrize(
    "url",
    [
        "s3://other/openapi.json",
        "s3://specs/",
        "s3://specs",
        "s3://specs/v1/../../other/x",
        "s3://specs/v2/x",
        "s3://specs/v1",
        "s3://specs/v1/x/",
        "s3://specs/v11/x",
        "s3://specs/v1//x",
        "s3://specs@evil/v1/x",
        "s3://user:pass@specs/v1/x",
        "s3://specs/v1/x?versionId=1",
        "s3://specs/v1/x#y",
        "s3://specs\\v1/x",
        "s3:/specs/v1/x",
        "S3://specs/v1/x",
        "http://specs/v1/x",
        "https://api.example.com.evil.net/specs/x",
        "https://api.example.com:8443/specs/x",
        "https://api.example.com./specs/x",
        "https://api.example.com/specs/%2e%2e/x",
        "https://api.example.com/specs/..%2fx",
        "https://api.example.com/specs/%252e%252e/x",
        "https://127.0.0.1/specs/x",
        "https://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd",
        "file://host/srv/specs/x",
        "ftp://specs/v1/x",
        "gopher://specs/v1/x",
        "data:text/plain,x",
        "memory:///x",
        "/etc/passwd",
        "",
        "s3://specs/v1/\nx",
        "s3://specs/v1/" + "x" * 5_000,
    ],
)
def test_what_the_user_did_not_allow_is_never_asked_for(url: str) -> None:
    allow = ("s3://specs/v1/", "https://api.example.com/specs/", "file:///srv/specs/")
    reader = Counted(ObjectsConfig(allow=allow))
    with pytest.raises(Unavailable):
        reader.read(Pointer(url, 5))
    assert reader.fetches == []


PARTS = [
    *("s3", "https", "file", "://", ":", "/", "//", "specs", "v1", "api.example.com", "..", "."),
    *("@", "%2e", "%2F", "%", "?", "#", "\\", " ", "x", ":443", "evil.net", "\n", "ü", "[::1]"),
]
ALLOWED = ("s3://specs/v1/", "https://api.example.com/specs/", "file:///srv/specs/")


@given(
    st.one_of(
        st.lists(st.sampled_from(PARTS), max_size=9).map("".join),
        st.tuples(st.sampled_from(ALLOWED), st.lists(st.sampled_from(PARTS), max_size=5)).map(
            lambda pair: pair[0] + "".join(pair[1])
        ),
    )
)
def test_what_is_followed_lies_below_a_prefix_as_every_reader_sees_it(url: str) -> None:
    try:
        place = AllowList(ALLOWED).check(url)
    except Unavailable:
        return
    split = urlsplit(str(place))
    assert split.username is split.password is None
    assert not split.query
    assert not split.fragment
    path = unquote(split.path) if place.scheme == "https" else split.path
    assert posixpath.normpath(path) == path
    netloc = "" if place.scheme == "file" else (split.hostname or "")
    assert any(f"{split.scheme}://{netloc}{path}".startswith(prefix) for prefix in ALLOWED)


def test_nothing_is_allowed_by_default() -> None:
    with pytest.raises(Unavailable, match=r"objects\.allow"):
        ObjectReader(ObjectsConfig()).read(Pointer("s3://specs/x", 5))


@pytest.mark.parametrize("prefix", ["*", "s3://", "specs", "ftp://x/", "s3://a/../b", "https:///x"])
def test_a_bad_prefix_is_the_users_mistake(prefix: str) -> None:
    with pytest.raises(ConfigError, match=r"objects\.allow"):
        ObjectReader(ObjectsConfig(allow=(prefix,)))


def test_a_port_that_goes_without_saying_is_the_same_address() -> None:
    assert locate("https://h:443/x") == locate("https://H/x")
    assert locate("http://h:443/x") != locate("http://h/x")


@pytest.mark.parametrize(
    "value",
    [None, "s3://x/y", {}, {"url": "s3://x/y"}, {"url": 1, "size": 2},
     {"url": "s3://x/y", "size": -1},
     {"url": "s3://x/y", "size": True}, {"url": "s3://x/y", "size": "9"},
     {"url": "s3://x/y", "size": 1 << 60}, {"url": "s3://x/y", "size": 9, "etag": 5},
     {"url": "s3://x/y", "size": 9, "etag": "e" * 300}],
)  # fmt: skip
def test_a_pointer_that_makes_no_sense_is_an_error(value: object) -> None:
    with pytest.raises(StoreError):
        Pointer.parse(value)


def test_a_pointer_is_read_from_a_tree() -> None:
    value = {"url": "s3://x/y", "size": 9, "etag": '"e"', "more": 1}
    assert Pointer.parse(value) == Pointer("s3://x/y", 9, '"e"')


@pytest.mark.parametrize(
    ("url", "package"),
    [("s3://specs/v1/x", "obstore"), ("file:///srv/specs/x", "obstore"),
     ("https://api.example.com/specs/x", "httpx")],
)  # fmt: skip
def test_a_missing_extra_says_what_to_install(
    url: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Unavailable, match=r"tadoru\[objects\]"):
        ObjectReader(ObjectsConfig(allow=ALLOWED)).read(Pointer(url, 5))


# -- servers that misbehave ------------------------------------------------------------------------

DATA = bytes(range(256)) * 40


def web(server: object, **changes: object) -> ObjectReader:
    port = server.server_port  # type: ignore[attr-defined]
    allow = (f"http://127.0.0.1:{port}/specs/",)
    given = {"allow": allow, "timeout_seconds": 2.0, **changes}
    return ObjectReader(ObjectsConfig(**given))  # type: ignore[arg-type]


def at(server: object, size: int = len(DATA), etag: str = "one") -> Pointer:
    return Pointer(f"http://127.0.0.1:{server.server_port}/specs/x", size, etag)  # type: ignore[attr-defined]


def test_a_plain_web_server(tmp_path: Path) -> None:
    with rogue(lambda asked: asked.serve(DATA)) as server:
        assert web(server).read(at(server)) == DATA
        assert web(server).read(at(server), start=3, size=5) == DATA[3:8]
        assert web(server).describe(at(server).url) == at(server)
        headers = server.asked[0][1]
        assert headers["If-Match"] == '"one"'
        assert headers["Accept-Encoding"] == "identity"
        assert "Authorization" not in headers


def test_what_is_on_this_machine_goes_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        rogue(lambda asked: asked.serve(DATA)) as server,
        rogue(lambda asked: asked.reply(502)) as p,
    ):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{p.server_port}")
        transport._client.cache_clear()  # clients read the environment when they are made
        assert web(server).read(at(server)) == DATA
        assert p.asked == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("scheme", ["http", "s3"])
def test_a_redirect_to_a_foreign_host_is_not_followed(scheme: str, status: int) -> None:
    with rogue(lambda asked: asked.serve(DATA)) as foreign:

        def elsewhere(asked: Rogue) -> None:
            asked.reply(status, Location=f"http://127.0.0.1:{foreign.server_port}/specs/x")

        with rogue(elsewhere) as server:
            reader, there = web(server), at(server)
            if scheme == "s3":
                options = {**KEYS, "endpoint": f"http://127.0.0.1:{server.server_port}"}
                reader = ObjectReader(
                    ObjectsConfig(allow=("s3://specs/",), options={"s3://specs/": options})
                )
                there = Pointer("s3://specs/x", len(DATA), "")
            with pytest.raises(Unavailable, match="redirects are not followed"):
                reader.read(there)
            assert server.asked
        assert foreign.asked == []


def lies(asked: Rogue, name: str) -> None:
    """Answer in one of many wrong ways."""
    etag = '"one"'
    right = f"bytes 0-{len(DATA) - 1}/{len(DATA)}"
    answers = {
        "other etag": lambda: asked.serve(DATA, '"two"'),
        "weak etag": lambda: asked.serve(DATA, 'W/"one"'),
        "no etag": lambda: asked.serve(DATA, ""),
        "other size": lambda: asked.serve(DATA[:-1]),
        "more": lambda: asked.serve(DATA + b"x"),
        "cut short": lambda: asked.reply(
            206, DATA[:-9], ETag=etag, Content_Range=right, Content_Length=str(len(DATA))
        ),
        "fewer than said": lambda: asked.reply(206, DATA[:-9], ETag=etag, Content_Range=right),
        "more than said": lambda: asked.reply(206, DATA + b"x", ETag=etag, Content_Range=right),
        "another part": lambda: asked.reply(
            206, DATA[1:], ETag=etag, Content_Range=f"bytes 1-{len(DATA) - 1}/{len(DATA)}"
        ),
        "no part": lambda: asked.reply(206, DATA, ETag=etag),
        "odd part": lambda: asked.reply(206, DATA, ETag=etag, Content_Range="bytes 9-3/10240"),
        "unknown size": lambda: asked.reply(
            206, DATA, ETag=etag, Content_Range=f"bytes 0-{len(DATA) - 1}/*"
        ),
        "refused": lambda: asked.reply(403, b"<secret/>"),
        "missing": lambda: asked.reply(404),
        "precondition": lambda: asked.reply(412),
        "range": lambda: asked.reply(416),
        "broken": lambda: asked.reply(500),
        "busy": lambda: asked.reply(503),
        "teapot": lambda: asked.reply(418),
        "nothing": lambda: asked.reply(204),
        "login page": lambda: asked.reply(200, b"<html>please log in</html>", ETag='"page"'),
        "huge": lambda: asked.reply(200, ETag=etag, Content_Length=str(1 << 50)),
        "no length": lambda: asked.reply(
            200, b"5\r\nhello\r\n0\r\n\r\n", Content_Length="", Transfer_Encoding="chunked"
        ),
        "hangs up": lambda: asked.connection.shutdown(socket.SHUT_RDWR),
        "garbage": lambda: asked.wfile.write(b"\x00\xff" * 500) and None,
    }
    answers[name]()


LIES = (
    "other etag", "weak etag", "no etag", "other size", "more", "cut short", "fewer than said",
    "more than said", "another part", "no part", "odd part", "unknown size", "refused", "missing",
    "precondition", "range", "broken", "busy", "teapot", "nothing", "login page", "huge",
    "no length", "hangs up", "garbage",
)  # fmt: skip


@pytest.mark.parametrize("name", LIES)
def test_a_server_that_misbehaves_is_an_error_and_never_content(name: str) -> None:
    with rogue(lambda asked: lies(asked, name)) as server:
        reader = web(server)
        with pytest.raises((StoreError, Unavailable)) as caught:
            reader.read(at(server))
        assert "secret" not in str(caught.value)
        assert len(server.asked) <= 2
        server.answer = lambda asked: asked.serve(DATA)
        assert reader.read(at(server)) == DATA


def test_a_body_without_end_is_left_at_the_length_that_was_said() -> None:
    sent = [0]

    def endless(asked: Rogue) -> None:
        asked.send_response(206)
        asked.send_header("ETag", '"one"')
        asked.send_header("Content-Range", f"bytes 0-{len(DATA) - 1}/{len(DATA)}")
        asked.end_headers()  # no length: the end of the connection is the end of the body
        while sent[0] < 500 * MIB:
            sent[0] += asked.wfile.write(bytes(64 * 1024))

    with rogue(endless) as server:
        with pytest.raises(StoreError, match="more than it said"):
            web(server).read(at(server))
        assert sent[0] < 20 * MIB


def test_a_block_of_the_wrong_length_in_the_cache_is_not_used() -> None:
    kept = MemoryCache(8 * MIB)
    with rogue(lambda asked: asked.serve(DATA)) as server:
        there = at(server)
        scope = blocks._scope(locate(there.url), there.size, there.etag)
        kept.put(scope.key("0"), DATA[:-1])
        port = server.server_port  # type: ignore[attr-defined]
        settings = ObjectsConfig(allow=(f"http://127.0.0.1:{port}/specs/",))
        assert ObjectReader(settings, kept).read(there) == DATA
        assert kept.get(scope.key("0")) == DATA


def test_a_server_that_knows_no_ranges_is_understood() -> None:
    with rogue(lambda asked: asked.reply(200, DATA, ETag='"one"')) as server:
        assert web(server).read(at(server), start=100, size=5) == DATA[100:105]


def test_one_failure_is_tried_again() -> None:
    def once(asked: Rogue) -> None:
        good = len(asked.server.asked) > 1  # type: ignore[attr-defined]
        asked.serve(DATA) if good else asked.reply(503)

    with rogue(once) as server:
        assert web(server).read(at(server)) == DATA


def dribble(asked: Rogue) -> None:
    asked.send_response(200)
    asked.send_header("Content-Length", str(len(DATA)))
    asked.send_header("ETag", '"one"')
    asked.end_headers()
    for number in range(1_000):
        asked.wfile.write(DATA[number : number + 1])
        time.sleep(0.02)


def slow_headers(asked: Rogue) -> None:
    for number in range(1_000):
        asked.wfile.write(b"HTTP/1.1 200 OK\r\n" if not number else b"X-%d: y\r\n" % number)
        time.sleep(0.02)


@pytest.mark.parametrize(
    "answer", [lambda asked: time.sleep(3), dribble, slow_headers], ids=["silent", "body", "head"]
)
def test_a_slow_server_is_left_at_the_deadline(answer: object) -> None:
    with rogue(answer) as server:  # type: ignore[arg-type]
        began = time.monotonic()
        with pytest.raises(Unavailable):
            web(server, timeout_seconds=0.4).read(at(server))
        assert time.monotonic() - began < 1.5


def test_a_store_that_was_long_in_failing_is_left_alone_for_a_while() -> None:
    """A thousand files behind a dead store must not cost a thousand deadlines."""
    from tadoru.stores.objects.recent import AWAY_SECONDS, Absences

    now = [0.0]
    absences = Absences(clock=lambda: now[0])
    absences.failed("s3://quick", -0.2)
    absences.failed("s3://slow", -2.0)
    assert not absences.has("s3://quick")
    assert absences.has("s3://slow")
    now[0] += AWAY_SECONDS
    assert not absences.has("s3://slow")
    with rogue(lambda asked: time.sleep(2)) as server:
        reader = web(server, timeout_seconds=1.05)
        began = time.monotonic()
        for _ in range(100):
            with pytest.raises(Unavailable, match="did not answer"):
                reader.read(at(server))
        assert time.monotonic() - began < 2.5


def test_a_server_that_is_away_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        reader = ObjectReader(ObjectsConfig(allow=(f"http://127.0.0.1:{port}/",)))
        with pytest.raises(Unavailable, match="ConnectError"):
            reader.read(Pointer(f"http://127.0.0.1:{port}/x", 5))


def test_no_words_of_keys_or_signatures_reach_an_error(s3: S3) -> None:
    options = {"s3://specs/": {**KEYS, "endpoint": "http://127.0.0.1:9"}}
    reader = ObjectReader(s3.settings(options=options))
    with pytest.raises(Unavailable) as caught:
        reader.read(Pointer("s3://specs/x", 5, "e"))
    for secret in ("tester", "secret", "Signature", "127.0.0.1"):
        assert secret not in str(caught.value)


def test_an_object_that_changes_while_it_is_read_is_read_anew() -> None:
    """Without an ETag in its pointer, two requests might see two objects."""
    old, new = DATA * 60, DATA[::-1] * 60
    state = {"data": old, "etag": '"old"'}

    def answer(asked: Rogue) -> None:
        asked.serve(state["data"], state["etag"])  # type: ignore[arg-type]

    with rogue(answer) as server:
        reader = web(server)
        there = at(server, size=len(old), etag="")
        assert reader.read(there, size=BLOCK_BYTES) == old[:BLOCK_BYTES]
        state.update(data=new, etag='"new"')
        assert reader.read(there) == new
        state.update(data=old, etag="")
        assert ObjectReader(reader._settings).read(there) == old


def test_many_readers_of_one_object_fetch_it_once(s3: S3) -> None:
    data = openapi()[:BLOCK_BYTES]
    there = pointer(s3, "crowd.json", data)
    reader = Counted(s3.settings())
    gate = threading.Barrier(50)

    def read(_: int) -> bytes:
        gate.wait()
        return reader.read(there)

    with ThreadPoolExecutor(50) as pool:
        assert all(found == data for found in pool.map(read, range(50)))
    assert len(reader.fetches) <= 3


def test_a_server_killed_while_it_is_read(tmp_path: Path) -> None:
    server = S3(tmp_path / "log")
    data = openapi()
    there = pointer(server, "killed.json", data)
    reader = ObjectReader(server.settings(timeout_seconds=2.0), MemoryCache(1))
    outcomes: list[object] = []

    def read(_: int) -> None:
        for at in range(0, len(data), BLOCK_BYTES):
            try:
                outcomes.append(
                    reader.read(there, start=at, size=BLOCK_BYTES) == data[at:][:BLOCK_BYTES]
                )
            except Unavailable as error:
                outcomes.append(error)

    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(read, number) for number in range(8)]
        while len(outcomes) < 20:
            time.sleep(0.01)
        server.close()
        for job in jobs:
            job.result(timeout=60)
    assert False not in outcomes
    assert any(isinstance(outcome, Unavailable) for outcome in outcomes)
    assert outcomes.count(True) >= 20


# -- Google and Azure, as far as a server of our own can play them ------------------------------


@pytest.mark.parametrize(
    ("url", "options"),
    [
        ("gs://specs/a b.json", {"skip_signature": "true"}),
        ("az://specs/a b.json", {"skip_signature": "true", "account_name": "acc"}),
    ],
)
def test_other_clouds_are_asked_by_obstore(url: str, options: dict[str, str]) -> None:
    modified = {"Last_Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}

    def answer(asked: Rogue) -> None:
        if unquote(asked.path) != "/specs/a b.json":
            asked.reply(404)
            return
        start, end = (int(n) for n in asked.headers["Range"].removeprefix("bytes=").split("-"))
        piece = DATA[start : end + 1]
        where = f"bytes {start}-{start + len(piece) - 1}/{len(DATA)}"
        asked.reply(206, piece, ETag='"one"', Content_Range=where, **modified)

    with rogue(answer) as server:
        key = "base_url" if url.startswith("gs") else "endpoint"
        given = {**options, key: f"http://127.0.0.1:{server.server_port}"}
        prefix = url.rpartition("/")[0] + "/"
        settings = ObjectsConfig(allow=(prefix,), options={prefix: given}, timeout_seconds=3.0)
        reader = ObjectReader(settings)
        assert reader.describe(url) == Pointer(url, len(DATA), "one")
        assert reader.read(Pointer(url, len(DATA), "one"), start=5, size=9) == DATA[5:14]
        with pytest.raises(StoreError, match="ETag"):
            reader.read(Pointer(url, len(DATA), "two"))
        with pytest.raises(StoreError, match="is gone"):
            reader.read(Pointer(prefix + "none", 5))
        assert all("Authorization" not in headers for _, headers in server.asked)


# -- files -----------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, ObjectReader]:
    top = tmp_path / "specs"
    top.mkdir()
    return top, ObjectReader(ObjectsConfig(allow=(f"file://{top}/",), timeout_seconds=2.0))


def test_a_local_file(files: tuple[Path, ObjectReader]) -> None:
    top, reader = files
    (top / "a b.json").write_bytes(DATA * 100)
    there = reader.describe(f"file://{top}/a b.json")
    assert there.size == len(DATA) * 100
    assert there.etag
    assert reader.read(there) == DATA * 100
    assert reader.read(there, start=300_000, size=99) == (DATA * 100)[300_000:300_099]
    os.utime(top / "a b.json", ns=(1, 1))
    with pytest.raises(StoreError, match="has changed"):
        ObjectReader(reader._settings).read(there)


def test_links_never_lead_out_of_the_allowed_directory(
    files: tuple[Path, ObjectReader], tmp_path: Path
) -> None:
    top, reader = files
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "specs-too").mkdir()
    (tmp_path / "specs-too" / "x").write_text("secret")
    (top / "out").symlink_to(tmp_path / "secret")
    (top / "beside").symlink_to(tmp_path / "specs-too")
    (top / "in").symlink_to(top / "real")
    (top / "real").write_text("public")
    assert reader.read(Pointer(f"file://{top}/in", 6)) == b"public"
    for name in ("out", "beside/x"):
        with pytest.raises(StoreError, match="leads out"):
            reader.read(Pointer(f"file://{top}/{name}", 6))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes among the files of Windows")
def test_pipes_directories_and_missing_files_are_errors(files: tuple[Path, ObjectReader]) -> None:
    top, reader = files
    os.mkfifo(top / "pipe")
    (top / "folder").mkdir()
    for name in ("pipe", "folder", "none"):
        with pytest.raises(StoreError, match="is gone"):
            reader.read(Pointer(f"file://{top}/{name}", 6))
