"""From a bearer token to an identity: JWT (RFC 7519) as RFC 8725 wants it verified.

Decides which tokens are believed: signed by a key of the configured provider with an asymmetric
algorithm that fits the key, from that issuer, for this audience, not expired, with all scopes. Says
to the bearer which of these is wrong, and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from tadoru.config import ServeConfig
from tadoru.errors import ConfigError
from tadoru.web.identity import Identity, Refused
from tadoru.web.keys import Keys, KeysAway, loader

ASYMMETRIC = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
_KINDS = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
"""Algorithm, by its first two letters -> the kind of key it needs."""
MAX_TOKEN = 16 * 1024
MAX_GROUPS = 2_000
MAX_NAME = 200
"""Characters of a subject's name that are shown."""


class Tokens:
    """Verifies tokens of one issuer."""

    def __init__(self, config: ServeConfig, keys: Keys, *, metadata: str) -> None:
        """`metadata`: URL of the protected resource metadata (RFC 9728)."""
        self._config = config
        self._keys = keys
        self._metadata = metadata

    async def identity(self, header: str | None) -> Identity:
        """Return who a request is from. Raises: `Refused` with 401, 403 or 503."""
        if header is None:
            raise self._unauthorized("a token is needed", error="")
        kind, _, token = header.partition(" ")
        token = token.strip()
        if kind.lower() != "bearer" or not token or len(token) > MAX_TOKEN:
            raise self._unauthorized("not a bearer token")
        claims = await self._claims(token)
        groups = groups_of(claims, self._config.groups_claim)
        self._scoped(claims)
        subject = claims["sub"]
        shown = claims.get("name") or claims.get("preferred_username") or subject
        return Identity(
            issuer=self._config.issuer,
            subject=subject,
            groups=groups,
            name=str(shown)[:MAX_NAME],
            operator=not groups.isdisjoint(self._config.operators),
        )

    async def _claims(self, token: str) -> Mapping[str, Any]:
        import jwt

        try:
            head = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            raise self._unauthorized("the token cannot be read") from None
        algorithm, kid = head.get("alg"), head.get("kid", "")
        if algorithm not in self._config.algorithms or algorithm not in ASYMMETRIC:
            raise self._unauthorized("the token is signed with an algorithm that is not allowed")
        if "crit" in head or "b64" in head:
            raise self._unauthorized("the token needs an extension that is not known")
        key = await self._key(kid)
        if key is None or key.key_type != _KINDS[algorithm[:2]]:
            raise self._unauthorized("the token is signed with a key that is not known")
        named = getattr(key, "_jwk_data", {}).get("alg")
        if named not in (None, algorithm):
            raise self._unauthorized("the token is signed with an algorithm that is not allowed")
        return self._verified(token, key, algorithm)

    async def _key(self, kid: Any) -> Any:
        if not isinstance(kid, str):
            return None
        key = self._keys.known(kid)
        if key is not None:
            return key
        try:
            return await asyncio.to_thread(self._keys.find, kid)
        except KeysAway:
            raise Refused(
                503, "unavailable", "the identity provider's keys are away", hint="ask again later"
            ) from None

    def _verified(self, token: str, key: Any, algorithm: str) -> Mapping[str, Any]:
        import jwt

        try:
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key.key,
                algorithms=[algorithm],
                issuer=self._config.issuer,
                audience=list(self._config.audience),
                leeway=self._config.leeway_seconds,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.ExpiredSignatureError:
            raise self._unauthorized("the token has expired") from None
        except jwt.InvalidIssuerError:
            raise self._unauthorized("the token is of another issuer") from None
        except jwt.InvalidAudienceError:
            raise self._unauthorized("the token is for another audience") from None
        except jwt.PyJWTError:
            raise self._unauthorized("the token is not valid") from None
        if not isinstance(claims["sub"], str) or not claims["sub"]:
            raise self._unauthorized("the token names no subject")
        return claims

    def _scoped(self, claims: Mapping[str, Any]) -> None:
        has = claims.get("scope", claims.get("scp", ""))
        scopes = set(has.split() if isinstance(has, str) else _strings(has))
        if not scopes.issuperset(self._config.scopes):
            needed = " ".join(self._config.scopes)
            challenge = self._challenge("insufficient_scope", "a scope is missing")
            raise Refused(
                403,
                "insufficient_scope",
                "the token lacks a scope",
                hint=f"needed: {needed}",
                headers={"WWW-Authenticate": f'{challenge}, scope="{needed}"'},
            )

    def _unauthorized(self, message: str, error: str = "invalid_token") -> Refused:
        return Refused(
            401,
            "unauthorized",
            message,
            hint="get a token from the identity provider that the metadata names",
            headers={"WWW-Authenticate": self._challenge(error, message)},
        )

    def _challenge(self, error: str, message: str) -> str:
        parts = [f'resource_metadata="{self._metadata}"']
        if error:  # RFC 6750, section 3.1: none where no token was sent
            parts = [f'error="{error}"', f'error_description="{message}"', *parts]
        return f"Bearer {', '.join(parts)}"


def groups_of(claims: Mapping[str, Any], path: str) -> frozenset[str]:
    """Return the groups in a claim: a list, or one string with commas between them.

    `path`: the claim's name, or names with dots that lead inside; a claim whose own name has dots
    (`https://example.com/groups`) is found first. What is none, or is too long, is no group.
    """
    found: Any = claims.get(path)
    if found is None:
        found = claims
        for name in path.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
    names = found.split(",") if isinstance(found, str) else _strings(found)
    if len(names) > MAX_GROUPS:
        return frozenset()
    return frozenset(name.strip() for name in names if name.strip())


def _strings(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def open_tokens(config: ServeConfig, *, metadata: str) -> Tokens:
    """Return what verifies tokens as configured. Raises: `ConfigError` for what cannot be."""
    if not (config.audience and config.keys):
        raise ConfigError(
            "`serve.issuer` is set, and `serve.audience` or `serve.keys` is not",
            hint="all three are needed to verify a token",
        )
    for algorithm in config.algorithms:
        if algorithm not in ASYMMETRIC:
            raise ConfigError(
                f"`serve.algorithms`: {algorithm!r} is none of {', '.join(sorted(ASYMMETRIC))}"
            )
    return Tokens(config, Keys(loader(config.keys), config.algorithms), metadata=metadata)
