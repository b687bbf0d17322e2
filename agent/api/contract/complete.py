"""Completes FastAPI's description of the routes: problems, fields, links, headers, groups and examples."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from agent.api.contract import events
from agent.api.contract.problems import TRACE_ID, Operation, ProblemCase, cases_of
from agent.api.contract.route_examples import ANSWERS
from agent.api.http.auth import with_security
from agent.api.http.errors import MEDIA_TYPE, describe_errors
from agent.api.http.idempotent import PARAMETER, TAKING
from agent.core.problems import Problem
from agent.platform.access.policy import Mode

_FIELD = re.compile(r"^([a-z_]+(?:, [a-z_]+)*): (.+(?:\n {4}.+)*)\n?", re.MULTILINE)

# Models that share fields, and the model whose docstring describes these fields.
INHERITED = {
    "AnswerPart": "Answer",
    "ChatResponse": "Answer",
    "ChatSchema": "ChatTable",
    "DatabaseDetail": "DatabaseInfo",
    "GenerateResponse": "Answer",
    "ListedDocument": "Document",
    "PutTileResponse": "TileResponse",
    "ReviewDetail": "ReviewSummary",
    "SavedResponse": "SavedQuery",
    "Uploaded": "UploadInfo",
    "Usage": "StepUsage",
}


def describe_fields(schemas: Mapping[str, dict[str, Any]]) -> None:
    """Move descriptions of fields from the docstrings of models to the fields of the contract's schemas.

    A docstring describes a field in a line `name: text`, or several in `name, name: text`. Further lines are indented.
    """
    for schema in schemas.values():
        _describe(schema)
    for name, base in INHERITED.items():
        inherited = schemas[base]["properties"] if base in schemas else {}
        for field, described in schemas.get(name, {}).get("properties", {}).items():
            if "description" in inherited.get(field, {}):
                described.setdefault("description", inherited[field]["description"])


def _describe(schema: dict[str, Any]) -> None:
    fields = schema.get("properties", {})

    def move(found: re.Match[str]) -> str:
        names = found[1].split(", ")
        if not all(name in fields for name in names):
            return found[0]
        for name in names:
            fields[name].setdefault("description", re.sub(r"\s+", " ", found[2]))
        return ""

    if "description" in schema:
        schema["description"] = _FIELD.sub(move, schema["description"]).strip()


class Link(NamedTuple):
    """A link from a response to a request.

    of: operations whose responses have the value. field: its place in the body, as a JSON pointer.
    status: of the response; empty: the first successful one.
    to: operations that accept it. parameter: path parameter for it; empty: the body's field with the same name.
    """

    of: tuple[str, ...]
    field: str
    to: tuple[str, ...]
    parameter: str = ""
    status: str = ""


LINKS = (
    Link(("start_session",), "/session_id", ("chat", "chat_stream")),
    Link(("start_session",), "/session_id", ("session", "end_session"), "session_id"),
    Link(("query", "chat", "generate"), "/answer_id", ("feedback", "save_query")),
    Link(("query", "chat", "generate", "feedback"), "/review_id", ("review", "settle_review"), "id"),
    Link(("query",), "/id", ("job", "cancel_job"), "id", "202"),
    Link(("upload_database",), "/name", ("database", "database_schema", "first_look", "read_report"), "name"),
    Link(("upload_database",), "/name", ("delete_database",), "name"),
    Link(("save_query",), "/id", ("saved_query", "replace_saved_query", "run_saved_query", "delete_saved_query"), "id"),
    Link(("save_query",), "/id", ("put_tile",), "id"),
    Link(("put_tile",), "/id", ("remove_tile",), "id"),
    Link(("share_answer",), "/id", ("shared_answer",), "id"),
    Link(("add_documents",), "/documents/0/id", ("delete_document",), "id"),
)


def link(operations: dict[str, Described]) -> None:
    """Add the links to the responses where they start. Args: operations: by id; changed in place."""
    for one in LINKS:
        value = f"$response.body#{one.field}"
        place = {"parameters": {one.parameter: value}}
        if not one.parameter:
            place = {"requestBody": {one.field.rpartition("/")[2]: value}}
        for start in one.of:
            answered = next(
                it for status, it in operations[start]["responses"].items() if status.startswith(one.status or "2")
            )
            for end in one.to:
                answered.setdefault("links", {})[end] = {"operationId": end, **place}


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
# status -> header -> key in HEADERS
_BY_STATUS: dict[str, Described] = {
    "401": {"WWW-Authenticate": "WWW-Authenticate"},
    "409": {"Retry-After": "Retry-After-Busy"},
    "429": {"Retry-After": "Retry-After"},
    "503": {"Retry-After": "Retry-After-Busy"},
}

# Groups of the contract and modules of generated clients: name -> description, first segments of the paths.
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
    """The group of a route. Raises StopIteration if a new route belongs to no group."""
    first = path.removeprefix("/api/").partition("/")[0]
    return next(name for name, (_, beginnings) in GROUPS.items() if first in beginnings)


def complete(described: Described, mode: Mode) -> Described:
    """FastAPI's description, completed with problems, events, headers and security. The input is not changed."""
    described = json.loads(json.dumps(described))  # FastAPI shares parts between several places
    components = described["components"]
    schemas = components["schemas"]
    problem = Problem.model_json_schema(mode="serialization", ref_template=events.REF)
    for name, schema in (problem.pop("$defs", {}) | {"Problem": problem} | events.components()).items():
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
            for case in cases:
                shown[case.name] = {"summary": case.problem.title, "value": case.problem.model_dump(mode="json")}
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
    """Move the alternatives of a field that is a list or an object below `if`, which client generators ignore.

    The Java generator writes `List<T>.class` for such a field, which is invalid Java.
    """
    kinds = {one.get("type") for one in field.get("anyOf", ())}
    if {"array", "object"} <= kinds:
        field |= {"if": {}, "then": {"anyOf": field.pop("anyOf")}}


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
    """The problem documents of an operation for a status, restricted to their types."""
    types = list(dict.fromkeys(case.problem.type for case in cases))
    narrowed = {"properties": {"type": {"enum": types}, "status": {"const": status}}}
    examples = {case.name: {"$ref": f"#/components/examples/{case.name}"} for case in cases}
    # Below `if`, because a client generator merges the schemas of `allOf` and fails, but ignores conditions.
    return {"schema": {**PROBLEM, "if": {}, "then": narrowed}, "examples": examples}


def _show(operation: Described) -> None:
    """Add the examples of successful responses."""
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
        headers |= _BY_STATUS.get(status, {})
        refs = {name: {"$ref": f"#/components/headers/{of}"} for name, of in headers.items()}
        answered["headers"] = answered.get("headers", {}) | refs
