"""Completes FastAPI's description of the routes with the responses that all routes share, and with examples."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agent.api.contract import events
from agent.api.contract.fields import describe_fields
from agent.api.contract.links import link
from agent.api.contract.problems import TRACE_ID, Operation, ProblemCase, cases_of
from agent.api.contract.route_examples import ANSWERS
from agent.api.http.auth import with_security
from agent.api.http.errors import MEDIA_TYPE, describe_errors
from agent.api.http.idempotent import PARAMETER, TAKING
from agent.core.problems import Problem
from agent.platform.access.policy import Mode

Described = dict[str, Any]

PROBLEM = {"$ref": "#/components/schemas/Problem"}
JSON, EVENTS = "application/json", "text/event-stream"
TAGGED = frozenset({"review", "settle_review", "save_query", "saved_query", "replace_saved_query"})

_TEXT = {"type": "string"}
HEADERS: Described = {
    "X-Trace-Id": {
        "description": "Identifies the request in problem documents, logs and traces.", "required": True,
        "schema": {**_TEXT, "pattern": "^[0-9a-f]{32}$"}, "example": TRACE_ID,
    },
    "Retry-After": {
        "description": "Seconds to wait before trying again.", "required": True,
        "schema": {"type": "integer", "minimum": 0}, "example": 12,
    },
    "Retry-After-Busy": {
        "description": "Seconds to wait before trying again. Absent if unknown.",
        "schema": {"type": "integer", "minimum": 0}, "example": 5,
    },
    "WWW-Authenticate": {
        "description": "How to authenticate.", "required": True, "schema": _TEXT,
        "example": 'Bearer realm="plumbline"',
    },
    "Idempotent-Replayed": {
        "description": "`true` if this is the stored response to an earlier request with the same key.",
        "schema": {**_TEXT, "enum": ["true"]}, "example": "true",
    },
    "ETag": {
        "description": "Version of the record, for `If-Match`.", "required": True,
        "schema": {**_TEXT, "pattern": '^".+"$'}, "example": '"8d1f"',
    },
}  # fmt: skip


# Of the contract, and of the modules of a generated client: name -> what it is for, the first words of its paths.
GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "query": ("Ask questions and run queries.", ("query", "records", "execute", "jobs")),
    "databases": ("Databases, their schemas and uploads.", ("databases",)),
    "chat": ("Chat sessions.", ("agents", "sessions", "shared")),
    "generate": ("Generate SQL for a question and run it.", ("text2sql",)),
    "docs": ("Documents about the data.", ("rag",)),
    "reviews": ("Feedback on answers, and reviews.", ("reviews", "feedback")),
    "saved": ("Saved queries.", ("saved",)),
    "dashboard": ("Saved queries that run on a schedule, with alerts.", ("dashboard",)),
    "service": ("Health, tools and the contract.", ("health", "tools", "openapi.json")),
}


def group_of(path: str) -> str:
    """The group of a route. Raises StopIteration where a new one belongs to none."""
    first = path.removeprefix("/api/").partition("/")[0]
    return next(name for name, (_, beginnings) in GROUPS.items() if first in beginnings)


def complete(described: Described, mode: Mode) -> Described:
    """The description by FastAPI, which is left as it is, with problems, events, headers, and who may call what."""
    described = json.loads(json.dumps(described))  # FastAPI's has parts in several places at once
    components = described["components"]
    schemas = components["schemas"]
    for name, schema in (*_problem_schemas(), *events.components().items()):
        schemas.setdefault(name, schema)
    describe_fields(schemas)
    for schema in schemas.values():
        for field in schema.get("properties", {}).values():
            _hide_list_or_object(field)
    components["headers"] = HEADERS
    shown = components.setdefault("examples", {})
    with_security(described, mode)
    described["servers"] = [{"url": "/", "description": "The host that served this document."}]
    described["tags"] = [{"name": name, "description": text} for name, (text, _) in GROUPS.items()]
    for path, method, operation in _operations(described):
        for status, cases in cases_of(_read_operation(operation, method, path)):
            answered = operation["responses"].setdefault(str(status), describe_errors(status)[status])
            answered.setdefault("content", {})[MEDIA_TYPE] = _problem(status, cases)
            shown |= {case.name: _example(case) for case in cases}
        if operation["operationId"] in TAKING:
            operation.setdefault("parameters", []).append(PARAMETER)
        operation["tags"] = [group_of(path)]
        _show(operation)
        _name_headers(operation)
    link({operation["operationId"]: operation for _, _, operation in _operations(described)})
    return described


def _operations(described: Described) -> Iterator[tuple[str, str, Described]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def _hide_list_or_object(field: Described) -> None:
    """Put the alternatives of a field that is a list or an object beneath `if`, where generators do not look.

    What the field accepts stays the same. Java's generator writes `List<T>.class` for such a field, which is no Java;
    of an unnamed condition each generator makes its type for any JSON value.
    """
    kinds = {one.get("type") for one in field.get("anyOf", ())}
    if {"array", "object"} <= kinds:
        field |= {"if": {}, "then": {"anyOf": field.pop("anyOf")}}


def _problem_schemas() -> Iterator[tuple[str, Described]]:
    schema = Problem.model_json_schema(mode="serialization", ref_template=events.REF)
    yield from schema.pop("$defs", {}).items()
    yield "Problem", schema


def _read_operation(operation: Described, method: str, path: str) -> Operation:
    takes_body = "requestBody" in operation
    return Operation(
        id=operation["operationId"],
        method=method,
        closed=operation.get("x-auth-level") != "ANONYMOUS",
        takes_body=takes_body,
        takes_fields=takes_body or bool(operation.get("parameters")),
        takes_path="{" in path,
    )


def _problem(status: int, cases: list[ProblemCase]) -> Described:
    """The problem documents that an operation answers with at a status: no other type is among them."""
    types = list(dict.fromkeys(case.problem.type for case in cases))
    narrowed = {"properties": {"type": {"enum": types}, "status": {"const": status}}}
    examples = {case.name: {"$ref": f"#/components/examples/{case.name}"} for case in cases}
    # Beneath `if`, since a generator of clients merges what `allOf` lists, and fails on it, but passes conditions by.
    return {"schema": {**PROBLEM, "if": {}, "then": narrowed}, "examples": examples}


def _example(case: ProblemCase) -> Described:
    return {"summary": case.problem.title, "value": case.problem.model_dump(mode="json")}


def _show(operation: Described) -> None:
    """Put the examples of what goes well into their places."""
    name = operation["operationId"]
    if name in events.STREAMS:
        operation["responses"]["200"]["content"] = {EVENTS: events.describe_stream(name)}
    for status, example in ANSWERS.get(name, {}).items():
        operation["responses"][status]["content"][JSON]["example"] = example


def _name_headers(operation: Described) -> None:
    for status, answered in operation["responses"].items():
        headers: Described = {"X-Trace-Id": "X-Trace-Id"}
        if status.startswith("2") and operation["operationId"] in TAGGED:
            headers["ETag"] = "ETag"
        if status.startswith("2") and operation["operationId"] in TAKING:
            headers["Idempotent-Replayed"] = "Idempotent-Replayed"
        headers |= _by_status().get(status, {})
        refs = {name: {"$ref": f"#/components/headers/{of}"} for name, of in headers.items()}
        answered["headers"] = answered.get("headers", {}) | refs


def _by_status() -> Mapping[str, Described]:
    return {
        "401": {"WWW-Authenticate": "WWW-Authenticate"},
        "409": {"Retry-After": "Retry-After-Busy"},
        "429": {"Retry-After": "Retry-After"},
        "503": {"Retry-After": "Retry-After-Busy"},
    }
