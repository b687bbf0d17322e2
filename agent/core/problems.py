"""Errors as RFC 9457 problem documents, for every surface of the service."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from agent.core.errors import ModelDeclined, PlumblineError, TooBusy, TooManyRows
from agent.core.queueing import Standing
from agent.core.texts.plurals import plural
from executors.base import Frozen
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError, SqlFailed, SqlRefused, UnknownDatabase
from rag.errors import EmbedderUnavailable, StoreUnavailable

# Errors of packages without HTTP -> (HTTP status, stable type, title). The agent's own errors carry these themselves.
STATUS: dict[type[Exception], tuple[int, str, str]] = {
    UnknownDatabase: (404, "unknown-database", "Unknown database"),
    DatabaseUnavailable: (503, "database-unavailable", "The database is unavailable"),
    StoreUnavailable: (503, "index-unavailable", "The index is unavailable"),
    EmbedderUnavailable: (503, "embedder-unavailable", "The embedding model is unavailable"),
    SqlRefused: (422, "sql-refused", "The query was not run"),
    SqlFailed: (422, "sql-failed", "The query failed"),
}

# Some kinds of query errors have their own HTTP status. Their type stays the same.
STATUS_OF_KIND: dict[ErrorKind, int] = {ErrorKind.NOT_READ_ONLY: 409, ErrorKind.TIMEOUT: 504}

TYPE_PREFIX = "urn:plumbline:problem:"
# For errors that are bugs: stable type, title, detail.
UNEXPECTED = ("unexpected", "Unexpected error", "Something failed that should not. Report it with the trace_id.")
# What to do about a field, by the type of pydantic's error. In braces: values of the error's context.
_ADVICE = {
    "missing": "Required, but missing: add it",
    "extra_forbidden": "Unknown field: remove it, or correct its spelling",
    "string_type": "Send a text",
    "bool_type": "Send true or false",
    "bool_parsing": "Send true or false",
    "int_type": "Send a whole number",
    "int_parsing": "Send a whole number",
    "int_from_float": "Send a whole number",
    "float_type": "Send a number",
    "float_parsing": "Send a number",
    "finite_number": "Send a finite number",
    "list_type": "Send a list",
    "tuple_type": "Send a list",
    "dict_type": "Send an object",
    "model_type": "Send an object",
    "model_attributes_type": "Send an object",
    "greater_than": "Send a number above {gt}",
    "greater_than_equal": "Send a number from {ge} on",
    "less_than": "Send a number below {lt}",
    "less_than_equal": "Send a number up to {le}",
    "literal_error": "Send {expected}",
    "enum": "Send {expected}",
}
# Errors of lengths -> (words, key of the bound in the error's context).
_LENGTHS = {
    "too_long": ("at most", "max_length"),
    "too_short": ("at least", "min_length"),
    "string_too_long": ("at most", "max_length"),
    "string_too_short": ("at least", "min_length"),
}
_HEX = "0 to 9 and a to f"
_HEX_ID = re.compile(r"\^\[0-9a-f\]\{(\d+)\}\$")  # the pattern of ids in paths and queries
# What to do about a text of the wrong form, by its pattern in the contract.
_FORMS = {
    "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$": (
        "Use letters, digits, '.', '_' and '-', at most 64 characters, and begin with a letter or a digit"
    ),
    "^[0-9a-f]{32}(-[0-9a-f]{16})?$": f"Send the `answer_id` of an answer: 32 characters ({_HEX}), '-', and 16 more",
    "^[0-9a-f]{1,64}$": f"It should be an id of at most 64 characters, {_HEX}",
    "^[A-Za-z0-9_-]{1,100}$": "Send it as you received it: at most 100 letters, digits, '_' and '-'",
    "^[A-Za-z][A-Za-z0-9_+/-]{0,63}$": "Send the name of a time zone, such as Europe/Berlin",
    "^[0-9]{0,9}$": "Send the number of the last event that you received, such as 12",
    "^[!-~]+$": "Use letters, digits and punctuation of ASCII, without spaces",
    r"[^\s\u001c-\u001f\u0085]": "Write at least one character that is no white space",
}


class Problem(Frozen):
    """An error, as RFC 9457 defines it.

    type: Stable identifier of the error.
    title: Short name of the error.
    status: HTTP status.
    detail: What happened, and what to do.
    trace_id: Identifies the request in logs and traces.
    errors: Invalid fields of the request, each with `field` and `message`. Empty for other errors.
    kind: Class of a query's error. Null for other errors.
    hint: How to repair a query. Empty for other errors.
    queue: The queue at the time, if the service was too busy. Absent for other errors.
    most_rows: The maximum number of rows, if more were requested. Absent for other errors.
    """

    type: str
    title: str
    status: int
    detail: str
    trace_id: str = ""
    errors: list[dict[str, str]] = []
    kind: ErrorKind | None = None
    hint: str = ""
    queue: Standing | None = Field(None, exclude_if=lambda value: value is None)
    most_rows: int | None = Field(None, exclude_if=lambda value: value is None)


def problem_of(error: Exception, trace_id: str = "") -> Problem | None:
    """The problem document of an error that is meant for the caller; None for any other, which is a bug."""
    if isinstance(error, PlumblineError):
        status, slug, title = error.status, error.slug, error.title
    else:
        status, slug, title = next((found for kind, found in STATUS.items() if isinstance(error, kind)), (0, "", ""))
    if not status:
        return None
    problem = Problem(type=TYPE_PREFIX + slug, title=title, status=status, detail=str(error), trace_id=trace_id)
    if isinstance(error, TooBusy):
        return problem.model_copy(update={"queue": error.queue})
    if isinstance(error, TooManyRows):
        return problem.model_copy(update={"most_rows": error.most})
    if isinstance(error, SqlError):
        status = STATUS_OF_KIND.get(error.kind, status)
        return problem.model_copy(update={"status": status, "kind": error.kind, "hint": error.hint})
    return problem


def detail_to_log(error: Exception) -> str:
    """What a log may say of an error: nothing that a model wrote."""
    return "The model declined to answer." if isinstance(error, ModelDeclined) else str(error)


def build_unexpected_problem(trace_id: str) -> Problem:
    """The problem document of an error that is not meant for the caller."""
    slug, title, detail = UNEXPECTED
    return Problem(type=TYPE_PREFIX + slug, title=title, status=500, detail=detail, trace_id=trace_id)


def field_message(error: Mapping[str, Any]) -> str:
    """What to do about a field, in the words of API callers, for an error of pydantic."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _ADVICE:
        return _ADVICE[kind].format(**context)
    if kind in _LENGTHS:
        words, bound = _LENGTHS[kind]
        is_text = isinstance(error["input"], str)
        return f"{'Use' if is_text else 'Send'} {words} {plural(context[bound], 'character' if is_text else 'item')}"
    if kind == "string_pattern_mismatch":
        return describe_form(context["pattern"])
    return str(error["msg"]).removeprefix("Value error, ")


def describe_form(pattern: str) -> str:
    """What a text should be like that does not match a pattern of the contract."""
    pattern = pattern.removesuffix("|^$")
    if digits := _HEX_ID.fullmatch(pattern):
        return f"It should be an id of {digits[1]} characters, {_HEX}"
    return _FORMS.get(pattern, f"It does not match the pattern {pattern}")
