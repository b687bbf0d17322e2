"""The mends in their order: which are tried after which error, and what the question was linked to."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.context import Context
from agent.database import Database
from agent.mending import after_error, find_faults, mended
from agent.models import Attempt, Draft, Verdict
from executors.base import Column, ForeignKey, Schema, Table
from executors.errors import ErrorKind
from executors.sqlite import SqliteExecutor
from rag.linking import Linked
from rag.values import LinkedValue

SHOP = Schema(
    database="shop",
    dialect="sqlite",
    tables=(
        Table(
            name="customers",
            columns=(Column(name="customer_id", type="INTEGER"), Column(name="name", type="TEXT")),
            primary_key=("customer_id",),
        ),
        Table(
            name="orders",
            columns=tuple(Column(name=it, type="TEXT") for it in ("order_id", "customer_id", "ordered_at")),
            primary_key=("order_id",),
            foreign_keys=(ForeignKey(columns=("customer_id",), table="customers", referenced=("customer_id",)),),
        ),
    ),
)


@pytest.mark.parametrize(
    "kind, sql, mend",
    [
        (
            ErrorKind.COLUMN_NOT_FOUND,
            "SELECT orders.order_id FROM orders AS o",
            "SELECT o.order_id FROM orders AS o",
        ),
        (
            ErrorKind.COLUMN_NOT_FOUND,
            "SELECT t.name FROM (SELECT customer_id FROM customers) AS t",
            "SELECT t.name FROM (SELECT customer_id, customers.name FROM customers) AS t",
        ),
        (
            ErrorKind.FUNCTION_NOT_FOUND,
            "SELECT YEAR(ordered_at) FROM orders",
            "SELECT CAST(STRFTIME('%Y', ordered_at) AS INTEGER) FROM orders",
        ),
        (
            ErrorKind.GROUPING,
            "SELECT customer_id FROM orders ORDER BY COUNT(*)",
            "SELECT customer_id FROM orders GROUP BY customer_id ORDER BY COUNT(*)",
        ),
        (ErrorKind.TIMEOUT, "SELECT orders.order_id FROM orders AS o", None),
    ],
)
def test_what_is_mended_after_which_error(kind: ErrorKind, sql: str, mend: str | None) -> None:
    found = after_error(sql, kind, SHOP, "Which orders are there?")
    assert (found.sql if found else None) == mend


def test_a_mend_that_was_tried_is_not_tried_again() -> None:
    mend = Draft(sql="SELECT 2", note="put right")
    refused = Attempt(sql="SELECT 1", mend=mend, verdict=Verdict(reason="wrong", correct=False, source="checks"))
    judged = refused.model_copy(update={"verdict": Verdict(reason="wrong", correct=False)})

    assert mended([refused], SHOP, "") == mend
    assert mended([Attempt(sql="SELECT 2"), refused], SHOP, "") is None
    assert mended([judged], SHOP, "") is None, "a judge knows no mend"
    assert mended([refused.model_copy(update={"reused": True})], SHOP, "") is None
    assert mended([], SHOP, "") is None


@pytest.mark.parametrize("wrong", ["status", "customer_id"])  # of another text column, or of the key to where it is
async def test_a_text_is_asked_of_the_table_that_the_question_was_linked_to(shop_file: Path, wrong: str) -> None:
    database = Database(SqliteExecutor("shop", shop_file, sample_values=3), limit=1, timeout_s=10)
    schema = await database.schema()
    linked = Linked(values=(LinkedValue("customers", "name", "Ada", "Ada", "exact", 1.0),))
    context = Context(db_schema=schema, system="", linked=linked)

    faults = await find_faults(
        f"SELECT COUNT(*) FROM orders WHERE {wrong} = 'Ada'", "How many orders has Ada?", context, schema, database
    )

    assert [check.name for check in faults.checks if check.passed is False] == ["filter_values"]
    assert faults.mend is not None
    assert faults.mend.sql == (
        "SELECT COUNT(*) FROM orders JOIN customers ON orders.customer_id = customers.customer_id "
        "WHERE customers.name = 'Ada'"
    )
    assert "joined customers" in faults.mend.note
    await database.close()


async def test_nothing_is_found_in_what_cannot_be_parsed(shop_file: Path) -> None:
    database = Database(SqliteExecutor("shop", shop_file, sample_values=3), limit=1, timeout_s=10)
    schema = await database.schema()
    faults = await find_faults("SELECT FROM", "What?", Context(db_schema=schema, system=""), schema, database)
    assert (faults.checks, faults.mend) == ((), None)
    await database.close()
