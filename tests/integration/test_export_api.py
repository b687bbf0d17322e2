"""Rows by Accept header, from `POST /api/execute` and `POST /api/query`."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx2
import openpyxl  # type: ignore[import-untyped]
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from api_client import api_client, app_without_docs, problem
from until import until

from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from executors.workers import checking
from executors.workers.pool import get_shared_pool
from testbed.scripted_model import ScriptedModel

Client = httpx2.AsyncClient

CSV, PARQUET, ARROW = "text/csv", "application/vnd.apache.parquet", "application/vnd.apache.arrow.stream"
XLSX, MARKDOWN = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "text/markdown"
SQL = "SELECT order_id, customer_id, status, amount FROM orders ORDER BY order_id"
ASKED = {"question": "How many orders per status?", "database": "shop"}
COUNTS = "SELECT status, COUNT(*) AS n FROM orders GROUP BY status ORDER BY status"


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    async with api_client(app_without_docs(make_service)) as client:
        yield client


async def run(client: Client, accept: str, sql: str = SQL, **more: Any) -> httpx2.Response:
    return await client.post("/execute", json={"database": "shop", "sql": sql, **more}, headers={"accept": accept})


async def ask(client: Client, accept: str, **more: Any) -> httpx2.Response:
    return await client.post("/query", json={**ASKED, **more}, headers={"accept": accept})


def counts_are_answered(model: ScriptedModel) -> None:
    model.replies(sql=COUNTS)
    model.replies(correct=True, reason="each status with its count")


def rows_of(response: httpx2.Response) -> list[tuple[Any, ...]]:
    """Rows as the file has them; those of CSV are texts."""
    media_type = response.headers["content-type"].partition(";")[0]
    if media_type == CSV:
        return [tuple(row) for row in list(csv.reader(io.StringIO(response.text, newline="")))[1:]]
    reader = io.BytesIO(response.content)
    table = pa.ipc.open_stream(reader).read_all() if media_type == ARROW else pa.parquet.read_table(reader)
    return [tuple(row.values()) for row in table.to_pylist()]


# -- execute -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/csv;q=0.5, */*"])
async def test_rows_are_json_unless_something_else_is_asked_for(client: Client, accept: str) -> None:
    response = await run(client, accept)

    assert response.headers["content-type"] == "application/json"
    assert response.headers["vary"] == "Accept"
    assert len(response.json()["rows"]) == 5


@pytest.mark.parametrize("accept, suffix", [(CSV, "csv"), (PARQUET, "parquet"), (ARROW, "arrows")])
async def test_a_file_has_the_rows_that_json_has(client: Client, accept: str, suffix: str) -> None:
    expected = [tuple(row) for row in (await run(client, "application/json")).json()["rows"]]
    if accept == CSV:
        expected = [tuple("" if value is None else str(value) for value in row) for row in expected]

    response = await run(client, accept)

    assert response.status_code == 200
    assert response.headers["content-type"].startswith(accept)
    assert rows_of(response) == expected
    trace_id = response.headers["x-trace-id"]
    assert response.headers["content-disposition"] == f'attachment; filename="shop-{trace_id[:8]}.{suffix}"'
    assert response.headers["vary"] == "Accept"
    assert response.headers["x-plumbline-row-count"] == "5"
    assert response.headers["x-plumbline-truncated"] == "false"
    assert unquote(response.headers["x-plumbline-sql"]) == f"{SQL} LIMIT 500"


async def test_a_sheet_has_the_rows_and_no_formula(client: Client) -> None:
    response = await run(client, XLSX, "SELECT order_id, '=1+1' AS note FROM orders WHERE order_id < 3")

    sheet = openpyxl.load_workbook(io.BytesIO(response.content)).worksheets[0]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["order_id", "note"], [1, "=1+1"], [2, "=1+1"],
    ]  # fmt: skip
    assert {cell.data_type for cell in sheet["B"]} == {"s"}
    assert response.headers["content-disposition"].endswith('.xlsx"')


async def test_rows_come_as_a_table_of_markdown(client: Client) -> None:
    response = await run(client, MARKDOWN, "SELECT order_id, status FROM orders WHERE order_id < 3")

    assert response.headers["content-type"].startswith("text/markdown; charset=utf-8")
    assert response.text == "| order\\_id | status |\n| ---: | --- |\n| 1 | C |\n| 2 | X |\n"


@pytest.mark.parametrize("text, shown", [
    ("http://a.example/b", "http\\://a.example/b"),
    ("HTTPS://a.example", "HTTPS\\://a.example"),
    ("www.a.example", "www\\.a.example"),
    ("ann@a.example", "ann\\@a.example"),
    ("[a](http://a.example)", "\\[a\\](http\\://a.example)"),
    ("<b>", "\\<b\\>"),
    ("at 10:30, ratio 1:2, v1.2, @ann", "at 10:30, ratio 1:2, v1.2, @ann"),
])  # fmt: skip
async def test_what_stands_in_the_data_makes_no_link_of_markdown(client: Client, text: str, shown: str) -> None:
    response = await run(client, MARKDOWN, f"SELECT '{text}' AS a")
    assert response.text == f"| a |\n| --- |\n| {shown} |\n"


async def test_a_cut_is_seen_in_a_header(client: Client) -> None:
    response = await run(client, CSV, row_limit=2)
    assert response.headers["x-plumbline-truncated"] == "true"
    assert response.text == "order_id,customer_id,status,amount\r\n1,1,C,100.0\r\n2,1,X,40.0\r\n"


async def test_a_query_in_a_header_may_hold_any_character(client: Client) -> None:
    sql = "SELECT 'ü\r\nset-cookie: a=b' AS a, '100%' AS b"
    response = await run(client, CSV, sql)
    assert "set-cookie" not in response.headers
    assert unquote(response.headers["x-plumbline-sql"]) == sql
    assert rows_of(response) == [("ü\r\nset-cookie: a=b", "100%")]


async def test_a_very_long_query_is_in_no_header(client: Client) -> None:
    response = await run(client, CSV, f"SELECT '{'x' * 4_000}' AS a")
    assert response.status_code == 200
    assert "x-plumbline-sql" not in response.headers


async def test_many_rows_are_sent_piece_by_piece(client: Client) -> None:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) SELECT i FROM n"
    response = await run(client, CSV, numbers, row_limit=4_000)
    assert "content-length" not in response.headers
    count = int(response.headers["x-plumbline-row-count"])
    assert count >= 500
    assert [row[0] for row in rows_of(response)] == [str(number) for number in range(1, count + 1)]


@pytest.mark.parametrize("accept", ["text/html", "application/json;q=0", "application/vnd.ms-excel"])
async def test_what_cannot_be_given_is_refused(client: Client, accept: str) -> None:
    assert CSV in problem(await run(client, accept), 406, "not-acceptable")["detail"]


async def test_an_error_is_a_problem_document_whatever_was_asked_for(client: Client) -> None:
    problem(await run(client, PARQUET, "DELETE FROM orders"), 409, "sql-refused")


# -- query -------------------------------------------------------------------------------------------------


async def test_an_answer_comes_as_markdown(client: Client, model: ScriptedModel) -> None:
    counts_are_answered(model)
    response = await ask(client, MARKDOWN)

    assert response.status_code == 200
    assert response.text.startswith(f"**{ASKED['question']}**\n\n")
    assert "| --- | ---: |" in response.text
    assert f"```sql\n{COUNTS}" in response.text
    assert response.headers["x-plumbline-status"] == "success"


async def test_a_question_back_comes_as_markdown(make_service: Callable[..., Service], model: ScriptedModel) -> None:
    model.replies(clarification="Which date do you mean?")
    async with api_client(app_without_docs(lambda **more: make_service(profile="small_hosted", **more))) as client:
        response = await ask(client, MARKDOWN)

    assert (response.status_code, response.headers["x-plumbline-status"]) == (200, "clarification_needed")
    assert "Which date do you mean?" in response.text


@pytest.mark.parametrize("accept", [CSV, PARQUET, ARROW])
async def test_an_answers_rows_are_a_file(client: Client, model: ScriptedModel, accept: str) -> None:
    counts_are_answered(model)

    response = await ask(client, accept)

    counts = [("C", 3), ("S", 1), ("X", 1)]
    assert rows_of(response) == ([(a, str(n)) for a, n in counts] if accept == CSV else counts)
    assert response.headers["x-plumbline-status"] == "success"
    assert response.headers["x-plumbline-verified"] == "true"
    assert unquote(response.headers["x-plumbline-sql"]) == f"{COUNTS} LIMIT 500"
    assert len(response.headers["x-trace-id"]) == 32


async def test_an_answer_is_json_by_default(client: Client, model: ScriptedModel) -> None:
    counts_are_answered(model)
    response = await ask(client, "*/*")
    assert response.json()["row_count"] == 3
    assert response.headers["vary"] == "Accept"


async def test_a_question_back_is_no_empty_file(make_service: Callable[..., Service], model: ScriptedModel) -> None:
    model.replies(clarification="Which date do you mean?")
    async with api_client(app_without_docs(lambda **more: make_service(profile="small_hosted", **more))) as client:
        response = await ask(client, CSV)
    assert problem(response, 422, "no-rows")["detail"].startswith(
        "Which date do you mean? Set Accept to application/json"
    )


@pytest.mark.parametrize("accept", [CSV, PARQUET, ARROW, XLSX])
async def test_a_message_without_a_query_has_no_rows(client: Client, accept: str) -> None:
    refused = problem(await ask(client, accept, question="Hello"), 422, "no-rows")
    assert (
        refused["detail"] == "The answer needed no query. Set Accept to application/json or to Markdown for its text."
    )


async def test_where_no_query_could_be_run_there_is_no_empty_file_either(client: Client, model: ScriptedModel) -> None:
    model.replies(sql="SELECT nothing FROM nowhere")
    problem(await ask(client, ARROW, options={"max_attempts": 1}), 422, "no-rows")


@pytest.mark.parametrize("options", [{"allow_writes": True}, {"confirm": "a-token"}])
async def test_a_change_is_refused_before_it_is_made(client: Client, options: dict[str, Any]) -> None:
    refused = await ask(client, CSV, options=options)
    assert "application/json" in problem(refused, 406, "not-acceptable")["detail"]


async def test_no_file_stays_behind(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    assert (await run(client, PARQUET)).status_code == 200
    for pool in (checking.workers(), get_shared_pool(Settings.model_fields["local_workers"].default, 2 * 10**9)):
        pool.end()  # what a worker keeps goes with it
    until(lambda: not list(scratch.glob("plumbline-worker-*")))
    assert [it.name for it in scratch.iterdir()] == []


# -- the contract ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/query", "/api/execute"])
async def test_the_contract_names_every_format(client: Client, path: str) -> None:
    responses = (await client.get("/openapi.json")).json()["paths"][path]["post"]["responses"]
    assert set(responses["200"]["content"]) == {"application/json", CSV, PARQUET, ARROW, XLSX, MARKDOWN}
    assert "schema" in responses["200"]["content"]["application/json"]
    assert set(responses["406"]["content"]) == {"application/problem+json"}
    assert "X-Plumbline-Truncated" in responses["200"]["headers"]
