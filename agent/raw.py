"""The rows behind an aggregate: derived from the query's tree; where that cannot be done, asked of the model."""

from __future__ import annotations

from agent.context import Context
from agent.database import Database
from agent.errors import ModelFailed
from agent.ledger import Ledger
from agent.llm import ChatModel
from agent.llms.replies import extract_sql
from executors.base import CheckedSql, Frozen, QueryResult
from executors.errors import SqlError


class RawRecords(Frozen):
    """Rows behind an aggregate. `reason` says why there are none; `derived`: not written by the model."""

    sql: str | None = None
    result: QueryResult | None = None
    derived: bool = True
    needed: bool = False
    reason: str = ""


async def fetch_raw_records(
    question: str,
    query: CheckedSql,
    database: Database,
    context: Context,
    model: ChatModel,
    row_limit: int,
    ledger: Ledger,
) -> RawRecords:
    """Derive the records' query from `query`, check it like any other, and run it for at most `row_limit` rows.

    Raises:
        ModelUnavailable: only where the model had to be asked.
    """
    if row_limit == 0:
        return RawRecords(reason="Raw records are switched off.")
    from executors.dialects import DIALECTS
    from executors.raw_records import derive

    raw = derive(query.sql, DIALECTS[database.dialect].sqlglot)
    if not raw.needed:
        return RawRecords(reason=raw.reason)
    sql, derived = raw.sql, True
    if sql is None:
        sql, derived = await _ask(question, query, context, model, ledger), False
    if sql is None:
        return RawRecords(derived=False, needed=True, reason=raw.reason)
    try:
        checked = await database.check(sql, row_limit)
        result = await database.run(checked)
    except SqlError as error:
        return RawRecords(sql=sql, derived=derived, needed=True, reason=f"{raw.reason} {error.message}".strip())
    return RawRecords(sql=checked.sql, result=result, derived=derived, needed=True, reason=raw.reason)


async def _ask(question: str, query: CheckedSql, context: Context, model: ChatModel, ledger: Ledger) -> str | None:
    try:
        reply = await model.complete(context.messages("raw_records", question=question, sql=query.sql))
    except ModelFailed:
        return None
    ledger.spend(reply.usage)
    return extract_sql(reply.text)
