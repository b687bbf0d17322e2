"""Rows in the format that the Accept header requests; default: JSON."""

from __future__ import annotations

import asyncio
import dataclasses
import re
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, Request
from starlette.responses import Response, StreamingResponse

from agent.api.http.context import trace_id_of
from agent.core.answers import Answer
from agent.core.errors import NoRows, NotAcceptable
from agent.core.models import Options
from agent.databases.registry import Executed
from agent.present.export.formats import FORMATS, MARKDOWN, Format
from agent.present.export.markdown_file import answer_chunks
from executors.base import QueryResult


def best_match(header: str, offered: Sequence[str]) -> str | None:
    """One of the offered media types, by the Accept header of RFC 9110, 12.5.1; None if the caller accepts none.

    The highest `q` wins; then the more specific range (`text/csv`, `text/*`, `*/*`), then the order of `offered`.
    """
    ranges = [_range(part) for part in (header.strip() or "*/*").lower().split(",")]
    best, rank = None, (0.0, 0)
    for media_type in offered:
        exact = {media_type: 3, f"{media_type.partition('/')[0]}/*": 2, "*/*": 1}
        # The most specific range counts.
        found = max(((exact[name], q) for name, q in ranges if name in exact), default=(0, 0.0))
        if found[1] > 0 and (found[1], found[0]) > rank:
            best, rank = media_type, (found[1], found[0])
    return best


def _range(part: str) -> tuple[str, float]:
    """Media range and weight; an empty range if the weight is invalid."""
    name, *parameters = (piece.strip() for piece in part.split(";"))
    weight = next(
        (value.partition("=")[2].strip() for value in parameters if value.partition("=")[0].strip() == "q"), "1"
    )
    try:
        return name, min(max(float(weight), 0.0), 1.0)
    except ValueError:
        return "", 0.0


JSON = "application/json"
MAX_HEADER_CHARS = 4_000  # maximum for the query; front ends allow about 8,000 for all headers
VARY = {"vary": "Accept"}
ROW_COUNT, TRUNCATED, SQL = "x-plumbline-row-count", "x-plumbline-truncated", "x-plumbline-sql"
CURSOR = "x-plumbline-cursor"
STATUS, VERIFIED, CONFIDENCE = "x-plumbline-status", "x-plumbline-verified", "x-plumbline-confidence"
ANSWER_ID = "x-plumbline-answer-id"
ROW_HEADERS = (ROW_COUNT, TRUNCATED, CURSOR, SQL, STATUS, VERIFIED, CONFIDENCE, ANSWER_ID)  # metadata of the rows

_BY_TYPE = {one.media_type: one for one in FORMATS}


def choose_format(request: Request) -> Format | None:
    """The requested format; None for JSON. Raises NotAcceptable."""
    offered = [JSON, *_BY_TYPE]
    chosen = best_match(",".join(request.headers.getlist("accept")), offered)
    if chosen is None:
        raise NotAcceptable(
            f"Rows are available as {', '.join(offered[:-1])} or {offered[-1]}. Choose one with Accept."
        )
    return _BY_TYPE.get(chosen)


Wanted = Annotated[Format | None, Depends(choose_format)]


def refuse_changes(options: Options, wanted: Format | None) -> None:
    """Raise NotAcceptable for a change of rows as a file, which has no place for its token and outcome."""
    if wanted is not None and (options.allow_writes or options.confirm):
        raise NotAcceptable(f"A change of rows is available as {JSON} only. Set Accept to it.")


async def rows_response(
    request: Request,
    wanted: Format,
    result: QueryResult,
    *,
    database: str,
    sql: str,
    headers: dict[str, str],
) -> Response:
    """The rows of a query, streamed, with metadata in headers."""
    chunks = wanted.chunks(result)
    first = await asyncio.to_thread(next, chunks, b"")  # early errors can still set the status
    name = f"{re.sub(r'[^A-Za-z0-9_-]+', '-', database)}-{trace_id_of(request)[:8]}.{wanted.suffix}"
    headers = {
        **VARY,
        "content-disposition": f'attachment; filename="{name}"',
        ROW_COUNT: str(result.row_count),
        TRUNCATED: _flag(result.truncated),
        **headers,
    }
    encoded = quote(sql, safe=" !#$&'()*+,/:;<=>?@[]^`{|}~\"")
    if len(encoded) <= MAX_HEADER_CHARS:
        headers[SQL] = encoded.strip()
    return StreamingResponse(chain((first,), chunks), headers=headers, media_type=wanted.content_type)


async def build_executed_response(request: Request, wanted: Format, done: Executed, *, database: str) -> Response:
    """The rows of a query, with the cursor for the next rows in a header."""
    headers = {CURSOR: done.cursor} if done.cursor else {}
    return await rows_response(request, wanted, done.result, database=database, sql=done.query.sql, headers=headers)


async def answer_response(request: Request, wanted: Format, answer: Answer, *, database: str) -> Response:
    """The rows of an answer, with its status in headers. Raises NoRows, except for Markdown, which shows the status."""
    names = tuple(answer.results[0]) if answer.results else tuple(answer.columns)
    rows = tuple(tuple(record.values()) for record in answer.results)
    result = QueryResult(columns=names, rows=rows, truncated=answer.truncated)
    headers = {ANSWER_ID: answer.answer_id, STATUS: answer.status, VERIFIED: _flag(answer.verified)}
    if answer.cursor is not None:
        headers[CURSOR] = answer.cursor
    if answer.confidence is not None:
        headers[CONFIDENCE] = str(answer.confidence)
    if wanted is MARKDOWN:
        wanted = dataclasses.replace(MARKDOWN, chunks=partial(answer_chunks, answer))
    elif answer.status != "success":
        raise NoRows(f"{answer.answer} Set Accept to {JSON} for the whole response.")
    elif answer.parts:
        raise NoRows(
            f"The answer has {len(answer.parts)} parts with rows of their own. Set Accept to {JSON}, or to Markdown."
        )
    elif not names:
        raise NoRows(f"The answer needed no query. Set Accept to {JSON} or to Markdown for its text.")
    return await rows_response(request, wanted, result, database=database, sql=answer.sql or "", headers=headers)


def _flag(value: bool) -> str:
    return "true" if value else "false"


# name -> (description, example)
_HEADERS = {
    "Content-Disposition": ("Name of the file.", 'attachment; filename="shop-0af76519.csv"'),
    "X-Plumbline-Sql": (
        "The query that ran, in percent-encoded UTF-8. Absent if it is very long.",
        "SELECT month, total FROM sales LIMIT 500",
    ),
    "X-Plumbline-Row-Count": ("Number of rows.", "1"),
    "X-Plumbline-Truncated": ("`true` if the database has more rows.", "true"),
    "X-Plumbline-Cursor": ("Cursor for the next rows. Absent if there are no more rows.", "5bX0qv3Jw1nTz8RkQmYcHs2d"),
}
_ANSWER_HEADERS = {
    "X-Plumbline-Answer-Id": (
        "Id of the answer, for feedback.",
        "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
    ),
    "X-Plumbline-Status": (
        "The status of the answer. `success`, except in Markdown: in other formats, an answer without rows is a "
        "problem document.",
        "success",
    ),
    "X-Plumbline-Verified": ("`true` if the answer passed every check.", "true"),
    "X-Plumbline-Confidence": ("Probability that the answer is right. Absent if it is unknown.", "0.93"),
}


def describe_files(example: dict[str, Any] | None = None) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI description of files. Args: example: JSON example of an answer, whose files have extra headers."""
    headers = _HEADERS | (_ANSWER_HEADERS if example else {})
    binary = {"schema": {"type": "string", "format": "binary"}}
    content: dict[str, Any] = {one.media_type: binary for one in FORMATS}
    table = "| month | total |\n| --- | ---: |\n| 2024-03 | 50000 |\n"
    content["text/markdown"] = {"schema": {"type": "string"}, "example": table}
    content["text/csv"] = {"schema": {"type": "string"}, "example": "month,total\r\n2024-03,50000\r\n"}
    if example:
        content[JSON] = {"example": example}
    described_headers = {
        name: {"description": f"Only for a file. {text}", "schema": {"type": "string"}, "example": shown}
        for name, (text, shown) in headers.items()
    }
    return {200: {"content": content, "headers": described_headers}}
