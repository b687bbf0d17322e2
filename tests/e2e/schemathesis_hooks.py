"""Hooks for Schemathesis: request rows in every format and read the files."""

from __future__ import annotations

import csv
import io
import zlib
from typing import Any

import pyarrow
import pyarrow.parquet
import schemathesis
from jsonschema import Draft202012Validator

PARQUET, ARROW, CSV = "application/vnd.apache.parquet", "application/vnd.apache.arrow.stream", "text/csv"
FORMATS = ("application/json", CSV, PARQUET, ARROW, "application/json", "*/*", "image/png")


@schemathesis.hook
def before_call(_context: schemathesis.HookContext, case: schemathesis.Case[Any], kwargs: dict[str, Any]) -> None:
    """Ask for one of the formats, by what else is asked: OpenAPI has no place where Accept could be generated from."""
    _give_a_key_of_its_own(case)
    described = case.operation.definition.raw.get("responses", {})
    if CSV in described.get("200", {}).get("content", {}):
        asked = repr((case.path_parameters, case.body)).encode("utf-8", "replace")
        accept = FORMATS[zlib.crc32(asked) % len(FORMATS)]
        case.headers["Accept"] = accept


def _give_a_key_of_its_own(case: schemathesis.Case[Any]) -> None:
    """One key for one request, and for two of three none: a key of another request is refused before the route."""
    if "Idempotency-Key" not in case.headers:
        return
    asked = zlib.crc32(
        repr((case.method, case.path, case.path_parameters, case.query, case.body)).encode("utf-8", "replace")
    )
    if asked % 3:
        del case.headers["Idempotency-Key"]
    else:
        case.headers["Idempotency-Key"] = f"{asked:08x}"


@schemathesis.check
def files_hold_their_rows(
    _ctx: schemathesis.CheckContext, response: schemathesis.Response, _case: schemathesis.Case[Any]
) -> None:
    """A file can be read and has the row count of its header."""
    media_type = response.headers.get("content-type", [""])[0].partition(";")[0]
    if response.status_code != 200 or media_type not in (CSV, PARQUET, ARROW):
        return
    rows = int(response.headers["x-plumbline-row-count"][0])
    assert _rows_of(media_type, response.content) == rows


@schemathesis.check
def what_fits_the_schema_is_taken(
    _ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    """A 422 may report an empty question or a wrong query, never a field that its schema allows."""
    if response.status_code != 422 or not response.json()["type"].endswith(":invalid-field"):
        return
    errors = response.json()["errors"]
    if all(
        it["field"].endswith("time_zone")
        or "in `include` or in `exclude`" in it["message"]
        or "name different answers" in it["message"]
        for it in errors
    ):
        return  # no schema lists all time zones, or says that two lists share no entry or one text begins with another
    if case.meta is not None and case.meta.generation.mode.is_positive:
        assert not _fits(case), response.json()["detail"]


def _fits(case: schemathesis.Case[Any]) -> bool:
    """Whether the body is what the contract asks for: values of earlier responses are put in without a look at it."""
    document = case.operation.schema.raw_schema
    body = document["paths"][case.path][case.method.lower()].get("requestBody")
    if body is None or "application/json" not in body["content"]:
        return True
    schema = {**body["content"]["application/json"]["schema"], "components": document["components"]}
    return bool(Draft202012Validator(schema).is_valid(case.body))


def _rows_of(media_type: str, content: bytes) -> int:
    if media_type == CSV:
        return len(list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))) - 1
    if media_type == PARQUET:
        return int(pyarrow.parquet.read_table(io.BytesIO(content)).num_rows)
    return int(pyarrow.ipc.open_stream(content).read_all().num_rows)
