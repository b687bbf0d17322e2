"""Row filters over HTTP: the caller decides which rows are read, which values are shown, and which databases exist."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import api_client, problem
from row_filter_shop import TABLES
from shop_questions import Make
from tool_calls import call_tool

from agent.api.app import create_app
from agent.api.http.context import PRINCIPAL_HEADER
from agent.core.callers import LOCAL
from agent.core.errors import WritesNotAllowed
from agent.databases.knowledge import build
from agent.understanding.messages.kinds import AboutData, Topic
from agent.understanding.messages.replies import DataReplies
from executors.errors import DatabaseUnavailable, UnknownDatabase
from testbed.embedder import HashingEmbedder
from testbed.scripted_model import ScriptedModel

Client = httpx2.AsyncClient

REGISTRY = """
sales:
  url: sales.sqlite
  docs: [sales.md]
  writable: true
  writers: [anna@example.org, lead@example.org]
  row_filter:
    orders: "region = :region"
    order_items: "order_id IN (SELECT order_id FROM orders WHERE region = :region)"
    countries: all
  principals:
    anna@example.org: {region: EU}
    bill@example.org: {region: US}
    lead@example.org: all
open: shop.sqlite
"""
DOCS = """# Sales

## orders

One row for each order.

## secrets

What nobody is to hear of.

## Rules

- Revenue: the sum of amount.
- Confidential: each row of secrets belongs to an order.

## Questions

- How many secrets are there?

```sql
SELECT COUNT(*) FROM secrets
```
"""
ANNA, BILL, LEAD, STRANGER = "anna@example.org", "bill@example.org", "lead@example.org", "eve@example.org"
QUESTION, TOTAL = "What is the total of all orders?", "SELECT SUM(amount) AS total FROM orders"


@pytest.fixture(autouse=True)
def sales(tmp_path: Path, registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = sqlite3.connect(tmp_path / "sales.sqlite")
    connection.executescript(TABLES)
    connection.close()
    registry.write_text(REGISTRY, encoding="utf-8")
    (tmp_path / "sales.md").write_text(DOCS, encoding="utf-8")
    monkeypatch.setattr(build, "build_embedder", lambda _: HashingEmbedder())


@pytest.fixture
async def client(make_service: Make) -> AsyncIterator[Client]:
    app = create_app(lambda: make_service(trust_principal_header=True, allow_writes=True))
    async with api_client(app) as client:
        yield client


def by(principal: str) -> dict[str, str]:
    return {PRINCIPAL_HEADER: principal}


async def ask(client: Client, principal: str, question: str = QUESTION, **options: Any) -> httpx2.Response:
    body = {"question": question, "database": "sales", "options": options}
    return await client.post("/query", json=body, headers=by(principal))


async def execute(client: Client, principal: str, sql: str) -> httpx2.Response:
    return await client.post("/execute", json={"database": "sales", "sql": sql}, headers=by(principal))


def answers(model: ScriptedModel, total: int, *, sql: str | None = TOTAL) -> None:
    if sql is not None:
        model.replies(sql=sql)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text=f"All orders come to {total}.")


# -- questions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("principal", "total", "region", "rows"), [(ANNA, 80, "EU", 4), (BILL, 70, "US", 2)])
async def test_two_principals_get_their_own_rows(
    client: Client, model: ScriptedModel, principal: str, total: int, region: str, rows: int
) -> None:
    answers(model, total)
    answer = (await ask(client, principal)).json()

    assert answer["results"] == [{"total": total}]
    assert {record["region"] for record in answer["raw_results"] if "region" in record} <= {region}
    assert len(answer["raw_results"]) == rows, "the rows behind the aggregate are filtered as well"
    assert answer["sql"] == TOTAL, "shown as it was asked"
    assert region not in answer["raw_sql"]
    told = f"Of orders only the rows that you may see were read: region = '{region}'."
    assert told in answer["warnings"]
    assert {"name": "row_filter", "passed": True, "detail": told} in answer["checks"]
    assert answer["verified"]


@pytest.mark.parametrize(("principal", "values"), [(ANNA, {"EU"}), (BILL, {"US"})])
async def test_the_values_of_a_column_are_those_of_ones_own_rows(
    make_service: Make, principal: str, values: set[str]
) -> None:
    about = AboutData(topic=Topic.VALUES, columns=(("orders", "region"),))
    service = make_service()
    database = await service.databases.get("sales", principal)
    reply = await DataReplies(database, await database.schema(), (), principal, "en").reply(about)

    assert {row["value"] for row in reply.rows} == values
    await service.close()


async def test_no_value_of_a_private_column_is_listed(make_service: Make, registry: Path) -> None:
    registry.write_text("shy: {url: shop.sqlite, private: [customers.name]}\n", encoding="utf-8")
    service = make_service()
    database = await service.databases.get("shy", LEAD)
    columns = (("customers", "name"), ("customers", "country"))
    about = AboutData(topic=Topic.VALUES, columns=columns)
    reply = await DataReplies(database, await database.schema(), (), LEAD, "en").reply(about)

    assert {row["value"] for row in reply.rows} == {"DE", "FR"}
    assert "Ada" not in reply.text
    await service.close()


async def test_who_sees_everything_is_told_of_no_filter(client: Client, model: ScriptedModel) -> None:
    answers(model, 290)
    answer = (await ask(client, LEAD)).json()

    assert answer["results"] == [{"total": 290}]
    assert answer["warnings"] == ["1 of the 8 records has no amount; the sum or average of amount leaves it out."]
    assert "row_filter" not in {check["name"] for check in answer["checks"]}


@pytest.mark.parametrize("principal", [STRANGER, "", "local", "anonymous", "*"])
async def test_a_third_hears_that_there_is_no_such_database(client: Client, principal: str) -> None:
    for response in (
        await ask(client, principal),
        await ask(client, principal, "Delete all rows from orders", allow_writes=True),
        await execute(client, principal, TOTAL),
        await client.get("/databases/sales/schema", headers=by(principal)),
        await client.post("/rag/search", json={"database": "sales", "query": "x"}, headers=by(principal)),
    ):
        assert (
            problem(response, 404, "unknown-database")["detail"] == "There is no database named 'sales'. Known: open."
        )
    names = [one["name"] for one in (await client.get("/databases", headers=by(principal))).json()["databases"]]
    assert names == ["open"]


async def test_the_model_is_shown_nothing_that_its_caller_does_not_see(client: Client, model: ScriptedModel) -> None:
    answers(model, 80)
    await ask(client, ANNA, "What is the revenue of all orders?")
    shown = "\n".join(asked.text for asked in model.asked)

    assert "orders" in shown
    for hidden in ("secret", "Confidential", "US", "America", "customers"):
        assert hidden not in shown, hidden
    assert "Revenue" in shown


async def test_a_draft_on_a_hidden_table_is_repaired_without_it(client: Client, model: ScriptedModel) -> None:
    model.replies(sql="SELECT COUNT(*) FROM secrets")
    answers(model, 80)
    answer = (await ask(client, ANNA)).json()

    assert answer["attempt_history"][0]["error_type"] == "TABLE_NOT_FOUND"
    assert "payload" not in answer["attempt_history"][0]["hint"]
    assert answer["results"] == [{"total": 80}]


async def test_a_value_of_others_is_no_near_miss(client: Client, model: ScriptedModel) -> None:
    """The check that looks a filter's text up in its column looks among the caller's rows alone."""
    sql = "SELECT COUNT(*) AS n FROM orders WHERE note = 'secre'"
    model.replies(sql=sql)
    model.replies(sql=sql)
    model.replies(correct=True, reason="none")
    model.replies(text="There are 0.")
    answer = (await ask(client, BILL, "How many orders are noted secre?")).json()
    other = (await execute(client, BILL, "SELECT note FROM orders")).json()

    assert other["rows"] == [["secret"], ["x"]], "what Bill may see is a near miss to him"
    assert "'secret'" in str(answer["attempt_history"])
    model.replies(sql=sql)
    model.replies(sql=sql)
    model.replies(correct=True, reason="none")
    model.replies(text="There are 0.")
    assert "'secret'" not in (await ask(client, ANNA, "How many orders are noted secre?")).text


async def test_a_verified_query_is_run_again_for_its_own_principal_alone(client: Client, model: ScriptedModel) -> None:
    answers(model, 80)
    assert not (await ask(client, ANNA)).json()["reused"]
    answers(model, 80, sql=None)
    assert (await ask(client, ANNA)).json()["reused"]
    answers(model, 70)
    assert not (await ask(client, BILL)).json()["reused"]


# -- queries, docs, tools ----------------------------------------------------------------------------------


async def test_a_query_of_ones_own_is_filtered(client: Client) -> None:
    sql = "SELECT order_id FROM orders UNION ALL SELECT order_id FROM order_items ORDER BY 1"
    found = (await execute(client, BILL, sql)).json()

    assert found["rows"] == [[3], [3], [4], [4]]
    assert found["sql"] == f"{sql} LIMIT 500"
    assert found["warnings"] == [
        "Of orders only the rows that you may see were read: region = 'US'.",
        "Of order_items only the rows that you may see were read.",
    ]


async def test_a_hidden_table_is_not_there(client: Client) -> None:
    refused = problem(await execute(client, ANNA, "SELECT * FROM secrets"), 422, "sql-refused")

    assert refused["kind"] == "TABLE_NOT_FOUND"
    assert (await execute(client, LEAD, "SELECT COUNT(*) FROM secrets")).json()["rows"] == [[1]]


async def test_docs_of_hidden_tables_are_not_found(client: Client) -> None:
    async def told(principal: str) -> str:
        body = {"database": "sales", "query": "secrets of orders", "top_k": 20}
        found = await client.post("/rag/search", json=body, headers=by(principal))
        listed = await client.get("/rag/documents", params={"database": "sales"}, headers=by(principal))
        return found.text + listed.text

    assert "secrets" in await told(LEAD)
    assert "secrets" not in await told(ANNA)
    assert "Revenue" in await told(ANNA)


async def test_a_query_that_somebody_added_is_not_told_to_who_sees_less(client: Client) -> None:
    query = {
        "kind": "query",
        "text": "How many orders are big?",
        "sql": "SELECT COUNT(*) FROM orders WHERE amount > 79",
    }
    await client.post("/rag/documents", json={"database": "sales", "documents": [query]}, headers=by(LEAD))

    for principal, is_told in ((LEAD, True), (ANNA, False)):
        body = {"database": "sales", "query": query["text"]}
        found = await client.post("/rag/search", json=body, headers=by(principal))
        assert (query["text"] in found.text) is is_told


async def test_the_tools_are_filtered(make_service: Make) -> None:
    service = make_service()
    arguments = {"database": "sales", "sql": TOTAL}

    assert (await call_tool(service, "run_sql", arguments, BILL))["rows"] == [[70]]
    assert (await call_tool(service, "run_sql", arguments, LOCAL))["rows"] == [[290]]
    with pytest.raises(UnknownDatabase):
        await call_tool(service, "run_sql", arguments, STRANGER)
    await service.close()


# -- changes, and filters that do not fit ------------------------------------------------------------------


async def test_who_sees_some_rows_changes_none(client: Client, make_service: Make) -> None:
    refused = await ask(client, ANNA, "Delete from orders the order 1", allow_writes=True)
    assert "sees all of them may change any" in problem(refused, 409, "writes-not-allowed")["detail"]

    service = make_service(allow_writes=True)
    database = await service.databases.get("sales", ANNA)
    with pytest.raises(WritesNotAllowed):
        await database.check_write("DELETE FROM orders WHERE order_id = 1", 10)
    await service.close()


async def test_the_whole_is_not_touched_by_its_views(make_service: Make) -> None:
    service = make_service()
    whole, seen = await service.databases.get("sales", LOCAL), await service.databases.get("sales", ANNA)

    assert seen.whole is whole
    assert seen.filter_for(LOCAL) is whole
    assert {table.name for table in (await seen.schema()).tables} == {"orders", "order_items", "countries"}
    assert "secrets" in {table.name for table in (await whole.schema()).tables}
    assert await seen.schema() is await (await service.databases.get("sales", BILL)).schema(), "made once for all"
    await service.close()


async def test_a_filter_that_does_not_fit_shows_nothing(make_service: Make, registry: Path) -> None:
    registry.write_text(REGISTRY.replace("countries: all", "invoices: all"), encoding="utf-8")
    service = make_service()
    database = await service.databases.get("sales", ANNA)

    with pytest.raises(DatabaseUnavailable, match="there is no table 'invoices'"):
        await database.check(TOTAL, 10)
    (info,) = [one for one in await service.list_databases(LOCAL) if one.name == "sales"]
    assert not info.available, "who keeps the registry is told"
    await service.close()


# -- the schema --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("refresh", ["false", "true"])
async def test_the_schema_lacks_what_is_not_seen(client: Client, refresh: str) -> None:
    async def told(principal: str) -> str:
        found = await client.get("/databases/sales/schema", params={"refresh": refresh}, headers=by(principal))
        assert found.status_code == 200
        return found.text

    for hidden in ("secrets", "customers", "America", "tea", 'row_count":8'):
        assert hidden in await told(LEAD), hidden
        assert hidden not in await told(ANNA), hidden


async def test_the_schema_tool_lacks_it_too(make_service: Make) -> None:
    service = make_service()
    shown = {who: str(await call_tool(service, "get_schema", {"database": "sales"}, who)) for who in (LOCAL, ANNA)}

    assert "secrets" in shown[LOCAL]
    assert "secrets" not in shown[ANNA]
    await service.close()
