"""Every error as an RFC 9457 problem document: errors that the service raises, and errors of HTTP itself."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match

from agent.api.http.context import TRACE_HEADER, trace_id_of, with_head
from agent.core.errors import (
    ConfigurationInvalid,
    Later,
    ModelUnavailable,
    NotAuthenticated,
    PlumblineError,
    SessionBusy,
    StateUnavailable,
)
from agent.core.problems import TYPE_PREFIX, UNEXPECTED, Problem, detail_to_log, field_message, problem_of
from executors.errors import DatabaseUnavailable, ExecutorError, RegistryInvalid, SqlError
from rag.errors import EmbedderUnavailable, RetrievalError, StoreUnavailable

LOG = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
UNCACHED = {"cache-control": "no-store", "x-content-type-options": "nosniff"}  # also outside of middleware
MAY_PASS = Later | ModelUnavailable | DatabaseUnavailable | EmbedderUnavailable  # these may have a retry time
WAIT = SessionBusy | StateUnavailable | StoreUnavailable  # these have no retry time
RETRY_AFTER_S = 5  # if the time is unknown
FIELDS_NAMED = 3  # in `detail`; `errors` lists all
NOT_AN_OBJECT = "Send a JSON object, with the header `content-type: application/json`."

# status -> (stable type, title, detail)
HTTP_PROBLEMS: dict[int, tuple[str, str, str]] = {
    400: ("malformed-request", "Malformed request", "The body is not JSON. Send a JSON object in UTF-8."),
    404: ("unknown-route", "Unknown route", "There is no such route. GET /api/docs lists all routes."),
    405: ("method-not-allowed", "Method not allowed", "The route does not take this method; `Allow` says which."),
    408: (
        "request-timeout",
        "The request did not arrive",
        "The request did not arrive in time. Send it at once, or over a faster connection.",
    ),
    413: ("request-too-large", "Request too large", "The request is larger than this service accepts. Shorten it."),
    422: ("invalid-field", "Invalid field", "A field cannot be used; `errors` says which and why."),
    431: (
        "headers-too-large",
        "Headers too large",
        "The request has more headers than this service accepts. Send fewer, and a shorter address.",
    ),
    500: UNEXPECTED,
    503: (
        "registry-invalid",
        "The service is not set up",
        "The configuration cannot be used; the log and `python -m agent doctor` say why.",
    ),
}

# status -> description in the contract, if it differs from the title above
_DESCRIBED = {
    401: "Not authenticated",
    403: "Not permitted",
    404: "Unknown database or session",
    406: "Not available in this format",
    409: "Writes are not allowed",
    429: "Too many requests. Try again after `Retry-After`",
    502: "The model failed",
    503: "The model or the database cannot be reached",
    504: "Out of time",
    507: "No storage left",
}


def http_problem(status: int, trace_id: str = "", **changes: Any) -> Problem:
    """The problem document of an HTTP error status."""
    phrase = HTTPStatus(status).phrase
    slug, title, detail = HTTP_PROBLEMS.get(status, (f"http-{status}", phrase, f"{phrase}."))
    values = {"type": TYPE_PREFIX + slug, "title": title, "status": status, "detail": detail, "trace_id": trace_id}
    return Problem(**(values | changes))


def problem_for(error: Exception, trace_id: str) -> Problem:
    """The problem document of any error. What the caller cannot correct is logged, with the trace id."""
    problem = problem_of(error, trace_id)
    if problem is not None:
        if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(error, SqlError):
            LOG.warning("%s: %s", type(error).__name__, detail_to_log(error))
        return problem
    if isinstance(error, RegistryInvalid | ConfigurationInvalid):
        LOG.error("%s", error)
        return http_problem(503, trace_id)
    LOG.error("Unexpected error, trace_id=%s", trace_id, exc_info=error)
    return http_problem(500, trace_id)


def problem_response(problem: Problem, headers: dict[str, str] | None = None) -> Response:
    """The response with a problem document, its status and media type."""
    return Response(
        problem.model_dump_json(),
        problem.status,
        headers={**UNCACHED, **(headers or {}), TRACE_HEADER: problem.trace_id},
        media_type=MEDIA_TYPE,
    )


def refusal(error: Exception, trace_id: str) -> Response:
    """The response to any error, with the headers that HTTP requires."""
    headers = {}
    if isinstance(error, MAY_PASS):
        headers["retry-after"] = str(error.retry_after_s or RETRY_AFTER_S)
    elif isinstance(error, WAIT):
        headers["retry-after"] = str(RETRY_AFTER_S)
    if isinstance(error, NotAuthenticated):
        headers["www-authenticate"] = error.challenge
    return problem_response(problem_for(error, trace_id), headers)


def add_handlers(app: FastAPI) -> None:
    """Return every error of the app as a problem document."""
    for kind in (PlumblineError, ExecutorError, RetrievalError, Exception):
        app.add_exception_handler(kind, _handle_error)
    app.add_exception_handler(HTTPException, _handle_http_exception)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ClientDisconnect, _nobody_listens)


async def _handle_error(request: Request, error: Exception) -> Response:
    return refusal(error, trace_id_of(request))


async def _handle_http_exception(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["allow"] = ", ".join(sorted(_methods_of_path(request)))
    return problem_response(http_problem(error.status_code, trace_id_of(request)), headers)


def _methods_of_path(request: Request) -> set[str]:
    """The methods of a path. Starlette lists only those of the first route; RFC 9110 requires all."""
    routes: Sequence[BaseRoute] = request.app.state.routes
    found = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return with_head([method for route in found for method in getattr(route, "methods", None) or ()])


async def _nobody_listens(_request: Request, _error: Exception) -> Response:
    """The caller disconnected. The status (499, as in nginx) is only for the access log."""
    return Response(status_code=499)


async def _invalid(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    trace_id = trace_id_of(request)
    found = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        return problem_response(http_problem(400, trace_id))
    errors = [{"field": _field(one["loc"]), "message": _message(one)} for one in found]
    detail = "; ".join(f"{one['field']}: {one['message']}" for one in errors[:FIELDS_NAMED])
    return problem_response(http_problem(422, trace_id, detail=detail, errors=errors))


def _field(location: Sequence[str | int]) -> str:
    """The field's path, such as `options.row_limit`; `body` for the whole body."""
    return ".".join(str(part) for part in location[1:]) or str(location[0])


def _message(error: Mapping[str, Any]) -> str:
    """pydantic's message. If the body is no object, advice for clients that send forms by default."""
    if tuple(error["loc"]) == ("body",) and error["type"] != "value_error":  # value_error: a rule between two fields
        return NOT_AN_OBJECT
    return field_message(error)


def describe_errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI descriptions of a route's errors."""
    shape = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {
            "description": _DESCRIBED.get(status) or HTTP_PROBLEMS[status][1],
            "content": {MEDIA_TYPE: {"schema": shape}},
        }
        for status in statuses
    }
