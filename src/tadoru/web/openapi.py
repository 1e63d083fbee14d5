"""The description of the JSON API (OpenAPI 3.1), made from the table of its operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from tadoru.parameters import schema_of

if TYPE_CHECKING:
    from tadoru.web.operations import Operation
    from tadoru.web.panels import Panel

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
        }
    },
}
_SESSION = {
    "type": "string",
    "description": "What the answer before gave as `session`; empty to begin one. It holds the "
    "shell's state and the paths touched, and works for the one who made it.",
}
_REFUSALS: Mapping[str, str] = {
    "400": "The request cannot be understood.",
    "401": "No token, or one that is not believed.",
    "403": "Not allowed.",
    "404": "The path does not exist for who asks.",
    "413": "The body is too large.",
    "422": "A limit was reached.",
    "429": "Too much was asked; `Retry-After` says when to ask again.",
    "503": "The index is not there yet, or a part of the service is away.",
    "504": "It took too long.",
}


def document(
    operations: Iterable[Operation], panels: Iterable[Panel], *, url: str, authenticated: bool
) -> dict[str, Any]:
    """Return the description. `url`: where the service is; may be empty."""
    paths: dict[str, Any] = {
        "/api/me": {"get": _get("me", "Who asks, as whom he sees, and what is mounted.", [])}
    }
    for operation in operations:
        paths[operation.route] = {"post": _post(operation)}
    for panel in panels:
        parameters = [
            {
                "name": p.name,
                "in": "query",
                "description": p.about,
                "required": p.required,
                "schema": {"type": "string", **({"enum": list(p.choices)} if p.choices else {})},
            }
            for p in panel.parameters
        ]
        about = f"For the page: {panel.about}"
        paths[f"/api/panels/{panel.name}"] = {"get": _get(f"panel-{panel.name}", about, parameters)}
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "tadoru", "version": version("tadoru"), "license": _LICENSE},
        "servers": [{"url": url or "/"}],
        "paths": paths,
        "components": {
            "schemas": {"Error": _ERROR},
            "responses": {
                f"Error{status}": {"description": text, "content": _json("Error")}
                for status, text in _REFUSALS.items()
            },
        },
    }
    if authenticated:
        schemes = {"token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}
        described["components"]["securitySchemes"] = schemes
        described["security"] = [{"token": []}]
    return described


_LICENSE = {"name": "Apache-2.0", "identifier": "Apache-2.0"}
_AS = {
    "name": "as",
    "in": "query",
    "required": False,
    "schema": {"type": "string"},
    "description": "See as a member of these groups (a,b); for operators alone.",
}


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _responses() -> dict[str, Any]:
    refusals = {s: {"$ref": f"#/components/responses/Error{s}"} for s in _REFUSALS}
    answer = {"application/json": {"schema": {"type": "object"}}}
    return {"200": {"description": "The answer.", "content": answer}, **refusals}


def _get(name: str, about: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": about,
        "parameters": [*parameters, _AS],
        "responses": _responses(),
    }


def _post(operation: Operation) -> dict[str, Any]:
    schema = schema_of(operation.parameters)
    schema.pop("additionalProperties", None)
    schema["properties"] = {**schema["properties"], "session": _SESSION}
    return {
        "operationId": operation.name,
        "summary": operation.about,
        "parameters": [_AS],
        "requestBody": {
            "required": any(p.required for p in operation.parameters),
            "content": {"application/json": {"schema": schema}},
        },
        "responses": _responses(),
    }
