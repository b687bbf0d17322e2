"""Rows page by page: `cursor` of `POST /api/query`, `/api/execute` and files, up to the cap of the settings."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs, problem
from mcp import Client as McpClient

from agent.api.mcp import build_server
from agent.databases.paging import LIFETIME_S, Cursors, Paged
from agent.pipeline.service import Service
from agent.platform.storage.sqlite import MemoryStore
from executors.base import QueryResult
from testbed.scripted_model import ScriptedModel

Client = httpx2.AsyncClient

STARS = 25
SQL = "SELECT id, name FROM stars ORDER BY id"


@pytest.fixture
def stars(tmp_path: Path, registry: Path) -> Path:
    """A database of 25 stars, known as `sky`; `shop` is there as well."""
    path = registry.parent / "sky.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE stars (id INTEGER PRIMARY KEY, name TEXT, light REAL)")
        connection.executemany(
            "INSERT INTO stars VALUES (?, ?, ?)",
            [(number, f"star {number}", number / 7) for number in range(1, STARS + 1)],
        )
    connection.close()
    registry.write_text("shop: {url: shop.sqlite}\nsky: {url: sky.sqlite}\n", encoding="utf-8")
    return path


@pytest.fixture
async def client(make_service: Callable[..., Service], stars: Path) -> AsyncIterator[Client]:
    async with api_client(app_without_docs(lambda **more: make_service(row_limit=10, max_rows=25, **more))) as client:
        yield client


async def execute(client: Client, **body: Any) -> httpx2.Response:
    return await client.post("/execute", json={"database": "sky", **body})


async def all_pages(client: Client, first: dict[str, Any], **more: Any) -> list[list[Any]]:
    """The rows of every page after the first one."""
    pages, cursor = [], first["cursor"]
    while cursor is not None:
        page = (await execute(client, cursor=cursor, **more)).json()
        pages.append(page["rows"])
        assert page["truncated"] is (page["cursor"] is not None)
        cursor = page["cursor"]
    return pages


# -- pages -------------------------------------------------------------------------------------------------


async def test_every_row_comes_once(client: Client) -> None:
    first = (await execute(client, sql=SQL)).json()

    pages = await all_pages(client, first)

    assert first["truncated"] is True
    assert [len(page) for page in (first["rows"], *pages)] == [10, 10, 5]
    assert [row[0] for page in (first["rows"], *pages) for row in page] == list(range(1, STARS + 1))


@pytest.mark.parametrize("sql, parameters", [
    ("SELECT id FROM stars WHERE id > ? ORDER BY id", [3]),
    ("SELECT id FROM stars WHERE id > :after ORDER BY id", {"after": 3}),
    ("SELECT id FROM stars WHERE id > 3 ORDER BY id LIMIT 100", None),
    ("SELECT id, light, light FROM stars WHERE id > 3", None),
    ("WITH s AS (SELECT * FROM stars) SELECT id FROM s WHERE id > 3 UNION ALL SELECT id FROM s WHERE id > 99", None),
])  # fmt: skip
async def test_what_a_query_is_made_of_holds_for_its_next_pages(client: Client, sql: str, parameters: Any) -> None:
    first = (await execute(client, sql=sql, parameters=parameters, row_limit=7)).json()

    pages = await all_pages(client, first)

    assert [len(page) for page in pages] == [7, 7, 1], "pages are as long as the first one was"
    assert [row[0] for page in (first["rows"], *pages) for row in page] == list(range(4, STARS + 1))


async def test_a_page_may_have_another_length(client: Client) -> None:
    first = (await execute(client, sql=SQL, row_limit=2)).json()
    second = (await execute(client, cursor=first["cursor"], row_limit=20)).json()

    assert [row[0] for row in second["rows"]] == list(range(3, 23))


async def test_a_limit_of_the_query_itself_is_its_end(client: Client) -> None:
    first = (await execute(client, sql=f"{SQL} LIMIT 12")).json()

    assert [len(page) for page in await all_pages(client, first)] == [2]


async def test_a_cursor_can_be_used_again(client: Client) -> None:
    cursor = (await execute(client, sql=SQL)).json()["cursor"]
    once, again = [(await execute(client, cursor=cursor)).json()["rows"] for _ in range(2)]

    assert once == again


async def test_a_result_that_is_whole_has_no_cursor(client: Client) -> None:
    body = (await execute(client, sql=SQL, row_limit=STARS)).json()

    assert (body["row_count"], body["truncated"], body["cursor"]) == (STARS, False, None)


async def test_a_file_has_its_cursor_in_a_header(client: Client) -> None:
    csv_wanted = {"accept": "text/csv"}
    first = await client.post("/execute", json={"database": "sky", "sql": SQL}, headers=csv_wanted)
    cursor = first.headers["x-plumbline-cursor"]
    second = await client.post("/execute", json={"database": "sky", "cursor": cursor}, headers=csv_wanted)

    assert next(csv.DictReader(io.StringIO(second.text)))["id"] == "11"


async def test_the_rows_of_an_answer_go_on(client: Client, model: ScriptedModel) -> None:
    model.replies(sql="SELECT id, name FROM stars ORDER BY id")
    model.replies(correct=True)  # a list of rows is told by Plumbline itself
    asked = await client.post("/query", json={"question": "List the stars by id.", "database": "sky"})
    answer = asked.json()

    pages = await all_pages(client, answer)

    assert (answer["row_count"], answer["truncated"]) == (10, True)
    assert [len(page) for page in pages] == [10, 5]
    assert pages[0][0] == [11, "star 11"]


async def test_a_model_gets_the_next_rows_by_a_tool(make_service: Callable[..., Service], stars: Path) -> None:
    service = make_service(enable_retrieval=False)
    try:
        async with McpClient(build_server(service, "someone")) as client:
            arguments: dict[str, Any] = {"database": "sky", "sql": SQL, "row_limit": 20}
            first = (await client.call_tool("run_sql", arguments)).structured_content
            assert first is not None
            more = {"database": "sky", "cursor": first["cursor"]}
            second = (await client.call_tool("more_rows", more)).structured_content
    finally:
        await service.close()

    assert second is not None
    assert [row[0] for row in second["rows"]] == [21, 22, 23, 24, 25]


# -- the cap -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path, body", [
    ("/execute", {"sql": SQL, "row_limit": 26}),
    ("/query", {"question": "List the stars.", "options": {"row_limit": 26}}),
    ("/query?mode=async", {"question": "List the stars.", "options": {"row_limit": 26}}),
    ("/query/stream", {"question": "List the stars.", "options": {"row_limit": 26}}),
    ("/query", {"question": "List the stars.", "options": {"raw_row_limit": 26}}),
    ("/records", {"sql": "SELECT count(*) FROM stars", "row_limit": 26}),
])  # fmt: skip
async def test_more_rows_than_can_be_had_are_a_problem(client: Client, path: str, body: dict[str, Any]) -> None:
    refused = problem(await client.post(path, json={"database": "sky", **body}), 422, "too-many-rows")

    assert refused["detail"].endswith("is 26; at most 25 rows are allowed (PLUMBLINE_MAX_ROWS). Ask for fewer.")


async def test_who_pages_beyond_the_cap_is_told(make_service: Callable[..., Service], stars: Path) -> None:
    app = app_without_docs(lambda **more: make_service(row_limit=10, max_rows=15, **more))
    async with api_client(app) as client:
        first = (await execute(client, sql=SQL)).json()
        second = (await execute(client, cursor=first["cursor"])).json()
        third = await execute(client, cursor=second["cursor"])

    assert (second["row_count"], second["truncated"]) == (5, True)
    assert "more rows than the maximum: 15 (PLUMBLINE_MAX_ROWS)" in problem(third, 422, "too-many-rows")["detail"]


async def test_a_database_may_have_a_lower_cap(make_service: Callable[..., Service], stars: Path) -> None:
    (stars.parent / "databases.yaml").write_text("sky: {url: sky.sqlite, limits: {row_limit: 8}}", encoding="utf-8")
    async with api_client(app_without_docs(make_service)) as client:
        refused = problem(await execute(client, sql=SQL, row_limit=9), 422, "too-many-rows")
        usual = (await execute(client, sql=SQL)).json()
        beyond = await execute(client, cursor=usual["cursor"])

    assert "at most 8 rows are allowed (`limits: row_limit` of the database in the registry)" in refused["detail"]
    assert usual["row_count"] == 8
    problem(beyond, 422, "too-many-rows")


# -- what can go wrong -------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [
    "DELETE FROM stars WHERE id = 2",
    "UPDATE stars SET name = 'Vega' WHERE id = 10",
    "INSERT INTO stars VALUES (-1, 'early', 0)",
])  # fmt: skip
async def test_rows_that_have_changed_are_told(client: Client, stars: Path, change: str) -> None:
    cursor = (await execute(client, sql=SQL)).json()["cursor"]
    with sqlite3.connect(stars) as connection:
        connection.execute(change)
    connection.close()

    assert "ORDER BY" in problem(await execute(client, cursor=cursor), 409, "rows-changed")["detail"]


async def test_a_change_of_later_rows_is_nobodys_trouble(client: Client, stars: Path) -> None:
    cursor = (await execute(client, sql=SQL)).json()["cursor"]
    with sqlite3.connect(stars) as connection:
        connection.execute("DELETE FROM stars WHERE id = 11")
    connection.close()

    assert (await execute(client, cursor=cursor)).json()["rows"][0] == [12, "star 12"]


@pytest.mark.parametrize("database, cursor", [("sky", "5bX0qv3Jw1nTz8RkQmYcHs2d"), ("shop", None)])
async def test_a_cursor_is_of_one_database(client: Client, database: str, cursor: str | None) -> None:
    given = (await execute(client, sql=SQL)).json()["cursor"]
    response = await client.post("/execute", json={"database": database, "cursor": cursor or given})

    problem(response, 404, "unknown-cursor")


@pytest.mark.parametrize("body, said", [
    ({}, "either `sql` or `cursor`"),
    ({"sql": SQL, "cursor": "abc"}, "either `sql` or `cursor`"),
    ({"cursor": "abc", "parameters": [1]}, "leave `parameters` out"),
    ({"cursor": "a/b"}, "cursor"),
    ({"cursor": ""}, "cursor"),
])  # fmt: skip
async def test_a_request_has_a_query_or_a_cursor(client: Client, body: dict[str, Any], said: str) -> None:
    assert said in problem(await execute(client, **body), 422, "invalid-field")["detail"]


# -- cursors -----------------------------------------------------------------------------------------------

RESULT = QueryResult(columns=("a",), rows=((1,), (2.0000000001,)), truncated=True)


async def test_a_cursor_belongs_to_who_was_given_it_and_ends() -> None:
    now = 1_000.0
    cursors = Cursors(MemoryStore(clock=lambda: now), clock=lambda: now)
    paged = Paged.after(RESULT, database="sky", sql=SQL, size=2)
    token, missing = await cursors.keep("ann", paged)
    assert token is not None
    assert missing == ""

    assert await cursors.get("ann", token, "sky") == paged
    with pytest.raises(Exception, match="There is no such cursor"):
        await cursors.get("bob", token, "sky")
    now += LIFETIME_S + 1
    with pytest.raises(Exception, match="There is no such cursor"):
        await cursors.get("ann", token, "sky")


async def test_a_query_that_is_too_long_gets_no_cursor_and_a_reason() -> None:
    paged = Paged.after(RESULT, database="sky", sql=f"SELECT '{'x' * 200_000}'", size=2)

    token, missing = await Cursors(MemoryStore()).keep("ann", paged)

    assert token is None
    assert "more than 200000 characters" in missing


@pytest.mark.parametrize("rows, same", [
    (((2.00000000010001, ), (1,)), True),  # in another order, and a sum that ends differently
    (((1,), (2.1,)), False),
    (((1,),), False),
    (((1,), (1,), (2.0000000001,)), False),
])  # fmt: skip
def test_the_digest_is_of_the_rows_and_not_of_their_order(rows: tuple[tuple[Any, ...], ...], same: bool) -> None:
    first = Paged.after(RESULT, database="sky", sql=SQL, size=2)
    second = Paged.after(RESULT.model_copy(update={"rows": rows}), database="sky", sql=SQL, size=2)

    assert (first.digest == second.digest) is same
