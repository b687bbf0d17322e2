"""Record versions over HTTP: ETag and If-Match, and their responses in the contract."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Header, Response

from agent.api.http.errors import describe_errors

Described = dict[int | str, dict[str, Any]]
IfMatch = Annotated[
    str, Header(max_length=200, description="The version (ETag) that the change is based on. Default: any version.")
]


def tag(response: Response, version: str) -> None:
    """Set the ETag of a response."""
    response.headers["etag"] = f'"{version}"'


def version_of(if_match: str) -> str:
    """The version in an If-Match header; empty if any version matches."""
    version = if_match.strip().removeprefix("W/").strip('"')
    return "" if version == "*" else version


def answers(example: dict[str, Any], *errors: int, conflict: str = "", status: int = 200) -> Described:
    """The OpenAPI descriptions of a route's responses. `conflict`: the meaning of 409 here."""
    return {status: {"content": {"application/json": {"example": example}}}} | refusals(*errors, conflict=conflict)


def refusals(*errors: int, conflict: str = "") -> Described:
    """The OpenAPI descriptions of only the errors."""
    descriptions = {404: "Unknown, or owned by another caller", 409: conflict}
    return {status: one | ({"description": descriptions[int(status)]} if int(status) in descriptions else {})
            for status, one in describe_errors(*errors).items()}  # fmt: skip
