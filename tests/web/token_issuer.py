"""A small identity provider: real keys, a real JWKS server on the loopback interface, tokens."""

from __future__ import annotations

import base64
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ISSUER = "https://login.example.com/realms/shop"
AUDIENCE = "https://tadoru.example.com"
_MADE: dict[str, Any] = {}


def private_key(algorithm: str, name: str = "") -> Any:
    """Return a key for an algorithm, always the same one for a name."""
    kind = "RS" if algorithm[0] in "RP" else algorithm
    place = f"{kind}-{name}"
    if place not in _MADE:
        if algorithm[:2] in ("RS", "PS"):
            _MADE[place] = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        elif algorithm[:2] == "ES":
            curve = ec.SECP384R1() if algorithm == "ES384" else ec.SECP256R1()
            _MADE[place] = ec.generate_private_key(curve)
        else:
            _MADE[place] = ed25519.Ed25519PrivateKey.generate()
    return _MADE[place]


def jwk(kid: str, algorithm: str = "RS256", signer: str = "", **more: Any) -> dict[str, Any]:
    """Return the public half of a key as JWKS has it; a field that is None is left out."""
    public = private_key(algorithm, signer or kid).public_key()
    kind = jwt.algorithms.get_default_algorithms()[algorithm]
    row = json.loads(kind.to_jwk(public))
    row.pop("key_ops", None)
    row |= {"kid": kid or None, "use": "sig", "alg": algorithm, **more}
    return {key: value for key, value in row.items() if value is not None}


class Issuer:
    """Serves the keys it has, and counts how often it is asked."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = [jwk("one")]
        self.asked = 0
        self.away = False
        self.redirect = ""
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked += 1
                if issuer.away:
                    self.send_error(503)
                    return
                if issuer.redirect:
                    self.send_response(302)
                    self.send_header("Location", issuer.redirect)
                    self.end_headers()
                    return
                body = issuer.document()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/jwks"

    def document(self) -> bytes:
        return json.dumps({"keys": self.rows}).encode()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def claims(subject: str = "ann", **more: Any) -> dict[str, Any]:
    now = int(time.time())
    table = {
        "iss": ISSUER, "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + 600, **more,
    }  # fmt: skip
    return {name: value for name, value in table.items() if value is not None}


def token(
    subject: str = "ann",
    *,
    kid: str | None = "one",
    algorithm: str = "RS256",
    signer: str = "",
    header: dict[str, Any] | None = None,
    **more: Any,
) -> str:
    """Return a token; `more`: further claims, None takes one out."""
    head = {**({"kid": kid} if kid is not None else {}), **(header or {})}
    key = private_key(algorithm, signer or kid or "one")
    return jwt.encode(claims(subject, **more), key, algorithm=algorithm, headers=head)


def unsigned(**more: Any) -> str:
    """Return a token with `alg: none`."""
    return ".".join([_part({"alg": "none", "kid": "one"}), _part(claims(**more)), ""])


def signed_with_public_key(kid: str = "one") -> str:
    """Return a token with `alg: HS256` whose secret is the public key, as attackers do."""
    secret = private_key("RS256", kid).public_key().public_bytes(
        Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    )  # fmt: skip
    text = ".".join([_part({"alg": "HS256", "kid": kid}), _part(claims())])
    return f"{text}.{_base64(hmac.digest(secret, text.encode(), 'sha256'))}"


def _part(table: dict[str, Any]) -> str:
    return _base64(json.dumps(table).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
