"""Which tokens are believed: real keys, a real JWKS server, and every forgery that is known."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest
from token_issuer import (
    AUDIENCE,
    ISSUER,
    Issuer,
    claims,
    jwk,
    private_key,
    signed_with_public_key,
    token,
    unsigned,
)

from tadoru.config import ServeConfig
from tadoru.errors import ConfigError
from tadoru.web.identity import Identity, Refused
from tadoru.web.keys import AGAIN_SECONDS, FRESH_SECONDS, STALE_SECONDS, Keys, loader, parsed
from tadoru.web.tokens import Tokens, groups_of, open_tokens

METADATA = "https://tadoru.example.com/.well-known/oauth-protected-resource/mcp"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


Ask = Callable[[str | None], Identity]


@pytest.fixture
def make(issuer: Issuer, clock: Clock) -> Callable[..., Ask]:
    """Return what verifies a token, as a service configured so would."""
    issuer.rows, issuer.away, issuer.redirect = [jwk("one")], False, ""

    def made(**how: Any) -> Ask:
        settings: dict[str, Any] = {"issuer": ISSUER, "audience": (AUDIENCE,), "keys": issuer.url}
        config = ServeConfig(**{**settings, **how})
        keys = Keys(loader(config.keys), config.algorithms, clock)
        tokens = Tokens(config, keys, metadata=METADATA)

        def ask(text: str | None) -> Identity:
            header = None if text is None else f"Bearer {text}"
            return asyncio.run(tokens.identity(header))

        return ask

    return made


@pytest.fixture
def ask(make: Callable[..., Ask]) -> Ask:
    return make(operators=frozenset({"ops"}))


def refusal(ask: Ask, text: str | None) -> Refused:
    with pytest.raises(Refused) as caught:
        ask(text)
    return caught.value


def test_a_good_token_is_an_identity_with_groups(ask: Ask) -> None:
    found = ask(token("ann", groups=["staff", "ops"], name="Ann Other"))
    assert (found.issuer, found.subject, found.name) == (ISSUER, "ann", "Ann Other")
    assert found.groups == {"staff", "ops"}
    assert found.operator


def test_groups_change_from_one_token_to_the_next(ask: Ask) -> None:
    assert ask(token(groups=["staff"])).groups == {"staff"}
    assert ask(token(groups=[])).groups == frozenset()
    assert ask(token(groups=["finance"])).groups == {"finance"}


@pytest.mark.parametrize(
    ("forged", "why"),
    [
        (lambda: token(exp=int(time.time()) - 31), "expired"),
        (lambda: token(exp=None), "not valid"),
        (lambda: token(nbf=int(time.time()) + 60), "not valid"),
        (lambda: token(iat=int(time.time()) + 60), "not valid"),
        (lambda: token(exp="tomorrow"), "not valid"),
        (lambda: token(iss="https://login.example.com/realms/other"), "another issuer"),
        (lambda: token(iss=ISSUER + "/"), "another issuer"),
        (lambda: token(iss=None), "not valid"),
        (lambda: token(aud="https://another.example.com"), "another audience"),
        (lambda: token(aud=["https://another.example.com"]), "another audience"),
        (lambda: token(aud=None), "not valid"),
        (lambda: token(sub=None), "not valid"),
        (lambda: token(sub=""), "no subject"),
        (lambda: unsigned(), "not allowed"),
        (lambda: signed_with_public_key(), "not allowed"),
        (lambda: token(signer="a stranger"), "not valid"),
        (lambda: token(kid="unknown"), "not known"),
        (lambda: token(kid="one", algorithm="ES256"), "not known"),
        (lambda: token(kid="one", algorithm="PS256"), "not allowed"),
        (lambda: token(header={"crit": ["exp"]}), "cannot be read"),
        (lambda: token(header={"jku": "http://127.0.0.1:1/", "kid": "jku"}), "not known"),
        (lambda: token(header={"jwk": jwk("evil"), "kid": "evil"}, signer="evil"), "not known"),
        (lambda: token()[:-4] + "AAAA", "not valid"),
        (lambda: "a.b", "cannot be read"),
        (lambda: "no token at all", "cannot be read"),
        (lambda: "x" * 20_000, "not a bearer token"),
        (lambda: "", "not a bearer token"),
    ],
)
def test_a_token_that_is_not_good_is_refused(ask: Ask, forged: Callable[[], str], why: str) -> None:
    found = refusal(ask, forged())
    assert found.status == 401
    assert why in found.message
    challenge = found.headers["WWW-Authenticate"]
    assert challenge.startswith('Bearer error="invalid_token"')
    assert f'resource_metadata="{METADATA}"' in challenge


def test_an_altered_claim_breaks_the_signature(ask: Ask) -> None:
    head, _, tail = token(groups=[]).split(".")
    _, body, _ = token(groups=["finance"]).split(".")
    assert refusal(ask, f"{head}.{body}.{tail}").message == "the token is not valid"


def test_without_a_token_the_challenge_names_no_error(ask: Ask) -> None:
    found = refusal(ask, None)
    assert found.status == 401
    assert "error=" not in found.headers["WWW-Authenticate"]


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "Bearer  ", "bearer", "Token x"])
def test_another_kind_of_authorization_is_refused(
    make: Callable[..., Ask], issuer: Issuer, header: str
) -> None:
    config = ServeConfig(issuer=ISSUER, audience=(AUDIENCE,), keys=issuer.url)
    tokens = open_tokens(config, metadata=METADATA)
    with pytest.raises(Refused):
        asyncio.run(tokens.identity(header))


def test_clocks_may_differ_by_the_leeway(make: Callable[..., Ask]) -> None:
    late = token(exp=int(time.time()) - 20)
    assert make(leeway_seconds=30)(late).subject == "ann"
    assert "expired" in refusal(make(leeway_seconds=5), late).message


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "ES384", "EdDSA"])
def test_every_allowed_algorithm_verifies(
    make: Callable[..., Ask], issuer: Issuer, algorithm: str
) -> None:
    issuer.rows = [jwk("other", algorithm)]
    assert make()(token(kid="other", algorithm=algorithm)).subject == "ann"


def test_an_algorithm_that_was_not_allowed_is_refused_though_the_key_fits(
    make: Callable[..., Ask], issuer: Issuer
) -> None:
    issuer.rows = [jwk("other", "RS512", alg=None)]
    assert "not allowed" in refusal(make(), token(kid="other", algorithm="RS512")).message


def test_a_key_for_one_algorithm_verifies_no_other(
    make: Callable[..., Ask], issuer: Issuer
) -> None:
    issuer.rows = [jwk("one", "PS256")]
    assert "not allowed" in refusal(make(), token(algorithm="RS256")).message
    issuer.rows = [jwk("one", alg=None)]
    assert make()(token(algorithm="PS256")).subject == "ann"


def test_symmetric_algorithms_cannot_be_configured(issuer: Issuer) -> None:
    for algorithm in ("none", "HS256", "RS257"):
        config = ServeConfig(
            issuer=ISSUER, audience=("a",), keys=issuer.url, algorithms=(algorithm,)
        )
        with pytest.raises(ConfigError):
            open_tokens(config, metadata=METADATA)


def test_keys_that_are_no_keys_for_signatures_are_left_out() -> None:
    rows = [
        jwk("enc", use="enc"),
        {"kty": "oct", "k": "AAAA", "kid": "secret", "alg": "HS256"},
        {"kty": "RSA", "kid": "broken", "n": "!", "e": "AQAB"},
        {"kty": "future", "kid": "strange"},
        "no object",
        jwk("good"),
    ]
    found = parsed(json.dumps({"keys": rows}).encode(), ("RS256",))
    assert list(found) == ["good"]


@pytest.mark.parametrize("document", [b"", b"[]", b"{}", b'{"keys": 1}', b"\xff"])
def test_what_is_no_jwks_is_an_error(document: bytes) -> None:
    with pytest.raises(ValueError):
        parsed(document, ("RS256",))


def test_rotation_a_new_key_is_found_and_an_old_one_forgotten(
    ask: Ask, issuer: Issuer, clock: Clock
) -> None:
    old = token()
    assert ask(old).subject == "ann"
    issuer.rows = [jwk("two")]
    clock.now += AGAIN_SECONDS
    assert ask(token(kid="two")).subject == "ann"
    assert "not known" in refusal(ask, old).message


def test_a_withdrawn_key_is_forgotten_though_nobody_brings_a_new_one(
    ask: Ask, issuer: Issuer, clock: Clock
) -> None:
    assert ask(token()).subject == "ann"
    issuer.rows = [jwk("two")]
    clock.now += FRESH_SECONDS
    assert "not known" in refusal(ask, token()).message


def test_unknown_key_ids_lead_to_one_look(ask: Ask, issuer: Issuer, clock: Clock) -> None:
    ask(token())
    before = issuer.asked
    clock.now += AGAIN_SECONDS
    for number in range(50):
        refusal(ask, token(kid=f"unknown-{number}"))
    assert issuer.asked == before + 1


def test_while_the_provider_is_away_known_keys_serve_on_for_an_hour(
    ask: Ask, issuer: Issuer, clock: Clock
) -> None:
    ask(token())
    issuer.away = True
    clock.now += STALE_SECONDS - 1
    assert ask(token()).subject == "ann"
    clock.now += AGAIN_SECONDS + 1
    assert refusal(ask, token()).status == 503
    issuer.away = False
    clock.now += AGAIN_SECONDS
    assert ask(token()).subject == "ann"


def test_a_provider_that_hangs_holds_up_one_request(clock: Clock, issuer: Issuer) -> None:
    issuer.rows = [jwk("one")]
    hanging, go_on = threading.Event(), threading.Event()
    asked = 0

    def load() -> bytes:
        nonlocal asked
        asked += 1
        if asked > 1:
            hanging.set()
            assert go_on.wait(10)
            raise OSError("it never answered")
        return issuer.document()

    keys = Keys(load, ("RS256",), clock)
    assert keys.find("one") is not None
    clock.now += FRESH_SECONDS
    assert keys.known("one") is None
    looker = threading.Thread(target=keys.find, args=("one",))
    looker.start()
    assert hanging.wait(10)
    assert keys.known("one") is not None
    go_on.set()
    looker.join()
    assert keys.known("one") is not None
    assert asked == 2


def test_a_provider_that_was_never_there_is_no_fault_of_the_bearer(
    make: Callable[..., Ask], issuer: Issuer
) -> None:
    issuer.away = True
    assert refusal(make(), token()).status == 503


def test_a_redirect_of_the_provider_is_not_followed(
    make: Callable[..., Ask], issuer: Issuer
) -> None:
    issuer.redirect = issuer.url + "?elsewhere"
    before = issuer.asked
    assert refusal(make(), token()).status == 503
    assert issuer.asked == before + 1


def test_keys_come_from_a_file_that_may_change(
    make: Callable[..., Ask], issuer: Issuer, clock: Clock, tmp_path: Path
) -> None:
    path = tmp_path / "jwks.json"
    path.write_bytes(issuer.document())
    ask = make(keys=str(path))
    assert ask(token()).subject == "ann"
    path.write_text(json.dumps({"keys": [jwk("two")]}))
    clock.now += AGAIN_SECONDS
    assert ask(token(kid="two")).subject == "ann"


@pytest.mark.parametrize("url", ["http://login.example.com/jwks", "http://10.0.0.1/jwks"])
def test_keys_over_the_network_need_tls(url: str) -> None:
    with pytest.raises(ConfigError):
        loader(url)


def test_a_token_without_a_key_id_needs_a_key_without_one(
    make: Callable[..., Ask], issuer: Issuer
) -> None:
    assert "not known" in refusal(make(), token(kid=None)).message
    issuer.rows = [jwk("", signer="one")]
    assert make()(token(kid=None)).subject == "ann"


def test_scopes_are_needed_all_of_them(make: Callable[..., Ask]) -> None:
    ask = make(scopes=("tadoru.read", "openid"))
    assert ask(token(scope="openid profile tadoru.read")).subject == "ann"
    assert ask(token(scp=["openid", "tadoru.read"])).subject == "ann"
    found = refusal(ask, token(scope="openid tadoru.reader"))
    assert found.status == 403
    assert 'error="insufficient_scope"' in found.headers["WWW-Authenticate"]
    assert 'scope="tadoru.read openid"' in found.headers["WWW-Authenticate"]


@pytest.mark.parametrize(
    ("path", "given", "groups"),
    [
        ("groups", {"groups": ["a", "b"]}, {"a", "b"}),
        ("groups", {"groups": "a"}, {"a"}),
        ("groups", {"groups": "a, Domain Users"}, {"a", "Domain Users"}),
        ("realm_access.roles", {"realm_access": {"roles": ["a"]}}, {"a"}),
        ("https://x.example.com/groups", {"https://x.example.com/groups": ["a"]}, {"a"}),
        ("groups", {"groups": ["a", 1, None, {"b": 1}, ["c"], "", " "]}, {"a"}),
        ("groups", {"groups": {"a": True}}, set()),
        ("groups", {"groups": True}, set()),
        ("groups", {"groups": None}, set()),
        ("groups", {}, set()),
        ("a.b.c", {"a": {"b": "c"}}, set()),
        ("groups", {"groups": [f"g{n}" for n in range(2_001)]}, set()),
    ],
)
def test_groups_are_found_where_the_provider_puts_them(
    path: str, given: dict[str, Any], groups: set[str]
) -> None:
    assert groups_of(given, path) == groups


def test_a_subject_is_text(make: Callable[..., Ask]) -> None:
    forged = jwt.encode(
        {**claims(), "sub": ["ann"]}, private_key("RS256", "one"), "RS256", {"kid": "one"}
    )
    assert refusal(make(), forged).status == 401
