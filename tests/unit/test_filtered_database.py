"""A database with a row filter: its errors, and the state that all callers share."""

from __future__ import annotations

import pytest

from agent.core.callers import LOCAL
from agent.databases.database import Database
from executors.base import Cancel, CheckedSql, Column, Executor, QueryResult, Schema, Table
from executors.errors import ErrorKind, SqlFailed, UnknownDatabase
from executors.guard.row_security.row_filter import RowFilter

FILTER = RowFilter(every="region = :region", principals={"anna": {"region": "EU"}, "lead": None})


class Failing(Executor):
    """Fails with what it holds."""

    def __init__(self, dialect: str) -> None:
        self.name, self.dialect, self.warnings = "shop", dialect, ("The table secrets could not be read.",)

    def schema(self) -> Schema:
        tables = (Table(name="orders", columns=(Column(name="region", type="TEXT"),)),)
        return Schema(database="shop", dialect=self.dialect, tables=tables)

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        raise SqlFailed(ErrorKind.TYPE_MISMATCH, "'secret' is no number", "Did you mean secrets.region?")


async def failure(dialect: str, principal: str) -> SqlFailed:
    whole = Database(Failing(dialect), limit=1, timeout_s=5, row_filter=FILTER)
    database = whole.filter_for(principal)
    with pytest.raises(SqlFailed) as failed:
        await database.run(await database.check("SELECT region FROM orders", 5))
    await whole.close()
    return failed.value


@pytest.mark.parametrize(("dialect", "principal", "message", "hint"), [
    ("duckdb", LOCAL, "'secret' is no number", "Did you mean secrets.region?"),
    ("duckdb", "lead", "'secret' is no number", "Did you mean secrets.region?"),
    ("duckdb", "anna", "'secret' is no number", ""),  # of a row that she sees; the hint knows every table
    ("databricks", "anna", "The database could not run it (TYPE_MISMATCH).", ""),
])  # fmt: skip
async def test_an_error_tells_of_nothing_that_is_not_seen(
    dialect: str, principal: str, message: str, hint: str
) -> None:
    failed = await failure(dialect, principal)

    assert (failed.message, failed.hint) == (message, hint)
    assert failed.kind is ErrorKind.TYPE_MISMATCH


async def test_a_view_is_for_one_principal_and_makes_others() -> None:
    whole = Database(Failing("duckdb"), limit=1, timeout_s=5, row_filter=FILTER)
    seen = whole.filter_for("Anna")

    assert (whole.is_filtered, seen.is_filtered, seen.filter_for("lead").is_filtered) == (False, True, False)
    assert seen.filter_for(LOCAL) is seen.whole is whole
    assert seen.warnings == (), "they may be about tables that she does not see"
    with pytest.raises(UnknownDatabase, match="There is no database named 'shop'"):
        seen.filter_for("ben")
    await whole.close()


async def test_a_database_without_a_filter_is_seen_as_it_is() -> None:
    whole = Database(Failing("duckdb"), limit=1, timeout_s=5)
    assert whole.filter_for("anybody") is whole
    await whole.close()
